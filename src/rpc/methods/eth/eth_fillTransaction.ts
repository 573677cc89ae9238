import { EstimateFailedError } from '../../../chain/errors.ts';
import { NO_OVERRIDES } from '../../../chain/execution/state-overrides.ts';
import { toHex } from '../../../primitives/hex.ts';
import { withSignatureValues } from '../../../protocol/transaction-encoding.ts';
import { PENDING } from '../../codecs/block-selector.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { executionErrorOf } from '../../execution-error.ts';
import { defineMethod, param } from '../../method.ts';
import { transactionRequest } from '../../transaction-request.ts';
import { SIGNED_TRANSACTION_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { transactionView } from '../../views/transaction.ts';

const NO_SIGNATURE = { v: 0n, r: 0n, s: 0n };

/** Fills in what a transaction leaves out (type, fees, gas, nonce), for its sender to sign. Its signature is zeros. */
export const eth_fillTransaction = defineMethod({
  name: 'eth_fillTransaction',
  summary: 'Fills in what a transaction leaves out, without signing it',
  params: [param('transaction', transactionObject)],
  result: {
    description: 'The transaction without a signature: raw, and as an object under tx',
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
      raw: '0xdf04808252089470997970c51812dc3a010c7d01b50e0d17dc79c80180808080',
      tx: {
        hash: '0x46fdf9b59540d3b3b6389bda31cc5a859da9adff792c7c2e8eac1abdbf03ffba',
        nonce: '0x4',
        blockHash: null,
        blockNumber: null,
        blockTimestamp: null,
        transactionIndex: null,
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        gas: '0x5208',
        gasPrice: '0x0',
        value: '0x1',
        input: '0x',
        v: '0x0',
        r: '0x0000000000000000000000000000000000000000000000000000000000000000',
        s: '0x0000000000000000000000000000000000000000000000000000000000000000',
        type: '0x0',
      },
    },
  },
  handler: async (context, transaction) => {
    const { chain, settings, checkInterrupt } = context;
    const { from } = transaction;
    // Who fills a transaction means to sign it, so it gets the gas it needs and no default.
    const request = await transactionRequest(transaction, context, (message) =>
      chain.calls.estimateGas(message, PENDING, NO_OVERRIDES, checkInterrupt).catch((error: unknown) => {
        throw error instanceof EstimateFailedError ? executionErrorOf(settings.compat, error.result) : error;
      }),
    );
    const nonce = request.nonce ?? (await chain.pendingNonce(from));
    const filled = withSignatureValues({ ...request, nonce }, NO_SIGNATURE, from);
    return { raw: toHex(filled.raw), tx: transactionView(filled, null, chain.ruleSet) };
  },
});
