// Rewinds that remove many blocks. The store removes the records over several time slices, and readers see
// one change.

import { describe, expect, it } from 'vitest';
import { finish } from '../../src/primitives/steps.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore, type Write } from '../../src/storage/key-value-store.ts';
import { append, rewind } from './at-once.ts';
import { blockWithTransaction, GENESIS, RULE_SET, stateOf } from './samples.ts';

const HEIGHT = 3_000;

/** A store that counts the deletions of each batch. */
class CountingStore extends MemoryStore {
  readonly removals: number[] = [];

  override batch(writes: readonly Write[]): void {
    this.removals.push(writes.filter(({ type }) => type === 'del').length);
    super.batch(writes);
  }
}

function longChain(): { readonly chain: Blockchain; readonly store: CountingStore } {
  const store = new CountingStore();
  const chain = Blockchain.create(new BlockStorage(store, RULE_SET), GENESIS.block, GENESIS.state);
  for (let number = 1; number <= HEIGHT; number++)
    append(chain, blockWithTransaction(number), stateOf(number));
  return { chain, store };
}

function heightsIn(task: Generator<unknown, unknown, unknown>, chain: Blockchain): Set<string> {
  const seen = new Set<string>();
  const look = (): void => {
    const head = chain.head.block.header.number;
    const highest = chain.block(HEIGHT) === undefined ? 'removed' : 'present';
    seen.add(`${head} ${highest} ${chain.block(10)?.header.number}`);
  };
  for (let step = task.next(); step.done !== true; step = task.next()) look();
  look();
  return seen;
}

describe('rewind of thousands of blocks', () => {
  it('removes their records in several batches, and readers see one change', () => {
    const { chain, store } = longChain();
    store.removals.length = 0;
    const seen = heightsIn(chain.rewind(10), chain);
    expect(seen).toEqual(new Set([`${HEIGHT} present 10`, '10 removed 10']));
    expect(heightsIn(chain.trim(), chain)).toEqual(new Set(['10 removed 10']));
    expect(Math.max(...store.removals)).toBeLessThanOrEqual(2 * 2_048);
    expect(store.removals.reduce((sum, count) => sum + count, 0)).toBe(3 * (HEIGHT - 10));
    expect(store.keys()).toHaveLength(1 + 1 + 3 * 10);
  });

  it('keeps the blocks that a fork reads, and removes the others', async () => {
    const { chain, store } = longChain();
    const fork = chain.fork(1_000);
    const pieces = new TimeSlice(undefined, Number.POSITIVE_INFINITY);
    rewind(chain, 10);
    finish(chain.trim());
    expect(store.keys()).toHaveLength(1 + 1 + 3 * 1_000);
    expect(fork.block(1_000)?.hash).toEqual(blockWithTransaction(1_000).hash);
    await fork.close(pieces);
    expect(store.keys()).toHaveLength(1 + 1 + 3 * 10);
    append(chain, blockWithTransaction(11), stateOf(11));
    expect(chain.block(11)?.hash).toEqual(blockWithTransaction(11).hash);
    expect(chain.blockByHash(blockWithTransaction(12).hash)).toBeUndefined();
  });
});
