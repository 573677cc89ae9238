import { requireKeys } from '../../accounts.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { hash32 } from '../../codecs/data.ts';
import { passphrase } from '../../codecs/secrets.ts';
import { defineMethod, param } from '../../method.ts';
import { sendAndAnswer } from '../../send.ts';
import { transactionRequest } from '../../transaction-request.ts';

/**
 * Signs a transaction with an account whose passphrase is given, and sends it as `eth_sendTransaction` does. The
 * account stays locked if it was.
 */
export const personal_sendTransaction = defineMethod({
  name: 'personal_sendTransaction',
  summary: 'Signs a transaction with a passphrase and sends it',
  params: [param('transaction', transactionObject), param('passphrase', passphrase)],
  hidesParams: true,
  result: { description: 'The transaction hash', schema: hash32.jsonSchema },
  example: {
    before: [
      {
        method: 'personal_importRawKey',
        params: ['c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4', 'open sesame'],
      },
    ],
    params: [
      {
        from: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        value: '0x1',
      },
      'open sesame',
    ],
    result: '0xa4265c74152bc9b73a6070dca6f12234c743f1c615d93750d541e45b592874cc',
  },
  handler: async (context, transaction, words) => {
    requireKeys(context, 'personal_sendTransaction');
    const { chain, life } = context;
    const signHash = await chain.wallet.signerWithPassphrase(transaction.from, words);
    const request = await transactionRequest(transaction, context);
    return sendAndAnswer(context, () =>
      signHash === null
        ? chain.sendUnsigned(transaction.from, request, { life })
        : chain.sendFrom(transaction.from, request, { life, signHash }),
    );
  },
});
