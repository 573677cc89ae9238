// The messages between the main thread and the tracer thread: jobs, requests, results and errors.

import type { RuleSetName } from '../../protocol/hardforks/registry.ts';
import type { FederationFormat } from '../../protocol/hardforks/rootstock.ts';
import type { SourceCall } from '../../state/state-source.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import type { TracePosition } from '../tracers/tracer.ts';

/** A tracer written in JavaScript. */
export interface TracerScript {
  /** A JavaScript expression that evaluates to the tracer object. */
  readonly source: string;
  /** The JSON argument of the tracer's `setup`. */
  readonly config: string;
}

/** The rules and limits of a chain. */
export interface TracedRules {
  readonly ruleSet: RuleSetName;
  /** The chain id of the forked chain, for chains with their own blobs; `null` without a fork. */
  readonly upstreamChainId: number | null;
  readonly engine: 'wasm' | 'reference';
  readonly chainId: number;
  /** Bytes; `null` for no limit. */
  readonly codeSizeLimit: number | null;
  readonly federation: FederationFormat;
}

/** A block environment without the functions that read the chain. */
export type PlainEnvironment = Omit<BlockEnvironment, 'blockHash' | 'ancestor'>;

/** A recorded event of a message that no engine executes. */
export type RecordedEvent =
  | { readonly kind: 'start'; readonly start: FrameStart }
  | { readonly kind: 'end'; readonly end: FrameEnd };

/** A message to execute again with a tracer. */
export interface TraceJob {
  readonly script: TracerScript;
  readonly rules: TracedRules;
  readonly environment: PlainEnvironment;
  readonly message: Message;
  /** `null` for a call outside a block. */
  readonly position: TracePosition | null;
  /** The events of a message that no engine executes; `null` if the thread executes the message. */
  readonly events: readonly RecordedEvent[] | null;
}

/** A request of the thread to read the chain. The thread blocks until the response. */
export type Question =
  | { readonly kind: 'account'; readonly address: Uint8Array }
  | { readonly kind: 'storage'; readonly address: Uint8Array; readonly slot: Uint8Array }
  | { readonly kind: 'source contract'; readonly address: Uint8Array }
  | { readonly kind: 'source call'; readonly address: Uint8Array; readonly call: SourceCall }
  | { readonly kind: 'block hash'; readonly number: number }
  | { readonly kind: 'ancestor'; readonly number: number }
  | { readonly kind: 'signer'; readonly signature: Uint8Array };

/** The response to a {@link Question}. `isFailure` ends the trace. */
export type QuestionAnswer = { readonly value: unknown } | { readonly isFailure: true };

/** The result of a job. */
export type TraceAnswer =
  | { readonly kind: 'trace'; readonly json: string; readonly gasUsed: bigint }
  /** The source is not a valid tracer. */
  | { readonly kind: 'no tracer'; readonly reason: string }
  /** A function of the tracer failed. */
  | { readonly kind: 'failed tracer'; readonly reason: string }
  /** The main thread could not read a value and has the reason. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'bug'; readonly error: unknown };

/** A message of the thread: a job started or ended. */
export type ThreadMessage = { readonly kind: 'begun'; readonly quickJs: WebAssembly.Module } | TraceAnswer;

/** The data that a thread starts with. */
export interface ThreadStart {
  /** Set to 1 after the response to a request was sent. */
  readonly signal: Int32Array;
  readonly questions: import('node:worker_threads').MessagePort;
  /** The QuickJS module compiled by another thread; `null` for the first thread. */
  readonly quickJs: WebAssembly.Module | null;
}

/** Maximum characters of JSON in the trace of a JavaScript tracer. */
export const MAX_TRACE_LENGTH = 2 ** 25;

/** Thrown if the source is not a valid tracer. */
export class NotATracerError extends Error {
  override readonly name = 'NotATracerError';
}
