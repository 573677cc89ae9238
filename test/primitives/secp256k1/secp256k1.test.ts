import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes, bytesToBigInt } from '../../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { nativeSecp256k1 } from '../../../src/primitives/secp256k1/curve.ts';
import { javascriptSecp256k1 } from '../../../src/primitives/secp256k1/javascript.ts';
import { opensslSignature } from '../../../src/primitives/secp256k1/openssl-signing.ts';
import type { Secp256k1 } from '../../../src/primitives/secp256k1/secp256k1.ts';
import { wasmSecp256k1 } from '../../../src/primitives/secp256k1/wasm.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const privateKey = fc.bigInt(1n, ORDER - 1n).map((value) => bigIntToFixedBytes(value, 32));
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

const javascript = javascriptSecp256k1();
const wasm = await wasmSecp256k1();
const native = nativeSecp256k1();
const compiled = native === undefined ? [wasm] : [wasm, native];
const named = (each: Secp256k1): [string, Secp256k1] => [each.name, each];
const implementations = [javascript, ...compiled].map(named);

describe.each(implementations)('the %s curve', (_, secp256k1) => {
  it('derives the known key and address of the first development account', () => {
    const key = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
    const publicKey = secp256k1.publicKey(key);
    expect(toHex(keccak256(publicKey).slice(12))).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
    expect(toHex(secp256k1.compressedPublicKey(key))).toBe(
      '0x038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75',
    );
  });

  it('signs the example of EIP-155', () => {
    const key = new Uint8Array(32).fill(0x46);
    const signingHash = fromHex('0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53');
    const { compact, recovery } = secp256k1.sign(signingHash, key);
    expect(toHex(compact.slice(0, 32))).toBe(
      '0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276',
    );
    expect(toHex(compact.slice(32))).toBe(
      '0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    );
    expect(recovery).toBe(0);
  });

  it('recovers the signer from each signature, and signs with a low s', () => {
    fc.assert(
      fc.property(hash, privateKey, (message, key) => {
        const signature = secp256k1.sign(message, key);
        expect(signature.compact).toHaveLength(64);
        expect(bytesToBigInt(signature.compact.slice(32))).toBeLessThanOrEqual(ORDER / 2n);
        expect(secp256k1.recover(message, signature)).toEqual(secp256k1.publicKey(key));
      }),
      { numRuns: 50 },
    );
  });

  it('throws for an invalid signature in a recovery', () => {
    const message = new Uint8Array(32).fill(1);
    for (const compact of [new Uint8Array(64), new Uint8Array(64).fill(0xff)]) {
      expect(() => secp256k1.recover(message, { compact, recovery: 0 })).toThrow();
    }
  });

  it('accepts only keys between zero and the order as private keys', () => {
    expect(secp256k1.isPrivateKey(bigIntToFixedBytes(1n, 32))).toBe(true);
    expect(secp256k1.isPrivateKey(bigIntToFixedBytes(ORDER - 1n, 32))).toBe(true);
    expect(secp256k1.isPrivateKey(bigIntToFixedBytes(ORDER, 32))).toBe(false);
    expect(secp256k1.isPrivateKey(new Uint8Array(32))).toBe(false);
    expect(secp256k1.isPrivateKey(bigIntToFixedBytes(1n, 31))).toBe(false);
    expect(secp256k1.isPrivateKey(bigIntToFixedBytes(1n, 33))).toBe(false);
  });
});

describe.each(implementations)('points of the %s curve', (_, secp256k1) => {
  const scalar = (value: bigint): Uint8Array => bigIntToFixedBytes(value, 32);
  const infinity = new Uint8Array(64);
  const point = secp256k1.publicKey(scalar(5n));
  const offCurve = new Uint8Array(64).fill(0x11);

  it('decodes compressed and uncompressed public keys', () => {
    expect(secp256k1.pointOf(secp256k1.compressedPublicKey(scalar(5n)))).toEqual(point);
    expect(secp256k1.pointOf(Uint8Array.of(4, ...point))).toEqual(point);
    expect(() => secp256k1.pointOf(Uint8Array.of(8, ...point.subarray(0, 32)))).toThrow();
    expect(() => secp256k1.pointOf(Uint8Array.of(4, ...offCurve))).toThrow();
  });

  it('rejects encodings that do not start with 2, 3 or 4, including hybrid keys (6 and 7)', () => {
    const x = point.subarray(0, 32);
    for (let first = 0; first < 256; first++) {
      const [compressed, whole] = [Uint8Array.of(first, ...x), Uint8Array.of(first, ...point)];
      if (first === 2 || first === 3) expect(secp256k1.pointOf(compressed).subarray(0, 32)).toEqual(x);
      else expect(() => secp256k1.pointOf(compressed), `${first} and x`).toThrow();
      if (first === 4) expect(secp256k1.pointOf(whole)).toEqual(point);
      else expect(() => secp256k1.pointOf(whole), `${first}, x and y`).toThrow();
    }
    for (const key of [[], [4], [2, ...point], [4, ...x], [4, ...point, 0]]) {
      expect(() => secp256k1.pointOf(Uint8Array.from(key)), String(key)).toThrow();
    }
  });

  it('adds points', () => {
    expect(secp256k1.addPoints(point, secp256k1.publicKey(scalar(7n)))).toEqual(
      secp256k1.publicKey(scalar(12n)),
    );
    expect(secp256k1.addPoints(point, point)).toEqual(secp256k1.publicKey(scalar(10n)));
    expect(secp256k1.addPoints(point, infinity)).toEqual(point);
    expect(secp256k1.addPoints(infinity, point)).toEqual(point);
    expect(secp256k1.addPoints(infinity, infinity)).toEqual(infinity);
    expect(secp256k1.addPoints(point, secp256k1.publicKey(scalar(ORDER - 5n)))).toEqual(infinity);
  });

  it('multiplies a point by any number of 32 bytes', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n - 1n), (factor) => {
        const product = (5n * factor) % ORDER;
        const expected = product === 0n ? infinity : secp256k1.publicKey(scalar(product));
        expect(secp256k1.multiplyPoint(point, scalar(factor))).toEqual(expected);
      }),
      { numRuns: 30, examples: [[0n], [ORDER], [ORDER + 1n], [2n ** 256n - 1n]] },
    );
    expect(secp256k1.multiplyPoint(infinity, scalar(3n))).toEqual(infinity);
  });

  it('rejects points that are not on the curve in each operation', () => {
    const yTooLarge = bigIntToFixedBytes(2n ** 256n - 1n, 64);
    for (const bad of [offCurve, yTooLarge]) {
      expect(() => secp256k1.addPoints(bad, infinity)).toThrow();
      expect(() => secp256k1.addPoints(point, bad)).toThrow();
      expect(() => secp256k1.multiplyPoint(bad, scalar(0n))).toThrow();
      expect(() => secp256k1.multiplyPoint(bad, scalar(2n))).toThrow();
    }
  });
});

