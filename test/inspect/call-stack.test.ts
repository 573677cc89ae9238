// The call stacks of the failures of all compiler versions.

import { describe, expect, it } from 'vitest';
import { FOLDERS, fixtureRun } from './support/fixture-failures.ts';

interface Line {
  readonly contract: string | null;
  readonly function: string | null;
  readonly source: string | null;
  readonly line: number | null;
  readonly frame: number;
  readonly firstStep: number | null;
}

interface Outline {
  readonly count: number;
  readonly failedAt: number | null;
}

/** Failures of unoptimized code whose stack trace has another position than the last opcode, with the reason. */
const OTHER_POSITIONS: readonly (readonly [RegExp, string])[] = [
  [/^Unplaced\./, 'the trace finds a revert() without a place'],
  [/TooLarge\b/i, 'the trace has the constructor, the step has its last statement'],
  [/^Legacy\.callUnset$/, 'the optimizer of solc 0.7 moves the call of an unset pointer'],
  [/^LegacyBare with value without data$/, 'the last opcode has no place in solc 0.5'],
];

const textOf = ({ contract, function: name, source, line }: Line): string =>
  `${contract}.${name} (${source}:${line})`;
const nameOf = ({ contract, function: name }: Line): string => `${contract}.${name}`;

describe.each(FOLDERS)('call stacks of %s', (folder) => {
  const { isCoarse, failures, fail } = fixtureRun(folder);

  it('equal the stack traces at the failing step', async () => {
    const differences: unknown[] = [];
    for (const failure of failures) {
      const { call, hash } = await fail(failure);
      const { stackTrace } = (await call('inspect_transaction', [hash])) as { stackTrace: Line[] };
      const { failedAt, count } = (await call('inspect_steps', [hash, { count: 0 }])) as Outline;
      if (failedAt === null) continue;
      const { frames } = (await call('inspect_frames', [hash, failedAt])) as { frames: Line[] };
      for (const { firstStep } of frames) expect(firstStep ?? 0).toBeLessThanOrEqual(failedAt);
      await expect(call('inspect_frames', [hash, count])).rejects.toThrow(`one of the ${count} steps`);
      // A precompile has no steps.
      const traced = stackTrace.filter(({ function: name }) => name !== '<precompile>');
      const isSame = isCoarse
        ? frames.every((frame) => traced.some((line) => nameOf(line) === nameOf(frame)))
        : JSON.stringify(frames.map(textOf)) === JSON.stringify(traced.map(textOf));
      if (!isSame && !OTHER_POSITIONS.some(([name]) => name.test(failure.name)))
        differences.push([failure.name, frames.map(textOf), traced.map(textOf)]);
    }
    expect(differences).toEqual([]);
  });
});
