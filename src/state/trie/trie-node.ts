/**
 * A node of an immutable Merkle Patricia trie (Ethereum yellow paper, appendix D), or the trie below it; `null` is a
 * trie without entries. Only the cached reference ever changes, so tries share nodes freely.
 *
 * The keys of one trie are prefix-free: no key is a prefix of another. Keccak hashes (all 32 bytes) and RLP indexes
 * are. So an entry always ends in a leaf, and branches hold no value of their own.
 */
export type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>;

/** A child as its parent holds it: the node itself, or a reference that is loaded on first access. */
export type TrieLink<V> = TrieNode<V> | UnloadedNode<V>;

/** The end of a path: one entry. */
export class Leaf<V> {
  /** The reference to this node in its parent, see `referenceOf`; `null` until it is computed. */
  reference: Uint8Array | null = null;
  /** The whole key, in bytes. */
  readonly key: Uint8Array;
  /** How many nibbles of the key are spelled by the nodes above. */
  readonly depth: number;
  readonly value: V;

  constructor(key: Uint8Array, depth: number, value: V) {
    this.key = key;
    this.depth = depth;
    this.value = value;
  }
}

/** A run of nibbles that all keys below share. */
export class Extension<V> {
  /** The reference to this node in its parent, see `referenceOf`; `null` until it is computed. */
  reference: Uint8Array | null = null;
  /** One nibble in each element; at least one. */
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
  /** Sixteen of them, by nibble. */
  readonly children: readonly (TrieLink<V> | null)[];

  constructor(children: readonly (TrieLink<V> | null)[]) {
    this.children = children;
  }

  /** Returns the child at the nibble. */
  childAt(nibble: number): TrieNode<V> | null {
    return loaded(this.children[nibble] ?? null);
  }

  /** Returns the same branch with another child at the nibble. */
  withChild(nibble: number, child: TrieNode<V>): Branch<V> {
    const children = this.children.slice();
    children[nibble] = child;
    return new Branch(children);
  }
}

/** The store that unloaded nodes are read from. */
export interface NodeSource<V> {
  /** Returns the node with the reference, which is the RLP of its hash. */
  load(reference: Uint8Array): TrieNode<V>;
}

/** A reference to a node in a store; the node is loaded on first access and then kept in memory. */
export class UnloadedNode<V> {
  /** The reference to the node in its parent: the RLP of its hash. */
  readonly reference: Uint8Array;
  readonly #source: NodeSource<V>;
  #node: TrieNode<V> | null = null;

  constructor(reference: Uint8Array, source: NodeSource<V>) {
    this.reference = reference;
    this.#source = source;
  }

  /** The node itself. Throws what the source throws. */
  get node(): TrieNode<V> {
    this.#node ??= this.#source.load(this.reference);
    return this.#node;
  }
}

/** Returns the node of a link; `null` for no node. */
export function loaded<V>(link: TrieLink<V> | null): TrieNode<V> | null {
  return link instanceof UnloadedNode ? link.node : link;
}

/**
 * Returns the nibble (half byte, the upper one first) of a key. Throws a `RangeError` past the key's end, which is
 * reached only when one key is a prefix of another.
 */
export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1];
  if (byte === undefined) throw new RangeError('a key of a trie begins another one');
  return (index & 1) === 0 ? byte >> 4 : byte & 15;
}
