import { compareBytes, equalBytes } from '../../primitives/bytes.ts';
import {
  Branch,
  Extension,
  isHash,
  Leaf,
  loaded,
  NodeEncoder,
  nibbleAt,
  type TrieLink,
  type TrieNode,
  type ValueEncoder,
} from './trie-node.ts';

/** The values of two tries under one key; `undefined` for a missing value. */
export interface TrieDifference<V> {
  readonly before: V | undefined;
  readonly after: V | undefined;
}

/** A position in a trie: at a node, or inside the path of an extension. */
interface Place<V> {
  readonly node: TrieNode<V>;
  /** The number of nibbles of an extension's path before this position; 0 at other nodes. */
  readonly passed: number;
}

/**
 * Yields the entries that differ between two tries, in key order. Shared nodes are skipped, so the time
 * depends on the differences only. Nodes with the same reference are skipped too, because stores return them
 * as separate objects. Values are equal only if they are identical (`===`).
 */
export function* trieDifferences<V>(
  before: TrieLink<V> | null,
  after: TrieLink<V> | null,
): Generator<TrieDifference<V>, void, undefined> {
  if (isSameLink(before, after)) return;
  // The last pair is next. One generator with a stack is twice as fast as nested generators.
  const pairs: Pair<V>[] = [{ before: placeAt(before), after: placeAt(after), depth: 0 }];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (isEntry(pair.before) && isEntry(pair.after) && haveOneKey(pair.before, pair.after)) {
      const values = { before: pair.before?.node.value, after: pair.after?.node.value };
      if (values.before !== values.after) yield values;
    } else pushChildren(pair, pairs);
  }
}

/** The positions of two tries after the same path of `depth` nibbles; `null` without entries below. */
interface Pair<V> {
  readonly before: Place<V> | null;
  readonly after: Place<V> | null;
  readonly depth: number;
}

/** Pushes the differing pairs one nibble deeper, lowest nibble last. */
function pushChildren<V>({ before, after, depth }: Pair<V>, pairs: Pair<V>[]): void {
  for (let nibble = 15; nibble >= 0; nibble--) {
    if (haveSameChild(before, after, nibble)) continue;
    const [left, right] = [below(before, nibble, depth), below(after, nibble, depth)];
    if (left?.node === right?.node && left?.passed === right?.passed) continue;
    pairs.push({ before: left, after: right, depth: depth + 1 });
  }
}

/** True for links to the same trie, as far as known without hashes and reads. */
export function isSameLink(before: TrieLink<unknown> | null, after: TrieLink<unknown> | null): boolean {
  if (before === after) return true;
  if (before === null || after === null || before.reference === null || after.reference === null)
    return false;
  return equalBytes(before.reference, after.reference);
}

function placeAt<V>(link: TrieLink<V> | null): Place<V> | null {
  const node = loaded(link);
  return node === null ? null : { node, passed: 0 };
}

/** Returns true for two branches with the same child at the nibble, without loading it. */
function haveSameChild(before: Place<unknown> | null, after: Place<unknown> | null, nibble: number): boolean {
  if (!(before?.node instanceof Branch && after?.node instanceof Branch)) return false;
  return isSameLink(before.node.children[nibble] ?? null, after.node.children[nibble] ?? null);
}

function isEntry<V>(place: Place<V> | null): place is (Place<V> & { readonly node: Leaf<V> }) | null {
  return place === null || place.node instanceof Leaf;
}

/** Returns false for two entries with different keys. */
function haveOneKey(
  before: { readonly node: Leaf<unknown> } | null,
  after: { readonly node: Leaf<unknown> } | null,
): boolean {
  return before === null || after === null || equalBytes(before.node.key, after.node.key);
}

/** Returns the position below the nibble; `null` if no key continues with it. */
function below<V>(place: Place<V> | null, nibble: number, depth: number): Place<V> | null {
  if (place === null) return null;
  const { node, passed } = place;
  if (node instanceof Branch) return placeAt(node.childAt(nibble));
  if (node instanceof Leaf) return nibbleAt(node.key, depth) === nibble ? place : null;
  if (node.path[passed] !== nibble) return null;
  return passed + 1 === node.path.length ? placeAt(node.child) : { node, passed: passed + 1 };
}

/** The keys that a change reads or writes. */
export interface WitnessKeys {
  /** All keys, each as long as the trie's keys. */
  readonly touched: readonly Uint8Array[];
  /** Returns true if the key is not in the trie after the change. */
  isRemoved(key: Uint8Array): boolean;
}

/**
 * Yields the RLP of each node on the paths to the keys, from the root down. If removals leave a branch with
 * one child, that child is yielded too, because it moves into the branch's place. Nodes shorter than a hash
 * are part of their parent and are not yielded.
 */
