import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import type { RlpItem } from '../../../src/primitives/rlp.ts';
import { MissingRecordError, StateRecordError } from '../../../src/state/errors.ts';
import { TrieStore } from '../../../src/state/state-store.ts';
import { trieGet, trieRemove, trieValues } from '../../../src/state/trie/trie.ts';
import { type TrieNode, trieRoot } from '../../../src/state/trie/trie-node.ts';
import { triePut } from '../trie-put.ts';
import { MemoryRecords } from './memory-records.ts';

/** Keys of two bytes make nodes that are shorter than a hash, which keys of 32 bytes hardly ever do. */
interface Entry {
  readonly key: Uint8Array;
  readonly text: Uint8Array;
}

type Trie = TrieNode<Entry> | null;

const encode = ({ text }: Entry): Uint8Array => text;

function open(item: RlpItem): { key: Uint8Array; value: Entry } {
  const [key, text] = item;
  if (!(key instanceof Uint8Array && text instanceof Uint8Array)) throw new TypeError('no entry');
  return { key, value: { key, text } };
}

function storeOn(records: MemoryRecords): TrieStore<Entry> {
  return new TrieStore(records, { encode, keep: ({ key, text }) => [key, text], open });
}

/** The key is in the value, as equal values under keys with the same end would have one record. */
function put(trie: Trie, key: Uint8Array, given: Uint8Array): Trie {
  const text = concatBytes(key, given);
  return triePut(trie, key, { key, text });
}

const entries = fc.array(
  fc.record({
    key: fc.uint8Array({ minLength: 2, maxLength: 2 }),
    text: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 3 }),
      fc.uint8Array({ minLength: 40, maxLength: 40 }),
    ),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('a trie in a store', () => {
  it('is the same when it is opened by its root, short nodes too', () => {
    fc.assert(
      fc.property(entries, (given) => {
        const records = new MemoryRecords();
        const trie = given.reduce<Trie>((before, { key, text }) => put(before, key, text), null);
        const root = storeOn(records).keep(trie);
        expect(root).toEqual(trieRoot(trie, encode));

        const opened = storeOn(records).open(root);
        expect(trieRoot(opened, encode)).toEqual(root);
        expect([...trieValues(opened.node)]).toEqual([...trieValues(trie)]);
        for (const { key } of given) expect(trieGet(opened.node, key)).toEqual(trieGet(trie, key));
      }),
    );
  });

  it('goes on as a trie that was never stored does', () => {
    fc.assert(
      fc.property(entries, entries, (given, changes) => {
        const records = new MemoryRecords();
        const trie = given.reduce<Trie>((before, { key, text }) => put(before, key, text), null);
        let expected = trie;
        let actual: Trie = storeOn(records).open(storeOn(records).keep(trie)).node;
        for (const [index, { key, text }] of [...changes, ...given].entries()) {
          const isRemoved = index % 3 === 0;
          expected = isRemoved ? trieRemove(expected, key) : put(expected, key, text);
          actual = isRemoved ? trieRemove(actual, key) : put(actual, key, text);
          expect(trieRoot(actual, encode)).toEqual(trieRoot(expected, encode));
        }
        const root = storeOn(records).keep(actual);
        const opened = actual === null ? null : storeOn(records).open(root).node;
        expect([...trieValues(opened)]).toEqual([...trieValues(expected)]);
      }),
    );
  });

  it('writes after a change only the nodes on the way to it', () => {
    const records = new MemoryRecords();
    const store = storeOn(records);
    const textOf = (...key: number[]): Uint8Array =>
      Uint8Array.from({ length: 40 }, (_, index) => key[index % 2] ?? 0);
    let trie: Trie = null;
    for (let first = 0; first < 256; first++) {
      for (let second = 0; second < 4; second++)
        trie = put(trie, Uint8Array.of(first, second), textOf(first, second));
    }
    store.keep(trie);
    expect(records.writes).toBeGreaterThan(256);

    const again = storeOn(records);
    const opened = again.open(trieRoot(trie, encode)).node;
    records.writes = 0;
    again.keep(put(opened, Uint8Array.of(9, 1), new Uint8Array(40).fill(8)));
    // The root, two branches of the first byte, the branch of the second, the leaf.
    expect(records.writes).toBeLessThanOrEqual(5);

    records.writes = 0;
    again.keep(opened);
    expect(records.writes).toBe(0);
  });

  it('names the node that is missing from a damaged store, and refuses one that cannot be read', () => {
    const records = new MemoryRecords();
    const root = storeOn(records).keep(put(null, Uint8Array.of(1, 2), Uint8Array.of(3)));
    const opened = storeOn(new MemoryRecords()).open(root);
    expect(() => opened.node).toThrow(MissingRecordError);
    expect(() => opened.node).toThrow(hexKey(root));
    const [key] = records.records.keys();
    records.records.set(String(key), Uint8Array.of(0xc0));
    expect(() => storeOn(records).open(root).node).toThrow(StateRecordError);
  });
});
