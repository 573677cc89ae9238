// Tries as bytes outside of the heap, whose nodes are read where they are asked for.

import {
  Branch,
  Extension,
  Leaf,
  loaded,
  NodeEncoder,
  type TrieLink,
  type TrieNode,
  UnloadedNode,
  type ValueEncoder,
} from '../state/trie/trie-node.ts';
import { isSameLink } from '../state/trie/trie-walks.ts';
import { Arena } from './arena.ts';

/** Stands where there is no place of a node. */
export const NOWHERE = -1;

/** A trie that another one is compared with while it is archived: the place of its node, or the node itself; `null` for none. */
export type Archived<V> = number | TrieLink<V> | null;

/** The value of a leaf that stood where another one is archived: the value itself, or the place of its bytes. */
export type ValueBefore<V> =
  | { readonly value: V }
  | { readonly bytes: Buffer; readonly offset: number }
  | null;

/** Yields after each few nodes. */
export type Archiving<Result> = Generator<undefined, Result, undefined>;

/** How the values of a kind of trie are archived. */
export interface ArchivedValues<V> {
  /** The encoding that the hashes of the trie are made of. */
  readonly encode: ValueEncoder<V>;
  /** Archives the trie that belongs to a value, if such do; returns its place, {@link NOWHERE} when this one has none. */
  archiveBelow?(value: V, before: ValueBefore<V>): Archiving<number>;
  /** Writes the value with the place of the trie that belongs to it; returns the offset of the end. */
  write(target: Buffer, offset: number, value: V, below: number): number;
  /** Reads the key and the value that {@link write} wrote. */
  read(source: Buffer, offset: number): { readonly key: Uint8Array; readonly value: V };
}

// A record begins with the kind of its node. All but pinned ones have the length of the reference and the reference then.
const LEAF = 0;
const EXTENSION = 1;
const BRANCH = 2;
const PINNED = 3;

const REFERENCE = 2;
const PLACE_SIZE = 4;
const MASK_SIZE = 2;
const CHILDREN = 16;
/** No record is longer: the one of a branch takes a hundred bytes, that of a leaf is as long as its value. */
const MOST_BYTES = 512;
/** Nodes that are archived before it yields. */
const NODES_AT_ONCE = 32;

/** A node in an archive. It is read on each access, since most callers walk one path once. */
class ArchivedNode<V> extends UnloadedNode<V> {
  readonly archive: TrieArchive<V>;
  readonly place: number;

  constructor(archive: TrieArchive<V>, place: number) {
    super();
    this.archive = archive;
    this.place = place;
  }

  override get reference(): Uint8Array {
    return this.archive.referenceAt(this.place);
  }

  override get node(): TrieNode<V> {
    return this.archive.read(this.place);
  }
}

/**
 * Tries of one kind in an arena, those of consecutive states: one that is archived shares the nodes that it has in common with the
 * one before it. A node takes some seventy bytes, a tenth of what its objects take.
 */
export class TrieArchive<V> {
  readonly #arena: Arena;
  readonly #values: ArchivedValues<V>;
  readonly #encoder: NodeEncoder<V>;
  /** The nodes that stay objects, since the trie that all others are compared with is kept as such. */
  readonly #pinned: TrieLink<V>[];
  readonly #record = Buffer.alloc(MOST_BYTES);
  #nodes = 0;

  constructor(arena: Arena, values: ArchivedValues<V>, pinned: TrieLink<V>[] = []) {
    this.#arena = arena;
    this.#values = values;
    this.#encoder = new NodeEncoder(values.encode);
    this.#pinned = pinned;
  }

  /** Returns the trie whose root is at a place. */
  open(place: number): TrieLink<V> {
    return this.#pinnedAt(place) ?? new ArchivedNode(this, place);
  }

  /**
   * Archives a trie; returns the place of its root. Nodes that it shares with `before`, on the same path, are not archived again;
   * where that one's are objects, they are kept as these.
   */
  *archive(link: TrieLink<V> | null, before: Archived<V>): Archiving<number> {
    if (link === null) return NOWHERE;
    const known = this.#placeOf(link, before);
    if (known !== NOWHERE) return known;
    if (++this.#nodes % NODES_AT_ONCE === 0) yield;
    const node = link instanceof UnloadedNode ? link.node : link;
    const old = typeof before === 'number' ? (this.#pinnedAt(before) ?? before) : before;
    if (node instanceof Leaf) {
      const values = this.#values;
      const below = values.archiveBelow
        ? yield* values.archiveBelow(node.value, this.#valueOf(old))
        : NOWHERE;
      const start = this.#begin(LEAF, node);
      this.#record[start] = node.depth;
      return this.#add(this.#values.write(this.#record, start + 1, node.value, below));
    }
    if (node instanceof Extension) {
      const { path, child } = node;
      const place = yield* this.archive(child, this.#childOfExtension(old, path));
      const start = this.#begin(EXTENSION, node);
      this.#record[start] = path.length;
      this.#record.set(path, start + 1);
      return this.#add(this.#record.writeUInt32LE(place, start + 1 + path.length));
    }
    return yield* this.#archiveBranch(node, old);
  }

  *#archiveBranch(node: Branch<V>, old: Archived<V>): Archiving<number> {
    const places: number[] = [];
    let mask = 0;
    for (let nibble = 0; nibble < CHILDREN; nibble++) {
      const child = node.children[nibble] ?? null;
      if (child === null) continue;
      mask |= 1 << nibble;
      const before = this.#childOfBranch(old, nibble);
      const known = this.#placeOf(child, before);
      places.push(known === NOWHERE ? yield* this.archive(child, before) : known);
    }
    let at = this.#record.writeUInt16LE(mask, this.#begin(BRANCH, node));
    for (const place of places) at = this.#record.writeUInt32LE(place, at);
    return this.#add(at);
  }

  /** Writes the beginning of a record; returns the offset of its end. */
  #begin(kind: number, node: TrieNode<V>): number {
    const reference = this.#encoder.reference(node);
    this.#record[0] = kind;
    this.#record[1] = reference.length;
    this.#record.set(reference, REFERENCE);
    return REFERENCE + reference.length;
  }

  #add(end: number): number {
    return this.#arena.add(this.#record.subarray(0, end));
  }

  /** Returns the place of a node that is archived or pinned already, as far as the one on the same path shows; else {@link NOWHERE}. */
  #placeOf(link: TrieLink<V>, before: Archived<V>): number {
    if (link instanceof ArchivedNode && link.archive === this) return link.place;
    if (before === null) return NOWHERE;
    // Nodes that were read from an archive are other objects each time, so that references are compared.
    if (typeof before !== 'number') return isSameLink(before, link) ? this.#pin(before) : NOWHERE;
    const bytes = this.#arena.chunkOf(before);
    const start = Arena.offsetOf(before);
    if (bytes[start] === PINNED)
      return isSameLink(this.#pinned[bytes.readUInt32LE(start + 1)] ?? null, link) ? before : NOWHERE;
    const reference = this.#encoder.reference(link);
    if (bytes[start + 1] !== reference.length) return NOWHERE;
    for (let index = 0; index < reference.length; index++)
      if (bytes[start + REFERENCE + index] !== reference[index]) return NOWHERE;
    return before;
  }

  #pin(link: TrieLink<V>): number {
    this.#record[0] = PINNED;
    return this.#add(this.#record.writeUInt32LE(this.#pinned.push(link) - 1, 1));
  }

