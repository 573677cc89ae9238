import { requireKeys } from '../../accounts.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { sendAndAnswer } from '../../send.ts';
import { transactionRequest } from '../../transaction-request.ts';

/**
 * Signs a transaction with an account of this node and sends it. Gas defaults to what a plain transfer costs (21000), for
 * all else to 90000 or to the estimate in the next block when that is larger; the gas price to the node's; the nonce to the
 * account's next.
 */
export const eth_sendTransaction = defineMethod({
  name: 'eth_sendTransaction',
  summary: 'Signs and sends a transaction',
  params: [param('transaction', transactionObject)],
  result: { description: 'The transaction hash', schema: hash32.jsonSchema },
  example: {
    params: [
      {
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        value: '0x1',
      },
    ],
    result: '0xc49e8bd4e89ab170adeb28264ea3f4122890f6aa04587b3f9eae391bfa678b43',
  },
  handler: async (context, transaction) => {
    requireKeys(context, 'eth_sendTransaction');
    const { chain, life } = context;
    const request = await transactionRequest(transaction, context);
    return sendAndAnswer(context, () => chain.sendFrom(transaction.from, request, { life }));
  },
});
