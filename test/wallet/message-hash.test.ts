import { hashMessage } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { messageHash } from '../../src/wallet/wallet.ts';

describe('messageHash', () => {
  it('returns the same hash as ethers for random bytes', () => {
    const isSame = fc.property(fc.uint8Array({ maxLength: 1200, size: 'max' }), (message) => {
      expect(toHex(messageHash(message))).toBe(hashMessage(message));
    });
    fc.assert(isSame);
  });

  it.each(['', 'hello', 'ünïcode 🐄'])('returns the same hash as ethers for the text "%s"', (text) => {
    expect(toHex(messageHash(new TextEncoder().encode(text)))).toBe(hashMessage(text));
  });
});
