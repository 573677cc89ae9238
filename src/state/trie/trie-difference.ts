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
  /** How many nibbles of an extension's path precede this position; 0 at other nodes. */
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
  yield* differencesBelow(placeAt(before), placeAt(after), 0);
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

function* differencesBelow<V>(
  before: Place<V> | null,
  after: Place<V> | null,
  depth: number,
): Generator<TrieDifference<V>, void, undefined> {
  if (before === null && after === null) return;
  if (before?.node === after?.node && before?.passed === after?.passed) return;
  if (isEntry(before) && isEntry(after) && haveOneKey(before, after)) {
    const values = { before: before?.node.value, after: after?.node.value };
    if (values.before !== values.after) yield values;
    return;
  }
  for (let nibble = 0; nibble < 16; nibble++) {
    if (haveSameChild(before, after, nibble)) continue;
    yield* differencesBelow(below(before, nibble, depth), below(after, nibble, depth), depth + 1);
  }
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
