import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { crc32 } from '../../src/rpc/methods/eth/chain.ts';

describe('crc32', () => {
  it('returns the same checksum as zlib', () => {
    expect(toHex(crc32(new TextEncoder().encode('123456789')))).toBe('0xcbf43926');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(BigInt(toHex(crc32(bytes)))).toBe(BigInt(zlibCrc32(bytes)));
      }),
      { seed: 32 },
    );
  });
});
