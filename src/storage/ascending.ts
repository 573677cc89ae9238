/** The first place, from `start` on, whose number is not below `value`; the length when there is none. */
export function lowerBound(ascending: readonly number[], value: number, start = 0): number {
  let low = start;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? value) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The numbers that both lists hold, ascending. */
export function intersection(left: readonly number[], right: readonly number[]): number[] {
  const shared: number[] = [];
  let place = 0;
  for (const value of left) {
    while (place < right.length && (right[place] ?? value) < value) place++;
    if (right[place] === value) shared.push(value);
  }
  return shared;
}
