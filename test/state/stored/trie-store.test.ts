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

/** Two-byte keys create nodes shorter than a hash. Keys of 32 bytes rarely do. */
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

/** The value includes the key, because equal values under keys with the same suffix share a record. */
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

describe('TrieStore', () => {
  it('opens the same trie by its root, including short nodes', () => {
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

  it('applies the same changes to an opened trie as to an unstored trie', () => {
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

  it('writes only the nodes on the path of a change', () => {
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
    // The root, two branches for the first byte, the branch for the second byte, and the leaf.
    expect(records.writes).toBeLessThanOrEqual(5);

    records.writes = 0;
    again.keep(opened);
    expect(records.writes).toBe(0);
  });

  it('reports a missing node by its hash and rejects an invalid record', () => {
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
