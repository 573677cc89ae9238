import { createPublicClient, createTestClient, createWalletClient, custom, parseEther } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { describeBlock } from '../../../src/log/describe-block.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { remascTransaction } from '../../../src/protocol/remasc.ts';
import { ALICE, BOB } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

const NOBODY = `0x${'0'.repeat(40)}`;
const REMASC = '0x0000000000000000000000000000000001000008';
const LABS = '0xdabadabadabadabadabadabadabadabadaba0001';
const MINING_FEE = '0x000000000000000000000000000000006d696e696e675f6665655f746f706963';
const FIRST_RAW = '0xdd8000009400000000000000000000000000000000010000088080808080';
const FIRST_HASH = '0x4aa0649fdc1a4b0e07b64c26e43138400c84d6a127d0242027226b7ade17a53e';

let harness: RpcHarness;

beforeEach(async () => {
  harness = await createRpcHarness({}, { remasc: true });
});

function call(method: string, ...params: unknown[]): Promise<unknown> {
  return harness.call(method, params);
}

function send(): Promise<unknown> {
  return call('eth_sendTransaction', { from: ALICE, to: BOB, gas: '0x5208', gasPrice: '0x1' });
}

describe('REMASC transaction', () => {
  it('the last transaction of a block has the same fields as on Rootstock', async () => {
    await call('evm_mine');
    const block = (await call('eth_getBlockByNumber', '0x1', false)) as Readonly<Record<string, unknown>>;
    expect(block).toMatchObject({ transactions: [FIRST_HASH], gasUsed: '0x0', paidFees: '0x0' });
    expect(await call('eth_getTransactionByHash', FIRST_HASH)).toEqual({
      hash: FIRST_HASH,
      nonce: '0x0',
      blockHash: block.hash,
      blockNumber: '0x1',
      blockTimestamp: block.timestamp,
      transactionIndex: '0x0',
      from: NOBODY,
      to: REMASC,
      gas: '0x0',
      gasPrice: '0x0',
      value: '0x0',
      input: '0x',
      v: '0x0',
      r: `0x${'0'.repeat(64)}`,
      s: `0x${'0'.repeat(64)}`,
      type: '0x0',
    });
    expect(await call('eth_getTransactionReceipt', FIRST_HASH)).toMatchObject({
      transactionHash: FIRST_HASH,
      blockHash: block.hash,
      from: NOBODY,
      to: REMASC,
      status: '0x1',
      gasUsed: '0x0',
      cumulativeGasUsed: '0x0',
      contractAddress: null,
      logs: [],
    });
    expect(await call('eth_getRawTransactionByHash', FIRST_HASH)).toBe(FIRST_RAW);
  });

  it('the raw receipt of the REMASC transaction has one zero byte for its gas', async () => {
    await call('evm_mine');
    // A list of: success, cumulative gas 0, 256 bytes of bloom, no logs, gas 0, success.
    expect(await call('chain_getRawTransactionReceiptByHash', FIRST_HASH)).toBe(
      `0xf901080100b90100${'00'.repeat(256)}c00001`,
    );
  });

  it('the pool rejects a REMASC transaction', async () => {
    const refusal = { code: -32010, message: 'transaction is a remasc transaction' };
    await expect(call('eth_sendRawTransaction', FIRST_RAW)).rejects.toMatchObject(refusal);
    const later = toHex(remascTransaction(70).raw);
    await expect(call('eth_sendRawTransaction', later)).rejects.toMatchObject(refusal);
    expect(await call('txpool_status')).toMatchObject({ pending: 0, queued: 0 });
  });

  it('eth_feeHistory rewards exclude the REMASC transaction', async () => {
    await send();
    expect(await call('eth_feeHistory', '0x1', 'latest', [0, 50])).toMatchObject({
      reward: [['0x1', '0x1']],
    });
  });

  it('rskTracer traces the REMASC transaction as a plain transfer', async () => {
    await send();
    await harness.chain.mine({ count: 14 });
    const hash = toHex(remascTransaction(15).hash);
    expect(await call('debug_traceTransaction', hash, { tracer: 'rskTracer' })).toEqual({
      programInvoke: null,
      transferInvoke: {
        ownerAddress: REMASC.slice(2),
        callerAddress: NOBODY.slice(2),
        gas: 0,
        callValue: '0',
        msgData: '',
      },
      subtraces: [],
      result: null,
      error: null,
      reverted: false,
    });
    expect(await call('trace_block', '0xf')).toMatchObject([
      { action: { from: NOBODY, to: REMASC, gas: '0x0', input: '0x' }, transactionHash: hash, subtraces: 5 },
      { action: { from: REMASC, to: LABS, value: '0x348' } },
      ...Array.from({ length: 3 }, () => ({ action: { from: REMASC, value: '0xb' } })),
      { action: { from: REMASC, value: '0xcff' } },
    ]);
    expect(await call('debug_traceBlockByNumber', '0x1', { tracer: 'callTracer' })).toMatchObject([
      { result: { from: ALICE } },
      { txHash: FIRST_HASH, result: { type: 'CALL', from: NOBODY, to: REMASC, gasUsed: '0x0' } },
    ]);
    expect(
      await call('debug_traceTransaction', hash, {
        tracer: 'prestateTracer',
        tracerConfig: { diffMode: true },
      }),
    ).toMatchObject({ pre: { [REMASC]: { balance: '0x5208' } }, post: { [REMASC]: { balance: '0x41a0' } } });
  });

  it('the state changes of a transaction pay the fees to the REMASC account', async () => {
    const hash = await send();
    const tracer = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
    const { post } = (await call('debug_traceTransaction', hash, tracer)) as { post: object };
    expect(Object.keys(post).sort()).toEqual([REMASC, ALICE].sort());
  });

  it('the log of the node omits the REMASC transaction', async () => {
    await send();
    const facts = { hasCode: () => false, consoleOf: () => null };
    const described: unknown[] = [];
    harness.chain.events.on('block', (block, results) => {
      expect(results).toHaveLength(1);
      described.push(describeBlock(block, results ?? [], facts).transactions);
    });
    await harness.chain.mine();
    expect(described).toEqual([[]]);
  });
});

