/** Finds the source range around another range. */

import type { SourceRange } from '../../artifacts/source-map.ts';

/** Returns true if `inner` is `outer` or a part of it. */
export function isPartOf(inner: SourceRange, outer: SourceRange): boolean {
  return (
    inner.file === outer.file &&
    inner.start >= outer.start &&
    inner.start + inner.length <= outer.start + outer.length
  );
}

/** Returns a function that finds the item around a range. The ranges of items must not overlap. */
export function rangeFinder<Item>(
  items: readonly Item[],
  rangeOf: (item: Item) => SourceRange,
): (range: SourceRange) => Item | null {
  const byFile = new Map<number, Item[]>();
  for (const item of items) {
    const { file } = rangeOf(item);
    const ofFile = byFile.get(file) ?? [];
    byFile.set(file, ofFile);
    ofFile.push(item);
  }
  for (const ofFile of byFile.values())
    ofFile.sort((left, right) => rangeOf(left).start - rangeOf(right).start);
  return (range) => {
    const ofFile = byFile.get(range.file) ?? [];
    let [low, high] = [0, ofFile.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const item = ofFile[middle];
      if (item !== undefined && rangeOf(item).start <= range.start) low = middle + 1;
      else high = middle;
    }
    const found = ofFile[low - 1];
    return found !== undefined && isPartOf(range, rangeOf(found)) ? found : null;
  };
}
