import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordSlabs } from '../../src/primitives/off-heap.ts';
import { MemoryStore, type Write } from '../../src/storage/key-value-store.ts';

/** Values of all sizes. Small values are kept in slabs, and larger ones separately. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 100, max: 2_000 }),
  fc.constantFrom(
    16,
    17,
    RecordSlabs.MAX_BYTES - 5,
    RecordSlabs.MAX_BYTES,
    RecordSlabs.MAX_BYTES + 1,
    40_000,
  ),
);
const write = fc.record({
  key: fc.integer({ min: 0, max: 150 }),
  size,
  fill: fc.nat({ max: 255 }),
  isDeleted: fc.boolean(),
});

/** The work that a store delays. It runs when the test calls for it. */
function queue() {
  const works: (() => void)[] = [];
  return {
    works,
    later: (work: () => void) => void works.push(work),
    turns: (count: number) => {
      for (let turn = 0; turn < count; turn++) works.shift()?.();
    },
  };
}

function putsOf(keys: readonly string[]): Write[] {
  return keys.map((key) => ({ type: 'put', key, value: Uint8Array.of(key.length) }));
}

describe('MemoryStore', () => {
  it('moves some of the oldest records after each batch, and can read all of them at any time', () => {
    const { works, later, turns } = queue();
    const store = new MemoryStore(100, later);
    const keys = Array.from({ length: 350 }, (_, number) => `h${number}`);
    const expectFirst = (count: number): void => {
      const lengths = keys.map((key, index) => (index < count ? key.length : undefined));
      expect(keys.map((key) => store.getSync(key)?.[0])).toEqual(lengths);
      expect(store.keys()).toEqual(keys.slice(0, count).sort());
    };
    store.batch(putsOf(keys.slice(0, 107)));
    expect(works).toHaveLength(0);
    for (let count = 107; count < 350; count += 27) {
      store.batch(putsOf(keys.slice(count, count + 27)));
      expect(works).toHaveLength(1);
      expectFirst(count + 27);
      turns(1);
      expectFirst(count + 27);
    }
  });

  it('waits for one event loop turn at a time, for any number of batches before it', () => {
    const { works, later, turns } = queue();
    const store = new MemoryStore(100, later);
    const keys = Array.from({ length: 2_001 }, (_, number) => `h${number}`);
    for (let first = 0; first < keys.length; first += 3) store.batch(putsOf(keys.slice(first, first + 3)));
    expect(works).toHaveLength(1);
    expect(store.keys()).toEqual([...keys].sort());
    turns(1);
    expect(works).toHaveLength(0);
    expect(store.keys()).toEqual([...keys].sort());
  });

  it('moves no records after it is closed', async () => {
    const { works, later, turns } = queue();
    const store = new MemoryStore(100, later);
    store.batch(putsOf(Array.from({ length: 200 }, (_, number) => `h${number}`)));
    await store.close();
    turns(1);
    expect(works).toHaveLength(0);
    expect(() => store.getSync('h1')).toThrow(TypeError);
  });

  it('the store has the last value of each key, after any deletions and moves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(write, { minLength: 1, maxLength: 20 }), { maxLength: 60 }),
        fc.constantFrom(0, 7, 30, undefined),
        fc.nat({ max: 3 }),
        (batches, maxNew, turnsBetween) => {
          const { later, turns } = queue();
          const store = new MemoryStore(maxNew, later);
          const naive = new Map<string, Uint8Array>();
          for (const batch of batches) {
            const writes = batch.map(({ key, size: length, fill, isDeleted }): Write => {
              const name = `b${key}`;
              return isDeleted
                ? { type: 'del', key: name }
                : { type: 'put', key: name, value: new Uint8Array(length).fill(fill) };
            });
            for (const each of writes) {
              if (each.type === 'del') naive.delete(each.key);
              else naive.set(each.key, each.value);
            }
            store.batch(writes);
            turns(turnsBetween);
          }
          expect(store.keys()).toEqual([...naive.keys()].sort());
          for (const [key, value] of naive) expect(store.getSync(key)).toEqual(value);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('finds each of many keys, and no deleted key', () => {
    const store = new MemoryStore();
    const keys = Array.from({ length: 20_000 }, (_, number) => `h${number}`);
    const value = new Uint8Array(8).fill(7);
    const isKept = (_: string, index: number): boolean => index % 3 === 0;
    store.batch(keys.map((key): Write => ({ type: 'put', key, value })));
    const gone = keys.filter((key, index) => !isKept(key, index));
    store.batch(gone.map((key): Write => ({ type: 'del', key })));
    // New records reuse the memory of the deleted ones.
    const others = gone.map((key) => `t${key}`);
    store.batch(others.map((key): Write => ({ type: 'put', key, value })));
    const kept = [...keys.filter(isKept), ...others];
    expect(store.keys()).toEqual([...kept].sort());
    expect(kept.every((key) => store.getSync(key)?.length === 8)).toBe(true);
    expect(gone.some((key) => store.getSync(key) !== undefined)).toBe(false);
  });

  it('returns copies that later writes do not change', () => {
    const store = new MemoryStore();
    const put = (key: string, fill: number): void =>
      store.batch([{ type: 'put', key, value: new Uint8Array(900).fill(fill) }]);
    put('b1', 1);
    const first = store.getSync('b1');
    store.batch([{ type: 'del', key: 'b1' }]);
    for (let number = 2; number < 2_000; number++) put(`b${number}`, number % 256);
    expect(first).toEqual(new Uint8Array(900).fill(1));
  });

  it('frees the memory of deleted records', () => {
    const slabs = new RecordSlabs();
    const value = new Uint8Array(1_000);
    const places = new Map<string, number>();
    for (let round = 0; round < 200; round++) {
      for (let number = 0; number < 100; number++) {
        const key = `b${round}.${number}`;
        places.set(key, slabs.add(key, value));
      }
      for (const [key, place] of places) {
        // One record in a hundred stays.
        if (key.endsWith('.7')) continue;
        slabs.remove(place);
        places.delete(key);
      }
      for (const { key, place } of slabs.sparseRecords()) {
        if (places.get(key) !== place) continue;
        places.set(key, slabs.add(key, value));
        slabs.remove(place);
      }
    }
    expect(places.size).toBe(200);
    for (const place of places.values()) expect(slabs.read(place)).toEqual(value);
    // The remaining records take 200 kB, and the removed ones took 20 MB.
    expect(slabs.bytes).toBeLessThan(2_000_000);
  });
});
