import { address } from 'bitcoinjs-lib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeBase58Check,
  encodeBase58Check,
} from '../../../../../src/engine/precompiles/network/bridge/base58-check.ts';

const hashes = fc.uint8Array({ minLength: 20, maxLength: 20 });
const versions = fc.integer({ min: 0, max: 255 });

describe('Base58Check', () => {
  it('spells addresses as other software does, and reads them back', () => {
    fc.assert(
      fc.property(versions, hashes, (version, payload) => {
        const text = encodeBase58Check(version, payload);
        expect(text).toBe(address.toBase58Check(payload, version));
        expect(decodeBase58Check(text)).toEqual({ version, payload });
      }),
      { seed: 58, numRuns: 300 },
    );
  });

  it('keeps zeros in front', () => {
    const payload = new Uint8Array(20);
    expect(decodeBase58Check(encodeBase58Check(0, payload))).toEqual({ version: 0, payload });
  });

  it.each(['', '1', 'O0', '2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9q', '1111', 'é', '2'.repeat(10_000)])(
    'reads nothing from %s',
    (text) => {
      expect(decodeBase58Check(text)).toBeUndefined();
    },
  );
});
