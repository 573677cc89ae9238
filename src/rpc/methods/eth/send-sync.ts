import type { Chain } from '../../../chain/chain.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { RECEIPT_JSON_SCHEMA } from '../../../wire/receipt.ts';
import { transactionObject } from '../../codecs/call-object.ts';
import { countUpTo, data } from '../../codecs/hex-values.ts';
import { UnreadyTransactionError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { blobRequest } from '../../sending.ts';
import { requireTransaction } from '../../traces.ts';
import { receiptAnswer } from '../../views/receipt-answer.ts';
import { countedSend, sendRaw } from './send.ts';

const LONGEST = 600_000;

const milliseconds = countUpTo(LONGEST, 'milliseconds', 0);

const DEFAULT_TIMEOUT = 30_000;

/** Throws {@link UnreadyTransactionError} for a nonce gap, so that the client does not wait in vain. */
function requireReady({ pool }: Chain, hash: Uint8Array): void {
  const waiting = pool.byHash(hash);
  if (waiting === undefined) return;
  const isPending = pool.pendingOf(waiting.sender).some((pending) => equalBytes(pending.hash, hash));
  if (!isPending) throw new UnreadyTransactionError(hash, waiting.nonce);
}

/**
 * Sends a transaction and resolves to its receipt as JSON after it is mined. Rejects with
 * `ReceiptTimeoutError` after `timeout` milliseconds, with {@link UnreadyTransactionError}, and as `send`
 * does.
 */
async function receiptOfSend(
  context: RpcContext,
  timeout: number,
  send: () => Promise<Uint8Array>,
): Promise<unknown> {
  const { chain } = context.node;
  const hash = await countedSend(context, send);
  requireReady(chain, hash);
  await chain.untilMined(hash, timeout);
  return receiptAnswer(context, requireTransaction(chain, hash));
}

export const ETH_SEND_SYNC: readonly Method[] = [
  /**
   * Sends a signed transaction and returns its receipt after it is mined, also if it failed (EIP-7966).
   * Rejects with code 4 after the timeout (30 seconds by default), and with code 5 for a nonce gap. The error
   * data contains the hash.
   */
  defineMethod({
    name: 'eth_sendRawTransactionSync',
    summary: 'Sends a signed transaction and waits for its receipt',
    params: [param('transaction', data), optional('timeout', milliseconds, DEFAULT_TIMEOUT)],
    result: { description: 'The receipt', schema: RECEIPT_JSON_SCHEMA },
    handler: (context, raw, timeout) => receiptOfSend(context, timeout, () => sendRaw(context, raw)),
  }),
  /** As eth_sendTransaction, but returns the receipt as eth_sendRawTransactionSync does. */
  defineMethod({
    name: 'eth_sendTransactionSync',
    summary: 'Signs and sends a transaction and waits for its receipt',
    params: [param('transaction', transactionObject), optional('timeout', milliseconds, DEFAULT_TIMEOUT)],
    needsKeys: true,
    result: { description: 'The receipt', schema: RECEIPT_JSON_SCHEMA },
    handler: async (context, transaction, timeout) => {
      const { chain } = context.node;
      const { generation, call } = context;
      const { request, blobs } = await blobRequest(transaction, context);
      return receiptOfSend(context, timeout, () =>
        chain.sendFrom(transaction.from, request, { life: generation, call, blobs }),
      );
    },
  }),
];
