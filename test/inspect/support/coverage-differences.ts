// Compares a coverage of the suite of fixtures/coverage with that of solidity-coverage, place by place.

import { readFileSync } from 'node:fs';
import { type LcovFile, parseLcov } from '../../../src/reports/coverage/lcov.ts';
import { COVERAGE_PROJECT } from './coverage-suite.ts';

/** A place that is counted otherwise. */
export interface Difference {
  readonly place: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

interface KnownDifference extends Difference {
  /** The settings of the compiler under which it is there; all when it is missing. */
  readonly only?: string;
  readonly because: string;
}

/** The counts of a tracefile by place: of lines and functions, and of the branches of a line. */
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

/** Returns where the coverage differs from that of solidity-coverage. */
export function differencesFromTheirs(ours: readonly LcovFile[]): Difference[] {
  const theirs = parseLcov(readFileSync(`${COVERAGE_PROJECT}solidity-coverage.info`, 'utf8'));
  const [left, right] = [places(theirs), places(ours)];
  const found = [...new Set([...left.keys(), ...right.keys()])]
    .map((place) => ({ place, theirs: left.get(place) ?? null, ours: right.get(place) ?? null }))
    .filter((each) => JSON.stringify(each.theirs) !== JSON.stringify(each.ours));
  return sorted(found);
}

/** Returns the differences that are explained, under these settings of the compiler; `null` for none. */
export function knownDifferences(settings: string | null): Difference[] {
  const all: KnownDifference[] = JSON.parse(readFileSync(`${COVERAGE_PROJECT}differences.json`, 'utf8'));
  const known = all.filter(({ only }) => only === undefined || only === settings);
  return sorted(known.map(({ place, theirs, ours }) => ({ place, theirs, ours })));
}
