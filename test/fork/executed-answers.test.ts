import { describe, expect, it } from 'vitest';
import { EXAMPLE } from '../rpc/example-chain.ts';
import type { RpcHarness } from '../rpc/rpc-harness.ts';
import { SERVED, type ServiceScene, serviceScene } from './service-scene.ts';

/** `increase(1)` of the Counter. */
const INCREASE = `0x30f3f0db${'0'.repeat(63)}1`;
const CALL = { from: EXAMPLE.sender, to: EXAMPLE.counter, data: INCREASE };
const BUNDLES = [{ transactions: [CALL, CALL] }];

const WITHOUT_CALLS = new Set([...SERVED].filter((name) => !/^eth_(call|estimate)/.test(name)));

type Params = (block: unknown) => readonly unknown[];

/** Methods about the state after a block, and their parameters. */
const AT_STATES: readonly (readonly [string, Params])[] = [
  ['eth_call', (block) => [CALL, block]],
  ['eth_estimateGas', (block) => [CALL, block]],
  ['eth_createAccessList', (block) => [CALL, block]],
  ['debug_traceCall', (block) => [CALL, block]],
  ['debug_traceCall', (block) => [CALL, block, { tracer: 'prestateTracer' }]],
  ['trace_call', (block) => [CALL, ['trace', 'stateDiff'], block]],
  ['trace_callMany', (block) => [[[CALL, ['trace']]], block]],
  ['inspect_call', (block) => [CALL, block]],
  ['inspect_steps', (block) => [{ call: CALL, block }]],
  ['inspect_frames', (block) => [{ call: CALL, block }, 7]],
  ['inspect_state', (block) => [{ call: CALL, block }, 7]],
  ['inspect_breakpoints', (block) => ['Counter.sol', [12], { call: CALL, block }]],
];

const IN_CONTEXTS: readonly (readonly [string, Params])[] = [
  ['eth_callMany', (block) => [BUNDLES, { blockNumber: block }]],
  ['debug_traceCallMany', (block) => [BUNDLES, { blockNumber: block }, { tracer: 'callTracer' }]],
  ['eth_callMany', (block) => [BUNDLES, { blockNumber: block, transactionIndex: 0 }]],
  ['debug_traceCall', (block) => [CALL, block, { tracer: 'callTracer', txIndex: '0x0' }]],
];

const OF_BLOCKS: readonly (readonly [string, Params])[] = [
  ['trace_block', (block) => [block]],
  ['trace_replayBlockTransactions', (block) => [block, ['trace', 'stateDiff', 'vmTrace']]],
  ['trace_blockOpcodeGas', (block) => [block]],
];

