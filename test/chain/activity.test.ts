import { expect, it, vi } from 'vitest';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
/** Capacity of the cache of searched blocks. */
const REMEMBERED = 1024;

it('activityOf replays a block only if the cache has evicted it', async () => {
  const { chain } = await createTestChain();
  for (let count = 0; count <= REMEMBERED; count++) await chain.sendFrom(SENDER, transfer());
  const tracing = vi.spyOn(chain.tracing, 'block');
  /** Searches a range of blocks. Returns the numbers of the replayed blocks. */
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
