// The logs of pegins. Ids of transactions are in text order, amounts in satoshi.

import type { PrecompileAccount } from '../../evm/precompiles/precompiled-contract.ts';
import { padLeft } from '../../primitives/bytes.ts';
import { encodeAbi } from '../abi.ts';
import { topicOf } from './pegout-events.ts';

const PEGIN = topicOf('pegin_btc', ['address', 'bytes32', 'int256', 'int256']);
const REJECTED = topicOf('rejected_pegin', ['bytes32', 'int256']);
const UNREFUNDABLE = topicOf('unrefundable_pegin', ['bytes32', 'int256']);

/** Logs coins that the Bridge sends to an account (20 bytes). */
export function logPegin(
  account: PrecompileAccount,
  pegin: { receiver: Uint8Array; transactionId: Uint8Array; amount: bigint; version: 0 | 1 },
): void {
  const data = encodeAbi(['int256', 'int256'], [pegin.amount, BigInt(pegin.version)]);
  account.log([PEGIN, padLeft(pegin.receiver, 32), pegin.transactionId], data);
}

export function logRejectedPegin(
  account: PrecompileAccount,
  transactionId: Uint8Array,
  reason: bigint,
): void {
  account.log([REJECTED, transactionId], encodeAbi(['int256'], [reason]));
}

export function logUnrefundablePegin(
  account: PrecompileAccount,
  transactionId: Uint8Array,
  reason: bigint,
): void {
  account.log([UNREFUNDABLE, transactionId], encodeAbi(['int256'], [reason]));
}
