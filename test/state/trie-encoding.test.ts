import { verifyMerkleProof } from '@ethereumjs/mpt';
import { describe, expect, it } from 'vitest';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { type TrieNode, trieRoot } from '../../src/state/trie/trie-node.ts';
import { trieProof } from '../../src/state/trie/trie-proof.ts';
import { referenceRoot } from './reference-trie.ts';
import { slotOf } from './samples.ts';
import { triePut } from './trie-put.ts';

const identity = (value: Uint8Array) => value;

function trieOf(
  keys: readonly Uint8Array[],
  valueAt: (index: number) => Uint8Array,
): TrieNode<Uint8Array> | null {
  return keys.reduce<TrieNode<Uint8Array> | null>(
    (trie, key, index) => triePut(trie, key, valueAt(index)),
    null,
  );
}

describe('trieProof', () => {
  const keys = Array.from({ length: 500 }, (_, number) => keccak256(slotOf(number)));
  const trie = trieOf(keys, (index) => slotOf(index + 1));
  const root = trieRoot(trie, identity);

  it('a proof lets @ethereumjs/mpt verify every value of the trie', async () => {
    for (const [index, key] of keys.entries()) {
      const proof = trieProof(trie, key, identity);
      expect(keccak256(proof[0] ?? new Uint8Array(0))).toEqual(root);
      expect(await verifyMerkleProof(key, proof)).toEqual(slotOf(index + 1));
    }
  });

  it('a proof lets @ethereumjs/mpt verify that a key is absent', async () => {
    for (let number = 500; number < 1000; number++) {
      const key = keccak256(slotOf(number));
      expect(await verifyMerkleProof(key, trieProof(trie, key, identity))).toBeNull();
    }
  });

  it('a proof is rejected for another key', async () => {
    const [first, second] = keys;
    if (first === undefined || second === undefined) throw new Error('there are no keys');
    await expect(verifyMerkleProof(second, trieProof(trie, first, identity))).rejects.toThrow();
  });

  it('a proof is valid through extensions and nodes shorter than a hash', async () => {
    const crowded = Array.from({ length: 64 }, (_, number) =>
      Uint8Array.of(0, number & 3, 0, 0, number >> 2),
    );
    const small = trieOf(crowded, (index) => Uint8Array.of(index + 1));
    for (const [index, key] of crowded.entries()) {
      expect(await verifyMerkleProof(key, trieProof(small, key, identity))).toEqual(Uint8Array.of(index + 1));
    }
    const beside = Uint8Array.of(0, 1, 0, 1, 0);
    expect(await verifyMerkleProof(beside, trieProof(small, beside, identity))).toBeNull();
  });

  it('a proof starts with the root node even if it is shorter than a hash', () => {
    const tiny = triePut<Uint8Array>(null, Uint8Array.of(0x12), Uint8Array.of(5));
    const proof = trieProof(tiny, Uint8Array.of(0x12), identity);
    expect(proof).toEqual([Uint8Array.of(0xc4, 0x82, 0x20, 0x12, 0x05)]);
    expect(trieRoot(tiny, identity)).toEqual(keccak256(Uint8Array.of(0xc4, 0x82, 0x20, 0x12, 0x05)));
  });

  it('a proof is empty for an empty trie', () => {
    expect(trieProof(null, slotOf(1), identity)).toEqual([]);
  });
});

describe('trieRoot', () => {
  it.each(Array.from({ length: 14 }, (_, index) => index + 1))(
    'a root equals the root of @ethereumjs/mpt if keys share %i nibbles',
    async (shared) => {
      const nibbles = Array.from({ length: 16 }, (_, index) => (index * 7 + 3) % 16);
      const keys = [0, 1, 2].map((last) =>
        Uint8Array.from(
          Buffer.from(
            nibbles
              .map((nibble, index) => (index === shared ? last : nibble))
              .map((nibble) => nibble.toString(16))
              .join(''),
            'hex',
          ),
        ),
      );
      const trie = trieOf(keys, (index) => slotOf(index + 1));
      const expected = await referenceRoot(keys.map((key, index) => [key, slotOf(index + 1)]));
      expect(trieRoot(trie, identity)).toEqual(expected);
    },
  );

  it('trieRoot encodes only changed nodes again', () => {
    const encoded: number[] = [];
    const encode = (number: number) => {
      encoded.push(number);
      return slotOf(number);
    };
    let trie: TrieNode<number> | null = null;
    for (let number = 0; number < 1000; number++) trie = triePut(trie, keccak256(slotOf(number)), number);
    trieRoot(trie, encode);
    expect(encoded).toHaveLength(1000);
    encoded.length = 0;
    trieRoot(triePut(trie, keccak256(slotOf(5)), 5000), encode);
    expect(encoded).toEqual([5000]);
  });

  it('trieRoot returns a copy that does not change the trie', () => {
    const trie = triePut<Uint8Array>(null, slotOf(1), slotOf(2));
    const expected = Uint8Array.from(trieRoot(trie, identity));
    trieRoot(trie, identity).fill(0);
    expect(trieRoot(trie, identity)).toEqual(expected);
  });
});
