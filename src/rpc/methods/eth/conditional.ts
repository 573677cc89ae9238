import type { TransactionCondition } from '../../../chain/pool/condition.ts';
import { toHex } from '../../../primitives/hex.ts';
import { splitNetworkForm } from '../../../protocol/blobs.ts';
import { data, word32 } from '../../codecs/hex-values.ts';
import { transactionCondition } from '../../codecs/transaction-condition.ts';
import { ConditionTooLargeError } from '../../errors.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { verifiedBlobs } from '../../sending.ts';
import { countedSend, decodeSent } from './send.ts';

/** Maximum accounts and slots of a condition, as on OP Stack chains. */
const MAX_COST = 1_000;

/** Throws a {@link ConditionTooLargeError} for too many accounts and slots. */
function checkCost({ knownAccounts }: TransactionCondition): void {
  const cost = knownAccounts.reduce((sum, { slots }) => sum + Math.max(1, slots.length), 0);
  if (cost > MAX_COST) throw new ConditionTooLargeError(cost, MAX_COST);
}

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
    handler: async (context, raw, condition) => {
      checkCost(condition);
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
