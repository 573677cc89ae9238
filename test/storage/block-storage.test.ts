import { describe, expect, it, vi } from 'vitest';
import type { Block } from '../../src/protocol/block.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import type { ChainEntry } from '../../src/storage/empty-block-range.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { append, remove } from './at-once.ts';
import { blockOf, blockWithTransaction, RULE_SET, rangeOf } from './samples.ts';

const STATE = WorldState.empty();

function entriesOf(blocks: readonly Block[]): ChainEntry[] {
  return blocks.map((block) => ({ block, state: STATE }));
}

async function createStorage() {
  const store = new MemoryStore();
  return { store, storage: new BlockStorage(store, RULE_SET) };
}

describe('BlockStorage', () => {
  it('finds a block by its number, and its number by its hash', async () => {
    const { storage } = await createStorage();
    const blocks = [blockOf(0), blockWithTransaction(1), blockWithTransaction(2)];
    for (const block of blocks) append(storage, block, STATE);
    for (const [number, block] of blocks.entries()) {
      expect(storage.block(number)).toEqual(block);
      expect(storage.numberOf(block.hash)).toBe(number);
    }
    expect(storage.block(3)).toBeUndefined();
    expect(storage.numberOf(blockOf(3).hash)).toBeUndefined();
  });

  it('finds the position of each transaction of a block', async () => {
    const { storage } = await createStorage();
    const transactions = Array.from({ length: 300 }, (_, nonce) => transactionOf(0, nonce));
    append(storage, blockOf(70_000, { transactions }), STATE);
    for (const index of [0, 1, 255, 256, 299]) {
      expect(storage.positionOf(transactionOf(0, index).hash)).toEqual({ number: 70_000, index });
    }
    expect(storage.positionOf(transactionOf(1, 0).hash)).toBeUndefined();
  });

  it('uses no more memory for the logs of a block than their size', async () => {
    const { storage } = await createStorage();
    const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(100) };
    append(storage, blockOf(1, { logs: [[log]] }), STATE);
    const bytes = storage.logs(1)?.bytes;
    expect(bytes?.length).toBeGreaterThan(100);
    expect(bytes?.buffer.byteLength).toBe(bytes?.length);
  });

  it('supports block numbers of six bytes', async () => {
    const { storage } = await createStorage();
    const block = blockWithTransaction(2 ** 40 + 5);
    append(storage, block, STATE);
    expect(storage.block(2 ** 40 + 5)).toEqual(block);
    expect(storage.numberOf(block.hash)).toBe(2 ** 40 + 5);
    expect(storage.block(5)).toBeUndefined();
  });

  it('removes blocks with all their references, and keeps the others', async () => {
    const { storage, store } = await createStorage();
    const kept = blockWithTransaction(1);
    const removed = [blockWithTransaction(3), blockWithTransaction(2)];
    for (const block of [kept, ...removed]) append(storage, block, STATE);
    remove(storage, entriesOf(removed));
    for (const { header, hash, transactions } of removed) {
      expect(storage.block(header.number)).toBeUndefined();
      expect(storage.logs(header.number)).toBeUndefined();
      expect(storage.numberOf(hash)).toBeUndefined();
      for (const transaction of transactions) expect(storage.positionOf(transaction.hash)).toBeUndefined();
    }
    expect(storage.block(1)).toEqual(kept);
    expect(storage.numberOf(kept.hash)).toBe(1);
    // The block, its hash and its one transaction.
    expect(store.keys()).toHaveLength(3);
  });

  it('finds the latest of several positions of a transaction, also after a removal', async () => {
    const { storage, store } = await createStorage();
    const transactions = [transactionOf(0, 0), transactionOf(1, 0)];
    const again = transactionOf(1, 0);
    const blocks = [1, 2, 3].map((number) =>
      blockOf(number, { transactions: number === 1 ? transactions : [again] }),
    );
    for (const block of blocks) append(storage, block, STATE);
    expect(storage.positionOf(again.hash)).toEqual({ number: 3, index: 0 });
    remove(storage, entriesOf(blocks.slice(1).reverse()));
    expect(storage.positionOf(again.hash)).toEqual({ number: 1, index: 1 });
    remove(storage, entriesOf(blocks.slice(0, 1)));
    expect(storage.positionOf(again.hash)).toBeUndefined();
    expect(store.keys()).toHaveLength(0);
  });

  it('keeps a range of reserved blocks as one record, written with the block above it', async () => {
    const { storage, store } = await createStorage();
    const range = rangeOf(1, 1_000_000);
    const above = blockOf(1_000_001);
    append(storage, above, STATE, range);
    // The block, its hash and the range.
    expect(store.keys()).toHaveLength(3);
    const replacement = { range: range.until(6), block: range.block(7), state: STATE };
    remove(storage, [...entriesOf([above]), { range }], replacement);
    expect(store.keys()).toHaveLength(3);
    expect(storage.block(7)).toEqual(range.block(7));
    expect(storage.numberOf(range.hashOf(7))).toBe(7);
    expect(storage.block(1_000_001)).toBeUndefined();
    const first = { range: null, block: range.block(1), state: STATE };
    remove(storage, [...entriesOf([range.block(7)]), { range: range.until(6) }], first);
    expect(store.keys()).toHaveLength(2);
    expect(storage.block(1)).toEqual(range.block(1));
  });

  it('writes a block in a single batch', async () => {
    const { storage, store } = await createStorage();
    const batch = vi.spyOn(store, 'batch');
    append(storage, blockWithTransaction(1), STATE);
    expect(batch.mock.calls.map(([writes]) => writes.length)).toEqual([3]);
  });

  it('returns copies of its bytes', async () => {
    const { storage } = await createStorage();
    const block = blockOf(1);
    append(storage, block, STATE);
    storage.block(1)?.header.stateRoot.fill(0xff);
    expect(storage.block(1)).toEqual(block);
  });

  it('a closed storage cannot be read', async () => {
    const { storage } = await createStorage();
    append(storage, blockOf(0), STATE);
    await storage.close();
    expect(() => storage.block(0)).toThrow();
  });
});