describe.each(compiled.map(named))('the %s curve, compared with the JavaScript one,', (_, secp256k1) => {
  it('signs, recovers and derives the same values', () => {
    fc.assert(
      fc.property(hash, privateKey, (message, key) => {
        const signature = javascript.sign(message, key);
        expect(secp256k1.sign(message, key)).toEqual(signature);
        expect(secp256k1.recover(message, signature)).toEqual(javascript.recover(message, signature));
        expect(secp256k1.publicKey(key)).toEqual(javascript.publicKey(key));
        expect(secp256k1.compressedPublicKey(key)).toEqual(javascript.compressedPublicKey(key));
      }),
      { numRuns: 50 },
    );
  });

  it('recovers a different key if the recovery bit or the half of s differs', () => {
    fc.assert(
      fc.property(hash, privateKey, (message, key) => {
        const { compact, recovery } = javascript.sign(message, key);
        const high = compact.slice();
        high.set(bigIntToFixedBytes(ORDER - bytesToBigInt(compact.slice(32)), 32), 32);
        for (const signature of [
          { compact, recovery: 1 - recovery },
          { compact: high, recovery: 1 - recovery },
        ]) {
          expect(secp256k1.recover(message, signature)).toEqual(javascript.recover(message, signature));
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('the OpenSSL signature', () => {
  const scalar = (value: bigint): Uint8Array => bigIntToFixedBytes(value, 32);
  const [one, last] = [scalar(1n), scalar(ORDER - 1n)];

  it('equals the signatures of the other implementations', () => {
    const hashBelowOrder = fc.bigInt(0n, ORDER - 1n).map(scalar);
    fc.assert(
      fc.property(hashBelowOrder, privateKey, (message, key) => {
        expect(opensslSignature(message, key)).toEqual(javascript.sign(message, key));
      }),
      {
        numRuns: 200,
        examples: [
          [new Uint8Array(32), one],
          [one, last],
          [last, last],
          [last, one],
        ],
      },
    );
  });

  it('returns null for hashes at or above the order and for invalid private keys', () => {
    for (const message of [
      scalar(ORDER),
      new Uint8Array(32).fill(0xff),
      new Uint8Array(31),
      new Uint8Array(33),
    ])
      expect(opensslSignature(message, one)).toBe(null);
    for (const key of [
      new Uint8Array(32),
      scalar(ORDER),
      new Uint8Array(32).fill(0xff),
      new Uint8Array(31).fill(1),
    ])
      expect(opensslSignature(one, key)).toBe(null);
  });
});
