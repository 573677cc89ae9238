/** Reads variables in storage and transient storage at a moment. */

import {
  bytesOf,
  itemsPerSlot,
  type MappingType,
  type StorageType,
  slotsOf,
} from '../../artifacts/layout/storage-type.ts';
import { bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import { BatchReader } from '../storage/batch-reader.ts';
import { type ReadSlot, slotBytes } from '../storage/storage-value.ts';
import { implicitScalar } from './conversions.ts';
import { MAX_VALUE_BYTES } from './machine-places.ts';
import { OperationError } from './operators.ts';
import { scalarType } from './value-types.ts';
import { type StoragePlaceValue, scalarIn, typeLabel, type Value, wordOf } from './values.ts';

const WORD = 32;

/** A place in storage whose value may be a single value. */
export type StorageSite = Omit<StoragePlaceValue, 'kind'>;

/** Returns the words of one account. The two kinds of storage have separate slots. */
export interface StorageReads {
  readonly storage: ReadSlot;
  readonly transient: ReadSlot;
}

function isBytes(type: StorageType): type is StorageType & { readonly kind: 'bytes' | 'boundedBytes' } {
  return type.kind === 'bytes' || type.kind === 'boundedBytes';
}

function tooLong(length: bigint): never {
  throw new OperationError(`the value has ${length} bytes; at most ${MAX_VALUE_BYTES} can be read`);
}

/** Returns the bytes from a slot on. */
function bytesFrom(start: bigint, length: bigint, read: ReadSlot): Uint8Array {
  if (length > BigInt(MAX_VALUE_BYTES)) tooLong(length);
  const bytes = new Uint8Array(Number(length));
  for (let at = 0; at < bytes.length; at += WORD)
    bytes.set(read(BigInt.asUintN(256, start + BigInt(at / WORD))).subarray(0, bytes.length - at), at);
  return bytes;
}

/** Returns the bytes of a text or `bytes` variable. Throws {@link OperationError} for an invalid encoding. */
function storedBytes({ type, slot }: StorageSite, read: ReadSlot): Uint8Array {
  const word = read(slot);
  const number = bytesToBigInt(word);
  if (type.kind === 'boundedBytes') return bytesFrom(slot + 1n, number, read);
  if ((number & 1n) === 1n) return bytesFrom(bytesToBigInt(keccak256(slotBytes(slot))), number >> 1n, read);
  const length = Number(number & 0xffn) / 2;
  if (length >= WORD) throw new OperationError('the encoding of the bytes in storage is invalid');
  return word.slice(0, length);
}

export class StoragePlaces {
  readonly #reads: StorageReads;
  readonly #checkCancelled: CancelCheck;

  constructor(reads: StorageReads, checkCancelled: CancelCheck) {
    this.#reads = reads;
    this.#checkCancelled = checkCancelled;
  }

  /** Returns the reader of a place's slots. It may throw `MissingStateError`. */
  readerOf({ isTransient }: Pick<StorageSite, 'isTransient'>): ReadSlot {
    return isTransient ? this.#reads.transient : this.#reads.storage;
  }

  #run<Result>(site: StorageSite, task: (read: ReadSlot) => Result): Promise<Result> {
    const reader = new BatchReader(this.readerOf(site), this.#checkCancelled);
    return reader.run(async () => task(reader.read));
  }

  /** Resolves to the value at a place. A struct, array or mapping stays a place. */
  async value(site: StorageSite): Promise<Value> {
    const { type, slot, offset } = site;
    if (type.kind === 'value') {
      const word = await this.#run(site, (read) => read(slot));
      return scalarIn(scalarType(type), word, offset, bytesOf(type));
    }
    if (isBytes(type)) {
      const bytes = await this.#run(site, (read) => storedBytes(site, read));
      return { kind: 'bytes', isText: type.isText, bytes };
    }
    return { kind: 'storage', ...site };
  }

  /** Resolves to the number of items; `null` unless the place is an array. */
  async lengthOf(site: StorageSite): Promise<bigint | null> {
    const { type, slot } = site;
    if (type.kind === 'fixedArray') return type.count;
    if (type.kind !== 'dynamicArray' && type.kind !== 'boundedArray') return null;
    return bytesToBigInt(await this.#run(site, (read) => read(slot)));
  }

  /** Returns an item of an array. The index must be below the length. */
  itemAt({ type, slot, isTransient }: StorageSite, index: bigint): StorageSite {
    if (type.kind !== 'fixedArray' && type.kind !== 'dynamicArray' && type.kind !== 'boundedArray')
      throw new OperationError(`${type.label} has no items`);
    const item = type.kind === 'dynamicArray' ? type.item() : type.item;
    const start =
      type.kind === 'fixedArray'
        ? slot
        : type.kind === 'boundedArray'
          ? slot + 1n
          : bytesToBigInt(keccak256(slotBytes(slot)));
    const perSlot = itemsPerSlot(item);
    const inSlots = perSlot === 1n ? index * slotsOf(item) : index / perSlot;
    const offset = perSlot === 1n ? 0 : Number(index % perSlot) * bytesOf(item);
    return { type: item, slot: BigInt.asUintN(256, start + inSlots), offset, isTransient };
  }

  /** Returns a member of a struct; `null` if it has no member of this name. */
  memberOf({ type, slot, isTransient }: StorageSite, name: string): StorageSite | null {
    const member = type.kind === 'struct' ? type.members.find((each) => each.name === name) : undefined;
    if (member === undefined) return null;
    const at = BigInt.asUintN(256, slot + member.slot);
    return { type: member.type, slot: at, offset: member.offset, isTransient };
  }

  /** Returns the entry of a mapping. Throws {@link OperationError} if the key has another type. */
  entryOf(type: MappingType, { slot, isTransient }: StorageSite, key: Value): StorageSite {
    const bytes = keyBytes(type, key);
    const parts = type.order === 'keyFirst' ? [bytes, slotBytes(slot)] : [slotBytes(slot), bytes];
    const entry = bytesToBigInt(keccak256(concatBytes(...parts)));
    return { type: type.value(), slot: entry, offset: 0, isTransient };
  }
}

/** Returns a key as it is hashed. Vyper hashes text and bytes first. */
function keyBytes({ key: type, order }: MappingType, key: Value): Uint8Array {
  if (type.kind === 'value') {
    const number = implicitScalar(key, scalarType(type));
    if (number !== null) return wordOf(number);
  } else if (key.kind === 'text' || (key.kind === 'bytes' && key.isText === type.isText))
    return order === 'slotFirst' ? keccak256(key.bytes) : key.bytes;
  throw new OperationError(`expected a key of type ${type.label}, got ${typeLabel(key)}`);
}
