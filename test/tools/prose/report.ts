import { type Ceiling, differences, isAbove, KINDS } from './ceiling.ts';
import type { Kind } from './checked-files.ts';
import type { Finding } from './findings.ts';

/** The findings in each checked file, with the kinds of prose that are counted in it. */
export type Findings = ReadonlyMap<
  string,
  { readonly kinds: readonly Kind[]; readonly findings: readonly Finding[] }
>;

/** The maximum number of files that one message lists. */
const LISTED_FILES = 10;

export function findingLine(file: string, { line, rule, words, remedy }: Finding): string {
  return `${file}:${line}: rule ${rule}: "${words}": ${remedy}`;
}

/** Returns the number of findings of each kind, by file. */
export function countsOf(all: Findings): Ceiling {
  const counts: Record<Kind, Record<string, number>> = { text: {}, comments: {} };
  for (const [file, { kinds, findings }] of all)
    for (const kind of kinds) counts[kind][file] = findings.filter((finding) => finding.kind === kind).length;
  return counts;
}

/** Returns the lines of a failed check; none if every count equals its ceiling. */
export function checkLines(ceiling: Ceiling, all: Findings): string[] {
  const found = differences(ceiling, countsOf(all));
  const above = found
    .filter(isAbove)
    .flatMap(({ kind, file, count = 0, ceiling: maximum = 0 }) => [
      ...(all.get(file)?.findings ?? [])
        .filter((finding) => finding.kind === kind)
        .map((each) => findingLine(file, each)),
      `${file}: ${count} findings in ${kind}, ${maximum} allowed; rewrite the new sentences`,
    ]);
  const outdated = found.filter((difference) => !isAbove(difference));
  if (outdated.length === 0) return above;
  const listed = outdated.slice(0, LISTED_FILES).map(({ kind, file, count, ceiling: maximum }) => {
    if (count === undefined) return `${file}: not checked any more, but listed in ${kind}`;
    if (maximum === undefined) return `${file}: not listed in ${kind}`;
    return `${file}: ${count} findings in ${kind}, but the ceiling is ${maximum}`;
  });
  const more = outdated.length - listed.length;
  return [
    ...above,
    ...listed,
    ...(more > 0 ? [`${more} more files`] : []),
    'The ceiling is out of date; run npm run tool -- lint:prose --update',
  ];
}

/** Returns one line with the number of findings of each kind. */
export function totalLine(all: Findings): string {
  const counts = countsOf(all);
  const totals = KINDS.map((kind) => {
    const total = Object.values(counts[kind]).reduce((sum, count) => sum + count, 0);
    return `${total} in ${kind}`;
  });
  return `Findings: ${totals.join(', ')}`;
}
