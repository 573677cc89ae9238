import { boolean } from './boolean.ts';
import { arrayOf, type Codec, chosenBy, objectOf, refined } from './codec.ts';
import { hash32 } from './data.ts';
import { type LogFilter, logFilterFields } from './filter-object.ts';

/** What a subscription is to tell; each kind looks at its own part. */
export interface SubscriptionOptions {
  readonly logs: LogFilter;
  /** Whole pending transactions instead of hashes. */
  readonly full: boolean;
  /** Whose receipts are wanted; empty for all. */
  readonly transactionHashes: readonly Uint8Array[];
}

/** What stands for options that are left out: everything, and hashes only. */
export const NO_SUBSCRIPTION_OPTIONS: SubscriptionOptions = {
  logs: { address: null, topics: null },
  full: false,
  transactionHashes: [],
};

const MOST_HASHES = 200;

const fullFlag: Codec<SubscriptionOptions> = refined(boolean, (full) => ({
  value: { ...NO_SUBSCRIPTION_OPTIONS, full },
}));

const filter: Codec<SubscriptionOptions> = refined(
  objectOf(
    {
      ...logFilterFields,
      transactionHashes: arrayOf(
        hash32,
        `an array of at most ${MOST_HASHES} transaction hashes`,
        MOST_HASHES,
      ),
    },
    'true for whole pending transactions, or an object with address and topics or transactionHashes',
  ),
  ({ address, topics, transactionHashes }) => ({
    value: { logs: { address, topics }, full: false, transactionHashes: transactionHashes ?? [] },
  }),
);

/** The second parameter of `eth_subscribe`: a flag for pending transactions, or what logs or receipts must have. */
export const subscriptionOptions: Codec<SubscriptionOptions> = chosenBy(
  (value) => (typeof value === 'boolean' ? fullFlag : filter),
  [fullFlag, filter],
);
