import { keccak256, numberToHex, pad } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { testAccount } from '../../support/test-chain.ts';
import { createExampleChain, EXAMPLE } from '../example-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const NOBODY = `0x${'77'.repeat(20)}`;
const slot = (number: number) => pad(numberToHex(number));

interface Range {
  readonly storage: Readonly<Record<string, { readonly key: string; readonly value: string }>>;
  readonly nextKey: string | null;
}

describe('eth_getAccount', () => {
  it('eth_getAccount returns the values of eth_getProof, and null for a nonexistent account', async () => {
    const { call } = await createExampleChain();
    for (const address of [EXAMPLE.sender, EXAMPLE.counter]) {
      const proof = (await call('eth_getProof', [address, [], 'latest'])) as Readonly<
        Record<string, unknown>
      >;
      const { nonce, balance, codeHash, storageHash } = proof;
      const expected = { nonce, balance, codeHash, storageRoot: storageHash };
      expect(await call('eth_getAccount', [address])).toEqual(expected);
      expect(await call('eth_getAccount', [address, 'latest'])).toEqual(expected);
    }
    expect(await call('eth_getAccount', [NOBODY])).toBeNull();
  });
});

describe('eth_getAccountInfo', () => {
  it('eth_getAccountInfo returns nonce, balance and code, and zeros for a nonexistent account', async () => {
    const { call } = await createExampleChain();
    const code = await call('eth_getCode', [EXAMPLE.counter, 'latest']);
    expect(await call('eth_getAccountInfo', [EXAMPLE.counter])).toEqual({
      nonce: '0x0',
      balance: '0x0',
      code,
    });
    expect(await call('eth_getAccountInfo', [NOBODY])).toEqual({ nonce: '0x0', balance: '0x0', code: '0x' });
  });
});

describe('eth_getStorageValues', () => {
  it('eth_getStorageValues returns the values in the order of the requested slots', async () => {
    const { call } = await createExampleChain();
    const requests = { [EXAMPLE.counter]: ['0x1', 0, slot(0)], [NOBODY]: ['0x0'], [EXAMPLE.sender]: [] };
    expect(await call('eth_getStorageValues', [requests, 'latest'])).toEqual({
      [EXAMPLE.counter]: [slot(0), slot(42), slot(42)],
      [NOBODY]: [slot(0)],
      [EXAMPLE.sender]: [],
    });
    expect(await call('eth_getStorageValues', [requests, '0x2'])).toMatchObject({
      [EXAMPLE.counter]: [slot(0), slot(0), slot(0)],
    });
  });

  it.each([
    ['more than 1024 slots', { [EXAMPLE.counter]: Array(1000).fill('0x0'), [NOBODY]: Array(25).fill('0x0') }],
    ['no account', {}],
    ['accounts without slots', { [EXAMPLE.counter]: [], [NOBODY]: [] }],
  ])('eth_getStorageValues rejects a request of %s', async (_kind, requests) => {
    const { call } = await createExampleChain();
    await expect(call('eth_getStorageValues', [requests])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: requests: expected 1 to 1024 storage positions in total/),
    });
  });
});

describe('debug_storageRangeAt', () => {
  it('debug_storageRangeAt pages through the storage in the order of the slot hashes', async () => {
    const { call, chain } = await createRpcHarness();
    const address = testAccount(2).address;
    for (let number = 0; number < 5; number++) {
      await chain.cheats.setStorageAt(
        address,
        Buffer.from(slot(number).slice(2), 'hex'),
        Uint8Array.of(number + 1),
      );
    }
    await call('evm_mine');
    const expected = [0, 1, 2, 3, 4]
      .map((number) => [keccak256(slot(number)), { key: slot(number), value: slot(number + 1) }] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1));
    const found: [string, unknown][] = [];
    let start: string | null = '0x0';
    while (start !== null) {
      const range = (await call('debug_storageRangeAt', ['latest', 0, toHex(address), start, 2])) as Range;
      found.push(...Object.entries(range.storage));
      start = range.nextKey;
    }
    expect(found).toEqual(expected);
  });

  it('debug_storageRangeAt returns the storage before the transaction at the index', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    for (let sent = 0; sent < 2; sent++) {
      await harness.call('eth_sendTransaction', [
        { from: SENDER, to: counter.address, data: counter.data('increase', 5n) },
      ]);
    }
    await harness.call('evm_mine');
    const at = async (index: number) => {
      const params = ['latest', index, counter.address, slot(0), 10];
      const { storage } = (await harness.call('debug_storageRangeAt', params)) as Range;
      return Object.values(storage).map(({ value }) => Number(value));
    };
    expect([await at(0), await at(1)]).toEqual([[], [5]]);
    await harness.call('evm_mine');
    expect(await at(0)).toEqual([10]);
  });

  it('debug_storageRangeAt rejects an index out of range and a nonexistent account', async () => {
    const harness = await createRpcHarness();
    const { address } = await deploy(harness, 'Counter');
    for (const [params, words] of [
      [['latest', 1, address, '0x0', 10], 'transaction index 1 out of range: block 1 has 1 transactions'],
      [['earliest', 1, address, '0x0', 10], 'transaction index 1 out of range: block 0 has 0 transactions'],
      [['latest', 0, `0x${'5a'.repeat(20)}`, '0x0', 10], `account 0x${'5a'.repeat(20)} doesn't exist`],
      [['latest', 0, address, '0x0', 10], `account ${address} doesn't exist`],
    ] as const) {
      const answer = harness.call('debug_storageRangeAt', params);
      await expect(answer).rejects.toMatchObject({ code: -32000, message: words });
    }
  });
});

