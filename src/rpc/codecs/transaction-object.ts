import type { TransactionType } from '../../rules/transaction.ts';
import { messageFields, ONE_PAYLOAD, payloadOf } from './call-object.ts';
import { type Codec, type Decoded, leaf, objectOf, refined } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, quantity, readQuantity } from './quantity.ts';

/** A transaction type that needs nothing but what a transaction object can name. */
export const transactionType: Codec<TransactionType> = leaf(
  'a transaction type this node can sign: 0x0, 0x1 or 0x2',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const type = readQuantity(value);
    return type === 0n ? 0 : type === 1n ? 1 : type === 2n ? 2 : undefined;
  },
);

/** The transaction object of `eth_sendTransaction`: `from` is there, `null` stands for what is absent. */
export const transactionObject = refined(
  objectOf(
    { ...messageFields, gasLimit: quantity, nonce: quantity, chainId: quantity, type: transactionType },
    'a transaction object with from, to, gas, gasPrice, value, data and nonce',
  ),
  (fields) => {
    const input = payloadOf(fields);
    if (input === undefined) return { path: ['input'], expected: ONE_PAYLOAD };
    const { from, gas, gasLimit, data: _data, ...rest } = fields;
    if (from === null)
      return { path: ['from'], expected: 'the address of an account this node can sign for' };
    return { value: { ...rest, from, gas: gas ?? gasLimit, input } };
  },
);

/** A decoded transaction object. */
export type TransactionObject = Decoded<typeof transactionObject>;
