import type { Kind } from './checked-files.ts';

/** The number of findings by file. */
export type Counts = Readonly<Record<string, number>>;

/** The maximum number of findings of each kind, by file. Every checked file is listed. */
export type Ceiling = Readonly<Record<Kind, Counts>>;

export const KINDS: readonly Kind[] = ['text', 'comments'];

/** A file whose count differs from its ceiling. */
export interface Difference {
  readonly kind: Kind;
  readonly file: string;
  /** `undefined` if the file is not checked any more. */
  readonly count: number | undefined;
  /** `undefined` if the file is not listed. */
  readonly ceiling: number | undefined;
}

/** Returns the files whose counts differ from their ceilings, by kind and name. */
export function differences(ceiling: Ceiling, counts: Ceiling): Difference[] {
  return KINDS.flatMap((kind) => {
    const files = new Set([...Object.keys(ceiling[kind]), ...Object.keys(counts[kind])]);
    return [...files].sort().flatMap((file) => {
      const difference = { kind, file, count: counts[kind][file], ceiling: ceiling[kind][file] };
      return difference.count === difference.ceiling ? [] : [difference];
    });
  });
}

/** Returns true if the file has more findings than allowed. A new file may have none. */
export function isAbove({ count = 0, ceiling = 0 }: Difference): boolean {
  return count > ceiling;
}

/** Lowers the ceiling to `counts`. Adds new files at 0 and removes old ones. Raises no number. */
export function lowered(ceiling: Ceiling, counts: Ceiling): Ceiling {
  const lower = (kind: Kind): Counts =>
    Object.fromEntries(
      Object.entries(counts[kind]).map(([file, count]) => [file, Math.min(count, ceiling[kind][file] ?? 0)]),
    );
  return { text: lower('text'), comments: lower('comments') };
}

/** Returns the text of the ceiling's file, with the files in order. */
export function ceilingText(ceiling: Ceiling): string {
  const sorted = (counts: Counts): Counts =>
    Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ text: sorted(ceiling.text), comments: sorted(ceiling.comments) }, null, 2)}\n`;
}
