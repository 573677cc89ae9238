import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import {
  type Account,
  type Code,
  EMPTY_CODE,
  encodeAccount,
  encodeStorageEntry,
  type StorageEntry,
} from './account.ts';
import { MissingRecordError, StateRecordError } from './errors.ts';
import {
  Branch,
  Extension,
  isHash,
  Leaf,
  loaded,
  type TrieLink,
  type TrieNode,
  trieRoot,
  UnloadedNode,
  type ValueEncoder,
} from './trie/trie-node.ts';
import { WorldState } from './world-state.ts';

/** A store of state records. A record is readable immediately after `put`. */
export interface RecordStore {
  getSync(key: string): Uint8Array | undefined;
  /** Keeps both arrays, so the caller must not change them. */
  put(key: string, value: Uint8Array): void;
}

/** The encoding of a kind of value in a store. Unlike the trie's encoding, it can be decoded. */
interface ValueRecords<V> {
  /** The encoding that trie hashes are computed from. */
  readonly encode: ValueEncoder<V>;
  /** Encodes the value, and puts parts with their own records. */
  keep(value: V): RlpItem;
  /** Decodes the value and returns it with its key. */
  open(item: RlpItem): { readonly key: Uint8Array; readonly value: V };
}

const LEAF = Uint8Array.of(1);
const EXTENSION = Uint8Array.of(2);
const NO_CHILD = new Uint8Array(0);
const HASH_PREFIX = 0xa0;
const HASH_SIZE = 32;
const BRANCH_SIZE = 16;

function nodeKey(hash: Uint8Array): string {
  return `n${hexKey(hash)}`;
}

function hashOf(reference: Uint8Array): Uint8Array {
  return reference.subarray(1);
}

/** Returns the RLP of a hash. */
function referenceTo(hash: Uint8Array): Uint8Array {
  const reference = new Uint8Array(1 + HASH_SIZE);
  reference[0] = HASH_PREFIX;
  reference.set(hash, 1);
  return reference;
}

function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw new StateRecordError('a trie node has a list in place of bytes');
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === 1 && left[0] === right[0];
}

/** A node in a store. It is loaded on first access and then stays in memory. */
class StoredNode<V> extends UnloadedNode<V> {
  override readonly reference: Uint8Array;
  readonly store: TrieStore<V>;
  #node: TrieNode<V> | null = null;

  constructor(reference: Uint8Array, store: TrieStore<V>) {
    super();
    this.reference = reference;
    this.store = store;
  }

  /** Throws the errors of {@link TrieStore.load}. */
  override get node(): TrieNode<V> {
    this.#node ??= this.store.load(this.reference);
    return this.#node;
  }
}

/**
 * Tries of one kind in a store. A node is stored under its hash; a node shorter than a hash is stored in its
 * parent. Nodes are never deleted, and tries share common nodes. Keys must be hashes with distinct endings: a
 * leaf's record has the whole key, its hash only the end.
 */
export class TrieStore<V> {
  readonly #records: RecordStore;
  readonly #values: ValueRecords<V>;
  /** Nodes known to be stored with their whole subtree. */
  readonly #stored = new WeakSet<TrieNode<V>>();

  constructor(records: RecordStore, values: ValueRecords<V>) {
    this.#records = records;
    this.#values = values;
  }

  /** Puts the missing nodes. Returns the root hash (32 bytes) for {@link open}. */
  keep(root: TrieLink<V> | null): Uint8Array {
    const hash = trieRoot(root, this.#values.encode);
    const node = this.#unstored(root);
    // The root has a record even if it is shorter than a hash.
    if (node !== null) this.#put(node, hash);
    return hash;
  }

  /** Returns the node of a link; `null` if there is no node or it is known to be stored. */
  #unstored(link: TrieLink<V> | null): TrieNode<V> | null {
    if (link instanceof StoredNode && link.store === this) return null;
    const node = loaded(link);
    return node === null || this.#stored.has(node) ? null : node;
  }

