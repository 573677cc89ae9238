/** Builds a tree of a contract's storage variables, with the mapping entries whose keys are known. */

import {
  bytesOf,
  type MappingType,
  type StorageType,
  type StorageVariable,
} from '../../artifacts/layout/storage-type.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { BatchReader } from './batch-reader.ts';
import { JoinedPreimages, type KnownPreimages, type Preimage, Preimages } from './preimages.ts';
import { entryOf, itemOf, memberOf, type StoragePlace, shownKeyOf } from './slot-finder.ts';
import { type ReadSlot, type ShownValue, shownValue, slotBytes } from './storage-value.ts';
import { expectedKey, hashedKey, UserKeyError, type UserKeys } from './user-keys.ts';

/** Maximum nodes of one tree. */
const MAX_NODES = 2000;
/** Maximum nesting of structs, arrays and mappings. */
const DEEPEST = 16;
const WORD = 32;

export interface StorageNode {
  /** The name of a variable or member; `[5]` for an item, `["key"]` for an entry. */
  readonly name: string;
  /** The full name. Use it to request a page of the variable. */
  readonly variable: string;
  readonly type: string;
  readonly slot: bigint;
  readonly offset: number;
  /** `null` if the node has items. */
  readonly value: ShownValue | null;
  /** The length of an array; otherwise `null`. */
  readonly length: bigint | null;
  /** The members, items or known entries; `null` for a value. Entries with the value zero are left out. */
  readonly items: readonly StorageNode[] | null;
  /** True if more items follow the listed ones. */
  readonly hasMore: boolean;
  /** True for a mapping that may have entries with unknown keys. These entries are not listed. */
  readonly hasUnknownKeys: boolean;
}

export interface StoragePage {
  /** `pairs[5].items`; `null` for all variables. */
  readonly variable: string | null;
  readonly first: number;
  /** Maximum items per array and mapping. */
  readonly count: number;
}

interface MadeNode {
  readonly node: StorageNode;
  /** True if all of its slots are zero. */
  readonly isZero: boolean;
}

export class StorageTree {
  readonly #roots: readonly StorageVariable[];
  readonly #slots: BatchReader;
  readonly #learned: KnownPreimages;
  /** The hash inputs of keys that the client named. */
  readonly #given = new Preimages();
  /** The names of entries whose keys the client named. They are listed even if they are zero. */
  readonly #wanted = new Set<string>();
  readonly #checkCancelled: CancelCheck;
  /** The hash inputs by slot of the mapping (64 digits). */
  readonly #entries = new Map<string, Preimage[]>();
  /** See {@link StorageNode.hasUnknownKeys}. */
  #hasUnknownKeys = false;
  #left = 0;

  constructor(
    roots: readonly StorageVariable[],
    read: ReadSlot,
    learned: Preimages,
    checkCancelled: CancelCheck,
  ) {
    this.#roots = roots;
    this.#slots = new BatchReader(read, checkCancelled);
    this.#learned = new JoinedPreimages(this.#given, learned);
    this.#checkCancelled = checkCancelled;
  }

  /** The known hash inputs, including the keys that the client named. */
  get preimages(): KnownPreimages {
    return this.#learned;
  }

