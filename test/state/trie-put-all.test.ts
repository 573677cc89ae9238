import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { trieValues } from '../../src/state/trie/trie.ts';
import type { TrieNode } from '../../src/state/trie/trie-node.ts';
import { trieRoot } from '../../src/state/trie/trie-node.ts';
import { triePutAll } from '../../src/state/trie/trie-put-all.ts';
import { slotOf } from './samples.ts';
import { triePut } from './trie-put.ts';

type Trie = TrieNode<Uint8Array> | null;

const rootOf = (trie: Trie) => trieRoot(trie, (value) => value);
const hashedKey = (number: number) => keccak256(slotOf(number));
/** Keys with few nibble values, so that extensions split at every depth. */
const crowdedKey = (number: number) =>
  Uint8Array.of(0x11, 0x11 + (number & 0x22), 0x11 + ((number >> 2) & 0x33), number & 0x11);

const entry = fc.record({ number: fc.nat(300), value: fc.uint8Array({ minLength: 1, maxLength: 40 }) });
const entries = fc.array(entry, { maxLength: 60 });

describe('triePutAll', () => {
  it.each([
    ['hashed', hashedKey],
    ['crowded', crowdedKey],
  ])('equals single puts on %s keys and leaves the input trie unchanged', (_, keyFrom) => {
    const isSame = fc.property(entries, entries, (before, added) => {
      const put = (trie: Trie, list: typeof before): Trie =>
        list.reduce<Trie>((node, { number, value }) => triePut(node, keyFrom(number), value), trie);
      const base = put(null, before);
      const baseRoot = rootOf(base);
      const byKey = new Map(
        added.map(({ number, value }) => [bytesToBigInt(keyFrom(number)), { number, value }]),
      );
      const list = [...byKey.values()].map(({ number, value }) => ({ key: keyFrom(number), value }));
      const all = triePutAll(base, list);
      const oneByOne = put(base, [...byKey.values()]);
      expect(rootOf(all)).toEqual(rootOf(oneByOne));
      expect([...trieValues(all)]).toEqual([...trieValues(oneByOne)]);
      expect(rootOf(base)).toEqual(baseRoot);
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('sorts keys that differ only in their last bytes', () => {
    const keyOf = (number: number) =>
      Uint8Array.of(...slotOf(0).subarray(0, 28), ...slotOf(number).subarray(28));
    const numbers = Array.from({ length: 300 }, (_, index) => (index * 7919) % 65_537);
    const list = numbers.map((number) => ({ key: keyOf(number), value: slotOf(number) }));
    const oneByOne = list.reduce<Trie>((trie, { key, value }) => triePut(trie, key, value), null);
    expect(rootOf(triePutAll(null, list))).toEqual(rootOf(oneByOne));
  });

  it('returns the same trie for existing values and rejects a duplicate key', () => {
    const list = [1, 2, 3, 40, 500].map((number) => ({ key: hashedKey(number), value: slotOf(number) }));
    const trie = triePutAll(null, list);
    expect(triePutAll(trie, list.slice(1, 4))).toBe(trie);
    expect(() => triePutAll(null, [...list.slice(1), ...list.slice(1)])).toThrow(RangeError);
  });

  it('returns the same trie without entries', () => {
    const trie = triePut<Uint8Array>(null, hashedKey(1), Uint8Array.of(1));
    expect(triePutAll(trie, [])).toBe(trie);
    expect(triePutAll(null, [])).toBeNull();
  });
});
