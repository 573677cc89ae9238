import type { Chain } from '../chain/chain.ts';
import { ConsoleDecoder } from '../evm/console/console-decoder.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Timer, Timers } from '../primitives/clock.ts';
import type { Call } from '../rpc/connection.ts';
import type { CallToken } from '../storage/chain-events.ts';
import { describeConsole } from './console-log.ts';
import { codeIn, describeBlock } from './describe-block.ts';
import type { BlockEntry, ConsoleEntry, RemovedEntry, RequestEntry } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';

/** How long, in milliseconds, a change waits for the call that made it to be answered. */
const PATIENCE = 1_000;

/** A change of the chain: a block that it got, or blocks that left it. */
export type ChainChange = { readonly added: BlockEntry } | { readonly removed: RemovedEntry };

/** A change, and the call that made it; `null` for none. */
interface HeldChange {
  readonly change: ChainChange;
  readonly call: CallToken | null;
}

/**
 * Passes changes of the chain to the log in their order. A block is made, or removed, before the call that did it is
 * answered, but a person reads it below the line of that call: so it is held until {@link release}. When a call takes
 * long, its changes are written before.
 */
export class ChangeFeed {
  readonly #timers: Timers;
  readonly #write: (change: ChainChange) => void;
  #held: HeldChange[] = [];
  #timer: Timer | null = null;

  /** `write` is called with each change that is not written below its call. */
  constructor(timers: Timers, write: (change: ChainChange) => void) {
    this.#timers = timers;
    this.#write = write;
  }

  /** Takes a change, and the call that made it; `null` where the chain acted by itself. */
  add(change: ChainChange, call: CallToken | null): void {
    const awaited = call?.isAnswered === false ? call : null;
    if (awaited === null && this.#held.length === 0) {
      this.#write(change);
      return;
    }
    this.#held.push({ change, call: awaited });
    this.#timer ??= this.#timers.after(PATIENCE, () => this.releaseAll());
  }

  /** Returns the changes that the call made, which the caller writes; {@link goOn} is to follow. */
  release(call: CallToken): readonly ChainChange[] {
    if (this.#held.length === 0) return [];
    const released = this.#held.filter((held) => held.call === call);
    if (released.length > 0) this.#held = this.#held.filter((held) => held.call !== call);
    return released.map(({ change }) => change);
  }

  /** Writes the changes that wait for no call any more. */
  goOn(): void {
    const end = this.#held.findIndex(({ call }) => call !== null);
    this.#writeFirst(end === -1 ? this.#held.length : end);
  }

  /** Writes all changes that are held. */
  releaseAll(): void {
    this.#writeFirst(this.#held.length);
  }

  #writeFirst(count: number): void {
    const first = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    if (this.#held.length === 0) {
      this.#timer?.cancel();
      this.#timer = null;
    }
    for (const { change } of first) this.#write(change);
  }
}

/** A chain besides the base chain, as the log names it. */
export interface WatchedLane {
  readonly key: string;
  readonly name: string;
  readonly chain: Chain;
}

/** A log that follows a chain and its lanes. */
export interface ChainWatch {
  /** Follows a lane too; returns the function that ends it. */
  addLane(lane: WatchedLane): () => void;
  /** Writes an answered call, and below it its console output and the blocks that it made. */
  onRequest(entry: RequestEntry, call: Call): void;
  /** Writes that a request was refused, and what allows it. */
  onRefused(notice: string): void;
  /** Stops following, and writes everything that is held back. */
  close(): void;
}

/** How a watch is set up. */
export interface WatchOptions {
  /** True to write the console output of contracts too. */
  readonly showsConsole?: boolean;
  /** Takes secrets out of what a caller wrote. */
  readonly mask?: (text: string) => string;
}

/** The entry without secrets in what its caller wrote. */
function masked({ method, error, ...rest }: RequestEntry, mask: (text: string) => string): RequestEntry {
  return {
    ...rest,
    method: mask(method),
    error: error && { ...error, message: mask(error.message) },
  };
}

/** Writes what happens to the chain into the log. */
export function watchChain(
  base: Chain,
  log: LogWriter,
  timers: Timers,
  { showsConsole = true, mask = (text) => text }: WatchOptions = {},
): ChainWatch {
  const decoder = new ConsoleDecoder();
  /** The open lanes, by their keys. */
  const lanes = new Map<string, WatchedLane>();
  /** The console output of calls that are not answered yet. */
  const consoles = new WeakMap<CallToken, ConsoleEntry[]>();
  const write = (change: ChainChange, isBelowItsRequest: boolean): void => {
    if ('removed' in change) log.removed(change.removed);
    else log.block(change.added, isBelowItsRequest);
  };
  const feed = new ChangeFeed(timers, (change) => write(change, false));
  const consoleOf = (result: ExecutionResult): ConsoleEntry | null =>
    showsConsole ? describeConsole(result.console, decoder) : null;

  function watch(chain: Chain, lane: WatchedLane | null): () => void {
    const named = lane === null ? {} : { lane: lane.name };
    if (lane !== null) lanes.set(lane.key, lane);
    const isShown = (): boolean => base.isLogged && chain.isLogged;
    const stopBlocks = chain.events.on('block', (block, results, call) => {
      // A block that was loaded is no news of what the chain does.
      if (results === null || !isShown()) return;
      try {
        const facts = { hasCode: codeIn(chain.headState()), consoleOf };
        feed.add({ added: { ...describeBlock(block, results, facts), ...named } }, call);
      } catch (error) {
        log.internalError(error);
      }
    });
    const stopConsole = chain.events.on('console', (record, call) => {
      const entry = showsConsole && isShown() ? describeConsole(record, decoder) : null;
      if (entry === null) return;
      if (call?.isAnswered !== false) log.console(entry, false, lane?.name);
      else consoles.set(call, [...(consoles.get(call) ?? []), entry]);
    });
    const stopRemoved = chain.events.on('removed', (blocks, _successors, call) => {
      if (!isShown()) return;
      const numbers = blocks.map(({ header }) => header.number);
      // There can be too many to be spread as arguments.
      const first = numbers.reduce((lowest, number) => Math.min(lowest, number));
      const last = numbers.reduce((highest, number) => Math.max(highest, number));
      feed.add({ removed: { first, last, ...named } }, call);
    });
    const stopNotices = chain.events.on('notice', (text) => {
      log.notice(lane === null ? text : `lane ${lane.name}: ${text}`);
    });
    return () => {
      if (lane !== null && lanes.get(lane.key) === lane) lanes.delete(lane.key);
      stopNotices();
      stopBlocks();
      stopConsole();
      stopRemoved();
    };
  }

  const stop = watch(base, null);
  return {
    addLane: (lane) => watch(lane.chain, lane),
    onRequest(entry, call) {
      const lane = lanes.get(call.connection.key ?? '')?.name;
      const isShown = base.isLogged && call.isLogged;
      if (isShown) log.request(masked({ ...entry, ...(lane === undefined ? {} : { lane }) }, mask));
      for (const output of consoles.get(call) ?? []) log.console(output, isShown, lane);
      let isBelow = isShown;
      for (const change of feed.release(call)) {
        write(change, isBelow);
        // The blocks after removed ones are not right below their request any more.
        if ('removed' in change) isBelow = false;
      }
      feed.goOn();
    },
    onRefused(notice) {
      if (base.isLogged) log.notice(mask(notice));
    },
    close() {
      stop();
      feed.releaseAll();
      log.flush();
    },
  };
}
