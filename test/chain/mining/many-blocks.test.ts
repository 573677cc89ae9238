import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { setMining } from '../../../src/chain/mining-controls.ts';
import { createTestChain, testAccount, transfer } from '../../support/test-chain.ts';

const SENDER = testAccount(0).address;
const COUNT = 20;

/** A chain whose pool needs one block per transaction. */
async function fullChain(): Promise<Chain> {
  const { chain } = await createTestChain({ automine: false, maximumTransactions: 1 });
  for (let index = 0; index < COUNT; index++) await chain.sendFrom(SENDER, transfer());
  return chain;
}

const height = (chain: Chain): number => chain.head().header.number;

describe('enabling automine with a full pool', () => {
  it('other changes run between the blocks', async () => {
    const chain = await fullChain();
    const mined = chain.mineInstantly();
    await chain.cheats.setBalance(SENDER, 10n ** 18n);
    expect(height(chain)).toBeLessThan(COUNT);
    await mined;
    expect(height(chain)).toBe(COUNT);
  });

  it('other requests mine between the blocks', async () => {
    const chain = await fullChain();
    const mined = chain.mineInstantly();
    await chain.mine();
    expect(height(chain)).toBeLessThan(COUNT);
    await mined;
    expect(chain.pool.size).toBe(0);
  });

  it('disabling automine ends the series', async () => {
    const chain = await fullChain();
    const mined = chain.mineInstantly();
    await chain.change(setMining({ automine: false }));
    await mined;
    expect(height(chain)).toBeLessThan(COUNT);
    expect(chain.pool.size).toBe(COUNT - height(chain));
  });
});
