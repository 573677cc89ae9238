import { equalBytes } from '../../primitives/bytes.ts';
import type { Block } from '../../protocol/block.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import type { Wallet, WalletRecord } from '../../wallet/wallet.ts';
import { BlockNotFoundError, type SnapshotId, type SnapshotKey, SnapshotNotFoundError } from '../errors.ts';
import type { PoolSnapshot, TransactionPool } from '../pool/pool.ts';
import {
  type BlockSettings,
  type ConditionParts,
  type RuntimeState,
  restoreRuntimeState,
  runtimeState,
} from '../settings/block-settings.ts';

interface Kept<Snapshot, Key> {
  readonly id: Key;
  readonly snapshot: Snapshot;
}

function isNamed<Snapshot>(kept: Kept<Snapshot, SnapshotKey>): kept is Kept<Snapshot, SnapshotId> {
  return typeof kept.id !== 'symbol';
}

/** Snapshots in the order they were taken, hidden ones among the others. */
export class KeptSnapshots<Snapshot> {
  #all: Kept<Snapshot, SnapshotKey>[] = [];
  #named: Kept<Snapshot, SnapshotId>[] = [];

  /** Those that have an id, oldest first. */
  get named(): readonly Kept<Snapshot, SnapshotId>[] {
    return this.#named;
  }

  /** Puts others in the place of all. */
  replace(all: readonly Kept<Snapshot, SnapshotKey>[]): void {
    this.#all = [...all];
    this.#named = all.filter(isNamed);
  }

  /** Adds one as the last. */
  add(id: SnapshotKey, snapshot: Snapshot): void {
    const kept = { id, snapshot };
    this.#all.push(kept);
    if (isNamed(kept)) this.#named.push(kept);
  }

