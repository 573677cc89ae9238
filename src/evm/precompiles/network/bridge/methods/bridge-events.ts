import { padLeft } from '../../../../../primitives/bytes.ts';
import { keccak256 } from '../../../../../primitives/keccak.ts';
import type { NativeAccount } from '../../../native-account.ts';
import { type AbiType, encodeAbi } from '../../abi.ts';

/** Why coins were not taken for the parent chain, as the log says it. */
export const REJECTION = { lowAmount: 1n, callerIsContract: 2n, feeAboveValue: 3n } as const;

function topicOf(name: string, types: readonly AbiType[]): Uint8Array {
  return keccak256(new TextEncoder().encode(`${name}(${types.join(',')})`));
}

const RECEIVED = topicOf('release_request_received', ['address', 'string', 'uint256']);
const REJECTED = topicOf('release_request_rejected', ['address', 'uint256', 'int256']);
const COLLECTIONS = topicOf('update_collections', ['address']);
const UNION_CAP = topicOf('union_bridge_locking_cap_increased', ['address', 'uint256', 'uint256']);
const UNION_PERMISSIONS = topicOf('union_bridge_transfer_permissions_updated', ['address', 'bool', 'bool']);
const UNION_COINS = {
  requested: topicOf('union_rbtc_requested', ['address', 'uint256']),
  released: topicOf('union_rbtc_released', ['address', 'uint256']),
};

/** Logs that coins (wei) wait to be sent to an address of the parent chain. */
export function logReleaseReceived(
  account: NativeAccount,
  { sender, destination, amount }: { sender: Uint8Array; destination: string; amount: bigint },
): void {
  const data = encodeAbi(['string', 'uint256'], [destination, amount]);
  account.log([RECEIVED, padLeft(sender, 32)], data);
}

/** Logs that coins (wei) were not taken, and why: one of {@link REJECTION}. */
export function logReleaseRejected(
  account: NativeAccount,
  { sender, amount, reason }: { sender: Uint8Array; amount: bigint; reason: bigint },
): void {
  account.log([REJECTED, padLeft(sender, 32)], encodeAbi(['uint256', 'int256'], [amount, reason]));
}

/** Logs that a member of the federation had the queue worked off. */
export function logUpdateCollections(account: NativeAccount, sender: Uint8Array): void {
  account.log([COLLECTIONS], encodeAbi(['address'], [sender]));
}

/** Logs that the second bridge may have more coins (wei) than before. */
export function logUnionCapIncreased(
  account: NativeAccount,
  { caller, previous, cap }: { caller: Uint8Array; previous: bigint; cap: bigint },
): void {
  account.log([UNION_CAP, padLeft(caller, 32)], encodeAbi(['uint256', 'uint256'], [previous, cap]));
}

/** Logs what the second bridge may do from now on. */
export function logUnionPermissions(
  account: NativeAccount,
  { caller, mayRequest, mayRelease }: { caller: Uint8Array; mayRequest: boolean; mayRelease: boolean },
): void {
  const data = encodeAbi(['bool', 'bool'], [mayRequest, mayRelease]);
  account.log([UNION_PERMISSIONS, padLeft(caller, 32)], data);
}

/** Logs that the second bridge got coins (wei), or gave some back. */
export function logUnionCoinsMoved(
  account: NativeAccount,
  kind: keyof typeof UNION_COINS,
  address: Uint8Array,
  amount: bigint,
): void {
  account.log([UNION_COINS[kind], padLeft(address, 32)], encodeAbi(['uint256'], [amount]));
}
