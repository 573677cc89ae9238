/** Reads the call stack of an execution, and the links that open its files in an editor. */

import { client } from '../../chain.ts';
import { type Target, targetParameter } from '../../execution-target.ts';
import type { StackFrame } from '../../inspection.ts';

/** Consecutive lines of a source; `first` is the number of the first one. */
export interface SourceExcerpt {
  readonly first: number;
  readonly lines: readonly string[];
}

/** A function that has not ended. */
export interface RunningFunction extends StackFrame {
  readonly kind: 'call' | 'staticcall' | 'delegatecall' | 'library' | 'creation' | 'internal';
  readonly address: string;
  readonly frame: number;
  readonly depth: number;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  readonly firstStep: number | null;
  readonly excerpt?: SourceExcerpt | null;
}

export interface CallStack {
  /** `null` if no step failed, for example because a precompile failed. */
  readonly step: number | null;
  /** The number of all functions. */
  readonly count: number;
  readonly frames: readonly RunningFunction[];
}

interface StackPage {
  readonly first?: number;
  readonly count?: number;
  readonly lines?: number;
}

/** Lines above and below a position. */
const LINES = 3;
/** Functions per request. */
export const FRAMES_AT_ONCE = 50;

/** Resolves to a part of the call stack at a step, or at the failed step. Rejects with the node's error. */
export function readCallStack(
  target: Target,
  step: number | 'failed',
  { first = 0, count = FRAMES_AT_ONCE, lines = LINES }: StackPage = {},
): Promise<CallStack> {
  const page = { first, count, lines };
  return client.read<CallStack>('inspect_frames', [targetParameter(target), step, page]);
}

/**
 * Returns the stack of the failure with the first steps of its functions, which only the stack of a numbered
 * step contains. `numbered` is the stack of the same step. Counted from the outermost function, because the
 * two stacks can differ in the innermost function.
 */
export function withFirstSteps(failed: CallStack, numbered: CallStack): CallStack {
  const shift = numbered.count - failed.count;
  const frames = failed.frames.map((running, index) => {
    const same = numbered.frames[index + shift];
    const isSame = same?.frame === running.frame && same.function === running.function;
    return isSame ? { ...running, firstStep: running.firstStep ?? same.firstStep } : running;
  });
  return { ...failed, frames };
}

/** Returns the account that runs the innermost function: delegate calls and libraries run on their caller. */
export function runningAccount(frames: readonly RunningFunction[]): string | null {
  const outer = frames.find(
    ({ kind }) => kind !== 'internal' && kind !== 'delegatecall' && kind !== 'library',
  );
  return outer?.address ?? null;
}
