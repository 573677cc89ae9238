/** The lines that a mutation run prints. */

import type { Mutant } from './mutants.ts';

const MAX_PART_LENGTH = 60;

/** Returns the place of a mutant and its change in one line. */
export function describeMutant(path: string, { line, original, replacement }: Mutant): string {
  const short = (text: string): string =>
    (text.length > MAX_PART_LENGTH ? `${text.slice(0, MAX_PART_LENGTH)}…` : text).replace(/\s+/g, ' ');
  return `${path}:${line}: ${short(original)} -> ${short(replacement)}`;
}

/** The test files for one mutant. */
export type Selection =
  /** The test files that run the changed place, from the record. */
  | { readonly kind: 'recorded' }
  /** The test files of the module, and the nearest of other modules. */
  | { readonly kind: 'nearest' }
  /** All test files. */
  | { readonly kind: 'whole-suite' };

/** The options that select a mutant: the same options select the same mutant again. */
export interface Choice {
  readonly seed: number;
  readonly path: string;
  /** Number of mutants that the seed selects before this mutant. */
  readonly skip: number;
}

/** Returns the command that runs the whole suite for one mutant. */
export function wholeSuiteCommand({ seed, path, skip }: Choice): string {
  const filter = path === '' ? '' : ` --path ${path}`;
  return `npm run tool -- test:mutation --whole-suite --seed ${seed}${filter} --skip ${skip} --count 1`;
}

/**
 * Returns the report of a mutant that no test detected. `ran` and `selected` are numbers of test files. They differ if
 * `--seconds` limits the run.
 */
export function survivorText(
  change: string,
  { kind }: Selection,
  { ran, selected }: { readonly ran: number; readonly selected: number },
  choice: Choice,
): string {
  if (kind === 'whole-suite' && ran === selected) return `SURVIVED ${change} (all ${ran} test files ran)`;
  if (kind === 'recorded') return `SURVIVED ${change} (${ran} of ${selected} test files that run it)`;
  return `SURVIVED ${change} (only the nearest ${ran} test files ran)
  The whole suite may detect this change. To run it: ${wholeSuiteCommand(choice)}`;
}

/** Returns the last line of a run. */
export function summaryText(seed: number, { kind }: Selection, total: number, survived: number): string {
  const percent = total === 0 ? 100 : (100 * (total - survived)) / total;
  const detected = `seed ${seed}: ${total - survived} of ${total} detected (${percent.toFixed(1)} %)`;
  if (kind !== 'nearest' || survived === 0) return detected;
  return `${detected}. Only the nearest test files ran: the whole suite may detect more.`;
}
