import { type ChainCore, runtimeState } from '../../chain/chain-core.ts';
import type { CallToken } from '../../chain/changes.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import { PrunedForkError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import type { ForkHandle } from '../../fork/fork-handle.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { nextTurn, uninterrupted } from '../../scheduling/interrupt.ts';
import { runTask, type Task } from '../../scheduling/task.ts';
import { joinInPieces, WorkPieces } from '../../scheduling/work-pieces.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { ForkNotKeptError } from '../../storage/errors.ts';
import type { ChainEntry, ReservedRange } from '../../storage/reserved-range.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { lacksLogs } from '../anvil/read-anvil-block.ts';
import {
  type AnvilChain,
  type AnvilState,
  readAnvilState,
  stateAfter,
  withAccounts,
} from '../anvil/read-anvil-state.ts';
import { anvilStateJson, jsonBytes, withCarriedDump } from '../anvil/write-anvil-state.ts';
import {
  compress,
  ignoreProgress,
  jsonLines,
  type OnProgress,
  partOf,
  UnpackingBudget,
} from './dump-bytes.ts';
import { type DumpFile, type OwnDump, openDump } from './dump-file.ts';
import { readForkRecord } from './fork-json.ts';
import type { PersistedState } from './persisted-state-json.ts';
import { type ForkBase, readDump } from './read-dump.ts';
import { type ChainImage, writeDump } from './write-dump.ts';

/** A moment of a chain, for checking whether anything has changed since. */
export type ChainMark = readonly unknown[];

/**
 * Returns the mark of the present chain. The parts of a chain are replaced instead of mutated, so the mark consists of
 * references, and costs the same however large the chain is.
 */
function markOf(core: ChainCore, snapshots: Snapshots): ChainMark {
  const { blockchain, pool, wallet } = core;
  return [
    hexKey(blockchain.head.hash),
    blockchain.headState.stamp,
    pool.version,
    ...Object.values(runtimeState(core)),
    snapshots.lastNumber,
    wallet.version,
    ...snapshots.kept,
  ];
}

/** True if both marks are of the same state of the same chain, as far as dumps contain it. */
export function isSameMark(left: ChainMark, right: ChainMark): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

/** The options of dumping a chain. */
export interface DumpOptions {
  /** True to compress with gzip, false for lines of text. */
  readonly isCompressed: boolean;
  /** True to include the wallet: private keys in plain text, or in the keystore of their passphrase. */
  readonly withKeys: boolean;
  readonly onProgress?: OnProgress;
  /** Called while the dump is written; throws to give it up. */
  readonly requireClient?: () => void;
}

/** The options of loading a dump. */
export interface LoadOptions {
  /** Changes the loaded state where options override the dump, as far as that is possible while a chain runs. */
  readonly adjust?: (moment: PersistedState) => PersistedState;
  /** False to ignore the keys in the dump. */
  readonly takesKeys?: boolean;
  readonly onProgress?: OnProgress;
  /** Called while the dump is read; throws to leave the chain as it is. */
  readonly requireClient?: (() => void) | undefined;
  /** The call that loads the dump; `null` or absent for none. */
  readonly call?: CallToken | null;
}

const BLOCKS_PER_TURN = 32;
/** Units of work for comparing a block by its hash, and for replacing a state. */
const COMPARED_WORK = 128;
const REPLACED_WORK = 4_096;
/** The fraction of loading that is reading, which checks every state and every hash; the rest is storing. */
const SHARE_OF_READING = 0.8;

/** The maximum number of blocks that a notice names. */
const NAMED_BLOCKS = 10;

/** The reason why blocks of an Anvil state file are not loaded into a fork, as the end of a sentence. */
const FORK_REASON = 'this chain is a fork, so local blocks must follow the forked chain';

/** Writes a chain into a file, and replaces it by one from a file. */
export class ChainDump {
  readonly #core: ChainCore;
  readonly #snapshots: Snapshots;
  readonly #fork: ForkHandle;

