// The messages between the host and the thread of a tracer in JavaScript: the job, the questions meanwhile, the answer, the errors.

import type { KnownRuleSetName } from '../../protocol/hardforks/registry.ts';
import type { SourceCall } from '../../state/state-source.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import type { TracePosition } from '../tracers/tracer.ts';

/** A tracer written in JavaScript. */
export interface TracerScript {
  /** An expression whose value is the object with the functions of the tracer. */
  readonly source: string;
  /** JSON that the tracer's function `setup` is given. */
  readonly config: string;
}

/** The rules and limits that messages of a chain run by. */
export interface TracedRules {
  readonly ruleSet: KnownRuleSetName;
  /** The id of the chain that the chain is a fork of, by which some have blobs of their own; `null` for none. */
  readonly upstreamChainId: number | null;
  readonly engine: 'wasm' | 'reference';
  readonly chainId: number;
  /** Bytes; `null` for no limit. */
  readonly codeSizeLimit: number | null;
}

/** A block environment without what reads the chain, which is asked for. */
export type PlainEnvironment = Omit<BlockEnvironment, 'blockHash' | 'ancestor'>;

/** An event of a message that no engine runs, as it was observed. */
export type RecordedEvent =
  | { readonly kind: 'start'; readonly start: FrameStart }
  | { readonly kind: 'end'; readonly end: FrameEnd };

/** A message that is to run once more, with a tracer. */
export interface TraceJob {
  readonly script: TracerScript;
  readonly rules: TracedRules;
  readonly environment: PlainEnvironment;
  readonly message: Message;
  /** `null` for a call that stands in no block. */
  readonly position: TracePosition | null;
  /** The events of a message that no engine runs; `null` for one that is to run. */
  readonly events: readonly RecordedEvent[] | null;
}

/** Something that the thread reads of the chain while it waits. */
export type Question =
  | { readonly kind: 'account'; readonly address: Uint8Array }
  | { readonly kind: 'storage'; readonly address: Uint8Array; readonly slot: Uint8Array }
  | { readonly kind: 'source contract'; readonly address: Uint8Array }
  | { readonly kind: 'source call'; readonly address: Uint8Array; readonly call: SourceCall }
  | { readonly kind: 'block hash'; readonly number: number }
  | { readonly kind: 'ancestor'; readonly number: number }
  | { readonly kind: 'signer'; readonly signature: Uint8Array };

/** The answer to a {@link Question}; `isFailure` where it could not be read, so that the trace ends. */
export type QuestionAnswer = { readonly value: unknown } | { readonly isFailure: true };

/** The end of a job. */
export type TraceAnswer =
  | { readonly kind: 'trace'; readonly json: string; readonly gasUsed: bigint }
  /** The source is no tracer. */
  | { readonly kind: 'no tracer'; readonly reason: string }
  /** A function of the tracer failed. */
  | { readonly kind: 'failed tracer'; readonly reason: string }
  /** Something could not be read; the asked side knows why. */
  | { readonly kind: 'unreadable' }
  /** A bug. */
  | { readonly kind: 'bug'; readonly error: unknown };

/** A message of the thread: it has begun a job, or ended it. */
export type ThreadMessage = { readonly kind: 'begun'; readonly quickJs: WebAssembly.Module } | TraceAnswer;

/** The data that a thread starts with. */
export interface ThreadStart {
  /** Raised to 1 when the answer to a question has been sent. */
  readonly signal: Int32Array;
  readonly questions: import('node:worker_threads').MessagePort;
  /** QuickJS as another thread compiled it; `null` for the first thread. */
  readonly quickJs: WebAssembly.Module | null;
}

/** Characters of JSON that a trace of a tracer in JavaScript can have. */
export const LONGEST_TRACE = 2 ** 25;

/** The source of a tracer is none. */
export class NotATracerError extends Error {
  override readonly name = 'NotATracerError';
}