  #pinnedAt(place: number): TrieLink<V> | undefined {
    const bytes = this.#arena.chunkOf(place);
    const start = Arena.offsetOf(place);
    return bytes[start] === PINNED ? this.#pinned[bytes.readUInt32LE(start + 1)] : undefined;
  }

  #valueOf(old: Archived<V>): ValueBefore<V> {
    if (typeof old !== 'number') {
      const node = loaded(old);
      return node instanceof Leaf ? { value: node.value } : null;
    }
    const bytes = this.#arena.chunkOf(old);
    const start = Arena.offsetOf(old);
    return bytes[start] === LEAF ? { bytes, offset: contentOf(bytes, start) + 1 } : null;
  }

  #childOfExtension(old: Archived<V>, path: Uint8Array): Archived<V> {
    if (typeof old !== 'number') {
      const node = loaded(old);
      return node instanceof Extension && node.path.length === path.length ? node.child : null;
    }
    const bytes = this.#arena.chunkOf(old);
    const start = Arena.offsetOf(old);
    const content = contentOf(bytes, start);
    return bytes[start] === EXTENSION && bytes[content] === path.length
      ? bytes.readUInt32LE(content + 1 + path.length)
      : null;
  }

  #childOfBranch(old: Archived<V>, nibble: number): Archived<V> {
    if (typeof old !== 'number') {
      const node = loaded(old);
      return node instanceof Branch ? (node.children[nibble] ?? null) : null;
    }
    const bytes = this.#arena.chunkOf(old);
    const start = Arena.offsetOf(old);
    if (bytes[start] !== BRANCH) return null;
    const content = contentOf(bytes, start);
    const mask = bytes.readUInt16LE(content);
    if ((mask & (1 << nibble)) === 0) return null;
    let before = 0;
    for (let lower = 0; lower < nibble; lower++) before += (mask >> lower) & 1;
    return bytes.readUInt32LE(content + MASK_SIZE + before * PLACE_SIZE);
  }

  /** Returns the reference to the node at a place in its parent. */
  referenceAt(place: number): Uint8Array {
    const bytes = this.#arena.chunkOf(place);
    const start = Arena.offsetOf(place);
    return new Uint8Array(bytes.subarray(start + REFERENCE, contentOf(bytes, start)));
  }

  /** Returns the node at a place; those below it are not read yet. */
  read(place: number): TrieNode<V> {
    const bytes = this.#arena.chunkOf(place);
    const start = Arena.offsetOf(place);
    const content = contentOf(bytes, start);
    const node = this.#nodeOf(bytes, start, content);
    node.reference = this.referenceAt(place);
    return node;
  }

  #nodeOf(bytes: Buffer, start: number, content: number): TrieNode<V> {
    if (bytes[start] === LEAF) {
      const { key, value } = this.#values.read(bytes, content + 1);
      return new Leaf(key, bytes[content] ?? 0, value);
    }
    if (bytes[start] === EXTENSION) {
      const end = content + 1 + (bytes[content] ?? 0);
      const child = loaded(this.open(bytes.readUInt32LE(end)));
      if (!(child instanceof Branch)) throw new TypeError('an extension does not lead to a branch');
      return new Extension(new Uint8Array(bytes.subarray(content + 1, end)), child);
    }
    const mask = bytes.readUInt16LE(content);
    const children = new Array<TrieLink<V> | null>(CHILDREN).fill(null);
    let at = content + MASK_SIZE;
    for (let nibble = 0; nibble < CHILDREN; nibble++) {
      if ((mask & (1 << nibble)) === 0) continue;
      children[nibble] = this.open(bytes.readUInt32LE(at));
      at += PLACE_SIZE;
    }
    return new Branch(children);
  }
}

/** Returns the offset of what follows the reference in a record. */
function contentOf(bytes: Buffer, start: number): number {
  return start + REFERENCE + (bytes[start + 1] ?? 0);
}