  #position(key: SnapshotKey): number {
    return this.#all.findLastIndex(({ id }) => id === key);
  }

  /** `undefined` for an unknown key. */
  get(key: SnapshotKey): Snapshot | undefined {
    return this.#all[this.#position(key)]?.snapshot;
  }

  /** False for an unknown key. */
  remove(key: SnapshotKey): boolean {
    const position = this.#position(key);
    if (position === -1) return false;
    this.replace(this.#all.toSpliced(position, 1));
    return true;
  }

  /** Removes all that were taken after the one with that key. */
  removeAfter(key: SnapshotKey): void {
    this.replace(this.#all.slice(0, this.#position(key) + 1));
  }

  /** Removes all but those that pass. */
  retain(isRetained: (snapshot: Snapshot) => boolean): void {
    this.replace(this.#all.filter(({ snapshot }) => isRetained(snapshot)));
  }
}

/** What a snapshot is taken of; all of it belongs to one chain. */
export interface SnapshotParts extends ConditionParts {
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly wallet: Wallet;
  readonly events: ChainEvents;
  /** `null` for a chain that starts with its first block and nothing else. */
  readonly start: ChainStart | null;
  /** The first block that the chain began with, where another one can stand in its place; else `null`. */
  readonly origin: ChainOrigin | null;
}

/** What a chain began with. */
export interface ChainOrigin {
  readonly block: Block;
  /** The state after it. */
  readonly state: WorldState;
}

/** What a chain is when it starts that comes from another one. */
export interface ChainStart {
  readonly snapshot: ChainSnapshot;
  /** The blocks up to the head of the snapshot; nobody changes it. */
  readonly blockchain: Blockchain;
  readonly accounts: WalletRecord;
}

/** Where a chain is to begin: as another one is now, at a snapshot that it keeps, or after one of its blocks. */
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
export const NO_TRANSACTIONS: PoolSnapshot = { runs: new Map(), byHash: new Map(), arrivals: 0 };

/** A snapshot under its id. */
export interface NamedSnapshot {
  readonly id: SnapshotId;
  readonly snapshot: ChainSnapshot;
}

/** What a chain is, and all that it can go back to but its start. */
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
  return { block, state: blockchain.summary(blockchain.first).state };
}

/**
 * What a chain can go back to: the snapshots, oldest first, and its start. Numbers count up from 1 and are never used
 * again; a named one is a checkpoint, which can be gone back to many times. Its callers see to it that nothing else
 * changes the chain meanwhile.
 */
export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #start: ChainSnapshot;
  readonly #firstBlock: Block;
  readonly #kept = new KeptSnapshots<ChainSnapshot>();
  #lastNumber = 0;

  /** To be made when everything is as it starts. */
  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    const { block, state } = parts.origin ?? originOf(parts.blockchain);
    this.#start = parts.start?.snapshot ?? this.#beginning(block.header.number, state);
    this.#firstBlock = block;
  }

  /** What the chain is now. */
  present(): ChainSnapshot {
    const { blockchain, pool } = this.#parts;
    return {
      head: blockchain.head.header.number,
      headState: blockchain.headState,
      pool: pool.snapshot(),
      ...runtimeState(this.#parts),
    };
  }

  /** The chain as it is now, but with nothing after that block and with that state. */
  #beginning(head: number, headState: WorldState): ChainSnapshot {
    return { ...this.present(), head, headState, pool: NO_TRANSACTIONS };
  }

  /**
   * What a chain is to be that begins there. Throws a {@link SnapshotNotFoundError} or a `BlockNotFoundError`.
   */
  at(point: ForkPoint): ChainSnapshot {
    if (point === 'present') return this.present();
    if ('snapshot' in point) {
      const kept = this.#kept.get(point.snapshot);
      if (kept === undefined) throw new SnapshotNotFoundError(point.snapshot);
      return kept;
    }
    const { first, head } = this.#parts.blockchain;
    if (point.block < first || point.block > head.header.number)
      throw new BlockNotFoundError(`${point.block}`, head.header.number);
    return this.#beginning(point.block, this.#parts.blockchain.summary(point.block).state);
  }

  /** The snapshots with all they hold, oldest first; without those that are hidden. */
  get kept(): readonly NamedSnapshot[] {
    return this.#kept.named;
  }

  /** The highest number that was given to a snapshot; 0 for none. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** The snapshots that can be gone back to, oldest first; without those that are hidden. */
  list(): KeptSnapshot[] {
    return this.#kept.named.map(({ id, snapshot }) => ({ id, head: snapshot.head }));
  }

  /** Keeps the chain as it is; gives the number to revert to. */
  take(): number {
    this.#lastNumber++;
    this.#kept.add(this.#lastNumber, this.present());
    return this.#lastNumber;
  }

  /** Keeps the chain as it is under a name, in the place of what had the name before. */
  takeNamed(name: string): void {
    this.remove(name);
    this.#kept.add(name, this.present());
  }

  /**
   * Keeps the chain as it is for who has the key that this gives, which can be gone back to many times. Nobody else sees
   * it, and it is kept neither in a dump nor on disk.
   */
  takeHidden(): symbol {
    const key = Symbol('hidden snapshot');
    this.#kept.add(key, this.present());
    return key;
  }

  /** Forgets a snapshot; false for an unknown one. */
  remove(key: SnapshotKey): boolean {
    return this.#kept.remove(key);
  }

  /** Forgets the snapshots that were taken when the head was above that block, which left the chain. */
  forgetAbove(number: number): void {
    this.#kept.retain(({ head }) => head <= number);
  }

  /** Forgets all snapshots. */
  forgetAll(): void {
    this.#kept.replace([]);
  }

  /**
   * Makes the chain what it was at the snapshot; false for an unknown one. All later ones are used up, and it too if it
   * has a number.
   */
  revert(key: SnapshotKey): boolean {
    const wanted = this.#kept.get(key);
    if (wanted === undefined) return false;
    this.#kept.removeAfter(key);
    if (typeof key === 'number') this.#kept.remove(key);
    this.#restore(wanted);
    return true;
  }

  /**
   * Makes the chain what it was at its start: its own first block alone, or what the other chain was that it comes from;
   * and no snapshots.
   */
  reset(): void {
    const { events } = this.#parts;
    this.#kept.replace([]);
    const removed = this.#restart();
    if (removed.length > 0) events.emit('removed', removed, 'none');
    this.#restore(this.#start);
  }

  /**
   * Makes the chain one with another first block, at that block's time, with the settings that `settingsOn` makes of
   * those at the start; and no snapshots.
   */
  beginAnew({ block, state }: ChainOrigin, settingsOn: (settings: BlockSettings) => BlockSettings): void {
    const { blockchain, clock, events } = this.#parts;
    this.#kept.replace([]);
    const removed = blockchain.restart(block, state);
    if (removed.length > 0) events.emit('removed', removed, 'none');
    const { number, timestamp } = block.header;
    this.#restore({
      ...this.#start,
      head: number,
      headState: state,
      pool: NO_TRANSACTIONS,
      clock: clock.settingAt(timestamp),
      settings: settingsOn(this.#start.settings),
    });
  }

  #restart(): readonly Block[] {
    const { blockchain, wallet, start } = this.#parts;
    if (start !== null) {
      wallet.restore(start.accounts);
      return blockchain.become(start.blockchain);
    }
    const { hash } = blockchain.summary(blockchain.first);
    if (equalBytes(hash, this.#firstBlock.hash)) return [];
    return blockchain.restart(this.#firstBlock, this.#start.headState);
  }

  /** What the chain is and what is kept of it, to be put back with {@link adopt}. */
  image(): SnapshotsImage {
    return { present: this.present(), kept: this.#kept.named, lastNumber: this.#lastNumber };
  }

  /** Puts an image in the place of what the chain is and of what is kept. The blocks must be those of the image already. */
  adopt({ present, kept, lastNumber }: SnapshotsImage): void {
    this.#kept.replace(kept);
    this.#lastNumber = lastNumber;
    this.#restore(present);
  }

  #restore(snapshot: ChainSnapshot): void {
    const { blockchain, pool, events } = this.#parts;
    const removed = blockchain.rewind(snapshot.head);
    blockchain.replaceHeadState(snapshot.headState);
    pool.restore(snapshot.pool);
    restoreRuntimeState(this.#parts, snapshot);
    if (removed.length > 0) events.emit('removed', removed, 'none');
  }
}
