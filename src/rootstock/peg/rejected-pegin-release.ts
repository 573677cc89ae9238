import { addRelease, creationHashOf, type PegoutCall, releaseRules } from './add-release.ts';
import { buildEmptyWallet, type SpendableUtxo } from './release-transaction.ts';

/** A pegin that the Bridge rejects, and whose coins it returns. */
export interface RejectedPegin {
  readonly coins: readonly SpendableUtxo[];
  /** The output script of the refund. */
  readonly script: Uint8Array;
  /** Satoshi. */
  readonly amount: bigint;
}

/**
 * Returns the coins of a rejected pegin, minus the fee. The transaction waits for confirmations like a pegout.
 * As on Rootstock, nothing is returned if the coins cannot pay the fee.
 */
export function releaseRejectedPegin(call: PegoutCall, { coins, script, amount }: RejectedPegin): void {
  const plan = buildEmptyWallet(script, coins, releaseRules(call));
  if (!('failure' in plan)) {
    addRelease(call, { plan, creationHash: creationHashOf(call), requestedAmount: amount });
  }
}
