import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { sendAndAnswer } from '../../send.ts';

/**
 * Takes a signed transaction. With the instant miner its receipt exists when the hash is answered; one whose nonce is
 * ahead waits in the pool.
 */
export const eth_sendRawTransaction = defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Sends a signed transaction',
  params: [param('transaction', data)],
  result: { description: 'The transaction hash', schema: hash32.jsonSchema },
  example: {
    params: ['0xf86480808252089470997970c51812dc3a010c7d01b50e0d17dc79c8018065'],
    result: '0x8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f',
  },
  handler: (context, raw) => sendAndAnswer(context, () => context.chain.send(context.chain.decode(raw))),
});
