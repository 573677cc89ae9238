import { padLeft } from '../../../../primitives/bytes.ts';
import { keccak256 } from '../../../../primitives/keccak.ts';
import { type AbiType, encodeAbi } from '../abi.ts';
import type { NativeAccount } from '../native-account.ts';

/** Why coins were not taken for the parent chain, as the log says it. */
export const REJECTION = { lowAmount: 1n, callerIsContract: 2n, feeAboveValue: 3n } as const;

function topicOf(name: string, types: readonly AbiType[]): Uint8Array {
  return keccak256(new TextEncoder().encode(`${name}(${types.join(',')})`));
}

const RECEIVED = topicOf('release_request_received', ['address', 'string', 'uint256']);
const REJECTED = topicOf('release_request_rejected', ['address', 'uint256', 'int256']);
const COLLECTIONS = topicOf('update_collections', ['address']);

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
