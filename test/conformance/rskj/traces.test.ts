import { beforeAll, describe, expect, it } from 'vitest';
import { SENDER } from '../../rpc/methods/contract.ts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';
import { type Call, creationOf, deployed, failureOf, UNKNOWN_HASH } from './scene.ts';

// TraceModuleImplTest and DebugModuleImplTest.

interface Trace {
  readonly type: string;
  readonly action: Readonly<Record<string, string>>;
  readonly error?: string;
}

const STOPS = creationOf('00');
const call20 = (opcode: string, to: string, value = '5f'): string =>
  `5f5f5f5f${opcode === 'f1' ? value : ''}73${to.slice(2)}620186a0${opcode}00`;

let harness: RpcHarness;
let call: Call;
/** Contracts: one stops, others call it, delegate to it, create it, or destroy themselves. */
let stops: string;
const contracts: Record<string, string> = {};

async function sent(fields: object): Promise<string> {
  return String(await call('eth_sendTransaction', [{ from: SENDER, gas: '0x7a120', ...fields }]));
}

async function tracesOf(fields: object): Promise<readonly Trace[]> {
  return (await call('trace_transaction', [await sent(fields)])) as readonly Trace[];
}

beforeAll(async () => {
  harness = await createRpcHarness();
  ({ call } = harness);
  stops = await deployed(call, SENDER, STOPS);
  const codes = {
    calls: call20('f1', stops),
    delegates: call20('f4', stops),
    // The creation code 0x00 creates an account without code.
    create2: '5f6001 5f5f f5 00',
    destroys: `73${'77'.repeat(20)}ff`,
    reverts: '5f5ffd',
  };
  for (const [name, code] of Object.entries(codes))
    contracts[name] = await deployed(call, SENDER, creationOf(code));
  contracts.callsReverting = await deployed(
    call,
    SENDER,
    creationOf(`5f5f5f5f5f73${contracts.reverts?.slice(2)}620186a0f1 5f5ffd`),
  );
});

describe('trace_transaction', () => {
  it('is null for an unknown transaction', async () => {
    expect(await call('trace_transaction', [UNKNOWN_HASH])).toBeNull();
  });

  it.each([STOPS, undefined])('shows a creation with its init code: %s', async (data) => {
    const traces = await tracesOf(data === undefined ? { data: '0x' } : { data });

    expect(traces).toHaveLength(1);
    const [trace] = traces;
    expect(trace?.type).toBe('create');
    expect(trace?.action).toHaveProperty('init');
    expect(trace?.action).not.toHaveProperty('input');
    expect(trace?.action.creationMethod).toBeUndefined();
  });

  it('shows a call and a transfer as one call', async () => {
    expect(await tracesOf({ to: stops })).toMatchObject([{ type: 'call' }]);
    expect(await tracesOf({ to: `0x${'66'.repeat(20)}`, value: '0x1' })).toMatchObject([{ type: 'call' }]);
  });

  it.each([
    ['calls', 'call'],
    ['delegates', 'delegatecall'],
  ])('shows the kind of a call inside: %s', async (name, callType) => {
    const traces = await tracesOf({ to: contracts[name] });

    expect(traces).toHaveLength(2);
    expect(traces[1]?.action).toMatchObject({ callType, from: contracts[name], to: stops });
  });

  it('shows a creation by CREATE2', async () => {
    const traces = await tracesOf({ to: contracts.create2 });

    expect(traces).toHaveLength(2);
    expect(traces[1]).toMatchObject({ type: 'create', action: { creationMethod: 'create2' } });
  });

  it('shows the end of a contract with address, refund address and balance', async () => {
    const traces = await tracesOf({ to: contracts.destroys });

    expect(traces).toHaveLength(2);
    const { type, action } = traces[1] as Trace;
    expect(type).toBe('suicide');
    expect(Object.keys(action).toSorted()).toEqual(['address', 'balance', 'refundAddress']);
  });

  it('marks reverted calls', async () => {
    const traces = await tracesOf({ to: contracts.callsReverting });

    expect(traces.map(({ error }) => error)).toEqual(['Reverted', 'Reverted']);
  });
});

