import { beforeAll, describe, expect, it } from 'vitest';
import { settleMicrotasks } from '../support/fake-time.ts';
import { receiptOf, SENDER } from './methods/contract.ts';
import { createRpcHarness, type RpcHarness, testConnection } from './rpc-harness.ts';

/** JUMPDEST PUSH1 0 JUMP: an endless loop. */
const ENDLESS_CODE = '0x5b600056';
const ENDLESS = `0x${'ee'.repeat(20)}`;
/** Creates a contract whose code is STOP. */
const CREATION = '0x60016000f3';

const CALL = { from: SENDER, to: ENDLESS };
const LIMIT = 2;

/** Methods that run code, with parameters that never end. */
const ENDLESS_REQUESTS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_call', [CALL, 'latest']],
  ['eth_estimateGas', [CALL]],
  ['eth_createAccessList', [CALL]],
  ['eth_callMany', [[{ transactions: [CALL] }], { blockNumber: 'latest' }]],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [CALL] }] }]],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [CALL] }], validation: true }]],
  ['debug_traceCall', [CALL, 'latest', { tracer: 'callTracer' }]],
  ['eth_fillTransaction', [CALL]],
  ['eth_signTransaction', [CALL]],
  ['eth_sendTransaction', [CALL]],
  ['eth_sendUnsignedTransaction', [CALL]],
  ['anvil_reorg', [1, [[CALL, 0]]]],
  ['anvil_dealERC20', [SENDER, ENDLESS, '0x1']],
  ['anvil_setERC20Allowance', [SENDER, SENDER, ENDLESS, '0x1']],
];

/** Methods that replay mined transactions. */
const REPLAYS: readonly (readonly [
  method: string,
  params: (mined: {
    readonly hash: unknown;
    readonly block: unknown;
    readonly rawBlock: unknown;
    readonly contract: unknown;
  }) => unknown[],
])[] = [
  ['debug_traceTransaction', ({ hash }) => [hash]],
  ['debug_traceBlockByHash', ({ block }) => [block]],
  ['debug_traceBlock', ({ rawBlock }) => [rawBlock]],
  ['debug_traceBlockByNumber', () => ['latest']],
  ['debug_storageRangeAt', ({ block, contract }) => [block, 1, contract, '0x0', 1]],
  ['trace_block', () => ['latest']],
  ['trace_transaction', ({ hash }) => [hash]],
  ['trace_get', ({ hash }) => [hash, ['0x0']]],
  ['trace_filter', () => [{ fromBlock: '0x1' }]],
  ['ots_traceTransaction', ({ hash }) => [hash]],
  ['ots_getInternalOperations', ({ hash }) => [hash]],
  ['ots_getTransactionError', ({ hash }) => [hash]],
  ['ots_getContractCreator', ({ contract }) => [contract]],
  ['ots_searchTransactionsBefore', () => [SENDER, 0, 5]],
  ['ots_searchTransactionsAfter', () => [SENDER, 0, 5]],
];

const TOO_LONG = { code: -32011, message: expect.stringContaining('aborted after 2 s') };
const CALLER_GONE = { code: -32000, message: expect.stringContaining('closed the connection') };

let harness: RpcHarness;

beforeAll(async () => {
  harness = await createRpcHarness({ callTimeout: LIMIT }, { gasLimit: 10n ** 15n });
  await harness.call('hardhat_setCode', [ENDLESS, ENDLESS_CODE]);
  await harness.call('evm_mine');
});

/** Starts the request and advances the time beyond the limit. */
async function askForTooLong(method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = harness.call(method, params);
  const outcome = expect(answer).rejects.toMatchObject(TOO_LONG);
  await harness.time.advance(LIMIT * 1_000 + 1);
  return outcome;
}

/** Starts the request and closes the connection. */
async function askAndHangUp(method: string, params: readonly unknown[]): Promise<unknown> {
  const connection = testConnection();
  const answer = harness.call(method, params, connection);
  const outcome = expect(answer).rejects.toMatchObject(CALLER_GONE);
  connection.close();
  return outcome;
}

describe('endless code', () => {
  it.each(ENDLESS_REQUESTS)('%s with endless code ends at the time limit', async (method, params) => {
    await askForTooLong(method, params);
  });

  it.each(ENDLESS_REQUESTS)('%s with endless code ends if the client disconnects', async (method, params) => {
    await askAndHangUp(method, params);
  });

  it('interrupted requests do not change the chain', async () => {
    expect(await harness.call('eth_blockNumber')).toBe('0x1');
    expect(await harness.call('txpool_status')).toMatchObject({ pending: 0, queued: 0 });
    expect(await harness.call('eth_call', [{ to: SENDER }, 'latest'])).toBe('0x');
  });
});

