import type { BridgeCall } from '../bridge/bridge-method.ts';
import { addRelease } from './add-release.ts';
import { buildEmptyWallet, type SpendableUtxo } from './release-transaction.ts';

/** A pegin that the Bridge rejects, and whose coins it returns. */
export interface RejectedPegin {
  readonly coins: readonly SpendableUtxo[];
  /** The output script of the refund. */
  readonly script: Uint8Array;
  /** Satoshi. */
  readonly amount: bigint;
}

const NO_HASH = new Uint8Array(32);

/**
 * Returns the coins of a rejected pegin, minus the fee. The transaction waits for confirmations like a pegout.
 * As on Rootstock, nothing is returned if the coins cannot pay the fee.
 */
export function releaseRejectedPegin(call: BridgeCall, { coins, script, amount }: RejectedPegin): void {
  const { state, constants, upgrades, transaction } = call;
  const rules = { federation: constants.federation, feePerKilobyte: state.feePerKilobyte, upgrades };
  const release = buildEmptyWallet(script, coins, rules);
  // A read-only call has no transaction.
  const creationHash = transaction?.hash ?? NO_HASH;
  if (!('failure' in release)) addRelease(call, release, { creationHash, amount });
}
