import { equalBytes } from '../../primitives/bytes.ts';
import type { Block } from '../../protocol/block.ts';
import { uninterrupted } from '../../scheduling/interrupt.ts';
import { runTask, type Task } from '../../scheduling/task.ts';
import { inOnePiece, WorkPieces } from '../../scheduling/work-pieces.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { WalletRecord } from '../../wallet/wallet.ts';
import { type ChainCore, type RuntimeState, restoreRuntimeState, runtimeState } from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import { BlockNotFoundError, type SnapshotId, type SnapshotKey, SnapshotNotFoundError } from '../errors.ts';
import type { PoolSnapshot } from '../pool/pool.ts';
import type { BlockSettings } from '../settings/block-settings.ts';

/** The first block of a chain. */
export interface ChainOrigin {
  readonly block: Block;
  /** The state after it. */
  readonly state: WorldState;
}

/** Everything that a chain is when it starts that comes from another one. */
export interface ChainStart {
  readonly snapshot: ChainSnapshot;
  /** The blocks up to the head of the snapshot; it is never changed. */
  readonly blockchain: Blockchain;
  readonly accounts: WalletRecord;
}

/** The ways in which a chain begins, besides its core. */
export interface ChainBeginning {
  /** `null` for a chain that starts with its first block and nothing else. */
  readonly start: ChainStart | null;
  /** The first block that the chain began with, where another one can stand in its place; else `null`. */
  readonly origin: ChainOrigin | null;
}

/** The point at which a chain is to begin: as another one is now, at a snapshot that it keeps, or after one of its blocks. */
export type ForkPoint = 'present' | { readonly snapshot: SnapshotKey } | { readonly block: number };

/** Everything a chain was at some moment: pointers only, nothing copied. */
export interface ChainSnapshot extends RuntimeState {
  /** The number of the head block. */
  readonly head: number;
  /** The state after the head, which can be another than the one it had when it was made. */
  readonly headState: WorldState;
  readonly pool: PoolSnapshot;
}

/** A pool in which nothing waits. */
export const EMPTY_POOL: PoolSnapshot = { runs: new Map(), byHash: new Map(), arrivals: 0 };

/** A snapshot under the key that it is gone back to by, which is a symbol for a hidden one. */
interface Kept {
  readonly id: SnapshotKey;
  readonly snapshot: ChainSnapshot;
}

function isNamed(kept: Kept): kept is NamedSnapshot {
  return typeof kept.id !== 'symbol';
}

/** A snapshot under its id. */
export interface NamedSnapshot {
  readonly id: SnapshotId;
  readonly snapshot: ChainSnapshot;
}

/** A chain as it is, and all that it can go back to but its start. */
export interface SnapshotsImage {
  readonly present: ChainSnapshot;
  /** Oldest first. */
  readonly kept: readonly NamedSnapshot[];
  /** The highest number that was given to a snapshot; 0 for none. */
  readonly lastNumber: number;
}

/** A snapshot that is kept, and the number of the block that was the head then. */
export interface KeptSnapshot {
  readonly id: SnapshotId;
  readonly head: number;
}

function originOf(blockchain: Blockchain): ChainOrigin {
  const block = blockchain.block(blockchain.first);
  if (block === undefined) throw new RangeError('the chain has no first block');
  return { block, state: blockchain.state(blockchain.first) };
}

/**
 * The moments that a chain can go back to: the snapshots, oldest first, and its start. Numbers count up from 1 and are
 * never used again; a named one is a checkpoint, which can be gone back to many times. Methods that return a promise
 * wait their turn among the changes of the chain. The others are for the inside of a change: their callers see to it that
 * nothing else changes the chain meanwhile.
 */
export class Snapshots {
  readonly #core: ChainCore;
  readonly #beginning: ChainBeginning;
  readonly #start: ChainSnapshot;
  readonly #firstBlock: Block;
  #all: Kept[] = [];
  /** The snapshots that are not hidden. */
  #named: NamedSnapshot[] = [];
  #lastNumber = 0;

  /** To be made when everything is as it starts. */
  constructor(core: ChainCore, beginning: ChainBeginning) {
    this.#core = core;
    this.#beginning = beginning;
    const { block, state } = beginning.origin ?? originOf(core.blockchain);
    this.#start = beginning.start?.snapshot ?? this.#cleared(block.header.number, state);
    this.#firstBlock = block;
  }

  /** Returns the chain as it is now. */
  present(): ChainSnapshot {
    const { blockchain, pool } = this.#core;
    return {
      head: blockchain.head.header.number,
      headState: blockchain.headState,
      pool: pool.snapshot(),
      ...runtimeState(this.#core),
    };
  }

  /** Returns the chain as it is now, but with nothing after that block and with that state. */
  #cleared(head: number, headState: WorldState): ChainSnapshot {
    return { ...this.present(), head, headState, pool: EMPTY_POOL };
  }

  /** Returns a chain as it is when it begins there. Throws a {@link SnapshotNotFoundError} or a {@link BlockNotFoundError}. */
  at(point: ForkPoint): ChainSnapshot {
    if (point === 'present') return this.present();
    if ('snapshot' in point) {
      const kept = this.#all[this.#positionOf(point.snapshot)];
      if (kept === undefined) throw new SnapshotNotFoundError(point.snapshot);
      return kept.snapshot;
    }
    const { first, head } = this.#core.blockchain;
    if (point.block < first || point.block > head.header.number)
      throw new BlockNotFoundError(`${point.block}`, head.header.number);
    return this.#cleared(point.block, this.#core.blockchain.state(point.block));
  }

