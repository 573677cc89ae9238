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
  example: { params: ['0x9cef478923ff08bf67fde6c64013158d'], result: true },
  handler: ({ connection, subscriptions }, id) => {
    requireNotify(connection, 'eth_unsubscribe');
    return subscriptions.remove(connection, id);
  },
});
