import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { data } from '../../codecs/data.ts';
import { transactionObject } from '../../codecs/transaction-object.ts';
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
      '0xf860048083015f909470997970c51812dc3a010c7d01b50e0d17dc79c8018066a0e3f1c093d3d5bfe07e7cbe530dd127d88bd7b55388a3906776850b7af3f10c75a0096bff42bfac99d02a5223a0fab8fd707043a23ddf94dfa0a7f0ccd9375bd242',
  },
  handler: async (context, transaction) => {
    requireKeys(context, 'eth_signTransaction');
    const { chain } = context;
    const request = await transactionRequest(transaction, context);
    const signed = await chain.sign(transaction.from, request);
    return toHex(signed.raw);
  },
});