  /** The snapshots with all they hold, oldest first; without those that are hidden. */
  get kept(): readonly NamedSnapshot[] {
    return this.#named;
  }

  /** The number of the lowest block that can be gone back to; infinity without snapshots. */
  get lowestHead(): number {
    // Snapshots that were taken at a higher block are forgotten when the chain becomes shorter, so that the oldest is the lowest.
    return this.#all[0]?.snapshot.head ?? Number.POSITIVE_INFINITY;
  }

  /** The highest number that was given to a snapshot; 0 for none. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Returns the snapshots that can be gone back to, oldest first; without those that are hidden. */
  list(): KeptSnapshot[] {
    return this.#named.map(({ id, snapshot }) => ({ id, head: snapshot.head }));
  }

  /** Keeps the chain as it is; returns the number to revert to. */
  take(): Promise<number> {
    return this.#core.changes.run(() => {
      this.#add(++this.#lastNumber);
      return this.#lastNumber;
    });
  }

  /** Keeps the chain as it is under a name, in the place of the snapshot that had the name before. */
  takeNamed(name: string): Promise<void> {
    return this.#core.changes.run(() => {
      this.#remove(name);
      this.#add(name);
    });
  }

  /**
   * Keeps the chain as it is for callers that have the key that this returns, which can be gone back to many times. It is
   * in no list, in no dump and on no disk.
   */
  takeHidden(): Promise<symbol> {
    return this.#core.changes.run(() => {
      const key = Symbol('hidden snapshot');
      this.#add(key);
      return key;
    });
  }

  /** Forgets a snapshot; returns false for an unknown one. */
  remove(key: SnapshotKey): Promise<boolean> {
    return this.#core.changes.run(() => this.#remove(key));
  }

  /**
   * Makes the chain what it was at the snapshot; returns false for an unknown one. All later ones are used up, and it too
   * if it has a number.
   */
  revert(key: SnapshotKey, call: CallToken | null = null): Promise<boolean> {
    return this.#core.changes.run(() => runTask(this.#revert(key)), call);
  }

  *#revert(key: SnapshotKey): Task<boolean> {
    const position = this.#positionOf(key);
    const wanted = this.#all[position];
    if (wanted === undefined) return false;
    const kept = this.#all.slice(0, typeof key === 'number' ? position : position + 1);
    yield* this.#restore(wanted.snapshot);
    this.#replace(kept);
    return true;
  }

  /**
   * Makes the chain what it was at its start: its own first block alone, or what the other chain was that it comes from;
   * no snapshots, and another life with another id.
   */
  reset(call: CallToken | null = null): Promise<void> {
    return this.#core.changes.run(() => runTask(this.#reset()), call);
  }

  *#reset(): Task<void> {
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

  /** Forgets the snapshots that were taken when the head was above that block, which left the chain. */
  forgetAbove(number: number): void {
    this.#replace(this.#all.filter(({ snapshot }) => snapshot.head <= number));
  }

  /** Frees the blocks that only the chain's start reads. The chain cannot go back there afterwards. */
  async close(): Promise<void> {
    await this.#beginning.start?.blockchain.close(this.#pieces());
  }

  /** Forgets all snapshots. */
  forgetAll(): void {
    this.#replace([]);
  }

  /**
   * Makes the chain one with another first block, at that block's time, with the settings that `settingsOn` makes of
   * those at the start; without snapshots.
   */
  *beginAnew(
    { block, state }: ChainOrigin,
    settingsOn: (settings: BlockSettings) => BlockSettings,
  ): Task<void> {
    const { blockchain, changes, clock, events } = this.#core;
    const removed = yield* blockchain.restartInPieces(block, state, this.#pieces());
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

  *#restart(): Task<readonly Block[]> {
    const { blockchain, wallet } = this.#core;
    const { start } = this.#beginning;
    if (start !== null) {
      wallet.restore(start.accounts);
      return yield* blockchain.becomeInPieces(start.blockchain, this.#pieces());
    }
    const { hash } = blockchain.summary(blockchain.first);
    if (equalBytes(hash, this.#firstBlock.hash)) return [];
    return yield* blockchain.restartInPieces(this.#firstBlock, this.#start.headState, this.#pieces());
  }

  /** Returns the chain as it is and what is kept of it, to be put back with {@link adopt}. */
  image(): SnapshotsImage {
    return { present: this.present(), kept: this.#named, lastNumber: this.#lastNumber };
  }

  /** Puts an image in the place of the chain as it is and of what is kept. The blocks must be those of the image already. */
  adopt({ present, kept, lastNumber }: SnapshotsImage): void {
    this.#replace(kept);
    this.#lastNumber = lastNumber;
    inOnePiece(() => this.#restore(present));
  }

  /** The work for many blocks takes turns with the chain's other work. */
  #pieces(): WorkPieces {
    return new WorkPieces(uninterrupted, undefined, this.#core.turns);
  }

  *#restore(snapshot: ChainSnapshot): Task<void> {
    const { blockchain, changes, pool, events } = this.#core;
    const removed = yield* blockchain.rewindInPieces(snapshot.head, this.#pieces());
    blockchain.replaceHeadState(snapshot.headState);
    pool.restore(snapshot.pool);
    restoreRuntimeState(this.#core, snapshot);
    if (removed.length > 0) events.emit('removed', removed, 'none', changes.call);
    yield* blockchain.trimInPieces(this.#pieces());
  }
}
