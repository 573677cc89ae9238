import type { RecordedCall } from '../chain/call-environment.ts';
import type { CallToken, InsertionFacts } from '../chain/changes.ts';
import { printable } from '../config/errors.ts';
import { ConsoleDecoder } from '../evm/console.ts';
import { type ExecutionResult, hasFailed } from '../evm/engine.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import { type Awaitable, isPromise } from '../primitives/awaitable.ts';
import type { Timer, Timers } from '../primitives/clock.ts';
import type { Block } from '../protocol/block.ts';
import { type ActivityReader, READS_EVERYTHING } from '../rpc/activity.ts';
import type { Call } from '../rpc/connection.ts';
import type { RpcNode } from '../rpc/rpc-node.ts';
import { describeConsole } from './console-log.ts';
import { callsPrecompile, codeIn, comingBlock, describeBlock, usesBridge } from './describe-block.ts';
import type { MinedBlock } from './explain.ts';
import { ExplainingEnd, FailedCalls } from './failure-decoder.ts';
import {
  type BlockEntry,
  type ConsoleEntry,
  comingRequest,
  type FailedCallFacts,
  type RemovedEntry,
  type RequestEntry,
} from './log-entries.ts';
import { GatheredWork, type LogWriter, OrderedWriting } from './log-writer.ts';

/** Milliseconds that a change waits for the response to the call that made it. */
const PATIENCE = 1_000;

/** Milliseconds that a closed log may still explain past events. */
const MAX_END_TIME = 500;

/** Maximum characters of a chain notice, which can contain text of clients. */
const MAX_NOTE_LENGTH = 4_000;

/** Returns the notice of inserted blocks of the forked chain. */
function insertedText(
  inserted: readonly Block[],
  { first, isReorganization, localBlocks }: InsertionFacts,
): string {
  const last = inserted.at(-1)?.header.number;
  const blocks = first === last ? `block ${last}` : `blocks ${first} to ${last}`;
  const words = localBlocks === 1 ? 'block' : 'blocks';
  const local = localBlocks === 0 ? '' : ` below ${localBlocks} local ${words}`;
  const reason = isReorganization ? '; the forked chain was reorganized' : '';
  return `Inserted ${blocks} of the forked chain${local}${reason}`;
}

/** A new block, or removed blocks. */
export type ChainChange =
  | {
      readonly added: BlockEntry;
      /** The block with names of the user's contracts; absent if none are known. */
      readonly explained?: Promise<BlockEntry>;
    }
  | { readonly removed: RemovedEntry };

interface HeldChange {
  readonly change: ChainChange;
  readonly call: CallToken | null;
}

/**
 * Passes changes of the chain to the log in order. A change happens before its call is answered, but the log
 * shows it below the line of the call. So it is queued until {@link release}, or for at most
 * {@link PATIENCE}.
 */
export class ChangeFeed {
  readonly #timers: Timers;
  readonly #write: (change: ChainChange) => void;
  #held: HeldChange[] = [];
  #timer: Timer | null = null;

  /** `write` receives each change that is not written below its call. */
  constructor(timers: Timers, write: (change: ChainChange) => void) {
    this.#timers = timers;
    this.#write = write;
  }

  /** Adds a change and the call that made it; `null` without a call. */
  add(change: ChainChange, call: CallToken | null): void {
    const awaited = call?.isAnswered === false ? call : null;
    if (awaited === null && this.#held.length === 0) {
      this.#write(change);
      return;
    }
    this.#held.push({ change, call: awaited });
    this.#timer ??= this.#timers.after(PATIENCE, () => this.releaseAll());
  }

