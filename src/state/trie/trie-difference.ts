import { equalBytes } from '../../primitives/bytes.ts';
import { Branch, Leaf, loaded, nibbleAt, type TrieLink, type TrieNode } from './trie-node.ts';

/** The values of two tries under one key; `undefined` where a trie does not hold it. */
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
 * Yields the entries in which two tries differ, in the order of their keys. Skips nodes that both tries share, so tries
 * derived from each other are compared in the time of their differences, and nodes with the same reference, which two
 * tries read from a store hold as separate objects. Values count as different unless they are identical (`===`).
 */
export function* trieDifferences<V>(
  before: TrieLink<V> | null,
  after: TrieLink<V> | null,
): Generator<TrieDifference<V>, void, undefined> {
  if (isSameLink(before, after)) return;
  // The next pair is the last. One generator with a stack takes half the time of a generator for each pair.
  const pairs: Pair<V>[] = [{ before: placeAt(before), after: placeAt(after), depth: 0 }];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (isEntry(pair.before) && isEntry(pair.after) && haveOneKey(pair.before, pair.after)) {
      const values = { before: pair.before?.node.value, after: pair.after?.node.value };
      if (values.before !== values.after) yield values;
    } else pushChildren(pair, pairs);
  }
}

/** The places of two tries with the same path, of `depth` nibbles; `null` where a trie has no entry below it. */
interface Pair<V> {
  readonly before: Place<V> | null;
  readonly after: Place<V> | null;
  readonly depth: number;
}

/** Pushes the pairs one nibble below a pair, but for those with the same entries, those of the lowest nibbles last. */
function pushChildren<V>({ before, after, depth }: Pair<V>, pairs: Pair<V>[]): void {
  for (let nibble = 15; nibble >= 0; nibble--) {
    if (haveSameChild(before, after, nibble)) continue;
    const [left, right] = [below(before, nibble, depth), below(after, nibble, depth)];
    if (left?.node === right?.node && left?.passed === right?.passed) continue;
    pairs.push({ before: left, after: right, depth: depth + 1 });
  }
}

function isSameLink(before: TrieLink<unknown> | null, after: TrieLink<unknown> | null): boolean {
  if (before === after) return true;
  if (before === null || after === null || before.reference === null || after.reference === null)
    return false;
  return equalBytes(before.reference, after.reference);
}

function placeAt<V>(link: TrieLink<V> | null): Place<V> | null {
  const node = loaded(link);
  return node === null ? null : { node, passed: 0 };
}

/** True for two branches with the same child at the nibble, judged by its reference without loading it. */
function haveSameChild(before: Place<unknown> | null, after: Place<unknown> | null, nibble: number): boolean {
  if (!(before?.node instanceof Branch && after?.node instanceof Branch)) return false;
  return isSameLink(before.node.children[nibble] ?? null, after.node.children[nibble] ?? null);
}

function isEntry<V>(place: Place<V> | null): place is (Place<V> & { readonly node: Leaf<V> }) | null {
  return place === null || place.node instanceof Leaf;
}

/** True unless there are two entries with different keys. */
function haveOneKey(
  before: { readonly node: Leaf<unknown> } | null,
  after: { readonly node: Leaf<unknown> } | null,
): boolean {
  return before === null || after === null || equalBytes(before.node.key, after.node.key);
}

/** Returns the position below the nibble; `null` where no key has it. */
function below<V>(place: Place<V> | null, nibble: number, depth: number): Place<V> | null {
  if (place === null) return null;
  const { node, passed } = place;
  if (node instanceof Branch) return placeAt(node.childAt(nibble));
  if (node instanceof Leaf) return nibbleAt(node.key, depth) === nibble ? place : null;
  if (node.path[passed] !== nibble) return null;
  return passed + 1 === node.path.length ? placeAt(node.child) : { node, passed: passed + 1 };
}
