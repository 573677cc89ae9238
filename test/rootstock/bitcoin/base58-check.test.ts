import { encodeBase58, sha256 } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/primitives/hex.ts';
import { decodeBase58Check, encodeBase58Check } from '../../../src/rootstock/bitcoin/base58-check.ts';

/** The same encoding by another library. */
function reference(payload: Uint8Array): string {
  const checksum = fromHex(sha256(sha256(payload))).subarray(0, 4);
  return encodeBase58(Uint8Array.of(...payload, ...checksum));
}

const bytes = fc.tuple(fc.nat(4), fc.uint8Array({ maxLength: 80 })).map(([zeros, rest]) => {
  return Uint8Array.of(...new Uint8Array(zeros), ...rest);
});

describe('Base58Check', () => {
  it('encodes like another library, and decodes the result', () => {
    fc.assert(
      fc.property(bytes, (payload) => {
        const text = encodeBase58Check(payload);
        expect(text).toBe(reference(payload));
        expect(decodeBase58Check(text, payload.length)).toEqual(payload);
      }),
    );
  });

  it('rejects a wrong, missing or extra digit', () => {
    const text = 'mgivuh9jErcGdRr81cJ3A7YfgbJV7WNyZV';
    expect(decodeBase58Check(text, 21)).toBeDefined();
    expect(decodeBase58Check(text.replace('m', 'n'), 21)).toBeUndefined();
    expect(decodeBase58Check(text.slice(1), 21)).toBeUndefined();
    expect(decodeBase58Check(`1${text}`, 21)).toBeUndefined();
    expect(decodeBase58Check(text.replace('m', '0'), 21)).toBeUndefined();
    expect(decodeBase58Check(text, 20)).toBeUndefined();
    expect(decodeBase58Check('z'.repeat(35), 21)).toBeUndefined();
    expect(decodeBase58Check('1'.repeat(1_000_000), 21)).toBeUndefined();
    expect(decodeBase58Check('', 21)).toBeUndefined();
  });
});
