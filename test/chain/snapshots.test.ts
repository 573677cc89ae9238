import { describe, expect, it } from 'vitest';
import { increaseTime, stopMining } from '../../src/chain/mining-controls.ts';
import type { Block } from '../../src/protocol/block.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;

describe('snapshot revert', () => {
  it('restores the head, the state and the pending transactions', async () => {
    const { chain } = await createTestChain({ automine: false });
    await chain.sendFrom(sender, transfer());
    await chain.mine();
    const waiting = await chain.sendFrom(sender, transfer({ value: 2n }));
    const head = chain.head();
    const id = await chain.snapshots.take();
    await chain.mine({ count: 3 });
    const gone = await chain.sendFrom(sender, transfer());
    expect(await chain.snapshots.revert(id)).toBe(true);
    expect(chain.head()).toEqual(head);
    expect(chain.pool.pending().map(({ hash }) => hash)).toEqual([waiting]);
    expect(chain.pool.byHash(gone)).toBeUndefined();
    expect(await chain.transaction(waiting)).toBeUndefined();
    expect(await chain.block({ number: 2n })).toBeUndefined();
    expect((await chain.view({ tag: 'latest' })).state.root).toEqual(head.header.stateRoot);
  });

  it('restores the clock offset and the mining mode', async () => {
    const { chain, time } = await createTestChain();
    const start = chain.head().header.timestamp;
    const id = await chain.snapshots.take();
    await chain.change(increaseTime(1_000));
    chain.miner.setMode({ automine: false, blockTime: 5 });
    await chain.mine();
    await time.advance(3_000);
    await chain.snapshots.revert(id);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(start + 3);
    expect(chain.miner.mode).toEqual({ automine: true, blockTime: null });
  });

  it('removes the snapshot and all later ones, and never reuses their ids', async () => {
    const { chain } = await createTestChain();
    const first = await chain.snapshots.take();
    const second = await chain.snapshots.take();
    expect([first, second]).toEqual([1, 2]);
    expect(await chain.snapshots.revert(first)).toBe(true);
    expect(await chain.snapshots.revert(first)).toBe(false);
    expect(await chain.snapshots.revert(second)).toBe(false);
    expect(await chain.snapshots.take()).toBe(3);
    expect(await chain.snapshots.revert(99)).toBe(false);
  });

  it('emits the removed blocks, highest first', async () => {
    const { chain } = await createTestChain();
    const removed: (readonly Block[])[] = [];
    chain.events.on('removed', (blocks) => removed.push(blocks));
    const id = await chain.snapshots.take();
    await chain.snapshots.revert(id);
    expect(removed).toEqual([]);
    const again = await chain.snapshots.take();
    const blocks = await chain.mine({ count: 2 });
    await chain.snapshots.revert(again);
    expect(removed).toEqual([blocks.toReversed()]);
  });

  it('works with nested snapshots and further blocks', async () => {
    const { chain } = await createTestChain();
    const outer = await chain.snapshots.take();
    await chain.sendFrom(sender, transfer());
    const inner = await chain.snapshots.take();
    await chain.sendFrom(sender, transfer());
    await chain.snapshots.revert(inner);
    await chain.sendFrom(sender, transfer({ value: 9n }));
    expect(chain.head().header.number).toBe(2);
    await chain.snapshots.revert(outer);
    expect(chain.head().header.number).toBe(0);
    expect(await chain.pendingNonce(sender)).toBe(0n);
  });
});

describe('reset', () => {
  it('restores the genesis block, an empty pool, the clock and the miner', async () => {
    const { chain } = await createTestChain({ genesisTimestamp: 5_000 });
    const first = chain.head();
    await chain.sendFrom(sender, transfer());
    await chain.sendFrom(sender, transfer({ nonce: 9n }));
    await chain.change(increaseTime(1_000));
    await chain.change(stopMining());
    await chain.mine({ timestamp: 20_000 });
    await chain.snapshots.reset();
    expect(chain.head()).toBe(first);
    expect(chain.pool.size).toBe(0);
    expect(await chain.pendingNonce(sender)).toBe(0n);
    expect(chain.miner.mode).toEqual({ automine: true, blockTime: null });
    expect(await chain.change(increaseTime(0))).toBe(0);
    const hash = await chain.sendFrom(sender, transfer());
    expect((await chain.transaction(hash))?.block.header).toMatchObject({ number: 1, timestamp: 5_001 });
  });

  it('removes all snapshots and never reuses their ids', async () => {
    const { chain } = await createTestChain();
    const id = await chain.snapshots.take();
    await chain.snapshots.reset();
    expect(await chain.snapshots.revert(id)).toBe(false);
    expect(await chain.snapshots.take()).toBe(id + 1);
  });

  it('emits the removed blocks, highest first', async () => {
    const { chain } = await createTestChain();
    const removed: (readonly Block[])[] = [];
    chain.events.on('removed', (blocks) => removed.push(blocks));
    await chain.snapshots.reset();
    expect(removed).toEqual([]);
    const blocks = await chain.mine({ count: 3 });
    await chain.snapshots.reset();
    expect(removed).toEqual([blocks.toReversed()]);
  });
});
