/** Edits (insert, delete, replace, swap of neighbours) that lead from one word to the other. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const ways = [
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      if (isSwap && row > 1 && column > 1) ways.push((beforePrevious[column - 2] ?? 0) + 1);
      current.push(Math.min(...ways));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/** Of longer words, this share of the letters may differ before a suggestion is worse than none. */
const TOLERATED_SHARE = 0.4;
const SHORTEST_PREFIX = 3;

/** How many letters two words have in common at their beginning. */
function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}

/**
 * The word of `candidates` that was most likely meant, of equally near ones that with the longest beginning in common;
 * `undefined` when none is near.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let leastDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance > Math.max(word.length, candidate.length) * TOLERATED_SHARE) continue;
    const isNearer =
      distance < leastDistance ||
      (distance === leastDistance && commonStart(word, candidate) > commonStart(word, nearest ?? ''));
    if (isNearer) {
      nearest = candidate;
      leastDistance = distance;
    }
  }
  if (nearest !== undefined || word.length < SHORTEST_PREFIX) return nearest;
  // Of several that begin with the word the shortest has the least that was not written.
  return candidates
    .filter((candidate) => candidate.startsWith(word) || word.startsWith(`${candidate}-`))
    .sort((left, right) => left.length - right.length)[0];
}
