import { expect, it, vi } from 'vitest';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
/** As many blocks as are remembered, whose transactions were looked into. */
const REMEMBERED = 1024;

it('the activity of an account runs no block again that was looked into, but those that were asked for longest ago', async () => {
  const { chain } = await createTestChain();
  for (let count = 0; count <= REMEMBERED; count++) await chain.sendFrom(SENDER, transfer());
  const tracing = vi.spyOn(chain.tracing, 'block');
  /** Looks from one block to another, and returns the numbers of those that were run for it. */
  const look = async (first: number, last: number): Promise<readonly number[]> => {
    tracing.mockClear();
    const { transactions } = await chain.history.activityOf(SENDER, { first, last, count: REMEMBERED });
    expect(transactions).toHaveLength(last - first + 1);
    return tracing.mock.calls.map(([traced]) => ('block' in traced ? traced.block : traced).header.number);
  };
  expect(await look(1, REMEMBERED)).toHaveLength(REMEMBERED);
  expect(await look(1, REMEMBERED)).toEqual([]);
  expect(await look(1, 1)).toEqual([]);
  expect(await look(REMEMBERED + 1, REMEMBERED + 1)).toEqual([REMEMBERED + 1]);
  expect(await look(1, 1)).toEqual([]);
  expect(await look(3, 4)).toEqual([]);
  expect(await look(2, 2)).toEqual([2]);
});
