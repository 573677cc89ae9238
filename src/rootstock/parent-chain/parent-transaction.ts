// Transactions of the parent chain (Bitcoin).

import { Transaction } from 'bitcoinjs-lib';
import { hexKey, readDigits } from '../../primitives/hex.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { BitcoinFormatError, ByteReader, encodeLength } from '../bitcoin/byte-reader.ts';
import {
  requireBaseSize,
  requireParts,
  TransactionLimitError,
  transactionLength,
} from './transaction-size.ts';

export interface ParentInput {
  /** The transaction of the spent output, 64 digits in text order; zeros in a coinbase transaction. */
  readonly txid: string;
  readonly index: number;
  readonly script: Uint8Array;
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}

export interface ParentOutput {
  /** In satoshis. */
  readonly value: bigint;
  readonly script: Uint8Array;
}

/** The content of a transaction without the values that are derived from it. */
interface TransactionContent {
  readonly version: number;
  readonly inputs: readonly ParentInput[];
  readonly outputs: readonly ParentOutput[];
  readonly lockTime: number;
}

export interface ParentTransaction extends TransactionContent {
  /** With witness (BIP-144). */
  readonly bytes: Uint8Array;
  /** 64 digits in text order. */
  readonly txid: string;
  /** The hash with witness, 64 digits in text order. */
  readonly wtxid: string;
  /** Four times the size without witness, plus the size of the witness (BIP-141). */
  readonly weight: number;
}

export const NO_TXID: string = '0'.repeat(64);
export const FINAL_SEQUENCE = 0xffffffff;

/** Returns a hash in text order. */
export function hashText(hash: Uint8Array): string {
  return hexKey(hash.toReversed());
}

/** Returns the bytes of a hash in text order. Throws a `RangeError` if it is not 64 digits. */
export function hashBytes(text: string): Uint8Array {
  const bytes = readDigits(text);
  if (bytes?.length !== 32) throw new RangeError(`not a hash of 64 digits: ${text.slice(0, 80)}`);
  return bytes.reverse();
}

/** Identifies an output: `txid:index`. */
export function outpointKey({ txid, index }: Pick<ParentInput, 'txid' | 'index'>): string {
  return `${txid}:${index}`;
}

/** Returns true if a transaction creates coins: its only input spends no output. */
export function isCoinbase({ inputs }: TransactionContent): boolean {
  const [first] = inputs;
  return inputs.length === 1 && first?.txid === NO_TXID && first.index === FINAL_SEQUENCE;
}

/** The size that fees and limits use: a quarter of the weight. */
export function virtualSize(weight: number): number {
  return Math.ceil(weight / 4);
}

function fromLibrary(transaction: Transaction): ParentTransaction {
  const inputs = transaction.ins.map(({ hash, index, script, sequence, witness }) => ({
    txid: hashText(hash),
    index,
    script,
    sequence,
    witness,
  }));
  const bytes = transaction.toBuffer();
  const wtxid = hashText(doubleSha256(bytes));
  return {
    version: transaction.version,
    inputs,
    outputs: transaction.outs.map(({ value, script }) => ({ value, script })),
    lockTime: transaction.locktime,
    bytes,
    txid: transaction.hasWitnesses() ? hashText(transaction.getHash()) : wtxid,
    wtxid,
    weight: transaction.weight(),
  };
}

/** A transaction in the form of bitcoinjs-lib. */
export type LibraryTransaction = Transaction;

/** Returns the transaction in the form of bitcoinjs-lib. */
export function toLibrary({ version, inputs, outputs, lockTime }: TransactionContent): LibraryTransaction {
  const transaction = new Transaction();
  transaction.version = version;
  transaction.locktime = lockTime;
  transaction.ins = inputs.map(({ txid, index, script, sequence, witness }) => ({
    hash: hashBytes(txid),
    index,
    script,
    sequence,
    witness: [...witness],
  }));
  transaction.outs = outputs.map(({ value, script }) => ({ value, script }));
  return transaction;
}

/** Creates a transaction from its content. */
export function createTransaction(content: TransactionContent): ParentTransaction {
  return fromLibrary(toLibrary(content));
}

/** Reads a transaction without inputs. Its bytes can look like the start of a transaction with witness. */
function readWithoutInputs(bytes: Uint8Array): ParentTransaction {
  const reader = new ByteReader(bytes);
  const version = reader.number(4);
  if (reader.length() !== 0) throw new BitcoinFormatError('the transaction has inputs');
  requireBaseSize(bytes.length);
  const outputs: ParentOutput[] = [];
  let left = reader.length();
  for (requireParts(left); left > 0; left--) {
    outputs.push({ value: BigInt.asIntN(64, reader.unsigned(8)), script: reader.lengthAndBytes() });
  }
  const lockTime = reader.number(4);
  if (!reader.isAtEnd) throw new BitcoinFormatError('bytes follow the transaction');
  return createTransaction({ version, inputs: [], outputs, lockTime });
}

/**
 * Parses a serialized transaction. Throws `BitcoinFormatError` if the bytes are not exactly one transaction, and
 * {@link TransactionLimitError} if it exceeds a limit.
 */
export function readTransaction(bytes: Uint8Array): ParentTransaction {
  try {
    transactionLength(bytes);
    return fromLibrary(Transaction.fromBuffer(bytes));
  } catch (error) {
    try {
      return readWithoutInputs(bytes);
    } catch (other) {
      if (other instanceof TransactionLimitError) throw other;
      if (error instanceof TransactionLimitError) throw error;
      throw new BitcoinFormatError(error instanceof Error ? error.message : 'invalid transaction');
    }
  }
}

/** Returns the size of a script or witness item with its length. */
export function sizeWithLength(bytes: Uint8Array): number {
  return encodeLength(bytes.length).length + bytes.length;
}
