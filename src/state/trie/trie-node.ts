// Trie nodes, their encoding and their hashes (Ethereum yellow paper, appendix D).

import { encodedKeccak256, KECCAK_INPUT, keccak256 } from '../../primitives/keccak.ts';
import { encodeRlp, prependListPrefix, prependRlp } from '../../primitives/rlp.ts';

/**
 * A node of an immutable Merkle Patricia trie (Ethereum yellow paper, appendix D) with its subtree. `null` is
 * an empty trie. Only the cached reference ever changes, so tries share nodes.
 *
 * The keys of a trie are prefix-free: no key is a prefix of another. This is true for Keccak hashes (32
 * bytes) and RLP indexes. Therefore an entry always ends in a leaf, and branches have no value.
 */
export type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>;

/** A child in its parent: the node itself, or a node that is loaded on access. */
export type TrieLink<V> = TrieNode<V> | UnloadedNode<V>;

/** The end of a path: one entry. */
export class Leaf<V> {
  /** The reference to this node in its parent, see `referenceOf`; `null` until it is computed. */
  reference: Uint8Array | null = null;
  /** The whole key, in bytes. */
  readonly key: Uint8Array;
  /** The number of key nibbles above this node. */
  readonly depth: number;
  readonly value: V;

  constructor(key: Uint8Array, depth: number, value: V) {
    this.key = key;
    this.depth = depth;
    this.value = value;
  }
}

/** Nibbles that all keys below share. */
export class Extension<V> {
  /** The reference to this node in its parent, see `referenceOf`; `null` until it is computed. */
  reference: Uint8Array | null = null;
  /** One nibble per element; at least one. */
  readonly path: Uint8Array;
  readonly child: Branch<V>;

  constructor(path: Uint8Array, child: Branch<V>) {
    this.path = path;
    this.child = child;
  }
}

/** A node with two or more children, by the next nibble. */
export class Branch<V> {
  /** The reference to this node in its parent, see `referenceOf`; `null` until it is computed. */
  reference: Uint8Array | null = null;
  /** Sixteen children, by nibble. */
  readonly children: readonly (TrieLink<V> | null)[];

  constructor(children: readonly (TrieLink<V> | null)[]) {
    this.children = children;
  }

  childAt(nibble: number): TrieNode<V> | null {
    const link = this.children[nibble] ?? null;
    return link instanceof UnloadedNode ? link.node : link;
  }

  /** Returns a copy with another child at the nibble. */
  withChild(nibble: number, child: TrieNode<V>): Branch<V> {
    const children = this.children.slice();
    children[nibble] = child;
    return new Branch(children);
  }
}

/** A node that is loaded on access. */
export abstract class UnloadedNode<V> {
  /** The reference to the node in its parent, see `referenceOf`. */
  abstract readonly reference: Uint8Array;
  /** Loads the node. Throws if it cannot be read. */
  abstract readonly node: TrieNode<V>;
}

/** Returns the node of a link; `null` for no node. */
export function loaded<V>(link: TrieLink<V> | null): TrieNode<V> | null {
  return link instanceof UnloadedNode ? link.node : link;
}

/**
 * Returns a nibble of a key (upper half of a byte first). Throws a `RangeError` after the end of the key.
 * This happens only if one key is a prefix of another.
 */
export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1];
  if (byte === undefined) throw new RangeError('a key of the trie is a prefix of another key');
  return (index & 1) === 0 ? byte >> 4 : byte & 15;
}

/**
 * Returns the bytes of a value for its hash, valid until the next call. They must depend on the value only,
 * because hashes are cached.
 */
export type ValueEncoder<V> = (value: V) => Uint8Array;

const EMPTY_STRING = encodeRlp(new Uint8Array(0));
/** The root (32 bytes) of an empty trie. */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(EMPTY_STRING);
/** The RLP of the empty string. It represents a branch's missing child and missing value. */
const EMPTY = 0x80;
const HASH_LENGTH = 32;
/** More bytes than a node has without its path and its value or child. */
const PREFIXES = 16;

/**
 * Returns the root hash (32 bytes) of a trie. Only nodes without a cached hash are hashed: after an update,
 * the nodes on its path. All tries that share nodes must use the same encoder.
 */
export function trieRoot<V>(root: TrieLink<V> | null, encodeValue: ValueEncoder<V>): Uint8Array {
  if (root === null) return EMPTY_TRIE_ROOT;
  const reference = root.reference ?? new NodeEncoder(encodeValue).reference(root);
  return isHash(reference) ? reference.slice(1) : keccak256(reference);
}

/** Encodes nodes directly into the input buffer of the hash function. */
export class NodeEncoder<V> {
  readonly #encodeValue: ValueEncoder<V>;
  /** Start and end of the last encoded node. */
  #start = 0;
  #end = 0;

