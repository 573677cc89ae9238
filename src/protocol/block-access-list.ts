/** The access list of a block (EIP-7928): all accounts and slots that it accesses, with their new values. */

import { bigIntToBytes, numberToBytes, stripLeadingZeros } from '../primitives/bytes.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';

/** A new value and its index: 0 before the transactions, one per transaction, the last after. */
export interface IndexedChange<Value> {
  readonly index: number;
  readonly value: Value;
}

export interface SlotChanges {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros. */
  readonly changes: readonly IndexedChange<Uint8Array>[];
}

/** The reads and writes of an account. All lists are empty if only its existence was read. */
export interface AccountAccess {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Sorted by slot. */
  readonly storageChanges: readonly SlotChanges[];
  /** The slots (32 bytes each) that are read but not changed, sorted. */
  readonly storageReads: readonly Uint8Array[];
  /** Wei. */
  readonly balanceChanges: readonly IndexedChange<bigint>[];
  readonly nonceChanges: readonly IndexedChange<bigint>[];
  readonly codeChanges: readonly IndexedChange<Uint8Array>[];
}

/** Sorted by address. */
export type BlockAccessList = readonly AccountAccess[];

/** Block gas limit per accessed account or slot (EIP-7928). */
const ITEM_GAS = 2_000n;

/** Returns the maximum number of accounts and slots that a block may access (EIP-7928). */
export function maximumAccessListItems(gasLimit: bigint): bigint {
  return gasLimit / ITEM_GAS;
}

/** Returns the number of accounts and slots of the list, for the limit. */
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

/** Returns the RLP of the list. Headers contain its hash. */
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