export function* trieWitness<V>(
  root: TrieNode<V> | null,
  keys: WitnessKeys,
  encodeValue: ValueEncoder<V>,
): Generator<Uint8Array, void, undefined> {
  if (root === null) return;
  const encoder = new NodeEncoder(encodeValue);
  yield encoder.encode(root).slice();
  yield* nodesBelow(root, 0, keys.touched, keys, encoder);
}

function* encoded<V>(node: TrieNode<V>, encoder: NodeEncoder<V>): Generator<Uint8Array, void, undefined> {
  if (isHash(encoder.reference(node))) yield encoder.encode(node).slice();
}

/** Yields the nodes below a yielded one. Returns true if no entry of it remains after the change. */
function* nodesBelow<V>(
  node: TrieNode<V>,
  depth: number,
  touched: readonly Uint8Array[],
  keys: WitnessKeys,
  encoder: NodeEncoder<V>,
): Generator<Uint8Array, boolean, undefined> {
  if (node instanceof Leaf)
    return touched.some((key) => equalBytes(key, node.key)) && keys.isRemoved(node.key);
  if (node instanceof Extension) {
    const { path, child } = node;
    const below = touched.filter((key) =>
      path.every((nibble, index) => nibbleAt(key, depth + index) === nibble),
    );
    if (below.length === 0) return false;
    yield* encoded(child, encoder);
    return yield* nodesBelow(child, depth + path.length, below, keys, encoder);
  }
  return yield* nodesOfBranch(node, depth, touched, keys, encoder);
}

/** Groups the keys by their nibble at the depth; `undefined` for an empty group. */
function byNibble(keys: readonly Uint8Array[], depth: number): (Uint8Array[] | undefined)[] {
  const groups = new Array<Uint8Array[] | undefined>(16);
  for (const key of keys) {
    const nibble = nibbleAt(key, depth);
    const group = groups[nibble];
    if (group === undefined) groups[nibble] = [key];
    else group.push(key);
  }
  return groups;
}

function* nodesOfBranch<V>(
  branch: Branch<V>,
  depth: number,
  touched: readonly Uint8Array[],
  keys: WitnessKeys,
  encoder: NodeEncoder<V>,
): Generator<Uint8Array, boolean, undefined> {
  /** The nibbles of the remaining children. `isKnown` is true if a key leads to the child. */
  const left: { readonly nibble: number; readonly isKnown: boolean }[] = [];
  const groups = byNibble(touched, depth);
  for (const [nibble, link] of branch.children.entries()) {
    if (link === null) continue;
    const below = groups[nibble];
    const child = below === undefined ? null : loaded(link);
    if (below !== undefined && child !== null) {
      yield* encoded(child, encoder);
      if (yield* nodesBelow(child, depth + 1, below, keys, encoder)) continue;
    }
    left.push({ nibble, isKnown: child !== null });
  }
  const [only, other] = left;
  if (only === undefined) return true;
  const moved = other === undefined && !only.isKnown ? branch.childAt(only.nibble) : null;
  if (moved !== null) yield* encoded(moved, encoder);
  return false;
}

/**
 * Yields the entries with keys of at least `start`, in key order. `start` has the length of the keys. Lower
 * subtrees are skipped without loading.
 */
export function* trieEntriesFrom<V>(
  root: TrieNode<V> | null,
  start: Uint8Array,
): Generator<Leaf<V>, void, undefined> {
  yield* entriesBelow(root, start, 0, true);
}

/** `isAtEdge` is true if the nibbles above the node equal `start`, so the subtree can have lower keys. */
function* entriesBelow<V>(
  node: TrieNode<V> | null,
  start: Uint8Array,
  depth: number,
  isAtEdge: boolean,
): Generator<Leaf<V>, void, undefined> {
  if (node === null) return;
  if (node instanceof Leaf) {
    if (!isAtEdge || compareBytes(node.key, start) >= 0) yield node;
    return;
  }
  if (node instanceof Branch) {
    const first = isAtEdge ? nibbleAt(start, depth) : 0;
    for (let nibble = first; nibble < node.children.length; nibble++) {
      const child = loaded(node.children[nibble] ?? null);
      yield* entriesBelow(child, start, depth + 1, isAtEdge && nibble === first);
    }
    return;
  }
  const { path, child } = node;
  const order = isAtEdge ? compareWithPath(path, start, depth) : 1;
  if (order < 0) return;
  yield* entriesBelow(child, start, depth + path.length, order === 0);
}

/** Compares the path with the nibbles of `start` from `depth`. Returns a negative number if lower. */
function compareWithPath(path: Uint8Array, start: Uint8Array, depth: number): number {
  for (const [index, nibble] of path.entries()) {
    const difference = nibble - nibbleAt(start, depth + index);
    if (difference !== 0) return difference;
  }
  return 0;
}
