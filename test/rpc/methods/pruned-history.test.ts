import { beforeEach, describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const TRANSFER = { from: SENDER, to: SENDER };
const KEPT = 10;
const HEAD = 450;
const OLDEST = HEAD - KEPT + 1;
const quantity = (number: number): string => `0x${number.toString(16)}`;

/** The code and the message of a rejected call. */
async function refusal(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    (result) => ({ result }),
    ({ code, message }: { readonly code: number; readonly message: string }) => ({ code, message }),
  );
}

describe('a chain with pruned blocks', () => {
  let call: RpcHarness['call'];
  let first: { readonly transaction: unknown; readonly hash: unknown };

  beforeEach(async () => {
    ({ call } = await createRpcHarness({}, { keptBlocks: KEPT }));
    const transaction = await call('eth_sendTransaction', [TRANSFER]);
    const { hash } = (await call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    first = { transaction, hash };
    for (let number = 2; number <= HEAD; number++) await call('eth_sendTransaction', [TRANSFER]);
  });

  it('a pruned block number is rejected with the oldest available block', async () => {
    const gone = {
      code: 4444,
      message: `pruned history unavailable: block 1 was removed by --prune-history; the oldest block is ${OLDEST}`,
    };
    for (const [method, params] of [
      ['eth_getBlockByNumber', ['0x1', false]],
      ['eth_getBlockReceipts', ['0x1']],
      ['eth_getBalance', [SENDER, '0x1']],
      ['eth_call', [TRANSFER, '0x1']],
      ['eth_getLogs', [{ fromBlock: '0x1' }]],
      ['eth_feeHistory', ['0x2', '0x1', []]],
      ['debug_traceBlockByNumber', ['0x1']],
      ['trace_filter', [{ fromBlock: '0x1' }]],
    ] as const)
      expect([method, await refusal(call(method, params))]).toEqual([method, gone]);
    expect(await refusal(call('eth_getBalance', [SENDER, quantity(OLDEST - 1)]))).toMatchObject({
      code: 4444,
    });
  });

  it('hashes of pruned blocks and transactions are unknown', async () => {
    expect(await call('eth_getBlockByHash', [first.hash, false])).toBeNull();
    expect(await call('eth_getTransactionByHash', [first.transaction])).toBeNull();
    expect(await call('eth_getTransactionReceipt', [first.transaction])).toBeNull();
  });

  it('the available blocks, from the oldest, can be read and traced', async () => {
    const oldest = (await call('eth_getBlockByNumber', ['earliest', false])) as { transactions: string[] };
    expect(oldest).toMatchObject({ number: quantity(OLDEST) });
    expect(
      await call('debug_traceTransaction', [oldest.transactions[0], { tracer: 'callTracer' }]),
    ).toMatchObject({
      from: SENDER,
      gasUsed: '0x5208',
    });
    expect(await call('eth_getLogs', [{ fromBlock: 'earliest' }])).toEqual([]);
    expect(await call('eth_feeHistory', ['0x400', 'latest', []])).toMatchObject({
      oldestBlock: quantity(OLDEST),
    });
    expect(await call('eth_getTransactionCount', [SENDER, quantity(OLDEST)])).toBe(quantity(OLDEST));
    expect(await call('eth_capabilities')).toMatchObject({ state: { oldestBlock: quantity(OLDEST) } });
  });

  it('a dump contains only the available blocks', async () => {
    const dump = await call('anvil_dumpState');
    const other = await createRpcHarness();
    await other.call('anvil_loadState', [dump]);
    expect(await other.call('eth_blockNumber')).toBe(quantity(HEAD));
    expect(await other.call('eth_getBlockByNumber', ['earliest', false])).toEqual(
      await call('eth_getBlockByNumber', ['earliest', false]),
    );
    expect(await other.call('eth_getBlockByNumber', ['0x1', false])).toBeNull();
  });
});
