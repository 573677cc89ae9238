import type { Awaitable } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { finish, type Steps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import { neverCancelled } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { WalletRecord } from '../../wallet/wallet.ts';
import {
  type ChainCore,
  type ForkBase,
  type RuntimeState,
  restoreRuntimeState,
  runtimeState,
} from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import { BlockNotFoundError, type SnapshotId, type SnapshotKey, SnapshotNotFoundError } from '../errors.ts';
import type { PoolSnapshot } from '../pool/pool.ts';
import type { BlockSettings } from '../settings/block-settings.ts';

export interface ChainOrigin {
  readonly block: Block;
  /** The state after it. */
  readonly state: WorldState;
}

/** The state that a chain takes over from its parent chain at its start. */
export interface ChainStart {
  readonly snapshot: ChainSnapshot;
  /** The blocks up to the snapshot's head. Immutable. */
  readonly blockchain: Blockchain;
  readonly accounts: WalletRecord;
}

/** The start of a chain, in addition to its core. */
export interface FirstState {
  /** `null` for a chain that starts with its genesis block only. */
  readonly start: ChainStart | null;
  /** The original first block, if it can be replaced; else `null`. */
  readonly origin: ChainOrigin | null;
}

/** The start of a fork: the present state of a chain, one of its snapshots, or one of its blocks. */
export type ForkPoint = 'present' | { readonly snapshot: SnapshotKey } | { readonly block: number };

/** The complete state of a chain at one moment. It has references only, no copies. */
export interface ChainSnapshot extends RuntimeState {
  /** The number of the head block. */
  readonly head: number;
  /** The state after the head. A cheat can have changed it since the block was mined. */
  readonly headState: WorldState;
  readonly pool: PoolSnapshot;
  /** The blocks up to the head if the chain has followed its forked chain since; otherwise absent. */
  readonly left?: LeftBlocks;
}

/** The blocks of a chain before it followed its forked chain. */
export interface LeftBlocks {
  /** Immutable. */
  readonly blockchain: Blockchain;
  readonly base: ForkBase;
}

export const EMPTY_POOL: PoolSnapshot = {
  runs: new Map(),
  byHash: new Map(),
  arrivals: 0,
  bundles: [],
};

/** A snapshot and its key. Hidden snapshots have a symbol. */
interface Kept {
  readonly id: SnapshotKey;
  readonly snapshot: ChainSnapshot;
}

function isNamed(kept: Kept): kept is NamedSnapshot {
  return typeof kept.id !== 'symbol';
}

export interface NamedSnapshot {
  readonly id: SnapshotId;
  readonly snapshot: ChainSnapshot;
}

/** The present state of a chain and its visible snapshots. */
export interface SnapshotsImage {
  readonly present: ChainSnapshot;
  /** Oldest first. */
  readonly kept: readonly NamedSnapshot[];
  /** The highest snapshot number so far; 0 without any. */
  readonly lastNumber: number;
}

/** A snapshot and the number of its head block. */
export interface StoredSnapshot {
  readonly id: SnapshotId;
  readonly head: number;
}

function originOf(blockchain: Blockchain): ChainOrigin {
  const block = blockchain.block(blockchain.first);
  if (block === undefined) throw new RangeError('the chain has no first block');
  return { block, state: blockchain.state(blockchain.first) };
}

/**
 * The states that a chain can revert to: its snapshots, oldest first, and its start. Numbers count up from 1
 * and are never reused. A named snapshot is a checkpoint that can be reverted to many times. Methods with a
 * promise queue a change of the chain. Call the other methods inside a change only.
 */
export class Snapshots {
  readonly #core: ChainCore;
  readonly #beginning: FirstState;
  readonly #start: ChainSnapshot;
  readonly #firstBlock: Block;
  #all: Kept[] = [];
  /** The visible snapshots. */
  #named: NamedSnapshot[] = [];
  #lastNumber = 0;

  /** Create it before the chain's first change. */
  constructor(core: ChainCore, beginning: FirstState) {
    this.#core = core;
    this.#beginning = beginning;
    const { block, state } = beginning.origin ?? originOf(core.blockchain);
    this.#start = beginning.start?.snapshot ?? this.#cleared(block.header.number, state);
    this.#firstBlock = block;
  }

  present(): ChainSnapshot {
    const { blockchain, pool } = this.#core;
    return {
      head: blockchain.head.block.header.number,
      headState: blockchain.head.state,
      pool: pool.snapshot(),
      ...runtimeState(this.#core),
    };
  }

  /** Returns the present settings with this head and state, and an empty pool. */
  #cleared(head: number, headState: WorldState): ChainSnapshot {
    return { ...this.present(), head, headState, pool: EMPTY_POOL };
  }

  /**
   * Returns the state of a chain that starts at this point. Throws a {@link SnapshotNotFoundError} or a
   * {@link BlockNotFoundError}.
   */
  at(point: ForkPoint): ChainSnapshot {
    if (point === 'present') return this.present();
    if ('snapshot' in point) {
      const kept = this.#all[this.#positionOf(point.snapshot)];
      if (kept === undefined) throw new SnapshotNotFoundError(point.snapshot);
      return kept.snapshot;
    }
    const { first, head } = this.#core.blockchain;
    const { number } = head.block.header;
    if (point.block < first || point.block > number) throw new BlockNotFoundError(`${point.block}`, number);
    return this.#cleared(point.block, this.#core.blockchain.state(point.block));
  }

  /** The visible snapshots, oldest first. */
  get kept(): readonly NamedSnapshot[] {
    return this.#named;
  }

  /** The number of the lowest block that a snapshot can restore; infinity without snapshots. */
  get lowestHead(): number {
    // A rewind deletes snapshots of higher blocks, so the oldest snapshot is the lowest.
    return this.#all[0]?.snapshot.head ?? Number.POSITIVE_INFINITY;
  }

  /** The highest snapshot number so far; 0 without any. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Returns the visible snapshots, oldest first. */
  list(): StoredSnapshot[] {
    return this.#named.map(({ id, snapshot }) => ({ id, head: snapshot.head }));
  }

  /** Takes a snapshot and returns its number. */
  take(): Promise<number> {
    return this.#core.changes.run(() => {
      this.#add(++this.#lastNumber);
      return this.#lastNumber;
    });
  }

  /** Takes a named snapshot, which replaces an earlier one with the same name. */
  takeNamed(name: string): Promise<void> {
    return this.#core.changes.run(() => {
      this.#remove(name);
      this.#add(name);
    });
  }

  /**
   * Takes a hidden snapshot and returns its key. It can be reverted to many times. Lists, dumps and the data
   * directory do not contain it.
   */
  takeHidden(): Promise<symbol> {
    return this.#core.changes.run(() => {
      const key = Symbol('hidden snapshot');
      this.#add(key);
      return key;
    });
  }

  /** Removes a snapshot. Returns false if it is unknown. */
  remove(key: SnapshotKey): Promise<boolean> {
    return this.#core.changes.run(() => this.#remove(key));
  }

  /**
   * Reverts the chain to the snapshot. Returns false if it is unknown. Later snapshots are deleted; a
   * numbered snapshot is deleted too.
   */
  revert(key: SnapshotKey, call: CallToken | null = null): Promise<boolean> {
    return this.#core.changes.run(() => runTask(this.#revert(key), this.#timeSlice()), call);
  }

  *#revert(key: SnapshotKey): Steps<boolean> {
    const position = this.#positionOf(key);
    const wanted = this.#all[position];
    if (wanted === undefined) return false;
    const kept = this.#all.slice(0, typeof key === 'number' ? position : position + 1);
    yield* this.#restore(wanted.snapshot);
    this.#replace(kept);
    return true;
  }

  /**
   * Resets the chain to its start: its genesis block, or the state from its parent chain. All snapshots are
   * deleted. The chain gets a new id, and its `life` increases.
   */
  reset(call: CallToken | null = null): Promise<void> {
    return this.#core.changes.run(() => runTask(this.#reset(), this.#timeSlice()), call);
  }

  *#reset(): Steps<void> {
    const { changes, events, fork, identity } = this.#core;
    const removed = yield* this.#restart();
    if (removed.length > 0) events.emit('removed', removed, 'none', changes.call);
    yield* this.#restore(this.#start);
    this.forgetAll();
    fork.restore();
    identity.renew();
  }

  #replace(all: readonly Kept[]): void {
    this.#all = [...all];
    this.#named = all.filter(isNamed);
  }

  #add(id: SnapshotKey): void {
    const kept: Kept = { id, snapshot: this.present() };
    this.#all.push(kept);
    if (isNamed(kept)) this.#named.push(kept);
  }

  #positionOf(key: SnapshotKey): number {
    return this.#all.findLastIndex(({ id }) => id === key);
  }

  #remove(key: SnapshotKey): boolean {
    const position = this.#positionOf(key);
    if (position === -1) return false;
    this.#replace(this.#all.toSpliced(position, 1));
    return true;
  }

  /** Deletes the snapshots whose head is above this block. */
  forgetAbove(number: number): void {
    this.#replace(this.#all.filter(({ snapshot: { head, left } }) => left !== undefined || head <= number));
  }

  /** Gives the present blocks to the snapshots that need them. Call it before the chain follows its forked chain. */
  leaveBlocks(): void {
    const { blockchain, fork } = this.#core;
    const { base } = fork;
    if (base === null || this.#all.every(({ snapshot }) => snapshot.left !== undefined)) return;
    const left = { blockchain: blockchain.fork(), base };
    this.#replace(this.#all.map(({ id, snapshot }) => ({ id, snapshot: { left, ...snapshot } })));
  }

  /** Closes the blocks that only a reset reads. The chain cannot be reset afterwards. */
  async close(): Promise<void> {
    await this.#beginning.start?.blockchain.close(this.#timeSlice());
  }

  forgetAll(): void {
    this.#replace([]);
  }

  /**
   * Restarts the chain with another first block, at that block's time, without snapshots. `settingsOn`
   * derives the settings from the initial ones.
   */
  beginAnew(origin: ChainOrigin, settingsOn: (settings: BlockSettings) => BlockSettings): Awaitable<void> {
    return runTask(this.#beginAnew(origin, settingsOn), this.#timeSlice());
  }

  *#beginAnew(
    { block, state }: ChainOrigin,
    settingsOn: (settings: BlockSettings) => BlockSettings,
  ): Steps<void> {
    const { blockchain, changes, clock, events } = this.#core;
    const removed = yield* blockchain.restart(block, state);
    this.forgetAll();
    if (removed.length > 0) events.emit('removed', removed, 'none', changes.call);
    const { number, timestamp } = block.header;
    yield* this.#restore({
      ...this.#start,
      head: number,
      headState: state,
      pool: EMPTY_POOL,
      clock: clock.settingAt(timestamp),
      settings: settingsOn(this.#start.settings),
    });
  }

  *#restart(): Steps<readonly Block[]> {
    const { blockchain, wallet } = this.#core;
    const { start } = this.#beginning;
    if (start !== null) {
      wallet.restore(start.accounts);
      return yield* blockchain.become(start.blockchain);
    }
    const { hash } = blockchain.summary(blockchain.first);
    if (equalBytes(hash, this.#firstBlock.hash)) return [];
    return yield* blockchain.restart(this.#firstBlock, this.#start.headState);
  }

  /** Returns the present state and the visible snapshots of the present blocks, for {@link adopt}. */
  image(): SnapshotsImage {
    const kept = this.#named.filter(({ snapshot }) => snapshot.left === undefined);
    return { present: this.present(), kept, lastNumber: this.#lastNumber };
  }

  /** Replaces the snapshots with an image's, before the chain reports (and prunes) the blocks of the image. */
  adoptKept({ kept, lastNumber }: Omit<SnapshotsImage, 'present'>): void {
    this.#replace(kept);
    this.#lastNumber = lastNumber;
  }

  /** Restores an image. The chain must have the image's blocks already. */
  adopt({ present, ...image }: SnapshotsImage): void {
    this.adoptKept(image);
    finish(this.#restore(present));
  }

  /** Long work shares time slices with the chain's other work. */
  #timeSlice(): TimeSlice {
    return new TimeSlice(neverCancelled, undefined, this.#core.yielder);
  }

  *#restore(snapshot: ChainSnapshot): Steps<void> {
    const { blockchain, changes, pool, events, fork } = this.#core;
    const { left } = snapshot;
    const isOnOtherBase = left !== undefined && left.base !== fork.base;
    const removed =
      left === undefined
        ? yield* blockchain.rewind(snapshot.head)
        : yield* blockchain.become(left.blockchain.fork(snapshot.head));
    blockchain.replaceHeadState(snapshot.headState);
    if (left !== undefined) fork.moveTo(left.base);
    pool.restore(snapshot.pool);
    restoreRuntimeState(this.#core, snapshot);
    const lowest = isOnOtherBase ? blockchain.lowest + 1 : removed.at(-1)?.header.number;
    const restored = left === undefined || lowest === undefined ? [] : blocksFrom(blockchain, lowest);
    const others = isOnOtherBase ? 'restored' : 'others follow';
    if (removed.length > 0)
      events.emit('removed', removed, restored.length > 0 ? others : 'none', changes.call);
    for (const block of restored) {
      events.emit('block', block, null, changes.call);
      yield EVENT_WORK;
    }
    yield* blockchain.trim();
  }
}

/** Work units to report a block. */
const EVENT_WORK = 256;

/** Returns the blocks from a number on. A range of empty blocks is represented by the block above it. */
function blocksFrom(blockchain: Blockchain, number: number): Block[] {
  const blocks: Block[] = [];
  for (const entry of blockchain.entries())
    if ('block' in entry && entry.block.header.number >= number) blocks.push(entry.block);
  return blocks;
}
