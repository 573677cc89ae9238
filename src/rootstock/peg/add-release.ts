// Transactions of the federation that wait for confirmations.

import { transactionId } from '../bitcoin/transaction.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import { encodeOutpointValues, logReleaseRequested, logTransactionCreated } from './pegout-events.ts';
import type { ReleasePlan, ReleaseRules } from './release-transaction.ts';
import { unsignedTransaction } from './unsigned-transaction.ts';

/** The parts of a call that the creation of transactions uses. */
export type PegoutCall = Pick<
  BridgeCall,
  'account' | 'state' | 'constants' | 'upgrades' | 'environment' | 'transaction'
>;

/** The hash of an unsigned message, such as `eth_call`. */
const NO_HASH = new Uint8Array(32);
export function releaseRules({ state, constants, upgrades }: PegoutCall): ReleaseRules {
  return { federation: constants.federation, feePerKilobyte: state.feePerKilobyte, upgrades };
}

/** Returns the hash of the Rootstock transaction of the call. */
export function creationHashOf({ transaction }: PegoutCall): Uint8Array {
  return transaction?.hash ?? NO_HASH;
}

/** A created transaction and its origin. */
export interface Release {
  readonly plan: ReleasePlan;
  /** 32 bytes: the hash of the Rootstock transaction. */
  readonly creationHash: Uint8Array;
  /** Satoshi. */
  readonly requestedAmount: bigint;
}

/** Stores a transaction that waits for confirmations, with its logs. Returns its id (txid). */
export function addRelease(
  { account, state, constants, environment }: PegoutCall,
  { plan, creationHash, requestedAmount }: Release,
): Uint8Array {
  const transaction = unsignedTransaction(plan, constants);
  const id = transactionId(transaction);
  const blockNumber = BigInt(environment.number);
  state.pegouts.addUnconfirmed({ raw: transaction.toBuffer(), blockNumber, creationHash });
  logReleaseRequested(account, { creationHash, transactionId: id, amount: requestedAmount });
  const values = encodeOutpointValues(plan.inputs.map(({ value }) => value));
  logTransactionCreated(account, id, values);
  state.pegouts.setOutpointValues(id, values);
  return id;
}