describe('fee logs of REMASC', () => {
  it('fee logs are found from block 15, including payments of 0', async () => {
    const filter = await call('eth_newFilter', { address: REMASC, topics: [MINING_FEE] });
    await harness.chain.mine({ count: 15 });
    const logs = (await call('eth_getLogs', { fromBlock: '0x0' })) as { blockNumber: string }[];
    expect(logs).toHaveLength(5);
    expect(new Set(logs.map(({ blockNumber }) => blockNumber))).toEqual(new Set(['0xf']));
    expect(await call('eth_getFilterChanges', filter)).toHaveLength(5);
    expect(await call('eth_getBalance', LABS, 'latest')).toBe('0x0');
  });

  it('the fees are in the storage of the REMASC account', async () => {
    await send();
    await harness.chain.mine({ count: 13 });
    const slot = `0x${Buffer.from('rewardBalance').toString('hex')}`;
    const padded = `0x${slot.slice(2).padStart(64, '0')}`;
    expect(await call('eth_getStorageAt', REMASC, padded, 'latest')).toBe(
      `0x${(21_000).toString(16).padStart(64, '0')}`,
    );
  });
});

describe('calls on a chain with REMASC', () => {
  it('a call of REMASC returns no data, and estimates are unaffected', async () => {
    expect(await call('eth_call', { to: REMASC }, 'latest')).toBe('0x');
    expect(await call('eth_estimateGas', { from: ALICE, to: BOB, value: '0x1' })).toBe('0x5208');
    await call('evm_mine');
    expect(await call('eth_estimateGas', { from: ALICE, to: BOB, value: '0x1' })).toBe('0x5208');
  });
});

describe('createNode with REMASC', () => {
  it('createNode with REMASC serves viem', async () => {
    const node = await createNode({ remasc: true });
    const transport = custom(node);
    const reader = createPublicClient({ transport });
    const [account] = await createWalletClient({ transport }).getAddresses();
    if (account === undefined) throw new Error('the node has no account');
    const writer = createWalletClient({ transport, account });
    const hash = await writer.sendTransaction({
      to: LABS,
      value: parseEther('1'),
      gasPrice: 1n,
      chain: null,
    });
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
      transactionIndex: 0,
    });
    await createTestClient({ transport, mode: 'anvil' }).mine({ blocks: 14 });
    const block = await reader.getBlock({ blockNumber: 1n, includeTransactions: true });
    expect(block.transactions.map((transaction) => transaction.hash)).toEqual([hash, FIRST_HASH]);
    const closing = await reader.getTransactionReceipt({ hash: toHex(remascTransaction(15).hash) });
    expect(closing).toMatchObject({ status: 'success', gasUsed: 0n, from: NOBODY });
    expect(closing.logs).toHaveLength(5);
    expect(await reader.getBalance({ address: LABS })).toBe(parseEther('1') + 840n);
    await node.close();
  });

  it('createNode rejects REMASC under Ethereum rules', async () => {
    await expect(createNode({ remasc: true, hardfork: 'prague' })).rejects.toThrow(/hardfork.*remasc/);
  });
});
