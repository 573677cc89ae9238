import type { TransactionType } from '../../protocol/transaction.ts';
import { authorizationProblem } from './authorization.ts';
import { messageFields, settledMessage, typeProblem } from './call-object.ts';
import { type Codec, type Decoded, leaf, objectOf, refined } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, quantity, readQuantity } from './quantity.ts';

const TYPES: readonly TransactionType[] = [0, 1, 2, 4];

/** A transaction type that needs nothing but what a transaction object can name. */
export const transactionType: Codec<TransactionType> = leaf(
  'a transaction type this node can sign: 0x0, 0x1, 0x2 or 0x4',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const type = readQuantity(value);
    return TYPES.find((known) => BigInt(known) === type);
  },
);

/** The transaction object of `eth_sendTransaction`: `from` is there, `null` stands for what is absent. */
export const transactionObject = refined(
  refined(
    objectOf(
      { ...messageFields, nonce: quantity, chainId: quantity, type: transactionType },
      'a transaction object with from, to, gas, gasPrice, value, data and nonce',
    ),
    settledMessage,
  ),
  ({ from, ...rest }) => {
    if (from === null)
      return { path: ['from'], expected: 'the address of an account this node can sign for' };
    return authorizationProblem(rest) ?? typeProblem(rest) ?? { value: { ...rest, from } };
  },
);

/** A decoded transaction object. */
export type TransactionObject = Decoded<typeof transactionObject>;
