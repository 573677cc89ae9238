import fc from 'fast-check';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { checksumAddress, commonChecksumAddress } from '../../src/wallet/address.ts';

describe('checksumAddress', () => {
  it.each([
    [30, '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD'],
    [31, '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd'],
  ])('returns the published checksum on chain %i', (chainId, expected) => {
    const address = fromHex('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
    expect(checksumAddress(address, chainId)).toBe(expected);
  });

  it('returns a checksum with the chain id on the chains 32 and 33', () => {
    const address = fromHex('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
    expect(checksumAddress(address, 33)).toBe('0x5aAeb6053f3E94C9b9a09F33669435E7Ef1BEaeD');
    expect(checksumAddress(address, 32)).toBe(getAddress(toHex(address), 32));
  });

  it('equals the checksum of viem, with the chain id only on Rootstock chains', () => {
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
    const isSame = fc.property(address, fc.constantFrom(30, 31, 32, 33), (bytes, id) => {
      expect(checksumAddress(bytes, id)).toBe(getAddress(toHex(bytes), id));
    });
    const isPlain = fc.property(address, fc.integer({ min: 34, max: 100_000 }), (bytes, id) => {
      expect(checksumAddress(bytes, id)).toBe(getAddress(toHex(bytes)));
    });
    const isCommon = fc.property(address, (bytes) => {
      expect(commonChecksumAddress(bytes)).toBe(getAddress(toHex(bytes)));
    });
    fc.assert(isCommon);
    fc.assert(isSame);
    fc.assert(isPlain);
    expect(checksumAddress(new Uint8Array(20).fill(0xab), 1)).toBe(getAddress(`0x${'ab'.repeat(20)}`));
  });
});
