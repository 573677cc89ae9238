import { type Task, waitFor } from '../../primitives/task.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { TransactionPool } from '../pool/pool.ts';
import type { SerialQueue } from '../serial-queue.ts';
import type { BlockSettings, LiveSettings } from '../settings/block-settings.ts';
import type { ChainClock, ClockSetting } from '../settings/chain-clock.ts';
import type { ChainIdentity } from '../settings/chain-identity.ts';
import type { SideBlocks } from './side-blocks.ts';

/** What a block follows from; all of it belongs to one chain. */
export interface CandidateParts {
  readonly blockchain: Blockchain;
  readonly settings: LiveSettings;
  readonly sideBlocks: SideBlocks;
  readonly clock: ChainClock;
  readonly pool: TransactionPool;
}

/** Thrown when a block, whose proof of work is searched for, would be another one by now. */
export class StaleCandidateError extends Error {
  override readonly name = 'CandidateOutdated';
}

/** What a block follows from, as it was when it was built. */
export class CandidateGuard {
  readonly #parts: CandidateParts;
  readonly #head: Uint8Array;
  readonly #headState: WorldState;
  readonly #settings: BlockSettings;
  readonly #clock: ClockSetting;
  readonly #sideBlocksVersion: number;
  readonly #poolVersion: number;

  constructor(parts: CandidateParts) {
    this.#parts = parts;
    this.#head = parts.blockchain.head.hash;
    this.#headState = parts.blockchain.headState;
    this.#settings = parts.settings.current;
    this.#clock = parts.clock.setting;
    this.#sideBlocksVersion = parts.sideBlocks.version;
    this.#poolVersion = parts.pool.version;
  }

  /**
   * Throws {@link StaleCandidateError} when head, state, settings, clock or competing blocks are others by now, or one of the
   * block's transactions from the pool has left it. One that came since then is left for the next block: the search
   * would begin anew with each.
   */
  requireCurrent(transactions: readonly Transaction[]): void {
    const { blockchain, settings, clock, sideBlocks, pool } = this.#parts;
    const isSame =
      blockchain.head.hash === this.#head &&
      blockchain.headState === this.#headState &&
      settings.current === this.#settings &&
      clock.setting === this.#clock &&
      sideBlocks.version === this.#sideBlocksVersion &&
      (pool.version === this.#poolVersion ||
        transactions.every(({ hash }) => pool.byHash(hash) !== undefined));
    if (!isSame) throw new StaleCandidateError();
  }
}

/** What turns are taken with; all of it belongs to one chain. */
export interface MiningTurnParts {
  readonly changes: SerialQueue;
  readonly identity: ChainIdentity;
}

/**
 * Whose turn it is to make blocks. A search for a proof of work lets other changes happen meanwhile, and those among them
 * that make blocks too wait here for the end of it, in the order in which they came.
 */
export class MiningMutex {
  readonly #parts: MiningTurnParts;
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: MiningTurnParts) {
    this.#parts = parts;
  }

  /**
   * Does the work, which makes blocks, when nobody else does; to be called inside of a change, which gives way until
   * then. Throws `ChainResetError` when the chain starts anew while it waits.
   */
  *inTurn<Result>(work: () => Task<Result>): Task<Result> {
    const { identity } = this.#parts;
    const { life } = identity;
    yield* this.#take();
    try {
      identity.requireLife(life);
      return yield* work();
    } finally {
      this.#pass();
    }
  }

  /** Waits for the end of all work before; to be called inside of a change, which gives way until then. */
  *untilIdle(): Task<void> {
    yield* this.#take();
    this.#pass();
  }

  *#take(): Task<void> {
    if (this.#isTaken) yield* this.#wait();
    this.#isTaken = true;
  }

  *#wait(): Task<void> {
    let isMine = false;
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = () => {
        isMine = true;
        resolve();
      };
    });
    this.#waiting.push(begin);
    try {
      yield* waitFor(this.#parts.changes.giveWay(turn));
    } catch (error) {
      if (isMine) this.#pass();
      else this.#waiting.splice(this.#waiting.indexOf(begin), 1);
      throw error;
    }
  }

  /** What is taken stays so when somebody waits for it: nobody gets in between. */
  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
