import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const TRANSFER = { from: FROM, to: TO, value: '0x1' };
/** More than the promises that going back to a snapshot takes. */
const LATEST_START = 12;

let node: LocalNode;

beforeAll(async () => {
  node = await createNode();
});

afterAll(() => node.close());

function call(method: string, ...params: unknown[]): Promise<unknown> {
  return node.request({ method, params });
}

async function afterPromises(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await undefined;
}

/** Three blocks that leave the chain while the call is under way; what it is refused with, `undefined` for an answer. */
async function refusalWhileReverting(start: number, method: string, params: unknown[]): Promise<unknown> {
  const snapshot = await call('evm_snapshot');
  for (let block = 0; block < 3; block++) await call('eth_sendTransaction', TRANSFER);
  const reverted = call('evm_revert', snapshot);
  await afterPromises(start);
  const refusal = await call(method, ...params).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(await reverted).toBe(true);
  return refusal;
}

describe('a call in the same turn as one that takes blocks away', () => {
  it.each<[method: string, ...params: unknown[]]>([
    ['eth_getBalance', FROM, 'latest'],
    ['eth_getBalance', FROM, 'pending'],
    ['eth_getBalance', FROM, '0x2'],
    ['eth_getTransactionCount', FROM, 'pending'],
    ['eth_call', TRANSFER, 'latest'],
    ['eth_simulateV1', { blockStateCalls: [{ calls: [TRANSFER] }] }, 'latest'],
    ['eth_getProof', FROM, [], 'latest'],
    ['eth_getBlockByNumber', '0x2', true],
    ['eth_getLogs', { fromBlock: 'earliest' }],
    ['eth_getLogs', { fromBlock: 'earliest', address: TO }],
    ['eth_feeHistory', '0x5', 'latest', [10]],
    ['eth_sendTransaction', TRANSFER],
    ['debug_traceBlockByNumber', 'latest'],
    ['debug_traceCall', TRANSFER, 'latest'],
    ['trace_block', 'latest'],
  ])('sees them all or none of them: %s', async (method, ...params) => {
    for (let start = 0; start < LATEST_START; start++) {
      const refusal = await refusalWhileReverting(start, method, params);
      // Numbers of blocks that are gone are no bug of the node.
      if (refusal !== undefined) expect(refusal).toMatchObject({ code: -32600 });
    }
  });
});
