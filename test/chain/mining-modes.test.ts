import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { increaseTime, stopMining } from '../../src/chain/mining-controls.ts';
import { createTestChain, TEST_START, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const other = testAccount(2).address;
const START_SECONDS = TEST_START / 1000;

describe('manual mining', () => {
  it('keeps transactions pending until the next mined block', async () => {
    const { chain } = await createTestChain({ automine: false });
    const first = await chain.sendFrom(sender, transfer());
    const second = await chain.sendFrom(sender, transfer());
    expect(chain.head().header.number).toBe(0);
    expect(await chain.transaction(first)).toBeUndefined();
    expect(await chain.pendingNonce(sender)).toBe(2n);
    const [block] = await chain.mine();
    expect(block?.transactions.map(({ hash }) => hash)).toEqual([first, second]);
    expect(block?.receipts.map(({ cumulativeGasUsed }) => cumulativeGasUsed)).toEqual([21_000n, 42_000n]);
    expect(chain.pool.size).toBe(0);
  });

  it('orders transactions by fee, or by arrival with fifo', async () => {
    for (const order of ['fees', 'fifo'] as const) {
      const { chain } = await createTestChain({ automine: false, order });
      const cheap = await chain.sendFrom(sender, transfer());
      const dear = await chain.sendFrom(other, transfer({ maxFeePerGas: 9n, maxPriorityFeePerGas: 9n }));
      const [block] = await chain.mine();
      expect(block?.transactions.map(({ hash }) => hash)).toEqual(
        order === 'fees' ? [dear, cheap] : [cheap, dear],
      );
    }
  });

  it('mines transactions above the gas limit in the next block', async () => {
    const { chain } = await createTestChain({ automine: false, gasLimit: 50_000n });
    for (let count = 0; count < 3; count++) await chain.sendFrom(sender, transfer());
    const blocks = await chain.mine({ count: 2 });
    expect(blocks.map((block) => block.transactions.length)).toEqual([2, 1]);
  });

  it('mines empty blocks at least one second apart', async () => {
    const { chain } = await createTestChain();
    const blocks = await chain.mine({ count: 3 });
    expect(blocks.map(({ header }) => header.number)).toEqual([1, 2, 3]);
    expect(blocks.map(({ header }) => header.timestamp)).toEqual(
      [1, 2, 3].map((seconds) => START_SECONDS + seconds),
    );
  });

  it('returns the pending block with the state root of the mined block', async () => {
    const { chain } = await createTestChain({ automine: false });
    await chain.sendFrom(sender, transfer({ value: 3n }));
    const { block, state, isPending } = await chain.view({ tag: 'pending' });
    expect(isPending).toBe(true);
    expect(block.header.number).toBe(1);
    expect(block.transactions.length).toBe(1);
    expect(state.account(testAccount(1).address)?.balance).toBe(10n ** 20n + 3n);
    expect((await chain.view({ tag: 'latest' })).block.header.number).toBe(0);
    const [mined] = await chain.mine();
    expect(mined?.header.stateRoot).toEqual(block.header.stateRoot);
  });
});

/** Waits until all queued changes of the chain are done. */
function settled(chain: Chain): () => Promise<unknown> {
  return () => chain.change(increaseTime(0));
}

describe('interval mining', () => {
  it('mines all pending transactions each time the block time passes', async () => {
    const { chain, time } = await createTestChain({ automine: false, blockTime: 2 });
    await chain.sendFrom(sender, transfer());
    await chain.sendFrom(other, transfer());
    await time.advance(1_999);
    expect(chain.head().header.number).toBe(0);
    await time.advance(1, settled(chain));
    expect(chain.head().header.number).toBe(1);
    expect(chain.head().transactions.length).toBe(2);
    await time.advance(4_000, settled(chain));
    expect(chain.head().header.number).toBe(3);
    await chain.close();
  });

  it('mines on arrival and on the timer if both are enabled', async () => {
    const { chain, time } = await createTestChain({ automine: true, blockTime: 1 });
    await chain.sendFrom(sender, transfer());
    expect(chain.head().header.number).toBe(1);
    await time.advance(1_000, settled(chain));
    expect(chain.head().header.number).toBe(2);
    await chain.close();
  });
});

describe('chain time', () => {
  it('starts at the genesis timestamp and advances with real time', async () => {
    const { chain, time } = await createTestChain({ genesisTimestamp: 1_000 });
    expect(chain.head().header.timestamp).toBe(1_000);
    await time.advance(60_000);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(1_060);
  });

  it('keeps every increase for later blocks', async () => {
    const { chain, time } = await createTestChain();
    expect(await chain.change(increaseTime(100))).toBe(100);
    expect(await chain.change(increaseTime(50))).toBe(150);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 150);
    await time.advance(10_000);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 160);
  });

  it('returns the total offset for a custom genesis timestamp', async () => {
    const { chain } = await createTestChain({ genesisTimestamp: 1_000 });
    expect(await chain.change(increaseTime(100))).toBe(100);
    await chain.mine({ timestamp: 3_000 });
    expect(await chain.change(increaseTime(5))).toBe(2_005);
  });

  it('adds the full increase after 50 blocks in the same second', async () => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 50 });
    expect(await chain.change(increaseTime(10))).toBe(10);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 60);
    expect(await chain.change(increaseTime(5))).toBe(15);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 65);
  });

  it('continues from the timestamp of a mined block', async () => {
    const { chain, time } = await createTestChain();
    await chain.mine({ timestamp: START_SECONDS + 1_000 });
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 1_000);
    await time.advance(5_000);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 1_005);
  });

  it('rejects a timestamp that is not later than the head', async () => {
    const { chain } = await createTestChain();
    await expect(chain.mine({ timestamp: START_SECONDS })).rejects.toThrow(/timestamp: expected more than/);
    expect(chain.head().header.number).toBe(0);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(START_SECONDS + 1);
  });
});

describe('stopMining and startMining', () => {
  it('keeps transactions pending until the restart, which mines them in one block', async () => {
    const { chain } = await createTestChain();
    await chain.change(stopMining());
    await chain.change(stopMining());
    expect(chain.miner.isMining).toBe(false);
    for (let count = 0; count < 2; count++) await chain.sendFrom(sender, transfer());
    await chain.sendFrom(sender, transfer({ nonce: 9n }));
    expect(chain.head().header.number).toBe(0);
    await chain.startMining();
    expect(chain.head().header.number).toBe(1);
    expect(chain.head().transactions.map(({ nonce }) => nonce)).toEqual([0n, 1n]);
    expect(chain.pool.size).toBe(1);
    await chain.startMining();
    expect(chain.head().header.number).toBe(1);
  });

  it('restarts with the same block time', async () => {
    const { chain, time } = await createTestChain({ automine: false, blockTime: 5 });
    await chain.change(stopMining());
    await time.advance(20_000);
    expect(chain.head().header.number).toBe(0);
    await chain.startMining();
    await time.advance(10_000);
    expect(chain.head().header.number).toBe(2);
    expect(chain.miner.mode).toEqual({ automine: false, blockTime: 5 });
  });

  it('mines a requested block while stopped', async () => {
    const { chain } = await createTestChain();
    await chain.change(stopMining());
    await chain.mine();
    expect(chain.head().header.number).toBe(1);
  });
});