  constructor(core: ChainCore, snapshots: Snapshots, fork: ForkHandle) {
    this.#core = core;
    this.#snapshots = snapshots;
    this.#fork = fork;
  }

  /** Returns the whole chain with its history, its pool, its settings and its snapshots (see `DUMP_FORMAT`). */
  write(options: DumpOptions): Promise<Uint8Array> {
    return this.#core.changes.run(() => this.#write(options));
  }

  /** Returns a mark of the present chain, to find out later whether a dump would differ. */
  mark(): ChainMark {
    const fork = this.#fork.current;
    const fetched = fork?.options.dumpsFetched === true ? fork.upstream.version : null;
    return [...markOf(this.#core, this.#snapshots), fork, fetched];
  }

  async #write({
    isCompressed,
    withKeys,
    onProgress = ignoreProgress,
    requireClient,
  }: DumpOptions): Promise<Uint8Array> {
    const { options, blockchain, wallet } = this.#core;
    const keys = withKeys ? wallet.storedKeys() : [];
    const texts: Uint8Array[] = [];
    const fork = this.#fork.current?.record(options) ?? null;
    if (fork !== null && blockchain.isPruned(blockchain.first - 1)) throw new PrunedForkError();
    const source = { heading: options, fork, blockchain, image: this.#snapshots.image(), keys };
    const pieces = this.#pieces();
    for await (const text of writeDump(source, onProgress, pieces)) {
      requireClient?.();
      texts.push(Buffer.from(text));
    }
    const bytes = await runTask(joinInPieces(texts, pieces));
    return isCompressed ? compress(bytes) : bytes;
  }

  /**
   * Returns the chain in the form of Anvil's state files, which have no keys. Anvil loads the parts that it knows;
   * loaded here it is the whole chain again, unless the file was edited. Anvil's form cannot represent a fork: a fork is
   * written as {@link write} does.
   */
  writeForAnvil(options: DumpOptions): Promise<Uint8Array> {
    return this.#core.changes.run(async () => {
      if (this.#fork.current !== null) return this.#write(options);
      const own = await this.#write({ ...options, isCompressed: true, withKeys: false });
      const state = await anvilStateJson(this.#core.blockchain);
      const bytes = await runTask(jsonBytes(await withCarriedDump(state, own), new WorkPieces()));
      return options.isCompressed ? compress(bytes) : bytes;
    });
  }

  /**
   * Replaces the chain by that of a dump, compressed or not. An Anvil state file is instead laid over the chain: its
   * accounts over the state at the head, and its blocks replace those here if the rule set has blocks of their form.
   * Filters and subscriptions see a reorganization. Rejects with an `InvalidDumpError` or a `DumpVersionError` for
   * other bytes and for those that would unpack to more than the budget, and changes nothing then.
   */
  async load(
    bytes: Uint8Array,
    budget = new UnpackingBudget(),
    options: Pick<LoadOptions, 'call' | 'requireClient'> = {},
  ): Promise<void> {
    return budget.use(async (dump) => this.loadFile(await openDump(bytes, dump), options));
  }

  /** Same as {@link load}, for a file that is opened already. */
  async loadFile(file: DumpFile, options: LoadOptions = {}): Promise<void> {
    const { ruleSet, changes } = this.#core;
    const { onProgress = ignoreProgress, requireClient, call = null } = options;
    const onRead: OnProgress = (done) => {
      requireClient?.();
      onProgress(done * SHARE_OF_READING);
    };
    if (file.kind === 'anvil') {
      const state = await readAnvilState(file.value, ruleSet);
      return changes.run(() => this.#overlay(state), call);
    }
    const fork = await this.#holdForkOf(file);
    try {
      const image = await readDump(
        jsonLines(file.lines, onRead),
        ruleSet,
        fork === null ? null : this.#baseOf(fork),
      );
      if (fork !== null) await fetchPoolSenders(image);
      await changes.run(() => this.#adopt(image, fork, options), call);
    } finally {
      fork?.release();
    }
  }

  /** Returns the fork of the dump's chain, held: the present one, if it begins in the same way; `null` for none. */
  async #holdForkOf({ lines }: OwnDump): Promise<Fork | null> {
    const { options, durability } = this.#core;
    const record = await readForkRecord(lines);
    const { current, forking } = this.#fork;
    // Other chains would read the answers of the dump too.
    const isForOthers = record !== null && record.answers !== null && this.#fork.isShared;
    const isPresent = record !== null && current?.isOf(record, options) === true && !isForOthers;
    if (durability !== null && !isPresent && (record !== null || current !== null))
      throw new ForkNotKeptError();
    if (record === null) return null;
    if (isPresent) {
      // A reset meanwhile must not close it.
      current.hold();
      if (record.answers !== null) current.upstream.give(record.answers);
      return current;
    }
    const opened = await forking.openRecorded(record);
    opened.hold();
    return opened;
  }

  #baseOf(fork: Fork): ForkBase {
    const { ruleSet, options } = this.#core;
    const { before, upstream } = fork;
    return { ...upstream.pin, before, state: fork.first(ruleSet, options).state };
  }

  async #adopt(
    { entries, keys, present, ...image }: ChainImage,
    fork: Fork | null,
    options: LoadOptions,
  ): Promise<void> {
    const { adjust, takesKeys = true, onProgress = ignoreProgress } = options;
    await this.#replaceBlocks(entries, partOf(onProgress, SHARE_OF_READING, 1));
    this.#fork.replace(fork);
    this.#snapshots.adopt({ ...image, present: { ...present, ...adjust?.(present) } });
    if (takesKeys) this.#core.wallet.addStoredKeys(keys);
  }

