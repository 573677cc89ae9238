import { leaf } from '../../codecs/codec.ts';
import { defineMethod, param } from '../../method.ts';
import { requireNotify } from '../../subscription-kinds.ts';

const subscriptionId = leaf('the id of a subscription', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** Ends a subscription of this connection; false when it has none with that id. */
export const eth_unsubscribe = defineMethod({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription (WebSocket)',
  params: [param('subscription', subscriptionId)],
  result: { description: 'True when the subscription ended', schema: { type: 'boolean' } },
  example: {
    before: [{ method: 'eth_subscribe', params: ['newHeads'] }],
    params: ['0x01010101010101010101010101010101'],
    result: true,
  },
  handler: ({ connection, subscriptions }, id) => {
    requireNotify(connection, 'eth_unsubscribe');
    return subscriptions.remove(connection, id);
  },
});
