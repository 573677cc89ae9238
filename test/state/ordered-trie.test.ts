import { verifyMerkleProof } from '@ethereumjs/mpt';
import { describe, expect, it } from 'vitest';
import { bigIntToBytes } from '../../src/primitives/bytes.ts';
import { uninterrupted } from '../../src/primitives/interrupt.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { WorkPieces } from '../../src/primitives/work-pieces.ts';
import {
  EMPTY_TRIE_ROOT,
  orderedTrieProof,
  orderedTrieRoot,
  orderedTrieRootInPieces,
} from '../../src/state/trie/trie-encoding.ts';
import { referenceRoot } from './reference-trie.ts';
import { slotOf } from './samples.ts';

describe('the root of an ordered trie', () => {
  it.each([1, 2, 3, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300])(
    'is that of @ethereumjs/mpt with RLP index keys for %i values',
    async (count) => {
      const values = Array.from({ length: count }, (_, index) => {
        const seed = keccak256(slotOf(index));
        return new Uint8Array(1 + ((seed[0] ?? 0) % 5) * 500).fill(seed[1] ?? 0);
      });
      const entries = values.map((value, index) => [encodeRlp(bigIntToBytes(BigInt(index))), value] as const);
      expect(orderedTrieRoot(values)).toEqual(await referenceRoot(entries));
    },
  );

  it('is the empty root for no values', () => {
    expect(orderedTrieRoot([])).toEqual(EMPTY_TRIE_ROOT);
    expect(EMPTY_TRIE_ROOT).toEqual(keccak256(Uint8Array.of(0x80)));
  });
});

describe('the root of an ordered trie in pieces', () => {
  it.each([
    [1, [0]],
    [3, [1, 2]],
    [300, [0, 128, 299]],
  ])('is the same for %i values of which some are very long, and takes turns', async (count, long) => {
    const values = Array.from({ length: count }, (_, index) =>
      new Uint8Array(long.includes(index) ? 2 ** 20 + 1 + index : 40).fill(index + 1),
    );
    const task = orderedTrieRootInPieces(values, new WorkPieces(uninterrupted, 2 ** 18));
    let turns = 0;
    let step = task.next();
    for (; step.done !== true; step = task.next()) {
      turns++;
      await step.value;
    }
    expect(step.value).toEqual(orderedTrieRoot(values));
    expect(turns).toBeGreaterThanOrEqual(4 * long.length);
  });
});

describe('a proof of an ordered trie', () => {
  it.each([1, 2, 17, 129, 300])(
    'leads from the root to each of %i values, and to none beyond',
    async (count) => {
      const values = Array.from({ length: count }, (_, index) =>
        new Uint8Array(1 + (index % 70)).fill(index + 1),
      );
      const root = orderedTrieRoot(values);
      for (let index = 0; index <= count; index++) {
        const proof = orderedTrieProof(values, index);
        expect(keccak256(proof[0] ?? new Uint8Array(0))).toEqual(root);
        const proven = await verifyMerkleProof(encodeRlp(bigIntToBytes(BigInt(index))), proof);
        expect(proven).toEqual(values[index] ?? null);
      }
    },
  );
});
