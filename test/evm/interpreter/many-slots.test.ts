// The table of slots grows by a bucket for each slot: all of them are found while it does, and its memory is used again for the next message.

import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';

const MANY = 100_000;
const FEW = 3;

/** Returns code that writes to as many transient slots their own number, and returns the sum of all of them. */
function sumOfSlots(count: number): string {
  const number = count.toString(16).padStart(6, '0');
  // n; do { tstore(n, n) } while (--n)
  const write = `62${number}5b80805d6001900380600457`;
  // n; do { memory[0] += tload(n) } while (--n)
  const read = `5062${number}5b805c5f51015f526001900380601557`;
  return `0x${write}${read}60205ff3`;
}

it('finds each of a hundred thousand slots of a message, and none of it in the next one', async () => {
  const node = await createNode({ hardfork: 'cancun', gasLimit: 100_000_000, artifacts: [] });
  onTestFinished(() => node.close());
  const to = '0x00000000000000000000000000000000000000aa';
  for (const count of [MANY, FEW, MANY]) {
    const overrides = { [to]: { code: sumOfSlots(count) } };
    const sum = await node.request({
      method: 'eth_call',
      params: [{ to, gas: '0x5f5e100' }, 'latest', overrides],
    });
    expect(BigInt(sum as string)).toBe((BigInt(count) * BigInt(count + 1)) / 2n);
  }
});
