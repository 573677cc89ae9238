// Compares a coverage report of the suite of fixtures/coverage with the report of solidity-coverage.

import { readFileSync } from 'node:fs';
import { type LcovFile, parseLcov } from '../../../src/reports/coverage/lcov.ts';
import { COVERAGE_PROJECT } from './coverage-suite.ts';

/** A location with different counts. */
export interface Difference {
  readonly place: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

interface KnownDifference extends Difference {
  /** The compiler settings with this difference; all if absent. */
  readonly only?: string;
  readonly because: string;
}

/** The counts of a tracefile by location: lines, functions and branches. */
function places(files: readonly LcovFile[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { name, lines, functions, branches } of files) {
    for (const [line, times] of lines) found.set(`${name}:${line} line`, times);
    for (const { line, times } of functions) found.set(`${name}:${line} function`, times);
    for (const { line } of branches) {
      const sides = branches.filter((branch) => branch.line === line).map(({ times }) => times ?? 0);
      found.set(`${name}:${line} branches`, sides);
    }
  }
  return found;
}

function sorted(found: readonly Difference[]): Difference[] {
  return found.toSorted((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

/** Returns the differences from the report of solidity-coverage. */
export function differencesFromTheirs(ours: readonly LcovFile[]): Difference[] {
  const theirs = parseLcov(readFileSync(`${COVERAGE_PROJECT}solidity-coverage.info`, 'utf8'));
  const [left, right] = [places(theirs), places(ours)];
  const found = [...new Set([...left.keys(), ...right.keys()])]
    .map((place) => ({ place, theirs: left.get(place) ?? null, ours: right.get(place) ?? null }))
    .filter((each) => JSON.stringify(each.theirs) !== JSON.stringify(each.ours));
  return sorted(found);
}

/** Returns the explained differences under these compiler settings; `null` for no settings. */
export function knownDifferences(settings: string | null): Difference[] {
  const all: KnownDifference[] = JSON.parse(readFileSync(`${COVERAGE_PROJECT}differences.json`, 'utf8'));
  const known = all.filter(({ only }) => only === undefined || only === settings);
  return sorted(known.map(({ place, theirs, ours }) => ({ place, theirs, ours })));
}
