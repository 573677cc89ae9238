import { verifyMerkleProof } from '@ethereumjs/mpt';
import { describe, expect, it } from 'vitest';
import { bigIntToBytes } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { finish } from '../../src/primitives/steps.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { orderedTrieProof, orderedTrieRoot } from '../../src/state/trie/ordered-trie.ts';
import { EMPTY_TRIE_ROOT } from '../../src/state/trie/trie-node.ts';
import { countTurns } from '../support/turns.ts';
import { referenceRoot } from './reference-trie.ts';
import { slotOf } from './samples.ts';

describe('orderedTrieRoot', () => {
  it.each([1, 2, 3, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300])(
    'equals the root of @ethereumjs/mpt with RLP index keys for %i values',
    async (count) => {
      const values = Array.from({ length: count }, (_, index) => {
        const seed = keccak256(slotOf(index));
        return new Uint8Array(1 + ((seed[0] ?? 0) % 5) * 500).fill(seed[1] ?? 0);
      });
      const entries = values.map((value, index) => [encodeRlp(bigIntToBytes(BigInt(index))), value] as const);
      expect(finish(orderedTrieRoot(values))).toEqual(await referenceRoot(entries));
    },
  );

  it.each([1, 2, 20, 127, 128, 129, 300, 4_000, 70_000])(
    'equals the root of its proofs for %i values of up to 70 bytes',
    (count) => {
      const values = Array.from({ length: count }, (_, index) =>
        new Uint8Array((index * 7) % 71).fill(index % 256),
      );
      const [root] = orderedTrieProof(values, count >> 1);
      expect(finish(orderedTrieRoot(values))).toEqual(keccak256(root ?? new Uint8Array(0)));
    },
  );

  it.each([8_130, 8_135, 8_136, 8_137, 8_160, 8_161, 70_000])(
    'equals the root of its proofs for values of about %i bytes, around the module limit',
    (length) => {
      const values = [new Uint8Array(length), new Uint8Array(length + 1).fill(7), Uint8Array.of(1)];
      expect(finish(orderedTrieRoot(values))).toEqual(
        keccak256(orderedTrieProof(values, 0)[0] ?? new Uint8Array(0)),
      );
    },
  );

  it('returns the empty root without values', () => {
    expect(finish(orderedTrieRoot([]))).toEqual(EMPTY_TRIE_ROOT);
    expect(EMPTY_TRIE_ROOT).toEqual(keccak256(Uint8Array.of(0x80)));
  });
});

describe('orderedTrieRoot of long values', () => {
  const inPieces = async (values: readonly Uint8Array[]) =>
    countTurns(async () => runTask(orderedTrieRoot(values), new TimeSlice()));
  const filled = (length: number, index: number) => new Uint8Array(length).fill(index + 1);

  it.each([
    ['one long value', [8 * 2 ** 20]],
    ['one long value of many', Array.from({ length: 300 }, (_, index) => (index === 270 ? 8 * 2 ** 20 : 40))],
    ['many values', Array.from({ length: 256 }, () => 2 ** 15)],
    ['the values of the first indexes', [0, 3 * 2 ** 20, 2 ** 18, 2 ** 12, 5 * 2 ** 20, 1]],
  ])('yields and is not affected by hashes during a yield: %s', async (_, lengths) => {
    const values = lengths.map(filled);
    const expected = finish(orderedTrieRoot(values));
    const others = setInterval(() => keccak256(filled(100, 0)));
    const { result, turns } = await inPieces(values);
    clearInterval(others);
    expect(result).toEqual(expected);
    expect(finish(orderedTrieRoot(values))).toEqual(expected);
    expect(turns).toBeGreaterThan(25);
  });

  it('does not yield for short values', async () => {
    expect((await inPieces([1, 2, 3].map((index) => filled(20_000, index)))).turns).toBeLessThan(3);
  });
});

describe('orderedTrieProof', () => {
  it.each([1, 2, 17, 129, 300])('proves each of %i values and the absence of the next', async (count) => {
    const values = Array.from({ length: count }, (_, index) =>
      new Uint8Array(1 + (index % 70)).fill(index + 1),
    );
    const root = finish(orderedTrieRoot(values));
    for (let index = 0; index <= count; index++) {
      const proof = orderedTrieProof(values, index);
      expect(keccak256(proof[0] ?? new Uint8Array(0))).toEqual(root);
      const proven = await verifyMerkleProof(encodeRlp(bigIntToBytes(BigInt(index))), proof);
      expect(proven).toEqual(values[index] ?? null);
    }
  });
});
