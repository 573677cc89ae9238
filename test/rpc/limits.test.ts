import { describe, expect, it } from 'vitest';
import { createExampleChain, EXAMPLE } from './example-chain.ts';

const INVALID_PARAMS = -32602;

function slots(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `0x${index.toString(16)}`);
}

function rising(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index / 2);
}

const HARDFORKS = [
  'rootstock',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'berlin',
  'istanbul',
];

/** The methods with a count parameter or a list, with minimum and maximum. */
const LIMITS: readonly (readonly [
  method: string,
  paramsWith: (count: number) => readonly unknown[],
  least: number,
  most: number,
])[] = [
  ['inspect_storage', (count) => [EXAMPLE.counter, 'latest', { count }], 1, 1_000],
  ['inspect_lanes', (count) => [count], 1, 32],
  ['inspect_timeline', (count) => [null, count], 1, 1_000],
  ['inspect_transaction', (count) => [EXAMPLE.increaseHash, { count }], 0, 2_000],
  ['inspect_steps', (count) => [EXAMPLE.increaseHash, { count }], 0, 2_000],
  [
    'inspect_breakpoints',
    (count) => ['Counter.sol', Array.from({ length: count }, (_, index) => index + 1)],
    0,
    1_000,
  ],
  ['inspect_find', (count) => ['counter', count], 1, 100],
  ['inspect_find', (length) => ['x'.repeat(length)], 1, 200],
  ['inspect_label', (length) => [EXAMPLE.counter, 'x'.repeat(length)], 0, 100],
  ['inspect_events', (count) => [null, null, count], 1, 200],
  ['inspect_deployments', (count) => [null, count], 1, 200],
  ['inspect_transactions', (count) => [null, null, count], 1, 200],
  ['inspect_transactions', (length) => [{ text: 'x'.repeat(length) }], 0, 200],
  ['inspect_failures', (count) => [count], 0, 16],
  ['inspect_coverage', (count) => ['summary', { count }], 1, 100],
  ['inspect_compare', (count) => [EXAMPLE.transferHash, HARDFORKS.slice(0, count)], 2, 8],
  ['ots_getBlockTransactions', (count) => ['0x1', '0x0', count], 1, 1_000],
  ['ots_searchTransactionsBefore', (count) => [EXAMPLE.sender, 0, count], 1, 1_000],
  ['debug_storageRangeAt', (count) => ['latest', 0, EXAMPLE.counter, '0x0', count], 1, 1_000],
  ['eth_getProof', (count) => [EXAMPLE.counter, slots(count), 'latest'], 0, 1_024],
  ['eth_getStorageValues', (count) => [{ [EXAMPLE.counter]: slots(count) }], 1, 1_024],
  ['eth_feeHistory', (count) => ['0x1', 'latest', rising(count)], 0, 100],
  [
    'eth_sendTransactionSync',
    (timeout) => [{ from: EXAMPLE.sender, to: EXAMPLE.sender }, timeout],
    0,
    600_000,
  ],
  ['evm_mine_detailed', (blocks) => [{ blocks }], 0, 100_000],
  ['wallet_getCallsStatus', (length) => ['x'.repeat(length)], 1, 8_194],
];

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

describe('count limits of methods', () => {
  it.each(LIMITS)(
    '%s accepts counts within its limits and rejects others',
    async (method, paramsWith, least, most) => {
      const { call, chain } = await createExampleChain();
      for (const count of [least, ...(method === 'evm_mine_detailed' ? [] : [most])])
        expect(await codeOf(call(method, paramsWith(count))), `${count}`).not.toBe(INVALID_PARAMS);
      const head = chain.head().hash;
      for (const count of [...(least > 0 ? [least - 1] : []), most + 1])
        expect(await codeOf(call(method, paramsWith(count))), `${count}`).toBe(INVALID_PARAMS);
      expect(chain.head().hash).toBe(head);
    },
  );
});
