import fc from 'fast-check';
import { keccak256 as viemKeccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import {
  encodedKeccak256,
  KECCAK_EMPTY,
  KECCAK_INPUT,
  keccak256,
  keccak256OfWords,
  writeKeccak256,
} from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';

describe('Keccak-256', () => {
  it.each([
    ['', '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['abc', '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
    ['hello', '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8'],
  ])('hashes %j to the known value', (text, hash) => {
    expect(toHex(keccak256(new TextEncoder().encode(text)))).toBe(hash);
  });

  it('hashes like another implementation for each length up to 300 bytes and for long inputs', () => {
    const lengths = [
      ...Array(301).keys(),
      1023,
      1024,
      1025,
      ...[-1, 0, 1].flatMap((more) => [8_160, 16_320].map((length) => length + more)),
      8_024,
      100_000,
    ];
    for (const length of lengths) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
      expect(toHex(keccak256(bytes))).toBe(viemKeccak256(bytes));
    }
  });

  it('hashes a subarray independently of the rest of the array', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 2, maxLength: 2000 }), (bytes) => {
        expect(keccak256(bytes.subarray(1))).toEqual(keccak256(bytes.slice(1)));
      }),
    );
  });

  it('writeKeccak256 writes only the 32 bytes at the offset', () => {
    const target = new Uint8Array(40).fill(9);
    writeKeccak256(target, 3, Uint8Array.of(1, 2));
    expect(target.subarray(3, 35)).toEqual(keccak256(Uint8Array.of(1, 2)));
    expect([...target.subarray(0, 3), ...target.subarray(35)]).toEqual(Array(8).fill(9));
  });

  it.each([
    [0, 64],
    [1, 32],
    [127, 64],
    [128, 64],
    [600, 96],
  ])('keccak256OfWords hashes %i words with a stride of %i bytes', (count, stride) => {
    const bytes = Uint8Array.from({ length: count * stride }, (_, index) => (index * 31) ^ (index >> 8));
    const hashes = keccak256OfWords(bytes, stride);
    expect(hashes).toHaveLength(count * 32);
    for (let index = 0; index < count; index++) {
      const word = bytes.subarray(index * stride, index * stride + 32);
      expect(hashes.subarray(index * 32, (index + 1) * 32)).toEqual(keccak256(word));
    }
  });

  it('encodedKeccak256 returns the RLP of the hash of a part of its input', () => {
    const bytes = Uint8Array.from({ length: 500 }, (_, index) => index * 3);
    KECCAK_INPUT.set(bytes);
    expect(encodedKeccak256(100, 300)).toEqual(encodeRlp(keccak256(bytes.subarray(100, 400))));
  });

  it('does not change earlier hashes', () => {
    const first = keccak256(Uint8Array.of(1));
    const copy = first.slice();
    keccak256(Uint8Array.of(2));
    expect(first).toEqual(copy);
    expect(KECCAK_EMPTY).toEqual(keccak256(new Uint8Array(0)));
  });
});
