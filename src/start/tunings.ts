/** The tunings of the start. Each one gains at least 5 % of its row on at least one Node version. */

/** The variable with the names of tunings to switch off, for measurements (`test/bench/tunings.mjs`). */
const SWITCH = 'NODECLI_TUNINGS_OFF';

/** A V8 flag: its default, and its value while a node serves. */
export interface Flag {
  readonly default: string;
  readonly serving: string;
}

export interface Tuning {
  /** The change, and the reason. */
  readonly effect: string;
  /** The changed V8 flags; empty for a tuning in code. */
  readonly flags: readonly Flag[];
  /** The Node versions with the tuning; `null` for all. */
  readonly nodeVersions: readonly number[] | null;
  /** The measured row of `test/bench/tunings.mjs`. */
  readonly row: string;
  /** The gain in percent of the row without the tuning, by Node version; 0 for a version without the flags. */
  readonly gain: Readonly<Record<20 | 22 | 24 | 26, number>>;
}

export const TUNINGS = {
  'code-cache': {
    effect: 'V8 reads compiled functions from a file, instead of compiling them again',
    flags: [],
    nodeVersions: null,
    row: 'start',
    gain: { 20: 15, 22: 10, 24: 13, 26: 21 },
  },
  'two-scripts': {
    effect: 'a second script with the rarely used half of the code is loaded on first use',
    flags: [],
    nodeVersions: null,
    row: 'start',
    gain: { 20: 13, 22: 18, 24: 14, 26: 11 },
  },
  'lazy-modules': {
    effect: 'modules of Node that few starts use are loaded on first use',
    flags: [],
    nodeVersions: null,
    row: 'start',
    gain: { 20: 7, 22: 4, 24: 6, 26: 10 },
  },
  'warm-up': {
    effect: 'an idle node makes typical calls on a separate chain, so that V8 compiles their code earlier',
    flags: [],
    nodeVersions: null,
    row: 'first transactions',
    gain: { 20: 63, 22: 59, 24: 49, 26: 45 },
  },
  'early-optimization': {
    effect: 'V8 optimizes functions after half of its budget, and inlines less, so that it compiles faster',
    flags: [
      { default: '--interrupt-budget=67584', serving: '--interrupt-budget=33792' },
      {
        default: '--max-inlined-bytecode-size-cumulative=920',
        serving: '--max-inlined-bytecode-size-cumulative=450',
      },
    ],
    nodeVersions: [20],
    row: 'concurrent sends',
    gain: { 20: 13, 22: 0, 24: 0, 26: 0 },
  },
  'late-optimization': {
    effect:
      'before the node is busy, V8 optimizes only functions that run long: a short suite ends before others pay off',
    flags: [
      { default: '--ticks-before-optimization=3', serving: '--ticks-before-optimization=40' },
      {
        default: '--max-bytecode-size-for-early-opt=81',
        serving: '--max-bytecode-size-for-early-opt=0',
      },
    ],
    nodeVersions: [20],
    row: 'short suite',
    gain: { 20: 33, 22: 0, 24: 0, 26: 0 },
  },
  'loop-placement': {
    effect: 'V8 does not rotate loops, so that it places the run loop of the interpreter well in each build',
    flags: [{ default: '--turbo-loop-rotation', serving: '--no-turbo-loop-rotation' }],
    nodeVersions: [20, 22],
    row: 'loop',
    gain: { 20: 22, 22: 15, 24: 0, 26: 0 },
  },
  'background-threads': {
    effect: 'threads that compile and collect garbage have a lower priority than the main thread on Linux',
    flags: [],
    nodeVersions: [20],
    row: 'block',
    gain: { 20: 27, 22: -8, 24: 6, 26: -12 },
  },
  'small-heap': {
    effect: 'the space for new objects keeps its size while the heap is small',
    flags: [{ default: '--semi-space-growth-factor=2', serving: '--semi-space-growth-factor=1' }],
    nodeVersions: [20, 22, 24],
    row: 'memory',
    gain: { 20: 7, 22: 0, 24: 5, 26: 1 },
  },
  'large-heap': {
    effect: 'V8 collects a large heap when it has doubled, instead of up to four times its size',
    flags: [{ default: '--heap-growing-percent=0', serving: '--heap-growing-percent=100' }],
    nodeVersions: [20, 22, 24, 26],
    row: 'memory of a busy node',
    gain: { 20: 16, 22: 18, 24: 17, 26: 13 },
  },
  'large-new-space': {
    effect: 'the space for new objects of a large heap stops growing at 16 MB, because more saves no time',
    flags: [{ default: '--semi-space-growth-factor=2', serving: '--semi-space-growth-factor=1' }],
    nodeVersions: [20, 22, 24, 26],
    row: 'memory of a busy node',
    gain: { 20: 5, 22: 7, 24: 32, 26: 8 },
  },
} as const satisfies Readonly<Record<string, Tuning>>;

export type TuningName = keyof typeof TUNINGS;

/** True if this Node version has the tuning, and the environment does not switch it off. */
export function isEnabled(
  name: TuningName,
  { env, versions }: Pick<NodeJS.Process, 'env' | 'versions'> = process,
): boolean {
  const { nodeVersions }: Tuning = TUNINGS[name];
  if (nodeVersions?.includes(Number.parseInt(versions.node, 10)) === false) return false;
  return env[SWITCH] === undefined || !env[SWITCH].split(',').includes(name);
}
