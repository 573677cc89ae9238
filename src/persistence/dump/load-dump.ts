// Replaces a chain with a dumped one. Loaded with the first dump.

import type { ChainCore } from '../../chain/chain-core.ts';
import type { CallToken } from '../../chain/changes.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import { ParentChainForkError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import type { ForkHandle } from '../../fork/fork-handle.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import { createFirstBlock } from '../../protocol/genesis.ts';
import { neverCancelled, nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import { listEntries } from '../../storage/block-layer.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEntry, EmptyBlockRange } from '../../storage/empty-block-range.ts';
import { ForkNotSavedError } from '../../storage/errors.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { lacksLogs } from '../anvil/read-anvil-block.ts';
import {
  type AnvilChain,
  type AnvilNewestBlock,
  type AnvilState,
  readAnvilState,
  stateAfter,
  withAccounts,
} from '../anvil/read-anvil-state.ts';
import { ignoreProgress, type OnProgress, partOf } from './dump-bytes.ts';
import type { DumpFile, OwnDump } from './dump-file.ts';
import type { DumpLayout } from './dump-layout.ts';
import { readForkRecord } from './fork-json.ts';
import type { PersistedState } from './persisted-state-json.ts';
import { type ForkBase, readDump } from './read-dump.ts';
import type { ChainImage } from './write-dump.ts';

export interface LoadOptions {
  /** Adjusts the loaded state where options override the dump, as far as possible on a running chain. */
  readonly adjust?: (moment: PersistedState) => PersistedState;
  /** False to ignore the keys in the dump. */
  readonly takesKeys?: boolean;
  readonly onProgress?: OnProgress;
  /** True before the node serves clients. Only the highest block is announced then. */
  readonly isUnobserved?: boolean;
  /** Called while the dump is read. It can throw to abort; the chain then stays unchanged. */
  readonly requireClient?: (() => void) | undefined;
  /** The client call that loads the dump; `null` or absent for none. */
  readonly call?: CallToken | null;
}

const BLOCKS_PER_TURN = 32;
/** Work units for comparing a block by hash, and for replacing a state. */
const COMPARED_WORK = 128;
const REPLACED_WORK = 4_096;
/** The fraction of the load spent on reading, including hash checks. The rest is storing. */
const SHARE_OF_READING = 0.8;

/** Maximum number of blocks named in a notice. */
const NAMED_BLOCKS = 10;

/** The reason (a clause) for not loading an Anvil file's blocks into a fork. */
const FORK_REASON = 'this chain is a fork, so local blocks must follow the forked chain';

/** Loads dumps into a chain. */
export class DumpLoader {
  readonly #core: ChainCore;
  readonly #snapshots: Snapshots;
  readonly #fork: ForkHandle;

  constructor(core: ChainCore, snapshots: Snapshots, fork: ForkHandle) {
    this.#core = core;
    this.#snapshots = snapshots;
    this.#fork = fork;
  }

  /** See `ChainDump.loadFile`. */
  async load(file: DumpFile, options: LoadOptions): Promise<DumpLayout | null> {
    const { ruleSet, blockchain, changes, parentChain, options: chainOptions } = this.#core;
    const { onProgress = ignoreProgress, requireClient, call = null } = options;
    const onRead: OnProgress = (done) => {
      requireClient?.();
      onProgress(done * SHARE_OF_READING);
    };
    const foreign = file.kind === 'anvil' ? file.value : await this.#foreignCarrier(file);
    if (file.kind === 'anvil' || foreign !== null) {
      if (foreign !== null) await this.#loadAnvil(foreign, call);
      return null;
    }
    const fork = await this.#holdForkOf(file);
    try {
      const { preamble, marks, codes, ...image } = await readDump(
        file.text,
        { ruleSet, federation: chainOptions.federation },
        fork === null ? null : this.#baseOf(fork),
        parentChain?.forms ?? null,
        onRead,
      );
      if (fork !== null) await fetchPoolSenders(image);
      return await changes.run(async () => {
        await this.#adopt(image, fork, options);
        const { isCompressed, size } = file.text;
        const { first } = blockchain;
        const changed = blockchain.watchChanges();
        return { isCompressed, size, preamble, first, marks, codes, changed };
      }, call);
    } finally {
      fork?.release();
    }
  }

  async #loadAnvil(file: StrictValue, call: CallToken | null): Promise<void> {
    const { ruleSet, options } = this.#core;
    const state = await readAnvilState(file, ruleSet);
    if (state.lacksBest && options.continuesStateFiles && this.#fork.current === null)
      throw new InvalidDumpError(`Best hash not found for best number ${state.best}: ${state.chain}`);
    return this.#core.changes.run(() => this.#overlay(state), call);
  }

  /** Returns the Anvil file around a dump if this chain is a fork with another start; otherwise `null`. */
  async #foreignCarrier({ text, carrier }: OwnDump): Promise<StrictValue | null> {
    const { current } = this.#fork;
    if (carrier === null || current === null) return null;
    const record = await readForkRecord(text);
    return record !== null && current.isOf(record, this.#core.options) ? null : carrier;
  }

  /**
   * Returns and holds the fork of the dump's chain, or `null`. Reuses the present fork if its start is equal.
   */
  async #holdForkOf({ text }: OwnDump): Promise<Fork | null> {
    const { options, durability, parentChain } = this.#core;
    const record = await readForkRecord(text);
    if (record !== null && parentChain !== null) throw new ParentChainForkError();
    const { current, forking } = this.#fork;
    // Other chains would read the dump's responses too.
    const isForOthers = record !== null && record.answers !== null && this.#fork.isShared;
    const isPresent = record !== null && current?.isOf(record, options) === true && !isForOthers;
    if (durability !== null && !isPresent && (record !== null || current !== null))
      throw new ForkNotSavedError();
    if (record === null) return null;
    if (isPresent) {
      // A reset meanwhile must not close it.
      current.hold();
      if (record.answers !== null) current.upstream.answers.give(record.answers);
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
    { blockchain: loaded, keys, present, lacksParentChain, ...image }: ChainImage,
    fork: Fork | null,
    options: LoadOptions,
  ): Promise<void> {
    const { adjust, takesKeys = true, onProgress = ignoreProgress } = options;
    const onStored = partOf(onProgress, SHARE_OF_READING, 1);
    if (this.#core.durability === null)
      await this.#become({ blockchain: loaded, ...image }, onStored, options);
    else {
      const entries = await runTask(listEntries(loaded.entries()), this.#timeSlice());
      await this.#replaceBlocks(entries, onStored);
      await loaded.close();
    }
    this.#fork.replace(fork, 'loaded');
    this.#snapshots.adopt({ ...image, present: { ...present, ...adjust?.(present) } });
    if (takesKeys) this.#core.wallet.addStoredKeys(keys);
    if (lacksParentChain)
      this.#core.events.emit(
        'notice',
        'the parent chain of the dump was not loaded; start the node with --parent-chain to load it',
      );
  }

  async #overlay({ accounts, chain, best, newest }: AnvilState): Promise<void> {
    const { blockchain, pool, events } = this.#core;
    const fork = this.#fork.current;
    // As in Anvil, a file that is not ahead of the fork block continues from it.
    if (fork !== null && (best ?? 0) <= fork.upstream.pin.number) await this.#restartFork(fork);
    const headState = await runTask(withAccounts(blockchain.head.state, accounts), new TimeSlice());
    const reason = this.#fork.current !== null ? FORK_REASON : chain;
    if (typeof reason !== 'string') {
      await this.#replaceChain(reason, headState);
    } else if (newest !== null && this.#fork.current === null && this.#core.options.continuesStateFiles) {
      await this.#continueFrom(newest, headState);
    } else {
      blockchain.replaceHeadState(headState);
      const { number } = blockchain.head.block.header;
      events.emit(
        'notice',
        `only the accounts of the Anvil state file were loaded, not its blocks: ${reason}. The latest block is still ${number}`,
      );
    }
    pool.removeStale(accounts.map(({ address }) => address));
  }

  /**
   * Adds the newest block of a file without blocks to the local block below it. Without this block, the chain
   * starts with the newest block of the file.
   */
  async #continueFrom({ header, gasLimit, timestamp }: AnvilNewestBlock, state: WorldState): Promise<void> {
    const { blockchain, ruleSet, options, events, changes } = this.#core;
    const { minimumGasPrice } = options;
    const below = header.number - 1;
    const parent = blockchain.block(below) ?? null;
    const time = Math.max(timestamp, (parent?.header.timestamp ?? 0) + 1);
    const first = createFirstBlock(
      {
        ...{ ruleSet, gasLimit, minimumGasPrice, timestamp: time },
        header: { ...header, ...(parent === null ? {} : { parentHash: parent.hash }) },
      },
      state.root,
    );
    if (parent === null) await this.#replaceBlocks([{ block: first, state }]);
    else {
      const removed = await runTask(blockchain.rewind(below), this.#timeSlice());
      if (removed.length > 0) events.emit('removed', removed, 'others follow', changes.call);
      const totalDifficulty = parent.totalDifficulty + first.totalDifficulty;
      await this.#append([{ block: { ...first, totalDifficulty }, state }], ignoreProgress);
    }
    this.#continueAtHead();
    const { number } = first.header;
    events.emit('notice', `the Anvil state file has no blocks: block ${number} was added with its accounts`);
  }

  /** Time continues from the last block, whose time may differ from the clock. */
  #continueAtHead(): void {
    const { blockchain, clock, settings } = this.#core;
    this.#snapshots.forgetAll();
    clock.setTime(blockchain.head.block.header.timestamp);
    settings.useUpNext();
  }

  /** Removes the local blocks of a fork, with the pool and all changed settings. */
  async #restartFork(fork: Fork): Promise<void> {
    const { ruleSet, options } = this.#core;
    await this.#snapshots.beginAnew(fork.first(ruleSet, options), (settings) => settings);
  }

  async #replaceChain(chain: AnvilChain, headState: WorldState): Promise<void> {
    const { sideBlocks, events } = this.#core;
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
    this.#continueAtHead();
    const silent = chain.blocks.filter(({ header, receipts }) => lacksLogs(header, receipts));
    if (silent.length === 0) return;
    const numbers = silent.slice(0, NAMED_BLOCKS).map(({ header }) => header.number);
    const more = silent.length > numbers.length ? ' and others' : '';
    const blocks = silent.length === 1 ? 'block' : 'blocks';
    events.emit('notice', `the Anvil state file lacks the logs of ${blocks} ${numbers.join(', ')}${more}`);
  }

  /** Takes the blocks and snapshots of the loaded chain. */
  async #become(
    { blockchain: loaded, ...image }: Pick<ChainImage, 'blockchain' | 'kept' | 'lastNumber'>,
    onProgress: OnProgress,
    { isUnobserved }: LoadOptions,
  ): Promise<void> {
    const { blockchain, changes, events } = this.#core;
    const { first, head } = blockchain;
    const removed = await runTask(blockchain.become(loaded), this.#timeSlice());
    await loaded.close(this.#timeSlice());
    this.#snapshots.adoptKept(image);
    const lowest = removed.at(-1)?.header.number ?? head.block.header.number + 1;
    // A first block is not new: it is the start of the chain.
    const lowestNew = lowest === first ? blockchain.first + 1 : lowest;
    const last = blockchain.head.block.header.number;
    if (removed.length > 0)
      events.emit('removed', removed, lowestNew > last ? 'none' : 'others follow', changes.call);
    const from = isUnobserved === true ? Math.max(last, lowestNew) : lowestNew;
    let count = 0;
    for (const number of blockchain.unreserved(from, last)) {
      const block = blockchain.block(number);
      if (block !== undefined) events.emit('block', block, null, changes.call);
      if (count++ % BLOCKS_PER_TURN !== 0) continue;
      onProgress((number - from) / (last - from + 1));
      await nextIteration();
    }
    onProgress(1);
  }

  /** Existing blocks stay, with new states. */
  async #replaceBlocks(entries: readonly ChainEntry[], onProgress = ignoreProgress): Promise<void> {
    const { changes, events } = this.#core;
    const shared = await runTask(this.#sharedEntries(entries), this.#timeSlice());
    const rest = entries.slice(shared.length);
    const removed = await runTask(this.#rewind(shared.at(-1), rest), this.#timeSlice());
    await runTask(this.#replaceStates(shared), this.#timeSlice());
    const added = shared.length === 0 ? rest.slice(1) : rest;
    const successors = added.length === 0 ? 'none' : 'others follow';
    if (removed.length > 0) events.emit('removed', removed, successors, changes.call);
    await this.#append(added, onProgress);
  }

  /** Returns the leading entries that the chain has too, up to an ordinary block. */
  *#sharedEntries(entries: readonly ChainEntry[]): Steps<ChainEntry[]> {
    const { blockchain } = this.#core;
    const [first] = entries;
    if (first === undefined || firstNumberOf(first) !== blockchain.first) return [];
    let length = 0;
    for (const [index, entry] of entries.entries()) {
      if (!hasEntry(blockchain, entry)) break;
      if ('block' in entry) length = index + 1;
      yield COMPARED_WORK;
    }
    return entries.slice(0, length);
  }

  *#replaceStates(entries: readonly ChainEntry[]): Steps<void> {
    for (const entry of entries) {
      if ('range' in entry) continue;
      this.#core.blockchain.replaceState(entry.block.header.number, entry.state);
      yield REPLACED_WORK;
    }
  }

  *#rewind(lastShared: ChainEntry | undefined, [first]: readonly ChainEntry[]): Steps<readonly Block[]> {
    const { blockchain } = this.#core;
    if (lastShared !== undefined && 'block' in lastShared) {
      return yield* blockchain.rewind(lastShared.block.header.number);
    }
    if (first === undefined || 'range' in first) throw new InvalidDumpError('its first block is missing');
    return yield* blockchain.restart(first.block, first.state);
  }

  #timeSlice(): TimeSlice {
    return new TimeSlice(neverCancelled, undefined, this.#core.yielder);
  }

  async #append(entries: readonly ChainEntry[], onProgress: OnProgress): Promise<void> {
    const { blockchain, changes, events } = this.#core;
    const slice = this.#timeSlice();
    let below: EmptyBlockRange | null = null;
    for (const [index, entry] of entries.entries()) {
      if ('range' in entry) {
        below = entry.range;
        continue;
      }
      const { block, state } = entry;
      await runTask(blockchain.append({ range: below, block, state }), slice);
      below = null;
      events.emit('block', block, null, changes.call);
      if (index % BLOCKS_PER_TURN !== 0) continue;
      onProgress(index / entries.length);
      await nextIteration();
    }
  }
}

/** Adding to the pool reads senders' nonces synchronously, so they must be in memory. */
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

/** True if the chain has the entry at its number, by hash. */
function hasEntry(blockchain: Blockchain, entry: ChainEntry): boolean {
  const number = firstNumberOf(entry);
  if (number > blockchain.head.block.header.number) return false;
  const range = blockchain.rangeAt(number);
  if ('block' in entry)
    return range === undefined && equalBytes(blockchain.summary(number).hash, entry.block.hash);
  return range !== undefined && range.last === entry.range.last && equalBytes(range.seed, entry.range.seed);
}