  /** Returns the changes of a call, for its caller to write. Then call {@link goOn}. */
  release(call: CallToken): readonly ChainChange[] {
    if (this.#held.length === 0) return [];
    const released = this.#held.filter((held) => held.call === call);
    if (released.length > 0) this.#held = this.#held.filter((held) => held.call !== call);
    return released.map(({ change }) => change);
  }

  /** Writes the changes up to the next one that waits for a call. */
  goOn(): void {
    const end = this.#held.findIndex(({ call }) => call !== null);
    this.#writeFirst(end === -1 ? this.#held.length : end);
  }

  /** Writes all queued changes. */
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

type Explanation = Pick<typeof import('./explain.ts'), 'explainBlock' | 'explainCall'>;

/** A chain other than the base chain. */
export interface WatchedLane {
  readonly key: string;
  readonly name: string;
  /** The URL path, encoded; `null` if it is an API key, which the log must not contain. */
  readonly path: string | null;
  readonly node: RpcNode;
}

/** A log of a chain and its lanes. */
export interface ChainWatch {
  /** Adds a lane. Returns a function that removes it. */
  addLane(lane: WatchedLane): () => void;
  /** Writes an answered call, its console output and its blocks. */
  onRequest(entry: RequestEntry, call: Call): void;
  /** Writes a notice, with masked keys of URLs. */
  onNotice(notice: string): void;
  /** Stops, and writes all queued entries. Resolves when they are written. */
  close(): Promise<void>;
}

export interface WatchOptions {
  /** True to write all calls of transactions of known contracts. */
  readonly isVerbose?: boolean;
  /** True to include the console output of contracts. */
  readonly showsConsole?: boolean;
  /** Knows which parts of the activity have readers and need a description. */
  readonly reader?: ActivityReader;
  /** Masks secrets in text of clients. */
  readonly mask?: (text: string) => string;
  /**
   * Returns the lane name for calls on the base chain by the owner of an API key. Undefined if keys are not
   * tenants.
   */
  readonly ownerName?: (owner: string) => string;
}

function tellsOfFailure(change: ChainChange): boolean {
  return 'added' in change && change.added.transactions.some(({ failure }) => failure !== null);
}

function laneFacts({ name, path }: WatchedLane): { readonly lane: string; readonly lanePath?: string } {
  return path === null ? { lane: name } : { lane: name, lanePath: path };
}

/** Masks secrets in text of the client. */
function masked({ method, error, ...rest }: RequestEntry, mask: (text: string) => string): RequestEntry {
  return {
    ...rest,
    method: mask(method),
    error: error && { ...error, message: mask(error.message) },
  };
}

/** Writes the events of the chain to the log. */
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
  /** The open lanes by key. */
  const lanes = new Map<string, WatchedLane>();
  /** Console output of calls without a response yet. */
  const consoles = new WeakMap<CallToken, ConsoleEntry[]>();
  const write = (change: ChainChange, isBelowItsRequest: boolean): void => {
    if ('removed' in change) writing.write(() => log.removed(change.removed));
    else if (change.explained === undefined) writing.write(() => log.block(change.added, isBelowItsRequest));
    else writing.writeWhen(change.explained, (block) => log.block(block, isBelowItsRequest));
  };
  const feed = new ChangeFeed(timers, (change) => write(change, false));
  const ending = new ExplainingEnd();
  let loading: Awaitable<Explanation> | undefined;
  /** Loads the code for explanations on first use. */
  const explanation = (): Awaitable<Explanation> => {
    loading ??= import('./explain.ts').then(({ explainBlock, explainCall }) => {
      loading = { explainBlock, explainCall };
      return loading;
    });
    return loading;
  };
  /** True if transactions must run again, to explain their inner calls. */
  const runsAgain = ({ transactions }: Block, results: readonly ExecutionResult[]): boolean =>
    isVerbose ||
    results.some((result, index) => {
      const transaction = transactions[index];
      return hasFailed(result) || (transaction !== undefined && usesBridge(transaction, result));
    });
  const explainNow = async (
    inspector: LazyInspector,
    mined: MinedBlock,
    entry: BlockEntry,
  ): Promise<BlockEntry> => {
    try {
      const loaded = explanation();
      const { explainBlock } = isPromise(loaded) ? await loaded : loaded;
      const { checkCancelled } = ending;
      const explained = explainBlock(inspector, mined, entry, { isVerbose, checkCancelled });
      return isPromise(explained) ? await explained : explained;
    } catch (error) {
      log.internalError(error);
      return entry;
    }
  };
  // The response to the call is sent before its block is explained.
  const explaining = new GatheredWork(timers);
  /** Never rejects. A block that cannot be explained is written unchanged. */
  const explain = (inspector: LazyInspector, mined: MinedBlock, entry: BlockEntry): Promise<BlockEntry> =>
    new Promise((resolve) => explaining.add(() => resolve(explainNow(inspector, mined, entry))));
  /** Numbers of failed calls and estimates in `inspect_failures`. */
  const failureNumbers = new WeakMap<CallToken, number>();
  const failedCalls = new FailedCalls((error) => log.internalError(error));
  const explainFailure = async (
    inspector: LazyInspector,
    held: RecordedCall,
  ): Promise<FailedCallFacts | null> => {
    const { explainCall } = await explanation();
    return explainCall(inspector, held, { isVerbose, checkCancelled: ending.checkCancelled });
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
    const writeNotice = (text: string): void => {
      writing.write(() =>
        log.notice(printable(lane === null ? text : `lane ${lane.name}: ${text}`, MAX_NOTE_LENGTH)),
      );
    };
    const stopBlocks = chain.events.on('block', (block, results, call) => {
      // Loaded blocks are not new.
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
              { block, held: runsAgain(block, results) ? chain.tracing.hold(block) : null, results, state },
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
    const stopInserted = chain.events.on('inserted', (blocks, facts) => {
      if (isShown()) writeNotice(insertedText(blocks, facts));
    });
    const stopRemoved = chain.events.on('removed', (blocks, successors, call) => {
      // The notice of the inserted blocks follows.
      if (!isShown() || successors === 'same blocks') return;
      const numbers = blocks.map(({ header }) => header.number);
      // The list can be too long for spread arguments.
      const first = numbers.reduce((lowest, number) => Math.min(lowest, number));
      const last = numbers.reduce((highest, number) => Math.max(highest, number));
      feed.add({ removed: { first, last, ...named } }, call);
    });
    const stopNotices = chain.events.on('notice', writeNotice);
    return () => {
      if (lane !== null && lanes.get(lane.key) === lane) lanes.delete(lane.key);
      stopInserted();
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
        // Later blocks are no longer directly below their request.
        if ('removed' in change) isBelow = false;
      }
      feed.goOn();
    },
    onNotice(notice) {
      if (base.isLogged) writing.write(() => log.notice(mask(notice)));
    },
    async close() {
      feed.releaseAll();
      const timer = timers.after(MAX_END_TIME, () => ending.end());
      explaining.run();
      await writing.end();
      timer.cancel();
      // New entries during the last explanations are also written.
      stop();
      feed.releaseAll();
      explaining.run();
      await writing.end();
      log.flush();
    },
  };
}
