import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareBytes } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { trieRemove } from '../../src/state/trie/trie.ts';
import { Branch, Leaf, type TrieNode } from '../../src/state/trie/trie-node.ts';
import { trieDifferences } from '../../src/state/trie/trie-walks.ts';
import { slotOf } from './samples.ts';
import { triePut } from './trie-put.ts';

type Trie = TrieNode<Uint8Array> | null;

/** Keys with few nibble values, so that extensions appear and disappear at every depth. */
const keyOf = (number: number) =>
  keccak256(slotOf(number))
    .slice(0, 4)
    .map((byte, index) => byte & (index % 2 === 0 ? 0x33 : 0x11));

/** Keys and their new values. `null` removes the key. */
const changes = fc.array(fc.tuple(fc.nat(400), fc.option(fc.uint8Array({ maxLength: 2 }), { freq: 3 })), {
  maxLength: 60,
});

/** A trie and its entries by hexadecimal key. */
interface Holding {
  readonly trie: Trie;
  readonly entries: ReadonlyMap<string, Uint8Array>;
}

function changed({ trie, entries }: Holding, given: readonly [number, Uint8Array | null][]): Holding {
  let after = trie;
  const left = new Map(entries);
  for (const [number, value] of given) {
    const key = keyOf(number);
    const digits = Buffer.from(key).toString('hex');
    after = value === null ? trieRemove(after, key) : triePut(after, key, value);
    if (value === null) left.delete(digits);
    else left.set(digits, value);
  }
  return { trie: after, entries: left };
}

const EMPTY: Holding = { trie: null, entries: new Map() };

it('trieDifferences returns the keys with different values in order', () => {
  fc.assert(
    fc.property(changes, changes, changes, (shared, left, right) => {
      const base = changed(EMPTY, shared);
      const before = changed(base, left);
      const after = changed(base, right);
      const keys = [...new Set([...before.entries.keys(), ...after.entries.keys()])];
      const expected = keys
        .sort((one, other) => compareBytes(Buffer.from(one, 'hex'), Buffer.from(other, 'hex')))
        .map((key) => ({ before: before.entries.get(key), after: after.entries.get(key) }))
        .filter((pair) => pair.before !== pair.after);
      expect(Array.from(trieDifferences(before.trie, after.trie))).toEqual(expected);
    }),
    { numRuns: 400 },
  );
});

it('trieDifferences does not read nodes that both tries share', () => {
  const leaf = (value: number) => new Leaf(Uint8Array.of(0x00), 1, Uint8Array.of(value));
  const shared = new Proxy(new Leaf(Uint8Array.of(0x10), 1, Uint8Array.of(9)), {
    get: () => {
      throw new Error('a shared node was looked into');
    },
  });
  const rest = new Array<null>(14).fill(null);
  const before = new Branch([leaf(1), shared, ...rest]);
  const after = new Branch([leaf(2), shared, ...rest]);
  expect(Array.from(trieDifferences(before, after))).toEqual([
    { before: Uint8Array.of(1), after: Uint8Array.of(2) },
  ]);
});
