/** Finds the variables at a slot: from the layout, and for mappings and arrays from hash inputs. */

import {
  bytesOf,
  itemsPerSlot,
  type MappingType,
  type StorageLayout,
  type StorageType,
  type StorageVariable,
  slotsOf,
} from '../../artifacts/layout/storage-type.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { type KnownPreimages, type Preimage, Preimages } from './preimages.ts';
import { keyText, keyValue, type ShownValue, slotBytes } from './storage-value.ts';

const WORD = 32;
/** Maximum precomputed hashes of arrays and texts. Optimized code contains these hashes as constants. */
const MAX_CONSTANT_HASHES = 4096;
/** Maximum nesting of mappings and arrays. */
const DEEPEST = 32;
/** Maximum places in one slot. A valid layout has at most 32 values per slot. */
const MAX_PLACES = 64;

/** A named place in storage: a value, or a container of other places. */
export interface StoragePlace {
  /** `balances[0x70…]`, `pairs[1].owner`. */
  readonly variable: string;
  readonly type: StorageType;
  readonly slot: bigint;
  readonly offset: number;
  /** The mapping keys on the path to it, outermost first. */
  readonly keys: readonly ShownValue[];
}

/** Returns the variables and the namespaces. A namespace has the name of its struct. */
export function rootsOf({ variables, namespaces }: StorageLayout): StorageVariable[] {
  const named = namespaces.map(({ slot, type }) => {
    const name = type.label.slice(Math.max(type.label.lastIndexOf('.'), type.label.lastIndexOf(' ')) + 1);
    return { name, slot, offset: 0, type };
  });
  return [...variables, ...named];
}

/** The place of a value, items or bytes that start at a hash. */
interface HashedPlace {
  readonly place: StoragePlace;
  /** `value` of a mapping, `items` of an array, or `bytes` of a long text. */
  readonly holds: 'value' | 'items' | 'bytes';
}

export class SlotFinder {
  /** By slot, in descending order. */
  readonly #roots: readonly StorageVariable[];
  readonly #learned: KnownPreimages;
  /** The hashes of slots that the layout itself defines. */
  readonly #constants = new Preimages();
  readonly #hashed = new Map<Preimage, HashedPlace | null>();

  /** `learned` is read at each lookup, so later additions count too. */
  constructor(roots: readonly StorageVariable[], learned: KnownPreimages) {
    this.#roots = [...roots].sort((left, right) =>
      left.slot === right.slot ? left.offset - right.offset : left.slot < right.slot ? 1 : -1,
    );
    this.#learned = learned;
    for (const { type, slot } of this.#roots) this.#addConstants(type, slot, 0);
  }

  #addConstants(type: StorageType, slot: bigint, depth: number): void {
    if (this.#constants.size >= MAX_CONSTANT_HASHES || depth > DEEPEST) return;
    if (type.kind === 'bytes' || type.kind === 'dynamicArray') this.#constants.add(slotBytes(slot));
    else if (type.kind === 'struct') {
      for (const member of type.members) this.#addConstants(member.type, slot + member.slot, depth + 1);
    } else if (type.kind === 'fixedArray' && type.item.kind !== 'value') {
      for (let index = 0n; index < type.count && this.#constants.size < MAX_CONSTANT_HASHES; index++) {
        const before = this.#constants.size;
        this.#addConstants(type.item, slot + index * slotsOf(type.item), depth + 1);
        if (this.#constants.size === before) break;
      }
    }
  }

  /** Returns the places in a slot: several if values share the slot, none if it is unknown. */
  find(slot: bigint, depth = 0): StoragePlace[] {
    const places: StoragePlace[] = [];
    for (const { name, slot: start, offset, type } of this.#rootsAt(slot)) {
      addPlaces({ variable: name, type, slot: start, offset, keys: [] }, slot, places);
    }
    if (places.length > 0 || depth > DEEPEST) return places;
    const preimage = this.#nearest(slot);
    const hashed = preimage === null ? null : this.#hashedPlace(preimage, depth);
    if (preimage === null || hashed === null) return places;
    const { place, holds } = hashed;
    if (holds === 'bytes') return [place];
    if (holds === 'value') addPlaces(place, slot, places);
    else if (place.type.kind === 'dynamicArray') {
      addItems(place, { item: place.type.item(), count: null }, preimage.base, slot, places);
    }
    return places;
  }

  /** Yields the variables that may cover the slot: all variables of the last start slot at or below it. */
  *#rootsAt(slot: bigint): Generator<StorageVariable, void, undefined> {
    let [low, high] = [0, this.#roots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#roots[middle]?.slot ?? 0n) > slot) low = middle + 1;
      else high = middle;
    }
    const start = this.#roots[low]?.slot;
    for (let index = low; index < this.#roots.length; index++) {
      const root = this.#roots[index];
      if (root === undefined || root.slot !== start) return;
      if (slot < root.slot + slotsOf(root.type)) yield root;
    }
  }

  #nearest(slot: bigint): Preimage | null {
    const [learned, constant] = [this.#learned.below(slot), this.#constants.below(slot)];
    if (learned === null || constant === null) return learned ?? constant;
    return constant.base >= learned.base ? constant : learned;
  }

