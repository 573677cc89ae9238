import { expect, it } from 'vitest';
import { increaseTime } from '../../src/chain/mining-controls.ts';
import { createTestChain } from '../support/test-chain.ts';

it('the network hashrate is zero on a chain with only the genesis block', async () => {
  const { chain } = await createTestChain();
  expect(chain.networkHashrate()).toBe(0n);
});

it('the network hashrate is the difficulty of the last hour per second, rounded down', async () => {
  const { chain, time } = await createTestChain();
  // One block a second, each of difficulty 1, the last an hour and ten minutes after the first.
  await chain.mine({ count: 3_599 });
  expect(chain.networkHashrate()).toBe(0n);
  await chain.mine({ count: 601 });
  expect(chain.networkHashrate()).toBe(1n);
  await time.advance(4_200_000);
  expect(chain.networkHashrate()).toBe(1n);
  await time.advance(1_000);
  expect(chain.networkHashrate()).toBe(0n);
});

it('the network hashrate excludes blocks older than an hour', async () => {
  const { chain } = await createTestChain();
  await chain.mine({ count: 5_000 });
  await chain.change(increaseTime(7_200));
  await chain.mine({ count: 3_600 });
  expect(chain.networkHashrate()).toBe(1n);
  expect(chain.head().totalDifficulty).toBe(8_601n);
});
