/** The access list of a block (EIP-7928): all accounts and slots that it looks at, and what they become in it. */

import { bigIntToBytes, numberToBytes, stripLeadingZeros } from '../primitives/bytes.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';

/** A new value, with the index at which it was written: 0 before the transactions, then one for each of them, the last after them. */
export interface IndexedChange<Value> {
  readonly index: number;
  readonly value: Value;
}

/** The values that a block writes to a slot. */
export interface SlotChanges {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros. */
  readonly changes: readonly IndexedChange<Uint8Array>[];
}

/** A block's reads and writes of an account; all lists are empty for one whose existence alone was read. */
export interface AccountAccess {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** In the order of their slots. */
  readonly storageChanges: readonly SlotChanges[];
  /** The slots (32 bytes each) that are read and stay what they are, in their order. */
  readonly storageReads: readonly Uint8Array[];
  /** Wei. */
  readonly balanceChanges: readonly IndexedChange<bigint>[];
  readonly nonceChanges: readonly IndexedChange<bigint>[];
  readonly codeChanges: readonly IndexedChange<Uint8Array>[];
}

/** In the order of the addresses. */
export type BlockAccessList = readonly AccountAccess[];

/** The gas of a block's limit for each account and each slot that it may look at (EIP-7928). */
const ITEM_GAS = 2_000n;

/** Returns the most accounts and slots together that a block with the gas limit may look at (EIP-7928). */
export function maximumAccessListItems(gasLimit: bigint): bigint {
  return gasLimit / ITEM_GAS;
}

/** Returns the number of accounts and slots of the list, of which the protocol limits how many there are. */
export function accessListItems(list: BlockAccessList): number {
  let items = list.length;
  for (const { storageChanges, storageReads } of list) items += storageChanges.length + storageReads.length;
  return items;
}

function indexed<Value>(
  changes: readonly IndexedChange<Value>[],
  bytesOf: (value: Value) => Uint8Array,
): RlpItem {
  return changes.map(({ index, value }) => [numberToBytes(index), bytesOf(value)]);
}

const asIs = (bytes: Uint8Array): Uint8Array => bytes;

/** Returns the RLP of the list, of which the hash stands in headers. */
export function encodeAccessList(list: BlockAccessList): Uint8Array {
  return encodeRlp(
    list.map((account) => [
      account.address,
      account.storageChanges.map(({ slot, changes }) => [stripLeadingZeros(slot), indexed(changes, asIs)]),
      account.storageReads.map(stripLeadingZeros),
      indexed(account.balanceChanges, bigIntToBytes),
      indexed(account.nonceChanges, bigIntToBytes),
      indexed(account.codeChanges, asIs),
    ]),
  );
}
