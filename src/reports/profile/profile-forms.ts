/** Formats gas profiles by the extension of the file name: speedscope's JSON, or collapsed stacks. */

import { jsonParts } from '../../json/json-writer.ts';
import type { Steps } from '../../primitives/steps.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { GasSample } from './gas-profiler.ts';
import type { ProfiledGas } from './profile-meter.ts';

/** A speedscope file (https://www.speedscope.app/file-format-schema.json). */
export interface SpeedscopeFile {
  readonly $schema: 'https://www.speedscope.app/file-format-schema.json';
  readonly exporter: string;
  readonly name: string;
  readonly activeProfileIndex: number;
  readonly shared: { readonly frames: readonly SpeedscopeFrame[] };
  readonly profiles: readonly SpeedscopeProfile[];
}

export interface SpeedscopeFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

/** Gas by stack. A sample is a list of frame indexes, outermost first. */
export interface SpeedscopeProfile {
  readonly type: 'sampled';
  readonly name: string;
  readonly unit: 'none';
  readonly startValue: number;
  readonly endValue: number;
  readonly samples: readonly (readonly number[])[];
  readonly weights: readonly number[];
}

const LINE = /^(?<file>.*):(?<line>\d+)$/s;

/** Units of work per frame of a sample. */
const FRAME_WORK = 100;

function workOf({ calls }: GasSample): number {
  return FRAME_WORK * (2 + calls.length);
}

/** Returns two profiles: by calls, and by calls with the source line. Yields between time slices. */
export function* speedscope(samples: readonly GasSample[], name: string): Steps<SpeedscopeFile> {
  const frames: SpeedscopeFrame[] = [];
  const indexes = new Map<string, number>();
  const indexOf = (key: string, frame: SpeedscopeFrame): number => {
    const known = indexes.get(key);
    if (known !== undefined) return known;
    indexes.set(key, frames.length);
    frames.push(frame);
    return frames.length - 1;
  };
  const callsOf = ({ calls }: GasSample): number[] =>
    calls.map((call) => indexOf(`call ${call}`, { name: call }));
  const lineOf = ({ line }: GasSample): number[] => {
    if (line === null) return [];
    const { file, line: number } = LINE.exec(line)?.groups ?? {};
    return [
      indexOf(`line ${line}`, { name: line, ...(file === undefined ? {} : { file, line: Number(number) }) }),
    ];
  };
  const byCalls = yield* profileOf('Gas by call path', samples, callsOf);
  const withLines = (sample: GasSample): number[] => [...callsOf(sample), ...lineOf(sample)];
  const byLines = yield* profileOf('Gas by source line', samples, withLines);
  return {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    exporter: 'node-cli',
    name,
    activeProfileIndex: 0,
    shared: { frames },
    profiles: [byCalls, byLines],
  };
}

function* profileOf(
  name: string,
  samples: readonly GasSample[],
  stackOf: (sample: GasSample) => readonly number[],
): Steps<SpeedscopeProfile> {
  const sums = new Map<string, { readonly stack: readonly number[]; gas: number }>();
  for (const sample of samples) {
    const stack = stackOf(sample);
    const key = stack.join(',');
    const sum = sums.get(key) ?? { stack, gas: 0 };
    sum.gas += Number(sample.gas);
    sums.set(key, sum);
    yield workOf(sample);
  }
  const sorted = [...sums.values()].sort((left, right) => right.gas - left.gas);
  const endValue = sorted.reduce((total, { gas }) => total + gas, 0);
  return {
    type: 'sampled',
    name,
    unit: 'none',
    startValue: 0,
    endValue,
    samples: sorted.map(({ stack }) => stack),
    weights: sorted.map(({ gas }) => gas),
  };
}

/** Returns one line per stack in the input format of flame graphs: `a;b;c 123`, with the source line last. */
export function* collapsedStacks(samples: readonly GasSample[]): Steps<string> {
  const sums = new Map<string, bigint>();
  for (const sample of samples) {
    const { calls, line, gas } = sample;
    yield workOf(sample);
    const stack = [...calls, ...(line === null ? [] : [line])].map(withoutMarks).join(';');
    sums.set(stack, (sums.get(stack) ?? 0n) + gas);
  }
  const lines = Array.from(sums, ([stack, gas]) => `${stack} ${gas}`).sort();
  return lines.map((line) => `${line}\n`).join('');
}

/** Replaces the separators of names and lines in a name. */
function withoutMarks(name: string): string {
  return name.replaceAll(/[;\p{Cc}\u2028\u2029]/gu, '_');
}

/** Resolves to the file content: speedscope's JSON for `.json`, otherwise collapsed stacks. */
export async function profileContent(name: string, { transactions, samples }: ProfiledGas): Promise<string> {
  const slice = new TimeSlice();
  if (!/\.json$/i.test(name)) return runTask(collapsedStacks(samples), slice);
  const file = await runTask(speedscope(samples, profileName(transactions)), slice);
  const parts = await runTask(
    jsonParts(file, () => undefined),
    slice,
  );
  return `${parts.join('')}\n`;
}

/** Returns the title of a profile. */
export function profileName(transactions: number): string {
  return `Gas of ${transactions} transaction${transactions === 1 ? '' : 's'}`;
}

/** Returns a note if transactions were not profiled; otherwise `null`. */
export function profileNote({ omitted, transactions }: ProfiledGas): string | null {
  if (omitted === 0) return null;
  return `${omitted} of ${transactions} transactions were not profiled because the profile queue was full; the profile shows their gas as "<not profiled>"`;
}
