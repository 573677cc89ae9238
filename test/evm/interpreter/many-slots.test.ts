// The slot table grows while a message writes slots. The next message reuses its memory.

import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';

const MANY = 100_000;
const FEW = 3;

/** Code that writes its number to each of `count` transient slots and returns the sum of all slots. */
function sumOfSlots(count: number): string {
  const number = count.toString(16).padStart(6, '0');
  // n; do { tstore(n, n) } while (--n)
  const write = `62${number}5b80805d6001900380600457`;
  // n; do { memory[0] += tload(n) } while (--n)
  const read = `5062${number}5b805c5f51015f526001900380601557`;
  return `0x${write}${read}60205ff3`;
}

it('a message reads back 100,000 transient slots, and the next one reads none of them', async () => {
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
