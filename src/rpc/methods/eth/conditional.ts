import { toHex } from '../../../primitives/hex.ts';
import { splitNetworkForm } from '../../../protocol/blobs.ts';
import { data, word32 } from '../../codecs/hex-values.ts';
import { CONDITION_LIMIT, transactionCondition } from '../../codecs/transaction-condition.ts';
import { ConditionTooLargeError } from '../../errors.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { decodeSent, verifiedBlobs } from '../../sending.ts';
import { countedSend } from './send.ts';

export const ETH_CONDITIONAL: readonly Method[] = [
  /**
   * Sends a signed transaction that is mined only if its conditions hold (ERC-7796). Rejects with code -32003 if the
   * next block breaks them. If a later block breaks them, the transaction leaves the pool, and the log contains the
   * reason.
   */
  defineMethod({
    name: 'eth_sendRawTransactionConditional',
    summary: 'Sends a signed transaction that is mined only under conditions',
    params: [param('transaction', data), param('condition', transactionCondition)],
    result: { description: 'The transaction hash', schema: word32.jsonSchema },
    handler: async (context, raw, { condition, cost }) => {
      if (cost > CONDITION_LIMIT) throw new ConditionTooLargeError(cost, CONDITION_LIMIT);
      const transaction = decodeSent(context, raw);
      const blobs = await verifiedBlobs(context, transaction, splitNetworkForm(raw).sidecar);
      return toHex(
        await countedSend(context, () =>
          context.node.chain.send(transaction, context.call, blobs, condition),
        ),
      );
    },
  }),
];
