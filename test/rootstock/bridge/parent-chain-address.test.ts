import { address } from 'bitcoinjs-lib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOfAddress, parentChainAddress } from '../../../src/rootstock/bitcoin-script.ts';

const hashes = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('parent-chain addresses', () => {
  it.each([
    ['key', 0x6f],
    ['script', 0xc4],
  ] as const)('encodes the address of a %s like another library, and decodes it', (kind, version) => {
    fc.assert(
      fc.property(hashes, (hash) => {
        const text = parentChainAddress(kind, hash);
        expect(text).toBe(address.toBase58Check(hash, version));
        expect(hashOfAddress(text)).toEqual(hash);
      }),
      { seed: 58, numRuns: 100 },
    );
  });

  it('rejects an address of another network', () => {
    expect(hashOfAddress(address.toBase58Check(new Uint8Array(20), 0))).toBeUndefined();
    expect(hashOfAddress(address.toBase58Check(new Uint8Array(20), 5))).toBeUndefined();
  });

  it.each(['', '1', 'O0', '2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9q', '1111', 'é', '2'.repeat(10_000)])(
    'rejects %s as an address',
    (text) => {
      expect(hashOfAddress(text)).toBeUndefined();
    },
  );
});
