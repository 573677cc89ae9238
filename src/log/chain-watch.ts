import type { HeldCall } from '../chain/call-site.ts';
import type { CallToken } from '../chain/changes.ts';
import { printable } from '../config/errors.ts';
import { ConsoleDecoder } from '../evm/console.ts';
import { type ExecutionResult, hasFailed } from '../evm/engine.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { Timer, Timers } from '../primitives/clock.ts';
import { type ActivityReader, READS_EVERYTHING } from '../rpc/activity.ts';
import type { Call } from '../rpc/connection.ts';
import type { RpcNode } from '../rpc/rpc-node.ts';
import { type Awaitable, isPromise } from '../scheduling/task.ts';
import { describeConsole } from './console-log.ts';
import { callsPrecompile, codeIn, comingBlock, describeBlock } from './describe-block.ts';
import type { MinedBlock } from './explain.ts';
import { ExplainingEnd, FailedCalls } from './explaining.ts';
import {
  type BlockEntry,
  type ConsoleEntry,
  comingRequest,
  type FailedCallFacts,
  type RemovedEntry,
  type RequestEntry,
} from './log-entries.ts';
import { GatheredWork, type LogWriter, OrderedWriting } from './log-writer.ts';

/** The time in milliseconds for which a change waits for the answer to the call that made it. */
const PATIENCE = 1_000;

/** The time in milliseconds for which a closed log goes on to explain what has happened. */
const LONGEST_END = 500;

/** Characters of a note of the chain, which can have words of callers. */
const LONGEST_NOTE = 4_000;

/** A change of the chain: a block that it got, or blocks that left it. */
export type ChainChange =
  | {
      readonly added: BlockEntry;
      /** Resolves to the same block in the names of the user's contracts; absent where none are known. */
      readonly explained?: Promise<BlockEntry>;
    }
  | { readonly removed: RemovedEntry };

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

/** The code that explains. */
type Explanation = Pick<typeof import('./explain.ts'), 'explainBlock' | 'explainCall'>;

/** A chain besides the base chain, as the log names it. */
export interface WatchedLane {
  readonly key: string;
  readonly name: string;
  /** The URL path, encoded; `null` if it is an API key, which the log must not contain. */
  readonly path: string | null;
  readonly node: RpcNode;
}

/** A log that follows a chain and its lanes. */
export interface ChainWatch {
  /** Follows a lane too; returns the function that ends it. */
  addLane(lane: WatchedLane): () => void;
  /** Writes an answered call, and below it its console output and the blocks that it made. */
  onRequest(entry: RequestEntry, call: Call): void;
  /** Writes a notice that is not about one request, with the keys of URLs masked. */
  onNotice(notice: string): void;
  /** Stops following, and writes everything that is held back; resolves when it is written. */
  close(): Promise<void>;
}

/** The options of a watch. */
export interface WatchOptions {
  /** True to write all calls of each transaction whose contracts are known. */
  readonly isVerbose?: boolean;
  /** True to write the console output of contracts too. */
  readonly showsConsole?: boolean;
  /** The reader that knows which parts of the activity are read, and so are to be described. */
  readonly reader?: ActivityReader;
  /** Takes secrets out of what a caller wrote. */
  readonly mask?: (text: string) => string;
  /**
   * Returns the name of the API key that a call on the base chain belongs to, if keys are tenants of their own: its entries then have
   * this name as their lane.
   */
  readonly ownerName?: (owner: string) => string;
}

function tellsOfFailure(change: ChainChange): boolean {
  return 'added' in change && change.added.transactions.some(({ failure }) => failure !== null);
}

