import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { data } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { transactionRequest } from '../../transaction-request.ts';

/**
 * Signs a transaction with an unlocked account and fills in what it leaves out, as eth_sendTransaction does, but does
 * not send it. The answer is what Anvil and Ganache give and what ethers and viem take: bytes, no object.
 */
export const eth_signTransaction = defineMethod({
  name: 'eth_signTransaction',
  summary: 'Signs a transaction without sending it',
  params: [param('transaction', transactionObject)],
  result: { description: 'The encoding of the signed transaction', schema: data.jsonSchema },
  example: {
    params: [
      {
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        value: '0x1',
      },
    ],
    result:
      '0xf85f04808252089470997970c51812dc3a010c7d01b50e0d17dc79c8018066a013f0d8c93c7ff7818215cace550409fec04cb51c3147cdf31ddb281d1cf139eaa038fc8626588dbe0b6c4dc7e0daee698e453237e5d7f53ddbfcf6bea62ead8e4f',
  },
  handler: async (context, transaction) => {
    requireKeys(context, 'eth_signTransaction');
    const { chain } = context;
    const request = await transactionRequest(transaction, context);
    const signed = await chain.sign(transaction.from, request);
    return toHex(signed.raw);
  },
});
