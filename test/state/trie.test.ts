import { createMPT } from '@ethereumjs/mpt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { trieGet, trieRemove, trieValues } from '../../src/state/trie/trie.ts';
import type { TrieNode } from '../../src/state/trie/trie-node.ts';
import { trieRoot } from '../../src/state/trie/trie-node.ts';
import { slotOf } from './samples.ts';
import { triePut } from './trie-put.ts';

type Trie = TrieNode<Uint8Array> | null;

const identity = (value: Uint8Array) => value;
const rootOf = (trie: Trie) => trieRoot(trie, identity);

/** Evenly distributed keys, as in a state. The trie then consists of branches. */
const hashedKey = (number: number) => keccak256(slotOf(number));

/** Keys with few nibble values, so that extensions appear and disappear at every depth. */
const crowdedKey = (number: number) =>
  hashedKey(number)
    .slice(0, 4)
    .map((byte, index) => byte & (index % 2 === 0 ? 0x33 : 0x11));

interface Operation {
  readonly number: number;
  /** `null` removes the key. */
  readonly value: Uint8Array | null;
}

const value = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 2 }),
  fc.uint8Array({ minLength: 30, maxLength: 80 }),
);
const operation: fc.Arbitrary<Operation> = fc.record({
  number: fc.nat(1500),
  value: fc.option(value, { freq: 3 }),
});

function applied(trie: Trie, key: Uint8Array, { value }: Operation): Trie {
  return value === null ? trieRemove(trie, key) : triePut(trie, key, value);
}

describe('trie', () => {
  const operationsInARun = 2_500;
  const runs = 3;

  it.each([
    ['hashed', hashedKey],
    ['crowded', crowdedKey],
  ])(
    `a trie has the root of @ethereumjs/mpt through ${runs * operationsInARun} random operations on %s keys`,
    async (_, keyFrom) => {
      const operations = fc.array(operation, {
        minLength: operationsInARun,
        maxLength: operationsInARun,
        size: 'max',
      });
      const sameRoots = fc.asyncProperty(operations, async (list) => {
        const reference = await createMPT();
        let trie: Trie = null;
        for (const [index, next] of list.entries()) {
          const key = keyFrom(next.number);
          trie = applied(trie, key, next);
          await reference.put(key, next.value);
          if (index % 250 === 249) expect(rootOf(trie)).toEqual(reference.root());
        }
      });
      await fc.assert(sameRoots, { numRuns: runs });
    },
    120_000,
  );

  it('a trie matches a map and lists its values by key', () => {
    const followsModel = fc.property(fc.array(operation, { maxLength: 400, size: 'max' }), (list) => {
      const model = new Map<number, Uint8Array>();
      let trie: Trie = null;
      for (const next of list) {
        trie = applied(trie, hashedKey(next.number), next);
        if (next.value === null) model.delete(next.number);
        else model.set(next.number, next.value);
      }
      for (const { number } of list) expect(trieGet(trie, hashedKey(number))).toBe(model.get(number));
      const byKey = [...model].sort(([left], [right]) => compareBytes(hashedKey(left), hashedKey(right)));
      expect([...trieValues(trie)]).toEqual(byKey.map(([, stored]) => stored));
    });
    fc.assert(followsModel, { numRuns: 50 });
  });

  it('a trie stays unchanged after later tries are derived', () => {
    const keepsRoots = fc.property(fc.array(operation, { maxLength: 120, size: 'max' }), (list) => {
      const history: { trie: Trie; root: Uint8Array; values: Uint8Array[] }[] = [];
      let trie: Trie = null;
      for (const next of list) {
        trie = applied(trie, crowdedKey(next.number), next);
        history.push({ trie, root: rootOf(trie), values: [...trieValues(trie)] });
      }
      for (const past of history) {
        expect([...trieValues(past.trie)]).toEqual(past.values);
        const rebuilt = list
          .slice(0, history.indexOf(past) + 1)
          .reduce<Trie>((before, next) => applied(before, crowdedKey(next.number), next), null);
        expect(rootOf(past.trie)).toEqual(past.root);
        expect(rootOf(rebuilt)).toEqual(past.root);
      }
    });
    fc.assert(keepsRoots, { numRuns: 20 });
  });

  it('a trie returns the same node for a put or remove without effect', () => {
    const stored = Uint8Array.of(7);
    let trie: Trie = null;
    for (let number = 0; number < 200; number++) trie = triePut(trie, crowdedKey(number), stored);
    for (let number = 0; number < 200; number++) {
      expect(triePut(trie, crowdedKey(number), stored)).toBe(trie);
      expect(trieRemove(trie, Uint8Array.of(number, 0xff, 0xff, 0xff))).toBe(trie);
    }
  });

  it('a trie is empty after every key is removed', () => {
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    const full = numbers.reduce<Trie>(
      (trie, number) => triePut(trie, hashedKey(number), slotOf(number)),
      null,
    );
    expect(numbers.reduce<Trie>((trie, number) => trieRemove(trie, hashedKey(number)), full)).toBeNull();
  });

  it('a trie rejects a key that is a prefix of another key', () => {
    const trie = triePut<number>(null, Uint8Array.of(1, 2, 3), 1);
    expect(() => triePut(trie, Uint8Array.of(1, 2), 2)).toThrow(RangeError);
    expect(() => triePut(trie, Uint8Array.of(1, 2, 3, 4), 2)).toThrow(RangeError);
  });

  it('a trie has the known empty root without entries', () => {
    expect(Buffer.from(rootOf(null)).toString('hex')).toBe(
      '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    );
  });
});
