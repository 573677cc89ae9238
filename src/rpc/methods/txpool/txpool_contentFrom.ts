import { equalBytes } from '../../../primitives/bytes.ts';
import type { Transaction } from '../../../protocol/transaction.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { SENDER_LISTING_JSON_SCHEMA } from '../../views/json-schemas.ts';

/**
 * The transactions of one sender that wait in the pool, by nonce: the pending can be mined now, the queued wait for a
 * nonce before theirs. The form follows the dialect.
 */
export const txpool_contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  summary: 'The transactions of a sender in the pool',
  params: [param('address', address)],
  result: {
    description: 'The pending and the queued transactions by nonce',
    schema: SENDER_LISTING_JSON_SCHEMA,
  },
  example: {
    params: ['0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'],
    result: {
      pending: {},
      queued: {
        '1': [
          {
            blockHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
            blockNumber: null,
            transactionIndex: null,
            from: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
            gas: '0x5208',
            gasPrice: '0x00',
            hash: '0x27433975613188314f166903f4ee6ef7d41e024be8b26bae493920b02593ab84',
            input: '0x',
            nonce: '0x1',
            to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
            value: '0x01',
          },
        ],
      },
    },
  },
  handler: ({ chain: { pool, ruleSet }, settings }, sender) => {
    const { poolView } = settings.compat;
    const byNonce = (transactions: readonly Transaction[]) =>
      Object.fromEntries(
        transactions
          .filter((transaction) => equalBytes(transaction.sender, sender))
          .map((transaction) => [transaction.nonce.toString(), poolView.transaction(transaction, ruleSet)]),
      );
    return { pending: byNonce(pool.pending()), queued: byNonce(pool.queued()) };
  },
});
