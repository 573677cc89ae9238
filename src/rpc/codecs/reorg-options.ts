import { boolean, pairOf } from './basic.ts';
import { type TransactionObject, transactionObject } from './call-object.ts';
import { arrayOf, type Codec, chosenBy, type Decoded, objectOf, type Reading, refined } from './codec.ts';
import { data } from './data.ts';
import { index } from './quantity.ts';
import { depth } from './settings.ts';

/** A transaction of a replacing block: raw bytes, or an object that the node signs. */
type WantedTransaction = Uint8Array | TransactionObject;

const wantedTransaction: Codec<WantedTransaction> = chosenBy<WantedTransaction>(
  (value) => (typeof value === 'string' ? data : transactionObject),
  [data, transactionObject],
);

/** Transactions, each with the index of the replacing block that it is to stand in. */
export const reorgTransactions = arrayOf(
  pairOf(wantedTransaction, index, 'a transaction and the index of a block, as an array of two'),
  'an array of transactions, each with the index of a block',
);

/** A transaction with the index of its block among the replacing ones. */
export type ReorgPlacement = Decoded<typeof reorgTransactions>[number];

/** What a caller may say of a reorganization in one object; `null` for what it leaves out. */
export interface ReorgRequest {
  readonly depth: number;
  readonly transactions: readonly ReorgPlacement[] | null;
  readonly keepTransactions: boolean | null;
}

const depthOnly: Codec<ReorgRequest> = refined(depth, (value) => ({
  value: { depth: value, transactions: null, keepTransactions: null },
}));

const fields: Codec<ReorgRequest> = refined(
  objectOf(
    { depth, transactions: reorgTransactions, txBlockPairs: reorgTransactions, keepTransactions: boolean },
    'an object with depth, transactions and keepTransactions',
  ),
  ({ depth: blocks, transactions, txBlockPairs, keepTransactions }): Reading<ReorgRequest> => {
    if (blocks === null) return { path: ['depth'], expected: 'how many blocks to replace' };
    return { value: { depth: blocks, transactions: transactions ?? txBlockPairs, keepTransactions } };
  },
);

/** How many blocks are to be replaced; or everything in one object. */
export const reorgRequest: Codec<ReorgRequest> = chosenBy(
  (value) => (typeof value === 'object' && value !== null ? fields : depthOnly),
  [depthOnly, fields],
);
