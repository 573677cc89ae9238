import { leaf } from '../../codecs/codec.ts';
import { NO_SUBSCRIPTION_OPTIONS, subscriptionOptions } from '../../codecs/filter-object.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireNotify, startSubscription, subscriptionKind } from '../../subscription-kinds.ts';

/**
 * Sends what happens on the chain as `eth_subscription` notifications until the subscription or the connection ends:
 * headers of new blocks, logs (with `removed` when their block left the chain), hashes of pending transactions (or,
 * with `true` as the second parameter, whole ones), or the receipts of each block in one list.
 */
const eth_subscribe = defineMethod({
  name: 'eth_subscribe',
  summary: 'Starts a subscription to new heads, logs, receipts or pending transactions (WebSocket)',
  params: [
    param('kind', subscriptionKind),
    optional('options', subscriptionOptions, NO_SUBSCRIPTION_OPTIONS),
  ],
  result: { description: 'The id of the subscription', schema: { type: 'string' } },
  handler: ({ chain, settings, connection, subscriptions }, kind, options) => {
    const notify = requireNotify(connection, 'eth_subscribe');
    return subscriptions.add(connection, notify, (push, end) =>
      startSubscription(chain, settings.compat, kind, options, push, end),
    );
  },
});

const subscriptionId = leaf('the id of a subscription', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** Ends a subscription of this connection; false when it has none with that id. */
const eth_unsubscribe = defineMethod({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription (WebSocket)',
  params: [param('subscription', subscriptionId)],
  result: { description: 'True when the subscription ended', schema: { type: 'boolean' } },
  handler: ({ connection, subscriptions }, id) => {
    requireNotify(connection, 'eth_unsubscribe');
    return subscriptions.remove(connection, id);
  },
});

/** The methods of this file, in the order of the method table. */
export const ETH_SUBSCRIPTIONS: readonly Method[] = [eth_subscribe, eth_unsubscribe];
