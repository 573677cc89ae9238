// The variables of the failures of all compiler versions, compared with the decoded arguments of the call.

import { describe, expect, it } from 'vitest';
import { FOLDERS, fixtureRun } from '../support/fixture-failures.ts';

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

interface Steps {
  readonly count: number;
  readonly statements: readonly (readonly [number, number, number, number])[];
  readonly steps: readonly { readonly variables?: readonly Variable[] | null }[];
}

interface Inspection {
  readonly call: { readonly call: { readonly parameters: readonly Variable[] } | null };
}

const NOT_AVAILABLE = '<not available: optimized>';
const PAGE = 2_000;
/** Failures that run long, in loops or recursions. */
const MAX_STEPS = 3 * PAGE;

/** Functions whose inner function has a parameter with the same name and another value. */
const OTHER_FUNCTIONS: ReadonlySet<string> = new Set(['Reverts.internalChain']);

/**
 * The number of shown variables at statements, of unavailable ones, and of values equal to an argument. Runs
 * without a syntax tree, and Vyper, have no variables.
 */
const COUNTS: Readonly<Record<string, readonly [shown: number, unavailable: number, equal: number]>> = {
  'solc/0.4.22': [18, 0, 7],
  'solc/0.4.26': [18, 0, 7],
  'solc/0.5.17': [63, 0, 44],
  'solc/0.6.3': [2, 0, 2],
  'solc/0.7.6': [110, 82, 95],
  'solc/0.8.0': [81, 0, 55],
  'solc/0.8.28': [158, 0, 66],
  'solc/0.8.37-ethdebug': [0, 7, 0],
};

describe.each(FOLDERS)('variables of %s', (folder) => {
  const { failures, fail } = fixtureRun(folder);

  it('equal the arguments of the call, or are not available', async () => {
    let [shown, unavailable, equal] = [0, 0, 0];
    const wrong: unknown[] = [];
    for (const failure of failures) {
      const { call, hash } = await fail(failure);
      const told = (await call('inspect_transaction', [hash, { count: 0, changes: false }])) as Inspection;
      const { parameters } = told.call.call ?? { parameters: [] };
      const { count, statements } = (await call('inspect_steps', [hash, { count: 0 }])) as Steps;
      const all: (readonly Variable[] | null)[] = [];
      for (let first = 0; first < Math.min(count, MAX_STEPS); first += PAGE) {
        const page = { first, count: PAGE, variables: true, outline: false };
        for (const { variables } of ((await call('inspect_steps', [hash, page])) as Steps).steps)
          all.push(variables === undefined ? (all.at(-1) ?? null) : variables);
      }
      for (const [first, frame, file] of statements) {
        const variables = file < 0 ? null : (all[first] ?? null);
        for (const { name, type, value } of variables ?? []) {
          if (value === NOT_AVAILABLE) {
            unavailable++;
            continue;
          }
          shown++;
          const argument = frame === 0 ? parameters.find((one) => one.name === name) : undefined;
          if (argument === undefined || argument.type !== type || OTHER_FUNCTIONS.has(failure.name)) continue;
          if (JSON.stringify(argument.value) === JSON.stringify(value)) equal++;
          else wrong.push([failure.name, name, argument.value, value]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect([shown, unavailable, equal]).toEqual(COUNTS[folder] ?? [0, 0, 0]);
  });
});
