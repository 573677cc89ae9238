import { toHex } from '../../../primitives/hex.ts';
import { requireKeys } from '../../accounts.ts';
import { transactionObject } from '../../codecs/transaction-object.ts';
import { defineMethod, param } from '../../method.ts';
import { transactionRequest } from '../../transaction-request.ts';
import { SIGNED_TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { transactionView } from '../../views/transaction.ts';

/** Signs a transaction with an unlocked account and fills in what it leaves out, as eth_sendTransaction does, but does not send it. */
export const eth_signTransaction = defineMethod({
  name: 'eth_signTransaction',
  summary: 'Signs a transaction without sending it',
  params: [param('transaction', transactionObject)],
  result: {
    description: 'The signed transaction: raw, to be sent, and as an object under tx',
    schema: SIGNED_TRANSACTION_JSON_SCHEMA,
  },
  example: {
    params: [
      {
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        value: '0x1',
      },
    ],
    result: {
      raw: '0xf860048083015f909470997970c51812dc3a010c7d01b50e0d17dc79c8018066a0e3f1c093d3d5bfe07e7cbe530dd127d88bd7b55388a3906776850b7af3f10c75a0096bff42bfac99d02a5223a0fab8fd707043a23ddf94dfa0a7f0ccd9375bd242',
      tx: {
        hash: '0x625970fb73f95309fefea415914c6af1238e911094272d78b843454ae87e0ebb',
        nonce: '0x4',
        blockHash: null,
        blockNumber: null,
        transactionIndex: null,
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        gas: '0x15f90',
        gasPrice: '0x0',
        value: '0x1',
        input: '0x',
        v: '0x66',
        r: '0xe3f1c093d3d5bfe07e7cbe530dd127d88bd7b55388a3906776850b7af3f10c75',
        s: '0x096bff42bfac99d02a5223a0fab8fd707043a23ddf94dfa0a7f0ccd9375bd242',
        type: '0x0',
      },
    },
  },
  handler: async (context, transaction) => {
    requireKeys(context, 'eth_signTransaction');
    const { chain } = context;
    const request = await transactionRequest(transaction, chain);
    const signed = await chain.sign(transaction.from, request);
    return { raw: toHex(signed.raw), tx: transactionView(signed, null) };
  },
});