  /** Indexes the known hash inputs. Call it before {@link addKeys} and {@link nodes}. */
  async learn(): Promise<void> {
    for (const preimage of this.#learned.all) {
      await yieldToOthers(this.#checkCancelled);
      this.#addPreimage(preimage);
    }
  }

  /** Adds the mapping entries with the client's keys. Rejects with {@link UserKeyError} for a wrong key. */
  addKeys(given: readonly UserKeys[]): Promise<void> {
    return this.#slots.run(() => this.#addKeys(given));
  }

  async #addKeys(given: readonly UserKeys[]): Promise<void> {
    // Shorter names first: entries of an outer mapping lead to its inner mappings.
    for (const { variable, paths } of given.toSorted(
      (left, right) => left.variable.length - right.variable.length,
    )) {
      const mapping = this.#placeOf(variable);
      if (mapping?.type.kind !== 'mapping')
        throw new UserKeyError([variable], 'the full name of a mapping of the contract', variable);
      for (const [index, path] of paths.entries()) {
        let place = mapping;
        for (const [depth, key] of path.entries()) {
          await yieldToOthers(this.#checkCancelled);
          const { type, slot } = place;
          if (type.kind !== 'mapping')
            throw new UserKeyError([variable, index], `at most ${counted(depth, 'key')}`, path);
          const hashed = hashedKey(type, slot, key);
          if (hashed === null) throw new UserKeyError([variable, index, depth], expectedKey(type), key);
          if (hashed.text !== null) this.#given.add(hashed.text);
          const base = bytesToBigInt(keccak256(hashed.input));
          if (this.#learned.of(slotBytes(base)) === null) {
            this.#given.add(hashed.input);
            this.#addPreimage({ base, bytes: hashed.input });
          }
          place = entryOf(place, type, shownKeyOf(type, hashed.bytes, this.#learned), base);
          this.#wanted.add(place.variable);
        }
      }
    }
  }

  /**
   * Resolves to all variables or to the requested one; `null` if it does not exist. `hasUnknownKeys` is true
   * if slots may belong to mapping entries with unknown keys.
   */
  nodes(page: StoragePage, hasUnknownKeys: boolean): Promise<StorageNode[] | null> {
    this.#hasUnknownKeys = hasUnknownKeys;
    return this.#slots.run(() => this.#nodes(page));
  }

  async #nodes({ variable, first, count }: StoragePage): Promise<StorageNode[] | null> {
    this.#left = MAX_NODES;
    if (variable !== null) {
      const place = this.#placeOf(variable);
      return place === null ? null : [(await this.#make(place, variable, first, count, 0)).node];
    }
    const nodes: StorageNode[] = [];
    for (const root of this.#roots) {
      nodes.push((await this.#make(placeOfRoot(root), root.name, 0, count, 0)).node);
    }
    return nodes;
  }

  #addPreimage(preimage: Preimage): void {
    const { bytes } = preimage;
    if (bytes.length < WORD) return;
    const last = hexKey(bytes.subarray(-WORD));
    this.#addEntry(last, preimage);
    if (bytes.length !== 2 * WORD) return;
    const first = hexKey(bytes.subarray(0, WORD));
    // A key can equal the slot of its mapping, for example key 0 in slot 0.
    if (first !== last) this.#addEntry(first, preimage);
  }

  #addEntry(key: string, preimage: Preimage): void {
    const known = this.#entries.get(key);
    if (known === undefined) this.#entries.set(key, [preimage]);
    else known.push(preimage);
  }

  /** Resolves a full name to its place. */
  #placeOf(variable: string): StoragePlace | null {
    const roots = this.#roots.filter(({ name }) => variable.startsWith(name));
    for (const root of roots.sort((left, right) => right.name.length - left.name.length)) {
      let place: StoragePlace | null = placeOfRoot(root);
      for (let depth = 0; place !== null && place.variable !== variable && depth < DEEPEST; depth++) {
        place = this.#partOf(place, variable);
      }
      if (place?.variable === variable) return place;
    }
    return null;
  }

  #partOf(place: StoragePlace, variable: string): StoragePlace | null {
    const { type } = place;
    const rest = variable.slice(place.variable.length);
    if (type.kind === 'struct') {
      const parts = type.members.map((member) => memberOf(place, member));
      return parts.find((part) => isPartOf(part.variable, variable)) ?? null;
    }
    if (type.kind === 'mapping') {
      const parts = this.#entriesOf(place, type);
      return parts.find((part) => isPartOf(part.variable, variable)) ?? null;
    }
    const array = this.#arrayOf(place);
    const index = /^\[(?<index>\d{1,30})\]/.exec(rest)?.groups?.index;
    if (array === null || index === undefined || BigInt(index) >= array.length) return null;
    return itemOf(place, array.item, array.start, BigInt(index));
  }

  #entriesOf(place: StoragePlace, type: MappingType): StoragePlace[] {
    return (this.#entries.get(hexKey(slotBytes(place.slot))) ?? []).flatMap(({ bytes, base }) => {
      const key = type.order === 'keyFirst' ? bytes.subarray(0, -WORD) : bytes.subarray(WORD);
      const slot = type.order === 'keyFirst' ? bytes.subarray(-WORD) : bytes.subarray(0, WORD);
      const isValue = type.key.kind === 'value';
      if (bytesToBigInt(slot) !== place.slot || (isValue && key.length !== WORD)) return [];
      return [entryOf(place, type, shownKeyOf(type, key, this.#learned), base)];
    });
  }

  #arrayOf({ type, slot }: StoragePlace): ArrayItems | null {
    if (type.kind === 'fixedArray') return { item: type.item, start: slot, length: type.count };
    if (type.kind !== 'dynamicArray' && type.kind !== 'boundedArray') return null;
    const length = bytesToBigInt(this.#slots.read(slot));
    if (type.kind === 'boundedArray')
      return { item: type.item, start: slot + 1n, length: length > type.count ? type.count : length };
    return { item: type.item(), start: bytesToBigInt(keccak256(slotBytes(slot))), length };
  }

  async #make(
    place: StoragePlace,
    name: string,
    first: number,
    count: number,
    depth: number,
  ): Promise<MadeNode> {
    await yieldToOthers(this.#checkCancelled);
    this.#left--;
    const { variable, type, slot, offset } = place;
    const hasUnknownKeys = type.kind === 'mapping' && this.#hasUnknownKeys;
    const facts = { name, variable, type: type.label, slot, offset, hasUnknownKeys };
    const array = this.#arrayOf(place);
    const isList = array !== null || type.kind === 'mapping';
    if (!isList && type.kind !== 'struct') {
      const { value, isZero } = this.#valueOf(place);
      return { node: { ...facts, value, length: null, items: null, hasMore: false }, isZero };
    }
    const parts: Iterable<StoragePlace> =
      type.kind === 'struct'
        ? type.members.map((member) => memberOf(place, member))
        : type.kind === 'mapping'
          ? this.#entriesOf(place, type)
          : itemsFrom(place, array, BigInt(first));
    const items: StorageNode[] = [];
    let hasMore = false;
    let isZero = type.kind === 'fixedArray' || array === null || array.length === 0n;
    let passed = 0;
    for (const part of parts) {
      if (depth >= DEEPEST || this.#left <= 0 || (isList && items.length >= count)) {
        hasMore = true;
        break;
      }
      const made = await this.#make(
        part,
        part.variable.slice(variable.length).replace(/^\./, ''),
        0,
        count,
        depth + 1,
      );
      if (!made.isZero) isZero = false;
      const isLeftOut = made.isZero && !this.#wanted.has(part.variable);
      if (type.kind === 'mapping' && (isLeftOut || passed++ < first)) continue;
      items.push(made.node);
    }
    return { node: { ...facts, value: null, length: array?.length ?? null, items, hasMore }, isZero };
  }

  #valueOf({ type, slot, offset }: StoragePlace): { readonly value: ShownValue; readonly isZero: boolean } {
    const word = this.#slots.read(slot);
    const part = word.subarray(WORD - offset - bytesOf(type), WORD - offset);
    return {
      value: shownValue(type, slot, offset, this.#slots.read),
      isZero: part.every((byte) => byte === 0),
    };
  }
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

interface ArrayItems {
  readonly item: StorageType;
  readonly start: bigint;
  readonly length: bigint;
}

function placeOfRoot({ name, type, slot, offset }: StorageVariable): StoragePlace {
  return { variable: name, type, slot, offset, keys: [] };
}

function isPartOf(part: string, variable: string): boolean {
  if (!variable.startsWith(part)) return false;
  const next = variable[part.length];
  return next === undefined || next === '.' || next === '[';
}

function* itemsFrom(
  place: StoragePlace,
  array: ArrayItems | null,
  first: bigint,
): Generator<StoragePlace, void, undefined> {
  if (array === null) return;
  for (let index = first; index < array.length; index++) yield itemOf(place, array.item, array.start, index);
}
