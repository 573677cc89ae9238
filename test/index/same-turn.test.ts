import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { FIRST_ACCOUNT, SECOND_ACCOUNT } from '../support/dev-accounts.ts';

const TRANSFER = { from: FIRST_ACCOUNT, to: SECOND_ACCOUNT, value: '0x1' };
/** PUSH1 0, PUSH1 0, LOG0, STOP: each block with a transfer has a log. */
const LOGS_EACH_CALL = '0x60006000a000';
/** Reverting to a snapshot takes fewer promises than this. */
const LATEST_START = 12;

let node: LocalNode;

beforeAll(async () => {
  node = await createNode();
  await call('hardhat_setCode', SECOND_ACCOUNT, LOGS_EACH_CALL);
});

afterAll(() => node.close());

function call(method: string, ...params: unknown[]): Promise<unknown> {
  return node.request({ method, params });
}

async function afterPromises(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await undefined;
}

/** The result of a call, or the code of its error. */
async function outcomeOn(asked: LocalNode, method: string, params: unknown[]): Promise<unknown> {
  return asked
    .request({ method, params })
    .then(withoutTime, (error: CodedRejection) => ({ refused: error.code }));
}

interface CodedRejection {
  readonly code: number;
}

/** The fields that depend on the timestamp of a block. It differs between two calls. */
const OF_TIME = new Set(['timestamp', 'hash']);

/** The blocks of a simulation without the fields that depend on the time. Every other result is unchanged. */
function withoutTime(answer: unknown): unknown {
  const isSimulation = Array.isArray(answer) && answer.every((item) => item?.calls !== undefined);
  if (!isSimulation) return answer;
  return answer.map((block: object) =>
    Object.fromEntries(Object.entries(block).filter(([field]) => !OF_TIME.has(field))),
  );
}

/** The outcome on a fork of the current chain, so that the call does not change the chain itself. */
async function outcomeOnFork(method: string, params: unknown[]): Promise<unknown> {
  const fork = await node.fork();
  const outcome = await outcomeOn(fork, method, params);
  await fork.close();
  return outcome;
}

/** The methods whose result is the same with and without the three blocks. */
const SAME_EVERYWHERE = new Set(['eth_call', 'debug_traceCall']);

interface Outcomes {
  readonly withAllBlocks: unknown;
  readonly whileReverting: unknown;
  readonly withoutThem: unknown;
}

/** Mines three blocks. Sends the call before they are removed, while they are removed and afterwards. */
async function outcomesAround(start: number, method: string, params: unknown[]): Promise<Outcomes> {
  const snapshot = await call('evm_snapshot');
  const before = await outcomeOnFork(method, params);
  for (let block = 0; block < 3; block++) await call('eth_sendTransaction', TRANSFER);
  const withAllBlocks = await outcomeOnFork(method, params);
  const reverted = call('evm_revert', snapshot);
  await afterPromises(start);
  const whileReverting = await outcomeOn(node, method, params);
  expect(await reverted).toBe(true);
  return { withAllBlocks, whileReverting, withoutThem: before };
}

describe('request sent while blocks are removed', () => {
  it.each<[method: string, ...params: unknown[]]>([
    ['eth_getBalance', FIRST_ACCOUNT, 'latest'],
    ['eth_getBalance', FIRST_ACCOUNT, 'pending'],
    ['eth_getBalance', FIRST_ACCOUNT, '0x2'],
    ['eth_getTransactionCount', FIRST_ACCOUNT, 'pending'],
    ['eth_call', TRANSFER, 'latest'],
    ['eth_simulateV1', { blockStateCalls: [{ calls: [TRANSFER] }] }, 'latest'],
    ['eth_getProof', FIRST_ACCOUNT, [], 'latest'],
    ['eth_getBlockByNumber', '0x2', true],
    ['eth_getLogs', { fromBlock: 'earliest' }],
    ['eth_getLogs', { fromBlock: 'earliest', address: SECOND_ACCOUNT }],
    ['eth_feeHistory', '0x5', 'latest', [10]],
    ['eth_sendTransaction', TRANSFER],
    ['debug_traceBlockByNumber', 'latest'],
    ['debug_traceCall', TRANSFER, 'latest'],
    ['trace_block', 'latest'],
  ])('%s sees either all the blocks or none of them', async (method, ...params) => {
    for (let start = 0; start < LATEST_START; start++) {
      const { withAllBlocks, whileReverting, withoutThem } = await outcomesAround(start, method, params);
      if (!SAME_EVERYWHERE.has(method)) expect(withAllBlocks).not.toEqual(withoutThem);
      const allowed = [withAllBlocks, withoutThem];
      // A trace of a block that is removed meanwhile fails in the same way as a trace of a missing block.
      if (method.includes('trace')) allowed.push({ refused: -32600 });
      expect(allowed).toContainEqual(whileReverting);
    }
  });
});
