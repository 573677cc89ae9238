import type { BlockSelector } from '../../chain/block-selector.ts';
import { fixedNumber } from '../../chain/filters/filters.ts';
import { boolean } from './basic.ts';
import { blockNumberSelector } from './block-selector.ts';
import { arrayOf, type Codec, chosenBy, type Decoded, historic, leaf, objectOf, refined } from './codec.ts';
import { address, countUpTo, hash32, word32 } from './hex-values.ts';

const oneAddress: Codec<Uint8Array[]> = refined(address, (value) => ({ value: [value] }));
const addresses = arrayOf(address, 'an address or an array of addresses');

/** One address or several; an empty array matches any address. */
const addressFilter: Codec<Uint8Array[]> = chosenBy(
  (value) => (Array.isArray(value) ? addresses : oneAddress),
  [oneAddress, addresses],
);

const anyTopic = leaf<null>('null', { type: 'null' }, (value) => (value === null ? null : undefined));
/** The alternatives of one topic; `null` matches any. Compat decides about `null` among alternatives. */
export type TopicFilter = readonly (Uint8Array | null)[] | null;

const oneTopic: Codec<TopicFilter> = refined(word32, (value) => ({ value: [value] }));

const topicOrAny: Codec<Uint8Array | null> = chosenBy<Uint8Array | null>(
  (value) => (value === null ? anyTopic : word32),
  [word32, anyTopic],
);

/** Alternatives of one topic, including `null`. An empty list matches any topic, as on Rootstock. */
const severalTopics: Codec<TopicFilter> = refined(
  arrayOf(topicOrAny, 'a 32-byte topic, null, or an array of 32-byte topics and null'),
  (topics) => ({ value: topics.length === 0 ? null : topics }),
);

const topicFilter: Codec<TopicFilter> = chosenBy<TopicFilter>(
  (value) => (value === null ? anyTopic : Array.isArray(value) ? severalTopics : oneTopic),
  [oneTopic, anyTopic, severalTopics],
);

const MAXIMUM_TOPICS = 4;

/** The conditions of a log filter; `null` if absent. */
export const logFilterFields = {
  address: addressFilter,
  topics: arrayOf(
    topicFilter,
    'an array of at most four topics (each a 32-byte value, null or an array)',
    MAXIMUM_TOPICS,
  ),
} as const;

/** The filter object of a subscription to logs: addresses and topics only. */
const logFilter = objectOf(logFilterFields, 'a filter object with address and topics');

/** True if the range is empty for every head. Clients that follow the head sometimes request empty ranges. */
function isReversed(fromBlock: BlockSelector | null, toBlock: BlockSelector | null): boolean {
  const from = fromBlock === null ? null : fixedNumber(fromBlock);
  const to = toBlock === null ? null : fixedNumber(toBlock);
  return from !== null && to !== null && from > to;
}

/** The filter object of `eth_getLogs` (service document, Logs and filters): by range or by block hash. */
export const filterObject = historic(
  refined(
    objectOf(
      { ...logFilterFields, fromBlock: blockNumberSelector, toBlock: blockNumberSelector, blockHash: hash32 },
      'a filter object with fromBlock, toBlock, address, topics or blockHash',
    ),
    (filter) => {
      const { fromBlock, toBlock } = filter;
      if (filter.blockHash !== null && (fromBlock !== null || toBlock !== null))
        return {
          path: ['blockHash'],
          expected: 'no value together with fromBlock or toBlock',
        };
      return isReversed(fromBlock, toBlock)
        ? { path: ['toBlock'], expected: 'fromBlock or a later block' }
        : { value: filter };
    },
  ),
);

/** The filter object of `eth_newFilter`: by range only. */
export const rangeFilterObject = historic(
  refined(filterObject, ({ blockHash, ...range }) =>
    blockHash === null
      ? { value: range }
      : {
          path: ['blockHash'],
          expected: 'no value (to receive new logs, use fromBlock and toBlock)',
        },
  ),
);

export type FilterObject = Decoded<typeof filterObject>;

export type DecodedLogFilter = Decoded<typeof logFilter>;

/** The maximum rate of a subscription. */
export interface SubscriptionPace {
  /** Milliseconds between two notifications. */
  readonly pause: number;
  /** Maximum entries of a notification. */
  readonly most: number;
  /** Omitted kinds of entries. */
  readonly except: ReadonlySet<string>;
}

/** The options of a subscription. Each kind of subscription reads its own. */
export interface SubscriptionOptions {
  readonly logs: DecodedLogFilter;
  /** True for full pending transactions instead of hashes. */
  readonly full: boolean;
  /** The transactions whose receipts are sent; empty for all. */
  readonly transactionHashes: readonly Uint8Array[];
  /** `null` to send each item immediately. */
  readonly pace: SubscriptionPace | null;
}

/** The default options: everything, with hashes only. */
export const NO_SUBSCRIPTION_OPTIONS: SubscriptionOptions = {
  logs: { address: null, topics: null },
  full: false,
  transactionHashes: [],
  pace: null,
};

const MAX_PAUSE = 60_000;
const MAX_ENTRIES = 1_000;
const ENTRIES = 20;

const pause = countUpTo(MAX_PAUSE, 'milliseconds');
const most = countUpTo(MAX_ENTRIES, 'entries');

/** The kinds of activity that may be frequent. */
const FREQUENT_KINDS = ['request', 'block', 'transaction', 'console', 'removed'] as const;

const frequentKind = leaf<string>(
  FREQUENT_KINDS.join(', '),
  { type: 'string', enum: FREQUENT_KINDS },
  (value) => FREQUENT_KINDS.find((kind) => kind === value),
);

const MAX_HASHES = 200;

const NOTHING_WITHOUT_PAUSE = 'no value, because pause is not set';

const fullFlag: Codec<SubscriptionOptions> = refined(boolean, (full) => ({
  value: { ...NO_SUBSCRIPTION_OPTIONS, full },
}));

const filter: Codec<SubscriptionOptions> = refined(
  objectOf(
    {
      ...logFilterFields,
      transactionHashes: arrayOf(word32, `an array of at most ${MAX_HASHES} transaction hashes`, MAX_HASHES),
      pause,
      most,
      except: arrayOf(frequentKind, 'an array of kinds of activity', FREQUENT_KINDS.length),
    },
    'true for whole pending transactions, or an object: {address, topics} for logs, {transactionHashes} for receipts, {pause} for newHeads, {pause, most, except} for activity',
  ),
  ({ address, topics, transactionHashes, pause, most, except }) => {
    if (pause === null && most !== null) return { path: ['most'], expected: NOTHING_WITHOUT_PAUSE };
    if (pause === null && except !== null) return { path: ['except'], expected: NOTHING_WITHOUT_PAUSE };
    const pace = pause === null ? null : { pause, most: most ?? ENTRIES, except: new Set(except ?? []) };
    return {
      value: { logs: { address, topics }, full: false, transactionHashes: transactionHashes ?? [], pace },
    };
  },
);

/** The options of `eth_subscribe`: full transactions, conditions for logs or receipts, or a rate. */
export const subscriptionOptions: Codec<SubscriptionOptions> = chosenBy(
  (value) => (typeof value === 'boolean' ? fullFlag : filter),
  [fullFlag, filter],
);
