// Transactions of Bitcoin. All ids are 32 bytes in text order.

import { Transaction } from 'bitcoinjs-lib';
import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { BitcoinFormatError, ByteReader, littleEndian, reversed } from './byte-reader.ts';
import { joinChunks, OP, scriptChunks } from './script.ts';

export type { Transaction as BitcoinTransaction } from 'bitcoinjs-lib';

const ID_SIZE = 32;
const AMOUNT_SIZE = 8;
/** The only bit of the flags byte (BIP-144): the transaction has a witness. */
const HAS_WITNESS = 1;

/**
 * Parses a transaction as rskj does: bytes after it are ignored, and a witness may be empty. Throws
 * `BitcoinFormatError`.
 */
export function parseTransaction(bytes: Uint8Array): Transaction {
  const reader = new ByteReader(bytes);
  const transaction = new Transaction();
  transaction.version = reader.number(4);
  let flags = 0;
  readInputs(transaction, reader);
  if (transaction.ins.length > 0) readOutputs(transaction, reader);
  else {
    flags = reader.number(1);
    if (flags !== 0) {
      readInputs(transaction, reader);
      readOutputs(transaction, reader);
    }
  }
  if ((flags & HAS_WITNESS) !== 0) {
    for (const input of transaction.ins) input.witness = listOf(reader, () => reader.lengthAndBytes());
  }
  if ((flags & ~HAS_WITNESS) !== 0) throw new BitcoinFormatError(`unknown flags of a transaction: ${flags}`);
  transaction.locktime = reader.number(4);
  return transaction;
}

function listOf<Item>(reader: ByteReader, read: () => Item): Item[] {
  const items: Item[] = [];
  // The length is not trusted: a read after the last byte throws.
  for (let left = reader.length(); left > 0; left--) items.push(read());
  return items;
}

function readInputs(transaction: Transaction, reader: ByteReader): void {
  transaction.ins = listOf(reader, () => ({
    hash: reader.bytes(ID_SIZE),
    index: reader.number(4),
    script: reader.lengthAndBytes(),
    sequence: reader.number(4),
    witness: [],
  }));
}

function readOutputs(transaction: Transaction, reader: ByteReader): void {
  transaction.outs = listOf(reader, () => ({
    value: BigInt.asIntN(8 * AMOUNT_SIZE, reader.unsigned(AMOUNT_SIZE)),
    script: reader.lengthAndBytes(),
  }));
}

/** Returns the transaction without witnesses. */
export function withoutWitness(transaction: Transaction): Transaction {
  const stripped = new Transaction();
  stripped.version = transaction.version;
  stripped.locktime = transaction.locktime;
  stripped.ins = transaction.ins.map((input) => ({ ...input, witness: [] }));
  stripped.outs = transaction.outs.map((output) => ({ ...output }));
  return stripped;
}

/** Returns the id without witnesses (txid). */
export function transactionId(transaction: Transaction): Uint8Array {
  return reversed(doubleSha256(withoutWitness(transaction).toBuffer()));
}

/** Returns the id with witnesses (wtxid). Unlike in the commitment of a block, it is not zero for a coinbase. */
export function witnessTransactionId(transaction: Transaction): Uint8Array {
  return idOfBytes(transaction.toBuffer());
}

/** Returns the id of a serialized transaction: the wtxid if the bytes contain witnesses. */
export function idOfBytes(bytes: Uint8Array): Uint8Array {
  return reversed(doubleSha256(bytes));
}

/** Returns the hash to sign an input without witness (all inputs and outputs), in raw order. */
export function legacySignatureHash(transaction: Transaction, index: number, script: Uint8Array): Uint8Array {
  const copy = withoutWitness(transaction);
  copy.ins = copy.ins.map((input, at) => ({
    ...input,
    script: at === index ? withoutSeparators(script) : EMPTY_BYTES,
  }));
  return doubleSha256(concatBytes(copy.toBuffer(), littleEndian(Transaction.SIGHASH_ALL, 4)));
}

function withoutSeparators(script: Uint8Array): Uint8Array {
  const chunks = scriptChunks(script);
  const isSeparator = ({ opcode }: { opcode: number }) => opcode === OP.CODESEPARATOR;
  return chunks.some(isSeparator) ? joinChunks(chunks.filter((chunk) => !isSeparator(chunk))) : script;
}

/**
 * Returns the hash to sign an input with witness (BIP-143, all inputs and outputs), in raw order. `value` is
 * the amount of the spent output in satoshi.
 */
export function witnessSignatureHash(
  transaction: Transaction,
  index: number,
  script: Uint8Array,
  value: bigint,
): Uint8Array {
  return transaction.hashForWitnessV0(index, script, value, Transaction.SIGHASH_ALL);
}