  #put(node: TrieNode<V>, hash: Uint8Array): void {
    this.#records.put(nodeKey(hash), encodeRlp(this.#item(node)));
    this.#stored.add(node);
  }

  #item(node: TrieNode<V>): RlpItem {
    if (node instanceof Leaf) return [LEAF, Uint8Array.of(node.depth), this.#values.keep(node.value)];
    if (node instanceof Extension) return [EXTENSION, node.path, this.#link(node.child)];
    return node.children.map((child) => (child === null ? NO_CHILD : this.#link(child)));
  }

  /** Returns the link in the parent's record: the node's hash, or the node itself if it is shorter. */
  #link(link: TrieLink<V>): RlpItem {
    const { reference } = link;
    if (reference === null) throw new StateRecordError('a trie node without a hash cannot be stored');
    if (!isHash(reference)) return this.#item(link instanceof UnloadedNode ? link.node : link);
    const node = this.#unstored(link);
    if (node !== null) this.#put(node, hashOf(reference));
    return hashOf(reference);
  }

  /** Returns the trie with this root hash. Its nodes are read on access. */
  open(rootHash: Uint8Array): UnloadedNode<V> {
    return new StoredNode(referenceTo(rootHash), this);
  }

  /** Throws a {@link MissingRecordError} or {@link StateRecordError} if the store is damaged. */
  load(reference: Uint8Array): TrieNode<V> {
    const hash = hashOf(reference);
    const record = this.#records.getSync(nodeKey(hash));
    if (record === undefined) throw new MissingRecordError('node', hash);
    const node = this.#node(decodeRlp(record));
    // Computed, because a short root is not referenced by its hash.
    trieRoot(node, this.#values.encode);
    return node;
  }

  #node(item: RlpItem): TrieNode<V> {
    const node = this.#read(item);
    this.#stored.add(node);
    return node;
  }

  #read(item: RlpItem): TrieNode<V> {
    if (item instanceof Uint8Array) throw new StateRecordError('a trie node has bytes in place of a list');
    if (item.length === BRANCH_SIZE) return new Branch(item.map((child) => this.#child(child)));
    const [kind, position, content] = item;
    if (content === undefined) throw new StateRecordError('a trie node ends too early');
    if (isSame(bytesOf(kind), LEAF)) {
      const { key, value } = this.#values.open(content);
      return new Leaf(key, Number(bytesToBigInt(bytesOf(position))), value);
    }
    if (!isSame(bytesOf(kind), EXTENSION)) throw new StateRecordError('a trie node has an unknown kind');
    const child = loaded(this.#child(content));
    if (!(child instanceof Branch)) throw new StateRecordError('an extension does not lead to a branch');
    return new Extension(bytesOf(position), child);
  }

  #child(item: RlpItem): TrieLink<V> | null {
    if (!(item instanceof Uint8Array)) return this.#node(item);
    return item.length === 0 ? null : this.open(item);
  }
}

function codeKey(hash: Uint8Array): string {
  return `c${hexKey(hash)}`;
}

/** Code that is read on first access. */
class StoredCode implements Code {
  readonly hash: Uint8Array;
  readonly #records: RecordStore;
  #bytes: Uint8Array | undefined;

  constructor(hash: Uint8Array, records: RecordStore) {
    this.hash = hash;
    this.#records = records;
  }

  /** Throws a {@link MissingRecordError}. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#records.getSync(codeKey(this.hash));
    if (this.#bytes === undefined) throw new MissingRecordError('code', this.hash);
    return this.#bytes;
  }
}

/** Contract codes in a store, by hash. */
class CodeStore {
  readonly #records: RecordStore;
  /** Codes known to be stored. */
  readonly #stored = new WeakSet<Code>([EMPTY_CODE]);

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Puts the code unless it is stored. */
  keep(code: Code): void {
    if (this.#stored.has(code)) return;
    this.#stored.add(code);
    if (code.bytes.length > 0) this.#records.put(codeKey(code.hash), code.bytes);
  }

  /** Returns the code with this hash; the empty code for `null`. */
  open(hash: Uint8Array | null): Code {
    if (hash === null) return EMPTY_CODE;
    const code = new StoredCode(hash, this.#records);
    this.#stored.add(code);
    return code;
  }
}

const EMPTY_ROOT = trieRoot(null, () => EMPTY_BYTES);

function fieldsOf(item: RlpItem): readonly Uint8Array[] {
  if (item instanceof Uint8Array) throw new StateRecordError('a value has bytes in place of a list');
  return item.map((field) => {
    if (field instanceof Uint8Array) return field;
    throw new StateRecordError('a value has a list in place of bytes');
  });
}

/** A store of complete states. */
export interface StateKeeper {
  /** True if states are identified by their root; false for other ids. */
  readonly isByRoot: boolean;
  /** Puts the missing parts of the state. Returns its id (32 bytes). Throws an `UnknownStateError`. */
  keep(state: WorldState): Uint8Array;
  /** Returns the state with this id. Throws a `MissingRecordError` if the store is damaged. */
  open(id: Uint8Array): WorldState;
}

/**
 * States in a store. `keep` puts only missing nodes: after a block, the nodes on the paths to its changes. An
 * opened state reads nodes on access and then caches them. Nothing is deleted, because other states may need
 * any node.
 */
export class StateStore implements StateKeeper {
  readonly isByRoot = true;
  readonly #codes: CodeStore;
  readonly #storages: TrieStore<StorageEntry>;
  readonly #accounts: TrieStore<Account>;

  constructor(records: RecordStore) {
    this.#codes = new CodeStore(records);
    this.#storages = new TrieStore(records, {
      encode: encodeStorageEntry,
      keep: ({ slot, value }) => [slot, value],
      open: (item) => readStorageEntry(item),
    });
    this.#accounts = new TrieStore(records, {
      encode: encodeAccount,
      keep: (account) => this.#keepAccount(account),
      open: (item) => this.#openAccount(item),
    });
  }

  /** Puts the missing parts of the state. Returns its root (32 bytes). Throws an `UnknownStateError`. */
  keep(state: WorldState): Uint8Array {
    return this.#accounts.keep(state.trie);
  }

  /** Returns a stored state by root. Reading a missing part throws a `MissingRecordError`. */
  open(root: Uint8Array): WorldState {
    return equalBytes(root, EMPTY_ROOT) ? WorldState.empty() : WorldState.of(this.#accounts.open(root));
  }

  #keepAccount({ address, nonce, balance, code, storage }: Account): RlpItem {
    this.#codes.keep(code);
    return [
      address,
      bigIntToBytes(nonce),
      bigIntToBytes(balance),
      storage === null ? EMPTY_BYTES : this.#storages.keep(storage),
      equalBytes(code.hash, EMPTY_CODE.hash) ? EMPTY_BYTES : code.hash,
    ];
  }

  #openAccount(item: RlpItem): { readonly key: Uint8Array; readonly value: Account } {
    const [address, nonce, balance, root, codeHash] = fieldsOf(item);
    if (!address || !nonce || !balance || !root || !codeHash) {
      throw new StateRecordError('an account ends too early');
    }
    const value = {
      address,
      nonce: bytesToBigInt(nonce),
      balance: bytesToBigInt(balance),
      code: this.#codes.open(codeHash.length === 0 ? null : codeHash),
      storage: root.length === 0 ? null : this.#storages.open(root).node,
    };
    return { key: keccak256(address), value };
  }
}

function readStorageEntry(item: RlpItem): { readonly key: Uint8Array; readonly value: StorageEntry } {
  const [slot, value] = fieldsOf(item);
  if (slot === undefined || value === undefined)
    throw new StateRecordError('an entry of storage ends too early');
  return { key: keccak256(slot), value: { slot, value } };
}
