import { NO_SUBSCRIPTION_OPTIONS, subscriptionOptions } from '../../codecs/filter-object.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { requireNotify, startSubscription, subscriptionKind } from '../../subscription-kinds.ts';

/**
 * Sends what happens on the chain as `eth_subscription` notifications until the subscription or the connection ends:
 * headers of new blocks, logs (with `removed` when their block left the chain), hashes of pending transactions (or,
 * with `true` as the second parameter, whole ones), or the receipts of each block in one list.
 */
export const eth_subscribe = defineMethod({
  name: 'eth_subscribe',
  summary: 'Starts a subscription to new heads, logs, receipts or pending transactions (WebSocket)',
  params: [
    param('kind', subscriptionKind),
    optional('options', subscriptionOptions, NO_SUBSCRIPTION_OPTIONS),
  ],
  result: { description: 'The id of the subscription', schema: { type: 'string' } },
  example: { params: ['newHeads'], result: '0x01010101010101010101010101010101' },
  handler: ({ chain, settings, connection, subscriptions }, kind, options) => {
    const notify = requireNotify(connection, 'eth_subscribe');
    return subscriptions.add(connection, notify, (push, end) =>
      startSubscription(chain, settings.compat, kind, options, push, end),
    );
  },
});
