import { blockSelector, LATEST } from './block-selector.ts';
import { callObject } from './call-object.ts';
import { blockOverrides } from './call-overrides.ts';
import { arrayOf, leaf, objectOf, refined } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

const bundle = refined(
  objectOf(
    { transactions: arrayOf(callObject, 'an array of call objects'), blockOverride: blockOverrides },
    'an object with transactions and blockOverride',
  ),
  ({ transactions, blockOverride }) => ({
    value: { calls: transactions ?? [], block: blockOverride ?? {} },
  }),
);

/** The bundles of `eth_callMany`: calls that run in one block each. */
export const callBundles = arrayOf(bundle, 'an array of bundles of calls');

/** The end of a block, as clients write it. */
const END = -1;

const transactionIndex = leaf(
  'the index of a transaction, or -1 for the end of the block',
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'integer', minimum: END }] },
  (value) => {
    if (value === END) return END;
    const index = readQuantity(value);
    return index === undefined ? undefined : Number(index);
  },
);

/** Where the bundles of `eth_callMany` begin: a block, and a transaction in it before which they run. */
export const callContext = refined(
  objectOf(
    { blockNumber: blockSelector, transactionIndex },
    'an object with blockNumber and transactionIndex',
  ),
  ({ blockNumber, transactionIndex: index }) => ({
    value: { selector: blockNumber ?? LATEST, transactionIndex: index === END ? null : index },
  }),
);
