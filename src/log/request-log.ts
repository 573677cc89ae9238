import { printable } from '../config/printable.ts';
import type { RequestEntry } from './log-entries.ts';
import type { Style } from './style.ts';
import { onLane } from './transaction-log.ts';

const LONGEST_METHOD = 80;

/** What was called: the method, and the lane if there is one. */
export type CalledMethod = Pick<RequestEntry, 'method' | 'lane'>;

/** The line of an answered call that was made `count` times in a row. */
export function requestLine({ method, lane }: CalledMethod, count: number, style: Style): string {
  const name = `${printable(method.slice(0, LONGEST_METHOD))}${onLane(lane)}`;
  return count === 1 ? name : `${name} ${style.dim(`(${count})`)}`;
}

/** The lines of a call that was answered with an error. */
export function failedRequestLines({ method, lane, error }: RequestEntry, style: Style): string[] {
  const name = `${style.bad(printable(method.slice(0, LONGEST_METHOD)))}${onLane(lane)}`;
  return error === null ? [name] : [name, `  Error ${error.code}: ${printable(error.message)}`];
}