describe('trace_block', () => {
  it('is null for an unknown block and empty for a block without transactions', async () => {
    expect(await call('trace_block', [UNKNOWN_HASH])).toBeNull();
    expect(await call('trace_block', ['0x123456'])).toBeNull();
    expect(await call('trace_block', ['earliest'])).toEqual([]);
  });

  it('lists the traces of a block by hash, number and tag, and of the pending block', async () => {
    await tracesOf({ to: contracts.calls });
    const { hash, number } = (await call('eth_getBlockByNumber', ['latest'])) as Record<string, string>;
    const traces = await call('trace_block', ['latest']);

    expect(traces).toHaveLength(2);
    for (const block of [hash, number]) expect(await call('trace_block', [block])).toEqual(traces);
    expect(await call('trace_block', ['pending'])).toEqual([]);
  });
});

describe('trace_filter', () => {
  const filtered = async (filter: object): Promise<readonly Trace[]> =>
    (await call('trace_filter', [filter])) as readonly Trace[];

  it('finds nothing in blocks that do not exist, and ends at the head', async () => {
    expect(await filtered({ fromBlock: '0x12300', toBlock: '0x12301' })).toEqual([]);
    expect((await filtered({ fromBlock: '0x1', toBlock: '0x999999' })).length).toBeGreaterThan(5);
  });

  it('counts and skips traces', async () => {
    const all = await filtered({});

    expect(await filtered({ count: 1 })).toEqual(all.slice(0, 1));
    expect(await filtered({ count: 3, after: 3 })).toEqual(all.slice(3, 6));
    expect(await filtered({ count: 0 })).toEqual([]);
    expect(await filtered({ after: 9_999 })).toEqual([]);
  });

  it('selects transactions by sender', async () => {
    expect((await filtered({ fromAddress: [SENDER] })).length).toBeGreaterThan(5);
    expect(await filtered({ fromAddress: [stops] })).toEqual([]);
  });

  it.each([
    [null, 'Invalid trace_filter parameters.'],
    [{ count: 10_001 }, 'Count value too big. Maximum 10000 traces allowed.'],
    [{ after: -1 }, 'After value cannot be negative.'],
    [{ after: 10_001 }, 'After value too big. Maximum 10000 traces allowed.'],
    [{ fromBlock: '0x2', toBlock: '0x1' }, 'fromBlock cannot be greater than toBlock'],
  ])('rejects %j', async (filter, message) => {
    expect(await failureOf(call('trace_filter', [filter]))).toMatchObject({ code: -32602, message });
  });
});

describe('debug_traceTransaction', () => {
  it('lists the steps of a creation and of a call', async () => {
    for (const fields of [{ data: STOPS }, { to: contracts.calls }]) {
      const trace = await call('debug_traceTransaction', [await sent(fields)]);
      expect(trace).toMatchObject({ failed: false, structLogs: expect.arrayContaining([expect.anything()]) });
    }
  });

  it('lists no steps of a transfer or of an empty creation', async () => {
    for (const fields of [{ to: `0x${'66'.repeat(20)}`, value: '0x1' }, { data: '0x' }])
      expect(await call('debug_traceTransaction', [await sent(fields)])).toMatchObject({ structLogs: [] });
  });

  it("gives the network's own form by its tracer", async () => {
    const trace = await call('debug_traceTransaction', [await sent({ to: stops }), { tracer: 'rskTracer' }]);

    expect(trace).toMatchObject({ error: '', result: '', structLogs: [{ op: 'STOP' }] });
  });

  it('traces the transactions of a block by hash and by number', async () => {
    const transactionHash = await sent({ to: stops });
    const { hash, number } = (await call('eth_getBlockByNumber', ['latest'])) as Record<string, string>;

    const traces = [{ txHash: transactionHash, result: { failed: false } }];
    expect(await call('debug_traceBlockByHash', [hash])).toMatchObject(traces);
    expect(await call('debug_traceBlockByNumber', [number])).toMatchObject(traces);
  });
});

describe('debug_wireProtocolQueueSize', () => {
  it('is a number', async () => {
    expect(await call('debug_wireProtocolQueueSize')).toBe('0x0');
  });
});
