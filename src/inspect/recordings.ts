/**
 * Offers the executions of requests to attached debuggers. They run again in the background, so requests never wait
 * for a debugger.
 */

import type { RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import type { BreakpointSet, SourceLine } from './breakpoint-set.ts';
import { RecordingNotFoundError, TooManyDebuggersError } from './errors.ts';
import type { InspectedExecution } from './executions.ts';
import type { LazyInspector } from './lazy-inspector.ts';

/** A chain whose executions are recorded: the base chain or a lane. */
export interface RecordedChain {
  readonly chain: Chain;
  /** The name of the lane in reports; `null` for the base chain. */
  readonly lane: string | null;
  /** Returns the chain with the names and contracts of an API key. */
  ownedBy(key: string | undefined): { readonly inspector: LazyInspector };
}

/** An execution that can run again. */
export interface Recording {
  readonly on: RecordedChain;
  readonly execution: InspectedExecution;
  /** The RPC method of the request; `null` for work of the chain itself. */
  readonly method: string | null;
  /** 32 bytes; `null` for a call. */
  readonly transactionHash: Uint8Array | null;
  /** The block of a transaction, or the block that a call sees. */
  readonly blockNumber: number;
  readonly failed: boolean;
}

/** A recorded execution that a debugger stops in. */
export interface Hit extends Recording {
  /** From 1, unique among all debuggers of the node. */
  readonly number: number;
  /** The first breakpoint that it reached; `null` for a failure that was not checked for breakpoints. */
  readonly breakpoint: SourceLine | null;
  /** The number of executions since the last hit that were not checked. */
  readonly omitted: number;
}

/** A client that reads hits. */
export interface HitViewer {
  /** `null` for the base chain and all lanes. */
  readonly chain: Chain | null;
  /** The API key; undefined if keys are not separate. */
  readonly owner: string | undefined;
}

/** The stops of a debugger. */
export interface WantedStops {
  readonly breakpoints: BreakpointSet;
  /** True to report every failed execution. */
  readonly failures: boolean;
}

/** Gets the executions on all chains of a node, for a debugger. */
export interface Recorder {
  /** The chain that it records, and the API key of its client. */
  readonly viewer: HitViewer;
  /** Replaces the breakpoints. */
  update(wanted: WantedStops): void;
  /** Removes a hit. Returns false if there is no such hit. */
  release(number: number): boolean;
  onCall(on: RecordedChain, call: RecordedCall, result: ExecutionResult, token: CallToken | null): void;
  onBlock(
    on: RecordedChain,
    block: Block,
    results: readonly ExecutionResult[],
    token: CallToken | null,
  ): void;
  /** Returns the hit; `undefined` if it is unknown, or if the client may not read it. */
  find(number: number, viewer: HitViewer): Hit | undefined;
}

/** The debugger of a client. */
export interface AttachedDebugger {
  /** The id of the subscription that sends its hits. */
  readonly subscription: string;
  readonly attachment: Recorder;
}

/** Maximum debuggers with the same chain and API key. */
const MAX_DEBUGGERS = 32;

/** The attached debuggers of a node. Shared by the base chain and its lanes. */
export class Recordings {
  /** By connection. */
  readonly clients = new WeakMap<object, AttachedDebugger>();
  readonly #recorders = new Set<Recorder>();
  #count = 0;

  /** Offers the executions on a chain from now on. */
  follow(on: RecordedChain): void {
    const { events } = on.chain;
    events.on('executedCall', (call, result, token) => {
      for (const recorder of this.#recorders) recorder.onCall(on, call, result, token);
    });
    events.on('block', (block, results, token) => {
      // Loaded blocks were not executed here.
      if (results === null || results.length === 0) return;
      for (const recorder of this.#recorders) recorder.onBlock(on, block, results, token);
    });
  }

  /** Throws a {@link TooManyDebuggersError}. */
  add(recorder: Recorder): void {
    const { chain, owner } = recorder.viewer;
    const isOfSameClient = ({ viewer }: Recorder): boolean =>
      viewer.chain === chain && viewer.owner === owner;
    if ([...this.#recorders].filter(isOfSameClient).length >= MAX_DEBUGGERS)
      throw new TooManyDebuggersError(MAX_DEBUGGERS);
    this.#recorders.add(recorder);
  }

  remove(recorder: Recorder): void {
    this.#recorders.delete(recorder);
  }

  /** Returns the number of the next hit. */
  nextNumber(): number {
    return ++this.#count;
  }

  /** Returns the hit with this number. Throws a {@link RecordingNotFoundError}. */
  find(number: number, viewer: HitViewer): Hit {
    for (const recorder of this.#recorders) {
      const hit = recorder.find(number, viewer);
      if (hit !== undefined) return hit;
    }
    throw new RecordingNotFoundError(number);
  }
}