  constructor(encodeValue: ValueEncoder<V>) {
    this.#encodeValue = encodeValue;
  }

  /** Returns the reference to a node in its parent: its RLP below 32 bytes, else the RLP of its hash. */
  reference(node: TrieLink<V>): Uint8Array {
    if (node.reference !== null) return node.reference;
    if (node instanceof UnloadedNode) return node.reference;
    node.reference = this.#referenceTo(this.#write(node));
    return node.reference;
  }

  /** Returns the RLP of a node, valid until the next encoding or hash. */
  encode(node: TrieNode<V>): Uint8Array {
    return this.#write(node).subarray(this.#start, this.#end);
  }

  #referenceTo(bytes: Uint8Array): Uint8Array {
    const length = this.#end - this.#start;
    if (length < HASH_LENGTH) return bytes.slice(this.#start, this.#end);
    if (bytes === KECCAK_INPUT) return encodedKeccak256(this.#start, length);
    return encodeRlp(keccak256(bytes.subarray(this.#start, this.#end)));
  }

  /** Encodes a node and returns the buffer with it. */
  #write(node: TrieNode<V>): Uint8Array {
    if (node instanceof Leaf) return this.#writeLeaf(node);
    return node instanceof Extension ? this.#writeExtension(node) : this.#writeBranch(node);
  }

  /** Avoids arrays for the path, because most nodes are leaves. */
  #writeLeaf({ key, depth, value }: Leaf<V>): Uint8Array {
    const encoded = this.#encodeValue(value);
    const end = PREFIXES + key.length + encoded.length;
    const target = end <= KECCAK_INPUT.length ? KECCAK_INPUT : new Uint8Array(end);
    const valueStart = prependRlp(target, end, encoded);
    // A loop over the bytes is ten times slower until it is compiled. The bytes before the path are overwritten.
    target.set(key, valueStart - key.length);
    // A path of one byte is below 0x40, so it is its own RLP.
    const pathLength = 1 + key.length - ((depth + 1) >> 1);
    let start = valueStart - pathLength;
    target[start] = depth % 2 === 0 ? LEAF_FLAG : LEAF_FLAG | ODD_FLAG | nibbleAt(key, depth);
    if (pathLength > 1) target[--start] = EMPTY + pathLength;
    this.#start = prependListPrefix(target, start, end);
    this.#end = end;
    return target;
  }

  #writeExtension(node: Extension<V>): Uint8Array {
    const reference = this.reference(node.child);
    const path = extensionPath(node);
    const end = PREFIXES + path.length + reference.length;
    const start = end - reference.length;
    KECCAK_INPUT.set(reference, start);
    this.#start = prependListPrefix(KECCAK_INPUT, prependRlp(KECCAK_INPUT, start, path), end);
    this.#end = end;
    return KECCAK_INPUT;
  }

  /** Avoids a list of 17 items, because most hashed nodes are branches. */
  #writeBranch({ children }: Branch<V>): Uint8Array {
    // All children are hashed first, because they use the same buffer.
    for (let nibble = 0; nibble < 16; nibble++) {
      const child = children[nibble] ?? null;
      if (child !== null && child.reference === null) this.reference(child);
    }
    let end = PREFIXES;
    for (let nibble = 0; nibble < 16; nibble++) {
      const reference = children[nibble]?.reference ?? null;
      if (reference === null) {
        KECCAK_INPUT[end++] = EMPTY;
      } else {
        KECCAK_INPUT.set(reference, end);
        end += reference.length;
      }
    }
    KECCAK_INPUT[end++] = EMPTY;
    this.#start = prependListPrefix(KECCAK_INPUT, PREFIXES, end);
    this.#end = end;
    return KECCAK_INPUT;
  }
}

/** Returns true for the RLP of a hash, false for the encoding of a shorter node. */
export function isHash(reference: Uint8Array): boolean {
  return reference.length > HASH_LENGTH;
}

// The hex-prefix encoding (yellow paper, appendix C). The first nibble has flags: 2 for a leaf, 1 for an odd
// number of nibbles. A zero nibble follows if the number is even, then the nibbles.
const LEAF_FLAG = 0x20;
const ODD_FLAG = 0x10;

function extensionPath({ path }: Extension<unknown>): Uint8Array {
  const odd = path.length % 2;
  const encoded = new Uint8Array((path.length >> 1) + 1);
  encoded[0] = odd === 0 ? 0 : ODD_FLAG | (path[0] ?? 0);
  for (let index = odd; index < path.length; index += 2) {
    encoded[(index >> 1) + 1] = ((path[index] ?? 0) << 4) | (path[index + 1] ?? 0);
  }
  return encoded;
}
