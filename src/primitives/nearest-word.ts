/** Suggests a known word for an unknown one. */

/** Returns the edit distance of two words (insert, delete, replace, swap of neighbours). */
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

/** Maximum share of edits in a word for a suggestion. */
const TOLERATED_SHARE = 0.4;
const MIN_PREFIX = 3;
/**
 * Maximum edits of a typo, and minimum and maximum length of a word. A short word only allows one edit,
 * because two make it another word.
 */
const MAX_SLIPS = 2;
const MIN_MISSPELT = 3;
const SHORT = 4;
const MAX_MISSPELT_LENGTH = 64;

function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}

/** Returns the candidate with the fewest edits, then the longest common prefix; `undefined` if none. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const nearest = minEdits(word, candidates, (longest) => longest * TOLERATED_SHARE);
  if (nearest !== undefined || word.length < MIN_PREFIX) return nearest;
  // Among candidates that begin with the word, the shortest is the most likely.
  return candidates
    .filter((candidate) => candidate.startsWith(word) || word.startsWith(`${candidate}-`))
    .sort((left, right) => left.length - right.length)[0];
}

/** Returns the candidate that differs only by a typo or by case; `undefined` for none. */
export function misspelled(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length < MIN_MISSPELT || word.length > MAX_MISSPELT_LENGTH) return undefined;
  const near = Array.from(candidates).filter(({ length }) => Math.abs(length - word.length) <= MAX_SLIPS);
  return minEdits(word, near, (longest) => (longest <= SHORT ? 1 : MAX_SLIPS));
}

/** `most` returns the maximum number of edits for the length of the longer word. */
function minEdits(
  word: string,
  candidates: readonly string[],
  most: (longest: number) => number,
): string | undefined {
  let nearest: string | undefined;
  let minDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance > most(Math.max(word.length, candidate.length))) continue;
    const isNearer =
      distance < minDistance ||
      (distance === minDistance && commonStart(word, candidate) > commonStart(word, nearest ?? ''));
    if (isNearer) {
      nearest = candidate;
      minDistance = distance;
    }
  }
  return nearest;
}