/** Returns the facts of entries about a lane. */
function laneFacts({ name, path }: WatchedLane): { readonly lane: string; readonly lanePath?: string } {
  return path === null ? { lane: name } : { lane: name, lanePath: path };
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
  root: RpcNode,
  log: LogWriter,
  timers: Timers,
  {
    showsConsole = true,
    isVerbose = false,
    reader = READS_EVERYTHING,
    mask = (text) => text,
    ownerName,
  }: WatchOptions = {},
): ChainWatch {
  const base = root.chain;
  const writing = new OrderedWriting((error) => log.internalError(error));
  const decoder = new ConsoleDecoder();
  /** The open lanes, by their keys. */
  const lanes = new Map<string, WatchedLane>();
  /** The console output of calls that are not answered yet. */
  const consoles = new WeakMap<CallToken, ConsoleEntry[]>();
  const write = (change: ChainChange, isBelowItsRequest: boolean): void => {
    if ('removed' in change) writing.write(() => log.removed(change.removed));
    else if (change.explained === undefined) writing.write(() => log.block(change.added, isBelowItsRequest));
    else writing.writeWhen(change.explained, (block) => log.block(block, isBelowItsRequest));
  };
  const feed = new ChangeFeed(timers, (change) => write(change, false));
  const ending = new ExplainingEnd();
  let loading: Awaitable<Explanation> | undefined;
  /** Loads the code that explains when the first block is explained. */
  const explanation = (): Awaitable<Explanation> => {
    loading ??= import('./explain.ts').then(({ explainBlock, explainCall }) => {
      loading = { explainBlock, explainCall };
      return loading;
    });
    return loading;
  };
  /** True where transactions have to run again, to say what happened inside them. */
  const runsAgain = (results: readonly ExecutionResult[]): boolean => isVerbose || results.some(hasFailed);
  const explainNow = async (
    inspector: LazyInspector,
    mined: MinedBlock,
    entry: BlockEntry,
  ): Promise<BlockEntry> => {
    try {
      const loaded = explanation();
      const { explainBlock } = isPromise(loaded) ? await loaded : loaded;
      const { checkInterrupt } = ending;
      const explained = explainBlock(inspector, mined, entry, { isVerbose, checkInterrupt });
      return isPromise(explained) ? await explained : explained;
    } catch (error) {
      log.internalError(error);
      return entry;
    }
  };
  // The answer to the call that made a block goes out first.
  const explaining = new GatheredWork(timers);
  /** Never rejects: the block may be held before it is written, and it is written as it is when it cannot be explained. */
  const explain = (inspector: LazyInspector, mined: MinedBlock, entry: BlockEntry): Promise<BlockEntry> =>
    new Promise((resolve) => explaining.add(() => resolve(explainNow(inspector, mined, entry))));
  /** The numbers of failed calls and estimates in `inspect_failures`. */
  const failureNumbers = new WeakMap<CallToken, number>();
  const failedCalls = new FailedCalls((error) => log.internalError(error));
  const explainFailure = async (
    inspector: LazyInspector,
    held: HeldCall,
  ): Promise<FailedCallFacts | null> => {
    const { explainCall } = await explanation();
    return explainCall(inspector, held, { isVerbose, checkInterrupt: ending.checkInterrupt });
  };
  const consoleOf = (result: ExecutionResult): ConsoleEntry | null =>
    showsConsole ? describeConsole(result.console, decoder) : null;

  const nameOfOwner = ({ owner }: CallToken): string | undefined =>
    owner === undefined ? undefined : ownerName?.(owner);

  function watch(node: RpcNode, lane: WatchedLane | null): () => void {
    const { chain } = node;
    const named = lane === null ? {} : laneFacts(lane);
    const inspector = node.ownedBy(ownerName === undefined ? undefined : lane?.key).inspector;
    if (lane !== null) lanes.set(lane.key, lane);
    const isShown = (): boolean => reader.isWatched && base.isLogged && chain.isLogged;
    const stopBlocks = chain.events.on('block', (block, results, call) => {
      // A block that was loaded is no news of what the chain does.
      if (results === null || !isShown()) return;
      if (!reader.takes(comingBlock(block, results, lane?.name))) return;
      try {
        const state = chain.headState();
        const facts = { hasCode: codeIn(state, chain.ruleSet), consoleOf };
        const added = { ...describeBlock(block, results, facts), ...named };
        const { transactions } = added;
        const isExplained =
          (isVerbose && transactions.length > 0) ||
          (inspector.artifacts.isInUse && transactions.length > 0) ||
          transactions.some(callsPrecompile);
        const explained = isExplained
          ? explain(
              inspector,
              { block, held: runsAgain(results) ? chain.tracing.hold(block) : null, results, state },
              added,
            )
          : undefined;
        feed.add({ added, ...(explained === undefined ? {} : { explained }) }, call);
      } catch (error) {
        log.internalError(error);
      }
    });
    const stopConsole = chain.events.on('console', (record, call) => {
      const entry = showsConsole && isShown() ? describeConsole(record, decoder) : null;
      if (entry === null) return;
      const name = lane?.name ?? (call === null ? undefined : nameOfOwner(call));
      if (call?.isAnswered !== false) writing.write(() => log.console(entry, false, name));
      else consoles.set(call, [...(consoles.get(call) ?? []), entry]);
    });
    const stopFailures = chain.events.on('failedCall', (held, { gasUsed, isFailedPrecompile }, call) => {
      if (call === null || !isShown()) return;
      failureNumbers.set(call, node.failures.count);
      const callers = node.ownedBy(call.owner).inspector;
      const isPrecompile = isFailedPrecompile === true;
      if (!callers.artifacts.isInUse && !isPrecompile) return;
      if (!reader.hasRoom(comingRequest(true, lane?.name ?? nameOfOwner(call)))) return;
      failedCalls.add(call, gasUsed, () => explainFailure(callers, held));
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
      writing.write(() =>
        log.notice(printable(lane === null ? text : `lane ${lane.name}: ${text}`, LONGEST_NOTE)),
      );
    });
    return () => {
      if (lane !== null && lanes.get(lane.key) === lane) lanes.delete(lane.key);
      stopNotices();
      stopBlocks();
      stopConsole();
      stopFailures();
      stopRemoved();
    };
  }

  const stop = watch(root, null);
  return {
    addLane: (lane) => watch(lane.node, lane),
    onRequest(entry, call) {
      const known = lanes.get(call.connection.key ?? '');
      const lane = known?.name ?? nameOfOwner(call);
      const failureNumber = failureNumbers.get(call);
      const explained = failedCalls.of(call);
      const isFailure = entry.error !== null || explained !== undefined;
      const isShown = base.isLogged && call.isLogged && reader.takes(comingRequest(isFailure, lane));
      const { warnings } = call;
      const request = (): RequestEntry =>
        masked(
          {
            ...entry,
            ...(lane === undefined ? {} : { lane }),
            ...(known === undefined ? {} : laneFacts(known)),
            ...(failureNumber === undefined ? {} : { failureNumber }),
            ...(warnings && { warnings }),
          },
          mask,
        );
      const changes = feed.release(call);
      const isToldBelow = isFailure && changes.some(tellsOfFailure);
      const isPlain = entry.error === null && isToldBelow;
      if (isShown && (explained === undefined || isPlain)) {
        writing.write(() => log.request(request(), isToldBelow));
      } else if (isShown && explained !== undefined) {
        writing.writeWhen(explained, (facts) => log.request({ ...request(), ...facts }));
      }
      for (const output of consoles.get(call) ?? []) writing.write(() => log.console(output, isShown, lane));
      let isBelow = isShown;
      for (const change of changes) {
        write(change, isBelow);
        // The blocks after removed ones are not right below their request any more.
        if ('removed' in change) isBelow = false;
      }
      feed.goOn();
    },
    onNotice(notice) {
      if (base.isLogged) writing.write(() => log.notice(mask(notice)));
    },
    async close() {
      feed.releaseAll();
      const timer = timers.after(LONGEST_END, () => ending.end());
      explaining.run();
      await writing.end();
      timer.cancel();
      // Entries that come while the last blocks are explained are written too.
      stop();
      feed.releaseAll();
      explaining.run();
      await writing.end();
      log.flush();
    },
  };
}
