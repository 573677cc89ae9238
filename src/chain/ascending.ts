/**
 * The first place, from `start` on, whose number is not below `value`; the length when there is none. Looks near
 * `start` first, so that walking through a list costs little for each step, however far the steps are.
 */
export function lowerBound(ascending: readonly number[], value: number, start = 0): number {
  const isBelow = (place: number): boolean => (ascending[place] ?? Number.POSITIVE_INFINITY) < value;
  let low = start;
  let step = 1;
  while (isBelow(low + step - 1)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, ascending.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The numbers that both lists hold, ascending. */
export function intersection(left: readonly number[], right: readonly number[]): number[] {
  const [fewer, more] = left.length <= right.length ? [left, right] : [right, left];
  const shared: number[] = [];
  let place = 0;
  for (const value of fewer) {
    place = lowerBound(more, value, place);
    if (place === more.length) break;
    if (more[place] === value) shared.push(value);
  }
  return shared;
}
