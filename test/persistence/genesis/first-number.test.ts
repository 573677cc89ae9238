import { describe, expect, it } from 'vitest';
import { readGenesisFile } from '../../../src/persistence/genesis-file.ts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ALICE, createTestChain, nodeOf } from '../../support/test-chain.ts';

const PARENT = `0x${'5a'.repeat(32)}`;
const STRANGER = `0x${'a1'.repeat(20)}`;

function genesis(number: unknown, more: object = {}) {
  const content = { number, parentHash: PARENT, alloc: { [STRANGER]: { balance: '7' } }, ...more };
  return readGenesisFile(Buffer.from(JSON.stringify(content)));
}

const at = (number: unknown, ruleSet: 'rootstock' | 'prague'): Promise<RpcHarness> =>
  createRpcHarness({}, { ruleSet, genesis: genesis(number) });

type Fields = Readonly<Record<string, unknown>>;

describe.each(['rootstock', 'prague'] as const)('chain of %s with a genesis number above 0', (ruleSet) => {
  it.each([5, '5', '0x5'])('starts with this block, whose parent does not exist (%s)', async (number) => {
    const { call } = await at(number, ruleSet);
    expect(await call('eth_blockNumber')).toBe('0x5');
    expect(await call('eth_getBlockByNumber', ['earliest'])).toMatchObject({
      number: '0x5',
      parentHash: PARENT,
    });
    expect(await call('eth_getBlockByNumber', ['0x4'])).toBeNull();
    expect(await call('eth_getBlockByHash', [PARENT])).toBeNull();
    expect(await call('eth_getBalance', [STRANGER, 'earliest'])).toBe('0x7');
    await expect(call('eth_getBalance', [STRANGER, '0x4'])).rejects.toMatchObject({
      message: expect.stringContaining('4'),
    });
  });

  it('supports transactions, logs, filters, fees, traces, snapshots and resets', async () => {
    const { call } = await at(5, ruleSet);
    const snapshot = await call('evm_snapshot');
    const filter = await call('eth_newBlockFilter');
    // Logs its word of data, and reads the hashes of the genesis and of its parent.
    const code = '0x60054060005260044060205260406000a000';
    const hash = await call('eth_sendTransaction', [{ from: ALICE, data: code }]);
    const receipt = (await call('eth_getTransactionReceipt', [hash])) as Fields;
    expect(receipt).toMatchObject({ blockNumber: '0x6', status: '0x1' });
    const first = (await call('eth_getBlockByNumber', ['0x5'])) as Fields;
    const [log] = (await call('eth_getLogs', [{ fromBlock: 'earliest' }])) as Fields[];
    expect(String(log?.data).slice(0, 66)).toBe(first.hash);
    expect(await call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x6' }])).toHaveLength(1);
    expect(await call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x4' }])).toEqual([]);
    expect(await call('eth_getFilterChanges', [filter])).toHaveLength(1);
    expect(await call('eth_feeHistory', ['0xa', 'latest', []])).toMatchObject({ oldestBlock: '0x5' });
    expect(await call('debug_traceTransaction', [hash])).toMatchObject({ failed: false });
    expect(await call('trace_block', ['0x6'])).not.toEqual([]);
    await call('hardhat_mine', ['0x200']);
    expect(await call('eth_blockNumber')).toBe('0x206');
    expect(await call('eth_getBlockByNumber', ['0x100'])).toMatchObject({ number: '0x100' });
    expect(await call('evm_revert', [snapshot])).toBe(true);
    expect(await call('eth_blockNumber')).toBe('0x5');
    await call('evm_mine');
    for (const method of ['anvil_rollback', 'anvil_reorg']) {
      const params = method === 'anvil_reorg' ? [2, []] : [2];
      await expect(call(method, params)).rejects.toThrow(
        'cannot remove 2 blocks: the head is block 6 and the first block is 5; use a smaller depth',
      );
    }
    await call('hardhat_reset', []);
    expect(await call('eth_blockNumber')).toBe('0x5');
    expect(await call('eth_getTransactionReceipt', [hash])).toBeNull();
  });

  it('the chain is restored by a dump', async () => {
    const { chain, call } = await at(5, ruleSet);
    await call('evm_mine');
    const dump = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
    const { chain: twin } = await createTestChain({ ruleSet });
    await nodeOf(twin).dump.load(dump);
    expect(twin.head().header.number).toBe(6);
    expect(await nodeOf(twin).dump.write({ isCompressed: false, withKeys: false })).toEqual(dump);
  });
});

describe('Rootstock chain with a genesis number above 0', () => {
  it('REMASC distributes fees after its own blocks have matured', async () => {
    const { call, chain } = await createRpcHarness({}, { remasc: true, genesis: genesis(5) });
    for (let block = 0; block < 20; block++) {
      await call('eth_sendTransaction', [{ from: ALICE, to: STRANGER, gasPrice: '0x3b9aca00' }]);
    }
    expect(chain.head().header.number).toBe(25);
    expect(chain.head().transactions).toHaveLength(2);
    expect(await call('eth_getLogs', [{ fromBlock: 'earliest' }])).not.toEqual([]);
  });

  it('the chain is restored from its data directory', async () => {
    const dataDirectory = await temporaryDirectory();
    const options = { genesis: genesis(5), dataDirectory };
    const first = await createRpcHarness({}, options);
    await first.call('eth_sendTransaction', [{ from: ALICE, to: STRANGER, value: '0x5' }]);
    await first.call('hardhat_mine', ['0x100']);
    const head = first.chain.head().hash;
    await first.chain.close();
    const second = await createRpcHarness({}, options);
    expect(second.chain.head().hash).toEqual(head);
    expect(await second.call('eth_getBlockByNumber', ['earliest'])).toMatchObject({ number: '0x5' });
    expect(await second.call('eth_getBalance', [STRANGER])).toBe('0xc');
    await second.call('hardhat_reset', []);
    expect(await second.call('eth_blockNumber')).toBe('0x5');
    await second.chain.close();
  });
});

describe('invalid block numbers in a genesis file', () => {
  it.each([
    ['a parent and the number 0', 0, {}, /parentHash: expected zero, because block 0 has no parent/],
    [
      'a parent hash that is none',
      5,
      { parentHash: '0x12zz' },
      /parentHash: expected 32 bytes in hexadecimal/,
    ],
    ['a number that is none', -1, {}, /number: expected a whole number/],
  ])('rejects %s', (_, number, more, message) => {
    expect(() => genesis(number, more)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message) }),
    );
  });
});

describe('system contracts of a genesis (EIP-2935, EIP-4788)', () => {
  const history = '0x0000f90827f1c53a10cb7a02335b175320002935';

  it.each([
    ['stand in the first block where no others are to', { predeploys: false }, true],
    ['stand there beside a genesis file', { predeploys: true, genesis: genesis(5) }, true],
    ['do not where the file is to be all that there is', { predeploys: false, genesis: genesis(5) }, false],
  ])('system contracts %s', async (_, options, isThere) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague', ...options });
    expect((await call('eth_getCode', [history, 'earliest'])) !== '0x').toBe(isThere);
  });
});
