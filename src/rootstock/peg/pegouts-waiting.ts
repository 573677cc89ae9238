// The transactions of the federation that wait for confirmations or signatures.

import {
  bigIntToBytes,
  bytesToBigInt,
  compareBytes,
  EMPTY_BYTES,
  equalBytes,
} from '../../primitives/bytes.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../primitives/rlp.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from '../bridge/bridge-storage.ts';
import { javaSetOrder } from './java-hash-set.ts';

/** A transaction of the parent chain that waits for confirmations of its creation on Rootstock. */
export interface UnconfirmedPegout {
  /** The transaction without signatures, serialized. */
  readonly raw: Uint8Array;
  /** The number of the block that created it. */
  readonly blockNumber: bigint;
  /** 32 bytes: the hash of the Rootstock transaction that created it. */
  readonly creationHash: Uint8Array;
}

/** A confirmed transaction that waits for signatures. */
export interface UnsignedPegout {
  /** 32 bytes: the hash of the Rootstock transaction that created it. */
  readonly creationHash: Uint8Array;
  /** The transaction with its signatures so far, serialized. */
  readonly raw: Uint8Array;
}

function itemsOf(encoded: Uint8Array): Uint8Array[] {
  const list: RlpItem = encoded.length === 0 ? [] : decodeRlp(encoded);
  return list instanceof Uint8Array
    ? []
    : list.map((item) => (item instanceof Uint8Array ? item : EMPTY_BYTES));
}

