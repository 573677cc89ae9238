import { hexKey } from '../../primitives/hex.ts';
import { BitcoinFormatError, littleEndian } from '../bitcoin/byte-reader.ts';
import { type BitcoinTransaction, parseTransaction } from '../bitcoin/transaction.ts';

const MAX_SIZE = 1_000_000;
/** Satoshi of all coins. */
const MAX_MONEY = 2_100_000_000_000_000n;
const NO_INDEX = 0xffff_ffff;
const COINBASE_SCRIPT = { least: 2, most: 100 } as const;

type Input = BitcoinTransaction['ins'][number];

function createsCoins({ hash, index }: Input): boolean {
  return index === NO_INDEX && hash.every((byte) => byte === 0);
}

/** Returns true for the first transaction of a block, which creates its coins. */
export function isCoinbase({ ins }: BitcoinTransaction): boolean {
  return ins.length === 1 && ins.every(createsCoins);
}

/** Parses a transaction and checks the rules that need no other transaction. Throws `BitcoinFormatError`. */
export function parseVerifiedTransaction(bytes: Uint8Array): BitcoinTransaction {
  const transaction = parseTransaction(bytes);
  const reason = faultOf(transaction);
  if (reason !== null) throw new BitcoinFormatError(`the Bitcoin transaction ${reason}`);
  return transaction;
}

function faultOf(transaction: BitcoinTransaction): string | null {
  const { ins, outs } = transaction;
  if (ins.length === 0 || outs.length === 0) return 'has no inputs or no outputs';
  if (transaction.byteLength() > MAX_SIZE) return 'is larger than a block';
  const spent = new Set(ins.map(({ hash, index }) => hexKey(hash) + hexKey(littleEndian(index, 4))));
  if (spent.size < ins.length) return 'spends an output twice';
  if (outs.some(({ value }) => value < 0n)) return 'has an output below zero';
  if (outs.reduce((sum, { value }) => sum + value, 0n) > MAX_MONEY)
    return 'has outputs of more than all coins';
  if (!isCoinbase(transaction)) return ins.some(createsCoins) ? 'creates coins with other inputs' : null;
  const size = ins[0]?.script.length ?? 0;
  const isScriptSize = size >= COINBASE_SCRIPT.least && size <= COINBASE_SCRIPT.most;
  return isScriptSize ? null : 'has an input script of a wrong size';
}

/** Returns true if the bytes, up to the number of inputs, are a transaction without inputs. */
export function hasNoInputs(bytes: Uint8Array): boolean {
  if (bytes.length <= 4) throw new BitcoinFormatError('the Bitcoin transaction is too short');
  return bytes[4] === 0 && bytes[5] === 1 && bytes[6] === 0;
}
