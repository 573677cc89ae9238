import { describe, expect, it } from 'vitest';
import { MethodNotFoundError } from '../../src/rpc/errors.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

/** The methods of a hosted Rootstock service that a fork uses. */
const SERVED: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
]);

interface ServiceScene {
  readonly node: ExampleChain;
  readonly upstream: ScriptedUpstream;
  readonly scene: ForkScene;
}

/** A fork of an upstream that serves only {@link SERVED}. */
async function serviceScene(
  options: ForkSceneOptions = {},
  served: ReadonlySet<string> = SERVED,
): Promise<ServiceScene> {
  const node = await createExampleChain();
  const upstream = new ScriptedUpstream((method, params) => {
    if (!served.has(method)) throw new MethodNotFoundError(method);
    return node.call(method, params);
  });
  return { node, upstream, scene: await createForkScene(upstream, options) };
}

/** `increase(1)` of the Counter. */
const INCREASE = `0x30f3f0db${'0'.repeat(63)}1`;
const CALL = { from: EXAMPLE.sender, to: EXAMPLE.counter, data: INCREASE };
const BUNDLES = [{ transactions: [CALL, CALL] }];

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
];

const { transferHash, creationHash, increaseHash, failureHash } = EXAMPLE;
const HASHES = [transferHash, creationHash, increaseHash, failureHash];

/** Compares a result, or the error, of the fork with the node's own. */
async function expectSame(
  { node, scene }: ServiceScene,
  method: string,
  params: readonly unknown[],
): Promise<void> {
  const answerOf = (chain: Pick<ExampleChain, 'call'>): Promise<unknown> =>
    chain.call(method, params).catch((error: unknown) => ({ error: String(error) }));
  expect(await answerOf(scene), `${method} ${JSON.stringify(params)}`).toEqual(await answerOf(node));
}

describe('a fork of an upstream without execution methods', () => {
  it('executes calls and traces of calls at older blocks', async () => {
    const all = await serviceScene(
      {},
      new Set([...SERVED].filter((name) => !/^eth_(call|estimate)/.test(name))),
    );
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

  it('traces transactions up to the fork block', async () => {
    const all = await serviceScene();
    for (const [method, params] of OF_TRANSACTIONS)
      for (const hash of HASHES) await expectSame(all, method, params(hash));
  });

  it('inspects transactions, and reports that the replay is exact', async () => {
    const { node, scene } = await serviceScene();
    for (const hash of HASHES)
      for (const method of ['inspect_transaction', 'inspect_steps']) {
        const own = await node.call(method, [hash]);
        expect(await scene.call(method, [hash])).toEqual({ ...(own as object), exact: true });
      }
  });
});
