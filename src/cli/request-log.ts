import type { RequestEntry } from './log-entries.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

const LONGEST_METHOD = 80;

/** The line of an answered call that was made `count` times in a row. */
export function requestLine(method: string, count: number, style: Style): string {
  const name = printable(method.slice(0, LONGEST_METHOD));
  return count === 1 ? name : `${name} ${style.dim(`(${count})`)}`;
}

/** The lines of a call that was answered with an error. */
export function failedRequestLines({ method, error }: RequestEntry, style: Style): string[] {
  const name = style.bad(printable(method.slice(0, LONGEST_METHOD)));
  return error === null ? [name] : [name, `  Error ${error.code}: ${printable(error.message)}`];
}