/** Returns the groups of `size` items. */
function groupsOf(items: readonly Uint8Array[], size: number): Uint8Array[][] {
  return Array.from({ length: Math.floor(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Encodes transactions that wait for confirmations, by ascending bytes of the transaction. */
export function encodeUnconfirmed(pegouts: readonly UnconfirmedPegout[]): Uint8Array {
  const sorted = [...pegouts].sort((left, right) => compareBytes(left.raw, right.raw));
  return encodeRlp(
    sorted.flatMap(({ raw, blockNumber, creationHash }) => [raw, bigIntToBytes(blockNumber), creationHash]),
  );
}

/** Inverse of {@link encodeUnconfirmed}. Empty bytes are an empty list. */
export function decodeUnconfirmed(encoded: Uint8Array): UnconfirmedPegout[] {
  return groupsOf(itemsOf(encoded), 3).map(
    ([raw = EMPTY_BYTES, number = EMPTY_BYTES, creationHash = EMPTY_BYTES]) => ({
      raw,
      blockNumber: bytesToBigInt(number),
      creationHash,
    }),
  );
}

/** Compares keys (32 bytes) as Rootstock's map does: from the last byte to the first one. */
function compareKeys(left: Uint8Array, right: Uint8Array): number {
  for (let index = left.length - 1; index >= 0; index--) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Encodes transactions that wait for signatures, by their keys. */
export function encodeUnsigned(pegouts: readonly UnsignedPegout[]): Uint8Array {
  const sorted = [...pegouts].sort((left, right) => compareKeys(left.creationHash, right.creationHash));
  return encodeRlp(sorted.flatMap(({ creationHash, raw }) => [creationHash, raw]));
}

/** Inverse of {@link encodeUnsigned}. Empty bytes are an empty list. */
export function decodeUnsigned(encoded: Uint8Array): UnsignedPegout[] {
  return groupsOf(itemsOf(encoded), 2).map(([creationHash = EMPTY_BYTES, raw = EMPTY_BYTES]) => ({
    creationHash,
    raw,
  }));
}

/** Returns Java's hash of an entry: of the transaction's id and of the block number. */
function javaHash({ blockNumber }: UnconfirmedPegout, transactionId: Uint8Array): number {
  const idHash = new DataView(transactionId.buffer, transactionId.byteOffset).getInt32(28);
  const numberHash = Number(BigInt.asIntN(32, blockNumber ^ (blockNumber >> 32n)));
  return (Math.imul(31, Math.imul(31, 1) + idHash) + numberHash) | 0;
}

/**
 * Returns the transactions in the order of their confirmation. By default, it is the order of a hash set in Java.
 * With `isOrdered` (RSKIP-559), it is the order of the transactions' bytes. `stored` transactions are in the
 * storage; the current call added the others. `idOf` returns the id of a transaction (txid).
 */
export function confirmationOrder(
  pegouts: readonly UnconfirmedPegout[],
  stored: number,
  isOrdered: boolean,
  idOf: (raw: Uint8Array) => Uint8Array,
): UnconfirmedPegout[] {
  return isOrdered
    ? [...pegouts].sort((left, right) => compareBytes(left.raw, right.raw))
    : javaSetOrder(pegouts, stored, (pegout) => javaHash(pegout, idOf(pegout.raw)));
}

/** Returns the first transaction with enough confirmations, in their {@link confirmationOrder}. */
export function nextConfirmed(
  pegouts: readonly UnconfirmedPegout[],
  stored: number,
  {
    blockNumber,
    confirmations,
    isOrdered,
  }: { blockNumber: bigint; confirmations: number; isOrdered: boolean },
  idOf: (raw: Uint8Array) => Uint8Array,
): UnconfirmedPegout | undefined {
  const ordered = confirmationOrder(pegouts, stored, isOrdered, idOf);
  return ordered.find((pegout) => blockNumber - pegout.blockNumber >= BigInt(confirmations));
}

/** Returns the length and the data slot of a value in the storage. */
function slotsOf(name: string): { readonly length: Uint8Array; readonly data: Uint8Array } {
  return { length: namedSlot(name), data: keyedSlot(name, new TextEncoder().encode('data')) };
}

const UNCONFIRMED = slotsOf('releaseTransactionSetWithTxHash');
const UNSIGNED = slotsOf('rskTxsWaitingFS');
const OUTPOINT_VALUES = 'releasesOutpointsValues';
const VALUES_LENGTH_SIZE = 2;

/** The transactions in the storage of the Bridge. */
export class WaitingPegouts {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  /** Returns the transactions that wait for confirmations, by ascending bytes. */
  unconfirmed(): UnconfirmedPegout[] {
    return decodeUnconfirmed(this.#read(UNCONFIRMED));
  }

  setUnconfirmed(pegouts: readonly UnconfirmedPegout[]): void {
    this.#write(UNCONFIRMED, encodeUnconfirmed(pegouts));
  }

  /** Adds a transaction that waits for confirmations, unless it already waits. */
  addUnconfirmed(pegout: UnconfirmedPegout): void {
    const waiting = this.unconfirmed();
    if (!waiting.some(({ raw }) => equalBytes(raw, pegout.raw))) this.setUnconfirmed([...waiting, pegout]);
  }

  /** Returns the transactions that wait for signatures, by their keys. */
  unsigned(): UnsignedPegout[] {
    return decodeUnsigned(this.#read(UNSIGNED));
  }

  setUnsigned(pegouts: readonly UnsignedPegout[]): void {
    this.#write(UNSIGNED, encodeUnsigned(pegouts));
  }

  /** Returns the encoded values of the outputs that a transaction (txid) spends; empty if unknown. */
  outpointValues(transactionId: Uint8Array): Uint8Array {
    const slot = keyedSlot(OUTPOINT_VALUES, transactionId);
    const length = Number(bytesToBigInt(this.#storage.bytes(slot, VALUES_LENGTH_SIZE)));
    return this.#storage.bytes(slot, VALUES_LENGTH_SIZE + length).slice(VALUES_LENGTH_SIZE);
  }

  setOutpointValues(transactionId: Uint8Array, encoded: Uint8Array): void {
    const bytes = new Uint8Array(VALUES_LENGTH_SIZE + encoded.length);
    new DataView(bytes.buffer).setUint16(0, encoded.length);
    bytes.set(encoded, VALUES_LENGTH_SIZE);
    this.#storage.setBytes(keyedSlot(OUTPOINT_VALUES, transactionId), bytes);
  }

  #read({ length, data }: ReturnType<typeof slotsOf>): Uint8Array {
    return this.#storage.bytes(data, Number(this.#storage.number(length)));
  }

  #write({ length, data }: ReturnType<typeof slotsOf>, bytes: Uint8Array): void {
    this.#storage.setNumber(length, BigInt(bytes.length));
    this.#storage.setBytes(data, bytes);
  }
}