describe('debug_dumpBlock', () => {
  it('debug_dumpBlock returns the state root of the block and all accounts', async () => {
    const { call } = await createExampleChain();
    const { stateRoot } = (await call('eth_getBlockByNumber', ['latest'])) as { stateRoot: string };
    const dump = (await call('debug_dumpBlock', ['latest'])) as {
      readonly root: string;
      readonly accounts: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    expect(`0x${dump.root}`).toBe(stateRoot);
    expect(dump.accounts[EXAMPLE.counter]).toMatchObject({
      balance: '0',
      nonce: 0,
      code: await call('eth_getCode', [EXAMPLE.counter, 'latest']),
      storage: { [slot(0)]: '2a' },
      key: keccak256(EXAMPLE.counter),
    });
    expect(dump.accounts[EXAMPLE.receiver]).toMatchObject({ balance: '10001000000000000000000' });
    expect(dump.accounts[EXAMPLE.receiver]).not.toHaveProperty('code');
  });
});

describe('eth_capabilities', () => {
  const KINDS = ['state', 'tx', 'logs', 'receipts', 'blocks', 'stateproofs'];

  it('eth_capabilities returns all kinds of data from the genesis', async () => {
    const { call } = await createExampleChain();
    const held = { disabled: false, oldestBlock: '0x0' };
    expect(await call('eth_capabilities')).toEqual({
      head: { number: '0x4', hash: EXAMPLE.blockHashes[4] },
      ...Object.fromEntries(KINDS.map((kind) => [kind, held])),
    });
  });

  it('eth_capabilities reports no state proofs on a fork, and eth_getProof is rejected there', async () => {
    const node = await createExampleChain();
    const fork = await createForkScene(new ScriptedUpstream((method, params) => node.call(method, params)));
    const capabilities = (await fork.call('eth_capabilities')) as Record<string, unknown>;
    expect(capabilities.stateproofs).toEqual({ disabled: true });
    expect(capabilities.state).toEqual({ disabled: false, oldestBlock: '0x0' });
    expect(await fork.call('eth_getBalance', [EXAMPLE.receiver, '0x0'])).toMatch(/^0x/);
    await fork.call('evm_mine');
    await expect(fork.call('eth_getProof', [EXAMPLE.receiver, [], 'latest'])).rejects.toThrow();
  });
});

describe('eth_config', () => {
  it('eth_config returns the rules of the chain', async () => {
    for (const [ruleSet, count, blobSchedule] of [
      ['rootstock', 16, null],
      ['shanghai', 9, null],
      ['cancun', 10, { baseFeeUpdateFraction: 3_338_477, max: 6, target: 3 }],
      ['prague', 17, { baseFeeUpdateFraction: 5_007_716, max: 9, target: 6 }],
      ['bpo2', 18, { baseFeeUpdateFraction: 11_684_671, max: 21, target: 14 }],
    ] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      const config = (await call('eth_config')) as { current: { precompiles: object; forkId: string } };
      expect(config).toMatchObject({
        current: { activationTime: 0, chainId: '0x21', systemContracts: {}, blobSchedule },
        next: null,
        last: null,
      });
      expect(config.current.forkId).toMatch(/^0x[0-9a-f]{8}$/);
      expect(Object.keys(config.current.precompiles)).toHaveLength(count);
      expect(config.current.precompiles).toMatchObject({ ECREC: `0x${'0'.repeat(39)}1` });
    }
  });

  it('eth_config lists exactly the precompiles of the hardfork', async () => {
    for (const ruleSet of ['rootstock', 'shanghai', 'cancun', 'prague'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      const { current } = (await call('eth_config')) as { current: { precompiles: Record<string, string> } };
      const listed = new Set(Object.values(current.precompiles));
      const numbers = Array.from({ length: 0x1f }, (_, index) => index + 1);
      // The precompiles of Rootstock start at 0x1000000.
      for (const number of [...numbers, ...numbers.map((own) => 0x1000000 + own)]) {
        const address = pad(numberToHex(number), { size: 20 });
        const code = `0x5f5f5f5f5f73${address.slice(2)}5af100`;
        const options = { tracer: 'flatCallTracer', stateOverrides: { [NOBODY]: { code } } };
        // The tracer omits calls of precompiles.
        const frames = (await call('debug_traceCall', [{ to: NOBODY }, 'latest', options])) as unknown[];
        expect(frames.length === 1, `${ruleSet} ${number}`).toBe(listed.has(address));
      }
    }
  });
});

describe('transaction pool methods', () => {
  it('txpool_contentFrom lists the transactions of one sender', async () => {
    const { call } = await createExampleChain();
    const content = (await call('txpool_content')) as { queued: Record<string, unknown> };
    expect(await call('txpool_contentFrom', [EXAMPLE.queuedSender])).toEqual({
      pending: {},
      queued: content.queued[EXAMPLE.queuedSender.slice(2)],
    });
    expect(await call('txpool_contentFrom', [EXAMPLE.sender])).toEqual({ pending: {}, queued: {} });
  });

  it('debug_clearTxpool empties the pool', async () => {
    const { call } = await createExampleChain();
    expect(await call('debug_clearTxpool')).toBeNull();
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });
});
