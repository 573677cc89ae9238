// The iteration order of a hash set in Java, which decides the order of confirmed pegouts without RSKIP-559.

const SMALLEST_TABLE = 16;
const LOAD_FACTOR = 0.75;

/** Returns the table size of a set created from a collection of this size. */
function tableSizeFor(count: number): number {
  const wanted = Math.max(Math.trunc(count / LOAD_FACTOR) + 1, SMALLEST_TABLE);
  return 2 ** Math.ceil(Math.log2(wanted));
}

function bucketOf(hash: number, tableSize: number): number {
  return ((hash ^ (hash >>> 16)) >>> 0) & (tableSize - 1);
}

/**
 * Returns the items in the iteration order of a set that was created from the first `initial` items and then
 * received the others. `hashOf` returns Java's hash of an item, a signed integer of 32 bits.
 */
export function javaSetOrder<Item>(
  items: readonly Item[],
  initial: number,
  hashOf: (item: Item) => number,
): Item[] {
  let tableSize = tableSizeFor(initial);
  while (items.length > tableSize * LOAD_FACTOR) tableSize *= 2;
  const buckets = items.map((item) => bucketOf(hashOf(item), tableSize));
  return items
    .map((item, index) => ({ item, bucket: buckets[index] ?? 0 }))
    .sort((left, right) => left.bucket - right.bucket)
    .map(({ item }) => item);
}
