import { bigIntToBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type TransactionRules, transactionView } from '../../wire/transaction.ts';

/** The form of the pool in a compat mode. */
export interface PoolView {
  /** Returns the key of a sender. */
  readonly sender: (address: Uint8Array) => string;
  /** Returns a transaction in the form of txpool_content. */
  readonly transaction: (transaction: Transaction, rules: TransactionRules) => unknown;
  /** Returns a transaction in the text form of txpool_inspect. */
  readonly summary: (transaction: Transaction) => unknown;
  readonly count: (transactions: number) => unknown;
}

const ZERO_HASH = `0x${'00'.repeat(32)}`;

/** Encodes an integer as DATA; zero is one zero byte. */
function integerData(value: bigint): string {
  return value === 0n ? '0x00' : toHex(bigIntToBytes(value));
}

/** Rootstock's form: senders without `0x`, every transaction in an array, amounts as DATA. */
export const NETWORK_POOL_VIEW: PoolView = {
  sender: hexKey,
  transaction: (transaction) => [
    {
      blockHash: ZERO_HASH,
      blockNumber: null,
      transactionIndex: null,
      from: toHex(transaction.sender),
      gas: toQuantity(transaction.gasLimit),
      gasPrice: integerData(transaction.maxFeePerGas),
      hash: toHex(transaction.hash),
      input: toHex(transaction.data),
      nonce: toQuantity(transaction.nonce),
      to: transaction.to === null ? '0x00' : toHex(transaction.to),
      value: integerData(transaction.value),
    },
  ],
  summary: ({ to, value, gasLimit, maxFeePerGas }) => [
    `${to === null ? '' : hexKey(to)}: ${value} wei + ${gasLimit} x ${maxFeePerGas} gas`,
  ],
  count: (transactions) => transactions,
};

/** The form of most Ethereum nodes. */
export const COMMON_POOL_VIEW: PoolView = {
  sender: toHex,
  transaction: (transaction, rules) => transactionView(transaction, null, rules),
  summary: ({ to, value, gasLimit, maxFeePerGas }) =>
    `${to === null ? 'contract creation' : toHex(to)}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`,
  count: toQuantity,
};

/** Work units per transaction. */
const TRANSACTION_WORK = 1_000;

/** Returns the transactions by sender and decimal nonce, converted by `write`. Yields if there are many. */
export function* bySenderAndNonce(
  transactions: readonly Transaction[],
  { sender }: PoolView,
  write: (transaction: Transaction) => unknown,
): Steps<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const listing: Record<string, Record<string, unknown>> = {};
  for (const transaction of transactions) {
    const key = sender(transaction.sender);
    const ofSender = listing[key] ?? {};
    ofSender[transaction.nonce.toString()] = write(transaction);
    listing[key] = ofSender;
    yield TRANSACTION_WORK + 2 * transaction.data.length;
  }
  return listing;
}
