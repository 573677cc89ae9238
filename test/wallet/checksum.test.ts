import fc from 'fast-check';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { checksumAddress } from '../../src/wallet/checksum.ts';

describe('the checksum of an address', () => {
  it.each([
    [30, '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD'],
    [31, '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd'],
  ])('is on chain %i the published one', (chainId, expected) => {
    const address = fromHex('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
    expect(checksumAddress(address, chainId)).toBe(expected);
  });

  it('is the one that viem computes for the chain', () => {
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
    const chainId = fc.oneof(fc.constantFrom(30, 31, 33), fc.integer({ min: 1, max: 100_000 }));
    const isSame = fc.property(address, chainId, (bytes, id) => {
      expect(checksumAddress(bytes, id)).toBe(getAddress(toHex(bytes), id));
    });
    fc.assert(isSame, { seed: 33 });
  });
});
