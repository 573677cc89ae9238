// Tries as off-heap bytes. Nodes are decoded on access.

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

/** Marks a missing node. */
export const NOWHERE = -1;

/** A trie to compare with during archiving: the place of its node, or the node itself; `null` for none. */
export type Archived<V> = number | TrieLink<V> | null;

/** The value of the earlier leaf at the same position: the value itself or its bytes. */
export type ValueBefore<V> =
  | { readonly value: V }
  | { readonly bytes: Buffer; readonly offset: number }
  | null;

/** Yields after every few nodes. */
export type Archiving<Result> = Generator<undefined, Result, undefined>;

/** The encoding of a kind of trie's values in an archive. */
export interface ArchivedValues<V> {
  /** The encoding that trie hashes are computed from. */
  readonly encode: ValueEncoder<V>;
  /** Archives the trie of a value, for example its storage. Returns its place, or {@link NOWHERE}. */
  archiveBelow?(value: V, before: ValueBefore<V>): Archiving<number>;
  /** Writes the value with the place of its trie. Returns the end offset. */
  write(target: Buffer, offset: number, value: V, below: number): number;
  /** Decodes the key and value of {@link write}. */
  read(source: Buffer, offset: number): { readonly key: Uint8Array; readonly value: V };
}

// A record starts with the kind of its node. Records of unpinned nodes continue with the length of the
// reference and the reference.
const LEAF = 0;
const EXTENSION = 1;
const BRANCH = 2;
const PINNED = 3;

const REFERENCE = 2;
const PLACE_SIZE = 4;
const MASK_SIZE = 2;
const CHILDREN = 16;
/** Maximum bytes of a record. A branch takes about a hundred bytes, and a leaf depends on its value. */
const MAX_BYTES = 512;
/** Nodes between two yields. */
const NODES_AT_ONCE = 32;

/** A node in an archive. It is decoded on each access, because most readers follow a path once. */
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
 * Tries of consecutive states in an arena. An archived trie shares common nodes with the previous one. A node
 * takes about 70 bytes, a tenth of the size of objects.
 */
export class TrieArchive<V> {
  readonly #arena: Arena;
  readonly #values: ArchivedValues<V>;
  readonly #encoder: NodeEncoder<V>;
  /** The nodes that stay objects, because the reference trie for comparisons is kept as objects. */
  readonly #pinned: TrieLink<V>[];
  readonly #record = Buffer.alloc(MAX_BYTES);
  #nodes = 0;

  constructor(arena: Arena, values: ArchivedValues<V>, pinned: TrieLink<V>[] = []) {
    this.#arena = arena;
    this.#values = values;
    this.#encoder = new NodeEncoder(values.encode);
    this.#pinned = pinned;
  }

  /** Returns the trie with its root at this place. */
  open(place: number): TrieLink<V> {
    return this.#pinnedAt(place) ?? new ArchivedNode(this, place);
  }

  /**
   * Archives a trie and returns the place of its root. Nodes equal to `before` on the same path are not
   * archived again. If the node of `before` is an object, it is pinned as an object.
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

  /** Writes the start of a record. Returns its end offset. */
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

  /** Returns the place of an archived or pinned node if `before` is equal; else {@link NOWHERE}. */
  #placeOf(link: TrieLink<V>, before: Archived<V>): number {
    if (link instanceof ArchivedNode && link.archive === this) return link.place;
    if (before === null) return NOWHERE;
    // Decoded nodes are different objects each time, so references are compared.
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

  /** Returns the reference to a node in its parent. */
  referenceAt(place: number): Uint8Array {
    const bytes = this.#arena.chunkOf(place);
    const start = Arena.offsetOf(place);
    return new Uint8Array(bytes.subarray(start + REFERENCE, contentOf(bytes, start)));
  }

  /** Decodes the node at a place. Its children are not decoded yet. */
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

/** Returns the offset after the reference in a record. */
function contentOf(bytes: Buffer, start: number): number {
  return start + REFERENCE + (bytes[start + 1] ?? 0);
}
