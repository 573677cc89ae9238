// Texts that explain decisions about transactions of the parent chain.

import { toHex } from '../../primitives/hex.ts';
import { type BitcoinNetwork, parentChainAddress } from '../bitcoin/address.ts';
import type { BridgeConstants } from '../bridge/bridge-constants.ts';
import { coinsText } from './coins-text.ts';
import { type PeginVerdict, REJECTED_PEGIN } from './evaluate-pegin.ts';

function rejectionText(rejection: bigint, minimum: bigint): string {
  switch (rejection) {
    case REJECTED_PEGIN.multisigSender:
      return 'the sender is a multisig address and the transaction has no instructions';
    case REJECTED_PEGIN.undeterminedSender:
      return 'the sender is unknown (neither P2PKH nor P2SH-P2WPKH) and the transaction has no instructions';
    case REJECTED_PEGIN.invalidPayload:
      return 'the instructions are invalid';
    default:
      return `an output to the federation is below the minimum of ${coinsText(minimum)}`;
  }
}

/** Returns the text of a decision about a peg-in. `amount` is in satoshi. */
export function peginRemark(
  verdict: PeginVerdict,
  amount: bigint,
  { minimumPegin, network }: Pick<BridgeConstants, 'minimumPegin' | 'network'>,
): string {
  if (verdict.action === 'register') {
    const { version, receiver } = verdict;
    return `peg-in of version ${version} accepted: ${coinsText(amount)} to ${toHex(receiver)}`;
  }
  const reason = `peg-in rejected: ${rejectionText(verdict.rejection, minimumPegin)}`;
  if (verdict.action === 'keep') return `${reason}; no refund`;
  return `${reason}; refund to ${addressText(verdict.refundAddress, network)}`;
}

function addressText(
  { kind, hash }: { readonly kind: 'key' | 'script'; readonly hash: Uint8Array },
  network: BitcoinNetwork,
): string {
  return parentChainAddress(kind, hash, network);
}

/** Returns the text for a block with too few confirmations. `head` is the height of the best block. */
export function confirmationsRemark(height: number, head: number, needed: number): string {
  const best = `the Bridge's best block is ${head}`;
  if (height < 0 || height > head)
    return `not registered: block ${height} of the parent chain is unknown; ${best}`;
  return `not registered: the block has ${head - height + 1} of ${needed} confirmations; ${best}`;
}
