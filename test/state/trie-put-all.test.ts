import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { triePut, triePutAll, trieValues } from '../../src/state/trie/trie.ts';
import type { TrieNode } from '../../src/state/trie/trie-node.ts';
import { trieRoot } from '../../src/state/trie/trie-node.ts';
import { slotOf } from './samples.ts';

type Trie = TrieNode<Uint8Array> | null;

const rootOf = (trie: Trie) => trieRoot(trie, (value) => value);
const hashedKey = (number: number) => keccak256(slotOf(number));
/** Keys of few nibble values, by which extensions come apart at every depth. */
const crowdedKey = (number: number) =>
  Uint8Array.of(0x11, 0x11 + (number & 0x22), 0x11 + ((number >> 2) & 0x33), number & 0x11);

const entry = fc.record({ number: fc.nat(300), value: fc.uint8Array({ minLength: 1, maxLength: 40 }) });
const entries = fc.array(entry, { maxLength: 60 });

describe('putting many entries into a trie', () => {
  it.each([
    ['hashed', hashedKey],
    ['crowded', crowdedKey],
  ])(
    'gives what putting one after the other gives, on %s keys, and leaves the trie as it is',
    (_, keyFrom) => {
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
    },
  );

  it('gives the very same trie for no entries', () => {
    const trie = triePut<Uint8Array>(null, hashedKey(1), Uint8Array.of(1));
    expect(triePutAll(trie, [])).toBe(trie);
    expect(triePutAll(null, [])).toBeNull();
  });
});
