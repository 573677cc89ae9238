// Transactions of the parent chain before and between signatures.

import { Transaction } from 'bitcoinjs-lib';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { reversed } from '../bitcoin/byte-reader.ts';
import { scriptChunks } from '../bitcoin/script.ts';
import {
  type BitcoinTransaction,
  legacySignatureHash,
  witnessSignatureHash,
} from '../bitcoin/transaction.ts';
import {
  emptyInputScript,
  emptyWitness,
  type ReleasePlan,
  type ReleaseRules,
} from './release-transaction.ts';

/** The version of transactions that the Bridge creates (RSKIP-201). */
const VERSION = 2;

/** Creates the transaction of a plan, without signatures. */
export function unsignedTransaction(
  { inputs, outputs }: ReleasePlan,
  rules: Pick<ReleaseRules, 'federation'>,
): BitcoinTransaction {
  const transaction = new Transaction();
  transaction.version = VERSION;
  transaction.ins = inputs.map(({ transactionId, index, redeemScript }) => ({
    hash: reversed(transactionId),
    index,
    script: emptyInputScript(redeemScript, rules),
    sequence: Transaction.DEFAULT_SEQUENCE,
    witness: emptyWitness(redeemScript, rules),
  }));
  transaction.outs = outputs.map(({ script, value }) => ({ script, value }));
  return transaction;
}

export function hasWitness({ ins }: BitcoinTransaction, index: number): boolean {
  return (ins[index]?.witness ?? []).length > 0;
}

/** The items that an input pushes: placeholders or signatures, and the redeem script at the end. */
export function pushedItems({ ins }: BitcoinTransaction, index: number): Uint8Array[] {
  const { witness = [], script = EMPTY_BYTES } = ins[index] ?? {};
  if (witness.length > 0) return witness;
  return scriptChunks(script).map(({ data }) => data ?? EMPTY_BYTES);
}

/**
 * Returns the hash to sign an input, in raw order. `value` is the amount of the spent output in satoshi; only
 * inputs with witness require it.
 */
export function signatureHash(transaction: BitcoinTransaction, index: number, value: bigint): Uint8Array {
  const script = pushedItems(transaction, index).at(-1) ?? EMPTY_BYTES;
  return hasWitness(transaction, index)
    ? witnessSignatureHash(transaction, index, script, value)
    : legacySignatureHash(transaction, index, script);
}
