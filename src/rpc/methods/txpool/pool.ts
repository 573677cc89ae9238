import { equalBytes } from '../../../primitives/bytes.ts';
import type { Steps } from '../../../primitives/steps.ts';
import type { Transaction } from '../../../protocol/transaction.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { address } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { bySenderAndNonce } from '../../views/pool.ts';

const SENDERS_SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: true },
};

/** The pool by sender and nonce. */
const POOL_LISTING_JSON_SCHEMA: JsonSchema = objectSchema({
  pending: SENDERS_SCHEMA,
  queued: SENDERS_SCHEMA,
});

const NONCES_SCHEMA: JsonSchema = { type: 'object', additionalProperties: true };

/** The transactions of one sender by nonce. */
const SENDER_LISTING_JSON_SCHEMA: JsonSchema = objectSchema({
  pending: NONCES_SCHEMA,
  queued: NONCES_SCHEMA,
});

/** Lists the pool. Yields if it is large. */
function* listing(
  {
    node: {
      chain: { pool },
    },
    settings,
  }: RpcContext,
  write: (transaction: Transaction) => unknown,
): Steps<unknown> {
  const { poolView } = settings.compat;
  const [pending, queued] = [pool.pending(), pool.queued()];
  return {
    pending: yield* bySenderAndNonce(pending, poolView, write),
    queued: yield* bySenderAndNonce(queued, poolView, write),
  };
}

/** Lists the pool transactions of one sender. Yields if there are many. */
function* listingOf(
  {
    node: {
      chain: { pool, ruleSet },
    },
    settings,
  }: RpcContext,
  sender: Uint8Array,
): Steps<unknown> {
  const { poolView } = settings.compat;
  const write = (transaction: Transaction) => poolView.transaction(transaction, ruleSet);
  function* byNonce(transactions: readonly Transaction[]): Steps<object> {
    const own = transactions.filter((transaction) => equalBytes(transaction.sender, sender));
    const listed = yield* bySenderAndNonce(own, poolView, write);
    return listed[poolView.sender(sender)] ?? {};
  }
  const [pending, queued] = [pool.pending(), pool.queued()];
  return { pending: yield* byNonce(pending), queued: yield* byNonce(queued) };
}

const COUNT_JSON_SCHEMA = { type: ['string', 'number'] };

export const TXPOOL_POOL: readonly Method[] = [
  /**
   * Pending transactions are executable, queued ones have a nonce gap. The form depends on the compat mode.
   */
  defineMethod({
    name: 'txpool_content',
    summary: 'The transactions of the pool',
    result: {
      description: 'The pending and the queued transactions by sender and nonce',
      schema: POOL_LISTING_JSON_SCHEMA,
    },
    handler: (context) => {
      const { chain } = context.node;
      const { settings } = context;
      const { poolView } = settings.compat;
      return context.deadline.run(
        listing(context, (transaction) => poolView.transaction(transaction, chain.ruleSet)),
      );
    },
  }),
  /** In the form of txpool_content. */
  defineMethod({
    name: 'txpool_contentFrom',
    summary: 'The transactions of one sender in the pool',
    params: [param('address', address)],
    result: {
      description: 'The pending and the queued transactions by nonce',
      schema: SENDER_LISTING_JSON_SCHEMA,
    },
    handler: (context, sender) => context.deadline.run(listingOf(context, sender)),
  }),
  defineMethod({
    name: 'txpool_inspect',
    summary: 'The transactions of the pool as readable text',
    result: {
      description: 'The pending and the queued transactions as text, by sender and nonce',
      schema: POOL_LISTING_JSON_SCHEMA,
    },
    handler: (context) => context.deadline.run(listing(context, context.settings.compat.poolView.summary)),
  }),
  /** The form depends on the compat mode. */
  defineMethod({
    name: 'txpool_status',
    summary: 'The number of transactions in the pool',
    priority: 'high',
    result: {
      description: 'The numbers of pending and queued transactions',
      schema: {
        type: 'object',
        properties: { pending: COUNT_JSON_SCHEMA, queued: COUNT_JSON_SCHEMA },
        required: ['pending', 'queued'],
      },
    },
    handler: ({
      node: {
        chain: { pool },
      },
      settings: { compat },
    }) => {
      const queued = pool.queued().length;
      const { count } = compat.poolView;
      return { pending: count(pool.size - queued), queued: count(queued) };
    },
  }),
];
