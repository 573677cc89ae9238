import type { Chain } from '../chain/chain.ts';
import { ConsoleDecoder } from '../evm/console/console-decoder.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { Timer, Timers } from '../primitives/clock.ts';
import type { RpcService } from '../rpc/connection.ts';
import { describeConsole } from './console-log.ts';
import { codeAfter, describeBlock } from './describe-block.ts';
import { type Call, InFlightCalls } from './in-flight-calls.ts';
import type { BlockEntry, ConsoleEntry, RemovedEntry, RequestEntry } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';

/** How long, in milliseconds, a change waits for the line of the request that may have made it. */
const PATIENCE = 25;

/** A change of the chain: a block that it got, or blocks that left it. */
export type ChainChange = { readonly added: BlockEntry } | { readonly removed: RemovedEntry };

/** The dependencies of a feed of changes and their makers. */
export interface BlockFeedParts<Maker> {
  readonly timers: Timers;
  readonly write: (change: ChainChange, maker: Maker) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Passes changes of the chain to the log in their order. A block is made, or removed, before the request that did it is
 * answered, but a person reads it below that request: so it waits a moment, and comes at once when {@link release} says
 * that the line of the request is written.
 */
export class BlockFeed<Maker> {
  readonly #parts: BlockFeedParts<Maker>;
  #waiting: (readonly [ChainChange, Maker])[] = [];
  #described: Promise<void> = Promise.resolve();
  #timer: Timer | null = null;

  constructor(parts: BlockFeedParts<Maker>) {
    this.#parts = parts;
  }

  /** Takes a change whose description is on its way, and what made it. */
  add(description: Promise<ChainChange>, maker: Maker): void {
    this.#described = Promise.all([description, this.#described]).then(
      ([change]) => {
        this.#waiting.push([change, maker]);
        this.#timer ??= this.#parts.timers.after(PATIENCE, () => this.#writeAll());
      },
      (error: unknown) => this.#parts.onError(error),
    );
  }

  /** Writes all changes that came so far; settles when they are written. */
  async release(): Promise<void> {
    await this.#described;
    this.#writeAll();
  }

  #writeAll(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [change, maker] of waiting) this.#parts.write(change, maker);
  }
}

const LOG_SWITCH = /_setLoggingEnabled$/;

/** A chain besides the base chain, as the log names it. */
export interface WatchedLane {
  readonly key: string;
  readonly name: string;
  readonly chain: Chain;
}

/** A log that follows a chain and its lanes. */
export interface ChainWatch {
  /** The service with its calls known to the watch, which is how it tells who made a block. */
  follow(service: RpcService): RpcService;
  /** Follows a lane too; gives the function that ends it. */
  addLane(lane: WatchedLane): () => void;
  /** Writes an answered call, and below it the blocks that it made. */
  onRequest(entry: RequestEntry): void;
  /** Writes that a request was refused, and what allows it. */
  onRefused(notice: string): void;
  /** Stops following; settles when all that happened is written. */
  close(): Promise<void>;
}

/** The one method whose calls are heard by the console. */
const CALL_METHOD = 'eth_call';

/** How a watch is set up. */
export interface WatchOptions {
  /** True to write what contracts tell the console too. */
  readonly showsConsole?: boolean;
  /** True where calls can be of lanes. */
  readonly hasLanes?: boolean;
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
  { showsConsole = true, hasLanes = false, mask = (text) => text }: WatchOptions = {},
): ChainWatch {
  const calls = new InFlightCalls(hasLanes);
  const decoder = new ConsoleDecoder();
  /** Those that are open, by their keys. */
  const lanes = new Map<string, WatchedLane>();
  /** The call whose line is the last one but for its own blocks. */
  let told: Call | null = null;
  const feed = new BlockFeed<Call | null>({
    timers,
    write(change, maker) {
      const isBelowItsRequest = maker !== null && maker === told;
      // Lines after the one about removed blocks are not right below their request any more.
      if (!isBelowItsRequest || 'removed' in change) told = null;
      if ('removed' in change) log.removed(change.removed);
      else log.block(change.added, isBelowItsRequest);
    },
    onError: (error) => log.internalError(error),
  });
  const consoleOf = (result: ExecutionResult): ConsoleEntry | null =>
    showsConsole ? describeConsole(result.console, decoder) : null;

  function watch(chain: Chain, lane: WatchedLane | null): () => void {
    const key = lane?.key ?? null;
    const named = lane === null ? {} : { lane: lane.name };
    if (lane !== null) lanes.set(lane.key, lane);
    const stopBlocks = chain.events.on('block', (block, results) => {
      // A block that was loaded is no news of what the chain does.
      if (results === null) return;
      // With a block time a block may have come by itself, whatever was asked at the same time.
      const maker = chain.miner.blockTime === null ? calls.only(key) : null;
      if (maker !== null) maker.hasChangedChain = true;
      if (!base.isLogged || !chain.isLogged) return;
      const description = codeAfter(chain, block).then((hasCode) =>
        describeBlock(block, results, { hasCode, consoleOf }),
      );
      feed.add(
        description.then((entry) => ({ added: { ...entry, ...named } })),
        maker,
      );
    });
    const stopConsole = chain.events.on('console', (record) => {
      const isShown = showsConsole && base.isLogged && chain.isLogged;
      const entry = isShown ? describeConsole(record, decoder) : null;
      if (entry === null) return;
      const call = calls.onlyOf(CALL_METHOD, key);
      if (call !== null) call.console = entry;
      else {
        told = null;
        log.console(entry, false, lane?.name);
      }
    });
    const stopRemoved = chain.events.on('removed', (blocks) => {
      const remover = calls.only(key);
      if (remover !== null) remover.hasChangedChain = true;
      if (!base.isLogged || !chain.isLogged) return;
      const numbers = blocks.map(({ header }) => header.number);
      // There can be too many to be spread as arguments.
      const first = numbers.reduce((lowest, number) => Math.min(lowest, number));
      const last = numbers.reduce((highest, number) => Math.max(highest, number));
      feed.add(Promise.resolve({ removed: { first, last, ...named } }), remover);
    });
    const stopNotices = chain.events.on('notice', (text) => {
      told = null;
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
    follow: (service) => calls.follow(service),
    addLane: (lane) => watch(lane.chain, lane),
    onRequest(entry) {
      const call = calls.takeAnswered(entry.method);
      const lane = lanes.get(call?.lane ?? '')?.name;
      // Who switches the log off and on does not want to see that in it.
      if (base.isLogged && !LOG_SWITCH.test(entry.method)) {
        log.request(masked({ ...entry, ...(lane === undefined ? {} : { lane }) }, mask));
      }
      told = call;
      if (told !== null && told.console !== null) log.console(told.console, true, lane);
      // While other calls are in hand, the blocks that wait may be theirs.
      if (calls.isEmpty || told?.hasChangedChain === true) feed.release();
    },
    onRefused(notice) {
      if (!base.isLogged) return;
      told = null;
      log.notice(mask(notice));
    },
    async close() {
      stop();
      await feed.release();
      log.flush();
    },
  };
}
