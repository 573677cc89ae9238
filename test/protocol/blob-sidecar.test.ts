import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts';
import {
  type BlobSidecar,
  checkSidecarForm,
  joinNetworkForm,
  splitNetworkForm,
} from '../../src/protocol/blobs.ts';
import { InvalidTransactionError } from '../../src/protocol/errors.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { decodeTransaction } from '../../src/protocol/transaction-decoding.ts';
import { bytes, CHAIN_ID, signedTransaction } from './arbitraries.ts';

const PRAGUE = ruleSetNamed('prague');
const OSAKA = ruleSetNamed('osaka');

/** Blobs that differ in their first bytes, because fully random blobs are slow. */
const blob = bytes(8).map((start) => {
  const whole = new Uint8Array(131_072);
  whole.set(start);
  return whole;
});

const sidecar: fc.Arbitrary<BlobSidecar> = fc.record({
  proofKind: fc.constantFrom('blob proofs' as const, 'cell proofs' as const),
  blobs: fc.array(blob, { maxLength: 2 }),
  commitments: fc.array(bytes(48), { maxLength: 3 }),
  proofs: fc.array(bytes(48), { maxLength: 130 }),
});

function rlpOf(version: number | null, ...parts: readonly RlpItem[]): Uint8Array {
  const front = version === null ? [] : [Uint8Array.of(version)];
  return concatBytes(Uint8Array.of(3), encodeRlp([[Uint8Array.of(1)], ...front, ...parts]));
}

describe('network form of a blob transaction', () => {
  it('the network form is split into the same transaction and sidecar', () => {
    const isSame = fc.property(signedTransaction([3]), sidecar, (transaction, given) => {
      const joined = joinNetworkForm(transaction.raw, given);
      const split = splitNetworkForm(joined);
      expect(split).toEqual({ raw: transaction.raw, sidecar: given });
      expect(decodeTransaction(split.raw, OSAKA, CHAIN_ID)).toEqual(transaction);
      const items = decodeRlp(joined.subarray(1), 10_000);
      expect(items).toHaveLength(given.proofKind === 'cell proofs' ? 5 : 4);
    });
    fc.assert(isSame, { numRuns: 20 });
  });

  it('the network form has no sidecar for other transactions', () => {
    const isSame = fc.property(signedTransaction([0, 1, 2, 3, 4]), (transaction) => {
      expect(splitNetworkForm(transaction.raw)).toEqual({ raw: transaction.raw, sidecar: null });
    });
    fc.assert(isSame, { numRuns: 50 });
  });

  it('the network form fails only with InvalidTransactionError for random input', () => {
    const items = fc.letrec<{ item: RlpItem }>((tie) => ({
      item: fc.oneof(
        { depthSize: 'small' },
        fc.uint8Array({ maxLength: 60 }),
        fc.array(tie('item'), { maxLength: 6 }),
      ),
    })).item;
    const isKind = fc.property(fc.oneof(items.map(encodeRlp), fc.uint8Array({ maxLength: 90 })), (rest) => {
      try {
        splitNetworkForm(concatBytes(Uint8Array.of(3), rest));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidTransactionError);
      }
    });
    fc.assert(isKind, { numRuns: 500 });
  });

  it.each([
    [
      'an unknown version',
      rlpOf(2, [], [], []),
      /version byte of the blob sidecar must be 1 \(version 0 has no version byte\)/,
    ],
    [
      'version 0 spelled out',
      rlpOf(0, [], [], []),
      /version byte of the blob sidecar must be 1 \(version 0 has no version byte\)/,
    ],
    ['missing proofs', rlpOf(null, [], []), /proofs of the blob sidecar: expected a list/],
    ['an extra field', rlpOf(1, [], [], [], []), /too many fields/],
    ['a short blob', rlpOf(null, [new Uint8Array(131_071)], [], []), /blobs\[0\] .* is not 131072 bytes/],
    ['a long proof', rlpOf(1, [], [], [new Uint8Array(49)]), /proofs\[0\] .* is not 48 bytes/],
    ['a list for a commitment', rlpOf(1, [], [[]], []), /commitments\[0\] .* is not 48 bytes/],
  ])('the network form is rejected with %s', (_, raw, message) => {
    expect(() => splitNetworkForm(raw)).toThrow(message);
  });
});

describe('checkSidecarForm', () => {
  const whole = new Uint8Array(131_072);
  const point = new Uint8Array(48);
  const hash = new Uint8Array(32).fill(1);
  const points = (count: number) => Array.from({ length: count }, () => point);
  const v0: BlobSidecar = { proofKind: 'blob proofs', blobs: [whole], commitments: [point], proofs: [point] };
  const v1: BlobSidecar = { ...v0, proofKind: 'cell proofs', proofs: points(128) };

  it('accepts versions 0 and 1 from Osaka, and version 0 before', () => {
    for (const ruleSet of [PRAGUE, OSAKA]) expect(() => checkSidecarForm(v0, [hash], ruleSet)).not.toThrow();
    expect(() => checkSidecarForm(v1, [hash], OSAKA)).not.toThrow();
    expect(() => checkSidecarForm(v1, [hash], PRAGUE)).toThrow(
      /version 1.*prague requires one proof per blob/,
    );
  });

  it.each([
    [
      'a missing blob',
      v0,
      [hash, hash],
      /blobs of the blob sidecar: expected 2 \(one per blob versioned hash\), got 1/,
    ],
    [
      'an extra commitment',
      { ...v0, commitments: points(2) },
      [hash],
      /expected 1 \(commitments\) and 1 \(proofs\), got 2 and 1/,
    ],
    [
      'a missing proof',
      { ...v1, proofs: points(127) },
      [hash],
      /expected 1 \(commitments\) and 128 \(proofs\), got 1 and 127/,
    ],
  ])('rejects %s', (_, given, hashes, message) => {
    expect(() => checkSidecarForm(given, hashes, OSAKA)).toThrow(message);
  });
});
