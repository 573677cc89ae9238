import { script as libraryScript, Transaction } from 'bitcoinjs-lib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { reversed } from '../../../src/rootstock/bitcoin/byte-reader.ts';
import { multisigScript } from '../../../src/rootstock/bitcoin/script.ts';
import {
  idOfBytes,
  legacySignatureHash,
  parseTransaction,
  transactionId,
  withoutWitness,
  witnessSignatureHash,
  witnessTransactionId,
} from '../../../src/rootstock/bitcoin/transaction.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const uint32 = fc.nat(0xffff_ffff);
const inputs = fc.record({
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  index: uint32,
  script: bytes(300),
  sequence: uint32,
  witness: fc.array(bytes(80), { maxLength: 3 }),
});
const outputs = fc.record({ value: fc.bigInt(0n, 2n ** 51n), script: bytes(40) });
const transactions = fc
  .record({
    version: uint32,
    locktime: uint32,
    ins: fc.array(inputs, { minLength: 1, maxLength: 4 }),
    outs: fc.array(outputs, { maxLength: 4 }),
  })
  .map((parts) => Object.assign(new Transaction(), parts));

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const options = { seed: 41, numRuns: 200 };

describe('Bitcoin transactions', () => {
  it('parses the bytes of another library, and ignores bytes after them', () => {
    fc.assert(
      fc.property(transactions, bytes(5), (transaction, rest) => {
        const parsed = parseTransaction(concatBytes(transaction.toBuffer(), rest));
        expect({ ...parsed }).toEqual({ ...transaction });
        expect(hexKey(transactionId(parsed))).toBe(hexKey(fromHex(transaction.getId())));
        expect(witnessTransactionId(parsed)).toEqual(reversed(transaction.getHash(true)));
        expect(idOfBytes(withoutWitness(transaction).toBuffer())).toEqual(transactionId(transaction));
      }),
      options,
    );
  });

  it('accepts a witness without items', () => {
    const plain = Object.assign(new Transaction(), {
      ins: [{ hash: new Uint8Array(32), index: 1, script: new Uint8Array(), sequence: 2, witness: [] }],
      outs: [{ value: 3n, script: new Uint8Array() }],
    });
    const body = plain.toBuffer();
    const withMarker = concatBytes(
      body.slice(0, 4),
      Uint8Array.of(0, 1),
      body.slice(4, -4),
      Uint8Array.of(0),
      body.slice(-4),
    );
    expect({ ...parseTransaction(withMarker) }).toEqual({ ...plain });
  });

  it('parses a transaction without inputs and outputs', () => {
    expect({ ...parseTransaction(fromHex('01000000000005000000')) }).toMatchObject({
      ins: [],
      outs: [],
      locktime: 5,
    });
  });

  it.each(['', '01000000', '0100000000020000', '01000000000301ff', '01000000ffffffffffffffffff00000000'])(
    'rejects the bytes %s',
    (hex) => {
      expect(() => parseTransaction(fromHex(hex))).toThrow(
        expect.objectContaining({ name: 'BitcoinFormatError' }),
      );
    },
  );

  it('computes signature hashes like another library', () => {
    const script = multisigScript(2, [new Uint8Array(33).fill(2), new Uint8Array(33).fill(3)]);
    fc.assert(
      fc.property(transactions, fc.nat(), fc.bigInt(0n, 2n ** 51n), (transaction, at, value) => {
        const index = at % transaction.ins.length;
        const all = Transaction.SIGHASH_ALL;
        expect(legacySignatureHash(transaction, index, script)).toEqual(
          transaction.hashForSignature(index, script, all),
        );
        expect(witnessSignatureHash(transaction, index, script, value)).toEqual(
          transaction.hashForWitnessV0(index, script, value, all),
        );
      }),
      options,
    );
  });

  it('removes separators from the signed script, and keeps the other bytes', () => {
    const transaction = parseTransaction(fromHex(`0100000001${'11'.repeat(32)}0000000000ffffffff0000000000`));
    const separated = concatBytes(Uint8Array.of(0xab), libraryScript.compile([0x52, 0xab, 0x51]));
    expect(legacySignatureHash(transaction, 0, separated)).toEqual(
      legacySignatureHash(transaction, 0, Uint8Array.of(0x52, 0x51)),
    );
    // A push of one byte that an opcode could replace.
    const longPush = Uint8Array.of(0x01, 0x05);
    expect(legacySignatureHash(transaction, 0, longPush)).not.toEqual(
      legacySignatureHash(transaction, 0, Uint8Array.of(0x55)),
    );
  });
});
