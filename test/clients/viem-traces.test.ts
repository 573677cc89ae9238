import { createPublicClient, encodeFunctionData, type Hex, http, webSocket } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, defineNetwork33, deployWithViem } from '../support/viem.ts';

const [{ address: holder }] = DEV_ACCOUNTS;

/** A request function without the method types of viem. */
type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

let node: RunningNode;
/** A call of the counter, and the hash of its transaction. */
let counting: { from: string; to: string; data: Hex };
let counted: Hex;

beforeAll(async () => {
  node = await startNode('--hardfork', 'prague');
  const clients = connectViem(node.url, holder);
  const { abi, address } = await deployWithViem(clients, 'shanghai', 'Counter');
  counting = { from: holder, to: address, data: encodeFunctionData({ abi, functionName: 'increment' }) };
  counted = await clients.writer.sendTransaction({
    account: holder,
    chain: clients.writer.chain ?? null,
    to: address,
    data: counting.data,
  });
});

afterAll(() => node.stop());

describe.each(['http', 'websocket'] as const)('a viem client over %s', (transport) => {
  let ask: Ask;

  beforeAll(() => {
    const socket =
      transport === 'http' ? http(node.url) : webSocket(node.url.replace('http', 'ws'), { reconnect: false });
    const client = createPublicClient({ chain: defineNetwork33(node.url), transport: socket });
    ask = (method, params) => client.request({ method, params } as never);
  });

  it('replays transactions and calls with traces, VM traces and state diffs', async () => {
    const parts = ['trace', 'vmTrace', 'stateDiff'];
    const mined = (await ask('trace_replayTransaction', [counted, parts])) as Record<string, never>;
    expect(mined).toMatchObject({ output: '0x', trace: [{ type: 'call', subtraces: 0 }] });
    expect(Object.keys(mined.stateDiff ?? {})).toContain(counting.to.toLowerCase());
    const called = await ask('trace_call', [counting, parts, 'latest']);
    expect(called).toMatchObject({ output: '0x', vmTrace: { ops: expect.any(Array) } });
    const [first, second] = (await ask('trace_callMany', [
      [
        [counting, ['stateDiff']],
        [counting, ['stateDiff']],
      ],
      'latest',
    ])) as unknown[];
    expect(first).not.toEqual(second);
  });

  it('traces bundles of calls, and calls inside a block', async () => {
    const options = { tracer: 'callTracer' };
    const bundles = [{ transactions: [counting, counting] }];
    const [traces] = (await ask('debug_traceCallMany', [bundles, null, options])) as unknown[][];
    expect(traces).toMatchObject([{ type: 'CALL' }, { type: 'CALL' }]);
    const inside = await ask('debug_traceCall', [counting, 'latest', { ...options, txIndex: 0 }]);
    expect(inside).toMatchObject({ type: 'CALL', to: counting.to.toLowerCase() });
    const rules = await ask('debug_traceCall', [counting, 'latest', { tracer: 'erc7562Tracer' }]);
    expect(rules).toMatchObject({ accessedSlots: { writes: {} }, outOfGas: false });
  });

  it('counts gas by opcode', async () => {
    const { opcodeGas } = (await ask('trace_transactionOpcodeGas', [counted])) as { opcodeGas: unknown[] };
    expect(opcodeGas[0]).toMatchObject({ opcode: 'SSTORE', count: 1 });
    expect(await ask('trace_blockOpcodeGas', ['latest'])).toMatchObject({
      transactions: [{ transactionHash: counted, opcodeGas }],
    });
  });

  it('reads the state and history of the chain', async () => {
    const modified = await ask('debug_getModifiedAccountsByNumber', ['latest']);
    expect(modified).toContain(counting.to.toLowerCase());
    const { hash, stateRoot } = (await ask('eth_getBlockByNumber', ['latest', false])) as Record<string, Hex>;
    expect(await ask('debug_intermediateRoots', [hash])).toEqual([stateRoot]);
    const { accounts, next } = (await ask('debug_accountRange', ['latest', '0x', 2])) as Record<
      string,
      never
    >;
    expect([Object.keys(accounts ?? {}).length, next]).toEqual([
      2,
      expect.stringMatching(/^0x[0-9a-f]{64}$/),
    ]);
    expect(await ask('debug_executionWitness', ['latest'])).toMatchObject({
      codes: expect.arrayContaining([expect.any(String)]),
    });
    expect(await ask('debug_getBadBlocks', [])).toEqual([]);
    expect(await ask('eth_capabilities', [])).toMatchObject({ head: { hash }, state: { disabled: false } });
    expect(await ask('eth_baseFee', [])).toMatch(/^0x[1-9a-f]/);
  });
});