  #hashedPlace(preimage: Preimage, depth: number): HashedPlace | null {
    const known = this.#hashed.get(preimage);
    if (known !== undefined) return known;
    // A hash cannot be on its own path. The entry stops a loop on invalid input.
    this.#hashed.set(preimage, null);
    const found = this.#dataOf(preimage, depth) ?? this.#mappedOf(preimage, depth);
    this.#hashed.set(preimage, found);
    return found;
  }

  /** The items of an array or the bytes of a text, if the preimage is its slot. */
  #dataOf({ bytes }: Preimage, depth: number): HashedPlace | null {
    if (bytes.length !== WORD) return null;
    const place = this.#placeAt(bytes, depth);
    if (place?.type.kind === 'bytes') return { place, holds: 'bytes' };
    return place?.type.kind === 'dynamicArray' ? { place, holds: 'items' } : null;
  }

  /** The value of a mapping, if the preimage is a key with the mapping's slot. */
  #mappedOf({ bytes, base }: Preimage, depth: number): HashedPlace | null {
    if (bytes.length < WORD) return null;
    const [head, tail] = [bytes.subarray(0, -WORD), bytes.subarray(-WORD)];
    const place =
      this.#valueOf(this.#placeAt(tail, depth), 'keyFirst', head, base) ??
      (head.length === WORD ? this.#valueOf(this.#placeAt(head, depth), 'slotFirst', tail, base) : null);
    return place === null ? null : { place, holds: 'value' };
  }

  #valueOf(
    parent: StoragePlace | null,
    order: MappingType['order'],
    key: Uint8Array,
    base: bigint,
  ): StoragePlace | null {
    if (parent?.type.kind !== 'mapping' || parent.type.order !== order) return null;
    const { key: type } = parent.type;
    if (type.kind === 'value' && key.length !== WORD) return null;
    return entryOf(parent, parent.type, shownKeyOf(parent.type, key, this.#learned), base);
  }

  /** The place that starts in the slot and whose contents are stored elsewhere. */
  #placeAt(slot: Uint8Array, depth: number): StoragePlace | null {
    const wanted = bytesToBigInt(slot);
    return this.find(wanted, depth + 1).find((place) => place.slot === wanted) ?? null;
  }
}

/** A mapping key as a value, and its text within brackets. */
export interface ShownKey {
  readonly value: ShownValue;
  readonly text: string;
}

/** Converts a mapping key from a hash input to its displayed form. */
export function shownKeyOf(
  { key: type, order }: MappingType,
  key: Uint8Array,
  learned: KnownPreimages,
): ShownKey {
  // Vyper hashes text and bytes before it hashes them with the slot.
  const isHashed = type.kind === 'bytes' && order === 'slotFirst';
  const known = isHashed ? learned.of(key) : key;
  if (known === null) return { value: toHex(key), text: `keccak256 ${toHex(key)}` };
  const value = keyValue(type, known);
  return { value, text: keyText(type, value) };
}

/** Returns the place of a mapping's value. */
export function entryOf(
  { variable, keys }: StoragePlace,
  type: MappingType,
  { value, text }: ShownKey,
  slot: bigint,
): StoragePlace {
  const place = { type: type.value(), slot, offset: 0, keys: [...keys, value] };
  return { variable: `${variable}[${text}]`, ...place };
}

/** Returns the place of an array item. The items start at the slot `start`. */
export function itemOf(
  { variable, keys }: StoragePlace,
  item: StorageType,
  start: bigint,
  index: bigint,
): StoragePlace {
  const perSlot = itemsPerSlot(item);
  const slot = perSlot === 1n ? start + index * slotsOf(item) : start + index / perSlot;
  const offset = perSlot === 1n ? 0 : Number(index % perSlot) * bytesOf(item);
  return {
    variable: `${variable}[${index}]`,
    type: item,
    slot: BigInt.asUintN(256, slot),
    offset,
    keys,
  };
}

export function memberOf({ variable, slot, keys }: StoragePlace, member: StorageVariable): StoragePlace {
  const { name, offset, type } = member;
  return {
    variable: `${variable}.${name}`,
    type,
    slot: BigInt.asUintN(256, slot + member.slot),
    offset,
    keys,
  };
}

/** Adds the innermost places that cover the wanted slot. */
function addPlaces(place: StoragePlace, wanted: bigint, into: StoragePlace[]): void {
  if (into.length >= MAX_PLACES) return;
  const { type, slot } = place;
  switch (type.kind) {
    case 'struct':
      for (const member of type.members) {
        const start = slot + member.slot;
        if (wanted >= start && wanted < start + slotsOf(member.type))
          addPlaces(memberOf(place, member), wanted, into);
      }
      return;
    case 'fixedArray':
      addItems(place, type, slot, wanted, into);
      return;
    case 'boundedArray':
      if (wanted === slot) into.push(place);
      else if (wanted < slot + type.slots) addItems(place, type, slot + 1n, wanted, into);
      return;
    case 'boundedBytes':
      if (wanted < slot + type.slots) into.push(place);
      return;
    case 'opaque':
      if (wanted < slot + type.slots) {
        const variable = type.slots === 1n ? place.variable : `${place.variable}+${wanted - slot}`;
        into.push({ ...place, variable, slot: wanted });
      }
      return;
    default:
      if (wanted === slot) into.push(place);
  }
}

/** Adds the array items that cover the wanted slot. */
function addItems(
  place: StoragePlace,
  { item, count }: { readonly item: StorageType; readonly count: bigint | null },
  start: bigint,
  wanted: bigint,
  into: StoragePlace[],
): void {
  const perSlot = itemsPerSlot(item);
  const first = perSlot === 1n ? (wanted - start) / slotsOf(item) : (wanted - start) * perSlot;
  for (let index = first; index < first + perSlot; index++) {
    if (count !== null && index >= count) return;
    addPlaces(itemOf(place, item, start, index), wanted, into);
  }
}
