import { requireKeys } from '../../accounts.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { sendAndAnswer } from '../../send.ts';
import { transactionRequest } from '../../transaction-request.ts';

/**
 * Sends a transaction in the name of any account, a contract too, without its key and without impersonation. The
 * account pays for it. What is left out is filled in as by `eth_sendTransaction`.
 */
export const eth_sendUnsignedTransaction = defineMethod({
  name: 'eth_sendUnsignedTransaction',
  summary: 'Sends a transaction in the name of any account without its key',
  params: [param('transaction', transactionObject)],
  result: { description: 'The transaction hash', schema: hash32.jsonSchema },
  example: {
    params: [
      {
        from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        to: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        value: '0x1',
      },
    ],
    result: '0xa2b9830ef29d1725624f326617b6562f8fc3ebbc0d001d302da13df9072e767f',
  },
  handler: async (context, transaction) => {
    requireKeys(context, 'eth_sendUnsignedTransaction');
    const { chain, life } = context;
    const request = await transactionRequest(transaction, context);
    return sendAndAnswer(context, () => chain.sendUnsigned(transaction.from, request, { life }));
  },
});
