import { transactionId } from '../bitcoin/transaction.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import { encodeOutpointValues, logReleaseRequested, logTransactionCreated } from './pegout-events.ts';
import type { ReleasePlan } from './release-transaction.ts';
import { unsignedTransaction } from './unsigned-transaction.ts';

/** The request for a transaction of the federation. */
export interface ReleaseRequest {
  /** The hash of the Rootstock transaction that creates it, 32 bytes. */
  readonly creationHash: Uint8Array;
  /** The requested amount in satoshi, including the fee. */
  readonly amount: bigint;
}

/** Adds a transaction that waits for confirmations, with its logs. Returns its id (txid). */
export function addRelease(
  { account, state, constants, environment }: BridgeCall,
  plan: ReleasePlan,
  { creationHash, amount }: ReleaseRequest,
): void {
  const transaction = unsignedTransaction(plan, constants);
  const id = transactionId(transaction);
  const values = encodeOutpointValues(plan.inputs.map(({ value }) => value));
  state.waiting.addUnconfirmed({
    raw: transaction.toBuffer(),
    blockNumber: BigInt(environment.number),
    creationHash,
  });
  logReleaseRequested(account, { creationHash, transactionId: id, amount });
  logTransactionCreated(account, id, values);
  state.waiting.setOutpointValues(id, values);
}
