/**
 * A node of an immutable Merkle Patricia trie (Ethereum yellow paper, appendix D), or the trie below it; `null` stands
 * for a trie without entries. No field ever changes but the cached reference, so nodes are shared between tries freely.
 *
 * The keys of one trie are prefix-free: none begins another. Keccak hashes (all 32 bytes) and RLP indexes are. So an
 * entry always ends in a leaf, and branches hold no value of their own.
 */
export type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>;

/** A node as the one above has it: there, or kept elsewhere until somebody looks at it. */
export type TrieLink<V> = TrieNode<V> | UnloadedNode<V>;

/** The end of a path: one entry. */
export class Leaf<V> {
  /** How the node above names this one, see `referenceOf`; `null` until it is asked for. */
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

/** A run of nibbles that every key below has in common. */
export class Extension<V> {
  /** How the node above names this one, see `referenceOf`; `null` until it is asked for. */
  reference: Uint8Array | null = null;
  /** One nibble in each element; at least one. */
  readonly path: Uint8Array;
  readonly child: Branch<V>;

  constructor(path: Uint8Array, child: Branch<V>) {
    this.path = path;
    this.child = child;
  }
}

/** A parting of ways by the next nibble: two children or more. */
export class Branch<V> {
  /** How the node above names this one, see `referenceOf`; `null` until it is asked for. */
  reference: Uint8Array | null = null;
  /** Sixteen of them, by nibble. */
  readonly children: readonly (TrieLink<V> | null)[];

  constructor(children: readonly (TrieLink<V> | null)[]) {
    this.children = children;
  }

  /** The child that the nibble leads to. */
  childAt(nibble: number): TrieNode<V> | null {
    return loaded(this.children[nibble] ?? null);
  }

  /** The same branch with another child at the nibble. */
  withChild(nibble: number, child: TrieNode<V>): Branch<V> {
    const children = this.children.slice();
    children[nibble] = child;
    return new Branch(children);
  }
}

/** Where nodes are kept that are not at hand. */
export interface NodeSource<V> {
  /** The node that a reference names, which is the RLP of its hash. */
  load(reference: Uint8Array): TrieNode<V>;
}

/** The name of a node that is kept elsewhere; once it was looked at, the node is at hand. */
export class UnloadedNode<V> {
  /** How the node above names it: the RLP of its hash. */
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

/** The node that a link leads to; `null` for none. */
export function loaded<V>(link: TrieLink<V> | null): TrieNode<V> | null {
  return link instanceof UnloadedNode ? link.node : link;
}

/**
 * The nibble (half byte, the upper one first) of a key. Throws a `RangeError` past the key's end, which is reached
 * only when a key begins another.
 */
export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1];
  if (byte === undefined) throw new RangeError('a key of a trie begins another one');
  return (index & 1) === 0 ? byte >> 4 : byte & 15;
}
