import { script } from 'bitcoinjs-lib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import {
  bytesOfSignature,
  decodeDer,
  encodeDer,
  signatureOfBytes,
} from '../../../src/rootstock/bitcoin/signature.ts';

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

describe('DER signatures', () => {
  it('encodes like another library, and decodes the result with bytes after it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.nat(32), (compact, zeros) => {
        compact.fill(0, 0, zeros);
        const encoded = encodeDer(signatureOfBytes(compact));
        expect(concatBytes(encoded, Uint8Array.of(1))).toEqual(script.signature.encode(compact, 1));
        const decoded = decodeDer(concatBytes(encoded, Uint8Array.of(1)));
        expect(bytesOfSignature(decoded)).toEqual(compact);
      }),
      { seed: 66, numRuns: 200 },
    );
  });

  it.each([
    ['a negative integer', '3006020180020181', { r: 0x80n, s: 0x81n }],
    ['a long length', '308106020101020102', { r: 1n, s: 2n }],
    ['zero', '3006020100020100', { r: 0n, s: 0n }],
  ])('accepts %s as rskj does', (_, hex, expected) => {
    expect(decodeDer(fromHex(hex))).toEqual(expected);
  });

  it.each([
    '',
    '30',
    '3006020101',
    '3106020101020102',
    '30060201010301ff',
    '3080020101020102',
    '30070202000102',
  ])('rejects the bytes %s', (hex) => {
    expect(() => decodeDer(fromHex(hex))).toThrow(expect.objectContaining({ name: 'BitcoinFormatError' }));
  });

  it('rejects a padded integer', () => {
    expect(() => decodeDer(fromHex('300702020001020102'))).toThrow('not minimal');
  });

  it('returns null for an integer above 256 bits', () => {
    expect(bytesOfSignature({ r: 2n ** 256n, s: 1n })).toBeNull();
  });
});
