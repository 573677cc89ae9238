/** The results of `inspect_steps` and `inspect_frames` that a debugger reads. */

import { isRecord } from '../../primitives/record.ts';
import { DebugError } from './debug-error.ts';

/** The first step, the frame, the file (-1 without source) and the line of a statement. */
export type OutlineStatement = readonly [first: number, frame: number, file: number, line: number];

export interface OutlineFrame {
  readonly type: string;
  readonly depth: number;
  readonly address: string;
  readonly storageAddress: string;
  readonly contract: string | null;
}

export interface OutlineFile {
  readonly name: string;
  readonly content: string;
}

/** An event, a console message or a failed frame. */
export interface OutlineEvent {
  readonly step: number;
  readonly frame: number;
  readonly kind: 'event' | 'console' | 'failure';
  readonly text: string;
  readonly contract: string | null;
  readonly error?: string;
  readonly isPassedOn?: true;
  readonly isCause?: true;
}

/** The whole execution, without its opcodes. */
export interface Outline {
  readonly count: number;
  readonly statements: readonly OutlineStatement[];
  readonly depths: readonly number[];
  readonly definitions: readonly number[];
  readonly frames: readonly OutlineFrame[];
  readonly files: readonly OutlineFile[];
  readonly events: readonly OutlineEvent[];
  readonly failedAt: number | null;
}

/** A value with the name and the type of the source. */
export interface NamedValue {
  readonly name: string;
  readonly type: string;
  readonly value: string | boolean | readonly NamedValue[];
  readonly hasMore?: boolean;
  readonly hasUnknownKeys?: boolean;
}

/** An opcode before its execution. */
export interface Step {
  readonly index: number;
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  /** The top is last. */
  readonly stack: readonly string[];
  /** Words of 64 digits; absent unless requested. */
  readonly memory?: readonly string[];
  readonly variables?: readonly NamedValue[] | null;
}

/** A function of the call stack. */
export interface CallFrame {
  readonly kind: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly definedIn: string | null;
  readonly source: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  readonly address: string;
  readonly frame: number;
  readonly firstStep: number | null;
}

/** The result of `inspect_state`. */
export interface StateAtStep {
  readonly contract: string | null;
  readonly address: string;
  readonly state: readonly NamedValue[] | null;
  readonly transient: readonly NamedValue[];
  readonly transientSlots: readonly (readonly [slot: string, value: string])[];
  /** The number of other written slots. */
  readonly omittedTransientSlots: number;
}

const LISTS = ['statements', 'depths', 'definitions', 'frames', 'files', 'events'];

/** Returns the outline in a result. Throws {@link DebugError} for the result of an older node. */
export function outlineIn(result: unknown, node: string): Outline {
  const isComplete = isRecord(result) && LISTS.every((name) => Array.isArray(result[name]));
  if (isComplete && typeof result.count === 'number') return result as unknown as Outline;
  throw new DebugError(
    `the node at ${node} does not support this debugger: inspect_steps returned no events; update that node`,
  );
}