describe('replays of mined transactions', () => {
  /** A block with the creation, followed by a transfer. */
  async function mine(): Promise<{ hash: unknown; block: unknown; rawBlock: unknown; contract: unknown }> {
    await harness.call('evm_setAutomine', [false]);
    const hash = await harness.call('eth_sendTransaction', [
      { from: SENDER, data: CREATION, gas: '0x15f90' },
    ]);
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: '0x5208' }]);
    await harness.call('evm_mine');
    await harness.call('evm_setAutomine', [true]);
    const { blockHash: block, contractAddress: contract } = await receiptOf(harness, hash);
    const rawBlock = await harness.call('debug_getRawBlock', ['latest']);
    return { hash, block, rawBlock, contract };
  }

  it.each(REPLAYS)('%s replays transactions only until the time limit', async (method, params) => {
    await askForTooLong(method, params(await mine()));
  });

  it.each(REPLAYS)('%s stops a replay if the client disconnects', async (method, params) => {
    await askAndHangUp(method, params(await mine()));
  });

  it('a transaction is mined although the client disconnects and the time limit passes', async () => {
    const connection = testConnection();
    const sent = harness.call(
      'eth_sendTransaction',
      [{ from: SENDER, to: ENDLESS, gas: '0x1c9c380' }],
      connection,
    );
    connection.close();
    await harness.time.advance(LIMIT * 1_000 + 1);
    expect(await receiptOf(harness, await sent)).toMatchObject({ status: '0x0', gasUsed: '0x1c9c380' });
  });
});

describe('searches through many blocks', () => {
  it.each([
    ['trace_filter', [{ fromBlock: '0x0' }]],
    ['ots_searchTransactionsBefore', [ENDLESS, 0, 5]],
    ['ots_searchTransactionsAfter', [ENDLESS, 0, 5]],
  ])('%s ends if the client disconnects', async (method, params) => {
    await harness.chain.mine({ count: 100 });
    await askAndHangUp(method, params);
  });
});

describe('short requests', () => {
  it('a short request completes although the client has disconnected', async () => {
    const connection = testConnection();
    connection.close();
    expect(await harness.call('eth_estimateGas', [{ from: SENDER, to: SENDER }], connection)).toBe('0x5208');
  });
});

describe('option timeout of a trace', () => {
  const LATE = { code: -32000, message: expect.stringContaining('execution timeout') };

  /** Advances the time by 500 ms until the response arrives. */
  async function withTime<Answer>({ time }: RpcHarness, answer: Promise<Answer>): Promise<Answer> {
    let isThere = false;
    const seen = answer.finally(() => {
      isThere = true;
    });
    seen.catch(() => undefined);
    // The timeout starts with the trace, which may start late on a busy machine.
    while (!isThere) {
      await time.advance(500);
      await settleMicrotasks();
    }
    return seen;
  }

  let patient: RpcHarness;

  beforeAll(async () => {
    patient = await createRpcHarness({ callTimeout: 0 }, { gasLimit: 10n ** 15n });
    await patient.call('hardhat_setCode', [ENDLESS, ENDLESS_CODE]);
    // The decoder is loaded at its first use.
    const decoded = { tracer: 'callTracer', tracerConfig: { decode: true } };
    await patient.call('debug_traceCall', [{ to: SENDER }, 'latest', decoded]);
  });

  it.each([
    { tracer: 'callTracer' },
    { tracer: 'callTracer', tracerConfig: { decode: true } },
    { tracer: 'flatCallTracer' },
    { tracer: 'prestateTracer' },
    { tracer: '4byteTracer' },
    { tracer: 'noopTracer' },
    { tracer: 'muxTracer', tracerConfig: { callTracer: {} } },
    { limit: 1 },
  ])('the timeout ends a trace by $tracer with $tracerConfig', async (options) => {
    const traced = { ...options, timeout: '2s' };
    await expect(
      withTime(patient, patient.call('debug_traceCall', [CALL, 'latest', traced])),
    ).rejects.toMatchObject(LATE);
    const bundles = [[{ transactions: [{ to: SENDER }, CALL] }], {}, traced];
    await expect(withTime(patient, patient.call('debug_traceCallMany', bundles))).rejects.toMatchObject(LATE);
  });

  it('the timeout applies to each trace separately', async () => {
    const options = { tracer: 'callTracer', timeout: '1h' };
    expect(await patient.call('debug_traceCall', [{ to: SENDER }, 'latest', options])).toMatchObject({
      type: 'CALL',
    });
    await patient.time.advance(2 * 3_600_000);
    expect(await patient.call('debug_traceCall', [{ to: SENDER }, 'latest', options])).toMatchObject({
      type: 'CALL',
    });
  });
});