  async #overlay({ accounts, chain }: AnvilState): Promise<void> {
    const { blockchain, pool, events } = this.#core;
    const headState = await runTask(withAccounts(blockchain.headState, accounts, new WorkPieces()));
    const reason = this.#fork.current !== null ? FORK_REASON : chain;
    if (typeof reason !== 'string') {
      await this.#replaceChain(reason, headState);
    } else {
      blockchain.replaceHeadState(headState);
      const { number } = blockchain.head.header;
      events.emit(
        'notice',
        `only the accounts of the Anvil state file were loaded, not its blocks: ${reason}. The latest block is still ${number}`,
      );
    }
    pool.removeStale(accounts.map(({ address }) => address));
  }

  /** Time continues from the last block, whose time may differ from ours. */
  async #replaceChain(chain: AnvilChain, headState: WorldState): Promise<void> {
    const { blockchain, clock, sideBlocks, events } = this.#core;
    const head = chain.blocks.length - 1;
    await this.#replaceBlocks(
      chain.blocks.map((block, number) => ({
        block,
        state: number === head ? headState : stateAfter(chain, block),
      })),
    );
    sideBlocks.keep(
      chain.others.map((block) => ({
        block,
        state: stateAfter(chain, block),
        results: null,
        isReplaced: true,
      })),
    );
    this.#snapshots.forgetAll();
    clock.setTime(blockchain.head.header.timestamp);
    const silent = chain.blocks.filter(({ header, receipts }) => lacksLogs(header, receipts));
    if (silent.length === 0) return;
    const numbers = silent.slice(0, NAMED_BLOCKS).map(({ header }) => header.number);
    const more = silent.length > numbers.length ? ' and others' : '';
    const blocks = silent.length === 1 ? 'block' : 'blocks';
    events.emit('notice', `the Anvil state file lacks the logs of ${blocks} ${numbers.join(', ')}${more}`);
  }

  /** Blocks that exist already stay, with their new states. */
  async #replaceBlocks(entries: readonly ChainEntry[], onProgress = ignoreProgress): Promise<void> {
    const { changes, events } = this.#core;
    const shared = await runTask(this.#sharedEntries(entries));
    const rest = entries.slice(shared.length);
    const removed = await runTask(this.#rewind(shared.at(-1), rest));
    await runTask(this.#replaceStates(shared));
    const added = shared.length === 0 ? rest.slice(1) : rest;
    const successors = added.length === 0 ? 'none' : 'others follow';
    if (removed.length > 0) events.emit('removed', removed, successors, changes.call);
    await this.#append(added, onProgress);
  }

  /** Returns the leading entries that the chain has too, up to an ordinary block. */
  *#sharedEntries(entries: readonly ChainEntry[]): Task<ChainEntry[]> {
    const { blockchain } = this.#core;
    const pieces = this.#pieces();
    const [first] = entries;
    if (first === undefined || firstNumberOf(first) !== blockchain.first) return [];
    let length = 0;
    for (const [index, entry] of entries.entries()) {
      if (!hasEntry(blockchain, entry)) break;
      if ('block' in entry) length = index + 1;
      const turn = pieces.spend(COMPARED_WORK);
      if (turn !== undefined) yield turn;
    }
    return entries.slice(0, length);
  }

  *#replaceStates(entries: readonly ChainEntry[]): Task<void> {
    const pieces = this.#pieces();
    for (const entry of entries) {
      if ('range' in entry) continue;
      this.#core.blockchain.replaceState(entry.block.header.number, entry.state);
      const turn = pieces.spend(REPLACED_WORK);
      if (turn !== undefined) yield turn;
    }
  }

  *#rewind(lastShared: ChainEntry | undefined, [first]: readonly ChainEntry[]): Task<readonly Block[]> {
    const { blockchain } = this.#core;
    const pieces = this.#pieces();
    if (lastShared !== undefined && 'block' in lastShared) {
      return yield* blockchain.rewindInPieces(lastShared.block.header.number, pieces);
    }
    if (first === undefined || 'range' in first) throw new InvalidDumpError('its first block is missing');
    return yield* blockchain.restartInPieces(first.block, first.state, pieces);
  }

  #pieces(): WorkPieces {
    return new WorkPieces(uninterrupted, undefined, this.#core.turns);
  }

  async #append(entries: readonly ChainEntry[], onProgress: OnProgress): Promise<void> {
    const { blockchain, changes, events } = this.#core;
    const pieces = this.#pieces();
    let below: ReservedRange | null = null;
    for (const [index, entry] of entries.entries()) {
      if ('range' in entry) {
        below = entry.range;
        continue;
      }
      const { block, state } = entry;
      await runTask(blockchain.appendInPieces({ range: below, block, state }, pieces));
      below = null;
      events.emit('block', block, null, changes.call);
      if (index % BLOCKS_PER_TURN !== 0) continue;
      onProgress(index / entries.length);
      await nextTurn();
    }
  }
}

/** Adding to the pool reads the nonces of the senders synchronously, so they must be in memory. */
async function fetchPoolSenders({ present, kept }: ChainImage): Promise<void> {
  for (const { headState, pool } of [present, ...kept.map(({ snapshot }) => snapshot)]) {
    for (const { transaction } of pool.byHash.values()) {
      await fetchingState(() => headState.account(transaction.sender));
    }
  }
}

function firstNumberOf(entry: ChainEntry): number {
  return 'block' in entry ? entry.block.header.number : entry.range.first;
}

/** True when the chain has the entry in its place, as far as hashes say. */
function hasEntry(blockchain: Blockchain, entry: ChainEntry): boolean {
  const number = firstNumberOf(entry);
  if (number > blockchain.head.header.number) return false;
  const range = blockchain.rangeAt(number);
  if ('block' in entry)
    return range === undefined && equalBytes(blockchain.summary(number).hash, entry.block.hash);
  return range !== undefined && range.last === entry.range.last && equalBytes(range.seed, entry.range.seed);
}