const OF_TRANSACTIONS: readonly (readonly [string, Params])[] = [
  ['debug_traceTransaction', (hash) => [hash]],
  ['debug_traceTransaction', (hash) => [hash, { tracer: 'callTracer', tracerConfig: { withLog: true } }]],
  [
    'debug_traceTransaction',
    (hash) => [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
  ],
  ['debug_traceTransaction', (hash) => [hash, { tracer: 'flatCallTracer' }]],
  ['trace_transaction', (hash) => [hash]],
  ['trace_replayTransaction', (hash) => [hash, ['trace', 'stateDiff', 'vmTrace']]],
  ['trace_transactionOpcodeGas', (hash) => [hash]],
  ['trace_get', (hash) => [hash, []]],
  ['ots_traceTransaction', (hash) => [hash]],
  ['ots_getInternalOperations', (hash) => [hash]],
  ['ots_getTransactionError', (hash) => [hash]],
];

const HARDFORKS = ['istanbul', 'prague'];

const { transferHash, creationHash, increaseHash, failureHash } = EXAMPLE;
const HASHES = [transferHash, creationHash, increaseHash, failureHash];

/** Compares a result, or the error, of the fork with the node's own. */
async function expectSame(
  { node, scene }: ServiceScene,
  method: string,
  params: readonly unknown[],
): Promise<void> {
  const answerOf = (chain: Pick<RpcHarness, 'call'>): Promise<unknown> =>
    chain.call(method, params).catch((error: unknown) => ({ error: String(error) }));
  expect(await answerOf(scene), `${method} ${JSON.stringify(params)}`).toEqual(await answerOf(node));
}

describe('a fork of an upstream without execution methods', () => {
  it('executes calls and traces of calls at older blocks', async () => {
    const all = await serviceScene({ served: WITHOUT_CALLS });
    for (const [method, params] of [...AT_STATES, ...IN_CONTEXTS])
      for (const block of ['0x1', '0x2', '0x3', 'earliest']) await expectSame(all, method, params(block));
  });

  it('executes calls at blocks by hash', async () => {
    const all = await serviceScene();
    for (const [method, params] of AT_STATES) {
      await expectSame(all, method, params(EXAMPLE.blockHashes[3]));
      await expectSame(all, method, params({ blockHash: EXAMPLE.blockHashes[2] }));
    }
  });

  it('traces blocks by number, tag and hash, up to the fork block', async () => {
    const all = await serviceScene();
    for (const [method, params] of OF_BLOCKS)
      for (const block of ['0x0', '0x2', '0x3', '0x4', 'earliest', 'latest', EXAMPLE.blockHashes[3]])
        await expectSame(all, method, params(block));
    for (const number of ['0x0', '0x3', '0x4', 'latest'])
      await expectSame(all, 'debug_traceBlockByNumber', [number, { tracer: 'callTracer' }]);
    for (const hash of EXAMPLE.blockHashes) await expectSame(all, 'debug_traceBlockByHash', [hash]);
  });

  it('traces encoded blocks up to the fork block', async () => {
    const all = await serviceScene();
    for (const number of ['0x0', '0x2', '0x3', '0x4']) {
      const raw = await all.node.call('debug_getRawBlock', [number]);
      await expectSame(all, 'debug_traceBlock', [raw, { tracer: 'callTracer' }]);
    }
  });

  it('traces transactions up to the fork block', async () => {
    const all = await serviceScene();
    for (const [method, params] of OF_TRANSACTIONS)
      for (const hash of HASHES) await expectSame(all, method, params(hash));
  });

  it('inspects transactions, and reports that the replay is exact', async () => {
    const { node, scene } = await serviceScene();
    for (const hash of HASHES)
      for (const method of ['inspect_transaction', 'inspect_steps', 'inspect_profile']) {
        const own = await node.call(method, [hash]);
        expect(await scene.call(method, [hash])).toEqual({ ...(own as object), exact: true });
      }
    for (const hash of HASHES) {
      const params = [hash, '0x0', 'address(msg.sender).balance'];
      const { count } = (await node.call('inspect_steps', [hash])) as { count: number };
      if (count === 0) continue;
      const own = await node.call('inspect_evaluate', params);
      expect(await scene.call('inspect_evaluate', params)).toEqual({ ...(own as object), exact: true });
    }
    const own = await node.call('inspect_frames', [increaseHash, 9]);
    expect(await scene.call('inspect_frames', [increaseHash, 9])).toEqual({
      ...(own as object),
      exact: true,
    });
  });

  it('compares hardforks for calls at older blocks', async () => {
    const all = await serviceScene();
    for (const block of ['0x2', 'earliest', EXAMPLE.blockHashes[3], { blockHash: EXAMPLE.blockHashes[2] }])
      await expectSame(all, 'inspect_compare', [CALL, HARDFORKS, block]);
  });

  it('compares hardforks for transactions, and reports that the replay is exact', async () => {
    const { node, scene } = await serviceScene();
    for (const hash of HASHES) {
      const own = await node.call('inspect_compare', [hash, HARDFORKS]);
      const compared = await scene.call('inspect_compare', [hash, HARDFORKS]);
      expect(compared).toEqual({ ...(own as object), exact: true });
    }
  });

  it('compares hardforks for local transactions and unknown hashes', async () => {
    const { scene } = await serviceScene();
    await scene.call('hardhat_impersonateAccount', [EXAMPLE.sender]);
    const hash = await scene.call('eth_sendTransaction', [{ ...CALL, gas: '0x30000' }]);
    expect(await scene.call('inspect_compare', [hash, HARDFORKS])).toMatchObject({ isSame: false });
    const unknown = `0x${'77'.repeat(32)}`;
    await expect(scene.call('inspect_compare', [unknown, HARDFORKS])).rejects.toThrow('not found');
    await expect(scene.call('inspect_profile', [unknown])).rejects.toThrow('not found');
  });

  it('does not send an absent transaction hash to the fork URL', async () => {
    const { scene, upstream } = await serviceScene();
    await expect(scene.call('inspect_profile')).rejects.toThrow('--profile');
    expect(upstream.calls.filter(({ params }) => params[0] === '0x')).toEqual([]);
  });
});
