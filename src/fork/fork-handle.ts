import type { ChainCore, ForkLink } from '../chain/chain-core.ts';
import type { CallToken } from '../chain/changes.ts';
import type { Snapshots } from '../chain/snapshots/snapshots.ts';
import { runTask } from '../scheduling/task.ts';
import { ForkNotKeptError } from '../storage/errors.ts';
import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import type { ForkKeeper } from './fork-keeper.ts';
import type { FixedSettings, ForkRecord, ForkTarget } from './fork-options.ts';

/**
 * Opens a fork at another block than `present`, or a new one when there is none. The caller must hold it. Rejects with
 * a `CodedError`.
 */
export type OpenFork = (target: ForkTarget, present: Fork | null) => Promise<Fork>;

/** Opens the fork of a dump. The caller must hold it. Rejects with a `CodedError`. */
export type OpenRecordedFork = (record: ForkRecord) => Promise<Fork>;

/** The initial fork of a chain, and how to open others. */
export interface ForkConfig {
  /** `null` for a chain with a first block of its own. The caller who opened it holds it until the chain is created. */
  readonly fork: Fork | null;
  readonly fixed: FixedSettings;
  readonly open: OpenFork;
  readonly openRecorded: OpenRecordedFork;
  /** Keeps the initial fork; absent for a chain in memory. */
  readonly keeper?: ForkKeeper;
  /** Writes the record of what was asked, if there is one. Called when all chains are closed. Rejects with a `CodedError`. */
  readonly finish: () => Promise<void>;
}

/** For a chain that is no fork and never becomes one. */
export const NO_FORKING: ForkConfig = {
  fork: null,
  fixed: { chainId: true, gasLimit: true, minimumGasPrice: true },
  open: async () => {
    throw new ForkPointError('this chain cannot become a fork');
  },
  openRecorded: async () => {
    throw new ForkPointError('this chain cannot become a fork');
  },
  finish: async () => undefined,
};

/**
 * The present fork of a chain. The chain holds that one, and the initial one, which a reset restores; a fork that it
 * leaves is closed unless other chains hold it.
 */
export class ForkHandle implements ForkLink {
  readonly forking: ForkConfig;
  #current: Fork | null;
  #isClosed = false;

  constructor(forking: ForkConfig) {
    this.forking = forking;
    this.#current = forking.fork;
    forking.fork?.hold();
    this.#current?.hold();
  }

  /** `null` for a chain with a first block of its own. */
  get current(): Fork | null {
    return this.#current;
  }

  get chainId(): number | null {
    return this.#current?.chainId ?? null;
  }

  /** True if another chain holds the present fork too, so that its upstream is theirs as well. */
  get isShared(): boolean {
    const own = this.#current === this.forking.fork ? 2 : 1;
    return (this.#current?.holders ?? 0) > own;
  }

  /** Replaces the present fork, by none for `null`. */
  replace(fork: Fork | null): void {
    const before = this.#current;
    this.#current = fork;
    if (this.#isClosed) return;
    fork?.hold();
    before?.release();
  }

  /** Restores the initial fork. */
  restore(): void {
    this.replace(this.forking.fork);
  }

  /** Returns the handle of a chain that is forked from this one, in its present state. */
  successor(): ForkHandle {
    return new ForkHandle({ ...this.forking, fork: this.#current });
  }

  /** Releases the forks: pending requests at an upstream that no other chain holds are cancelled. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.forking.fork?.release();
    this.#current?.release();
  }
}

/**
 * Makes a chain a fork of another chain, or of another block of the same. The rules stay those that it started with, but for the
 * numbers of blobs that the other chain has of its own.
 */
export class ForkReset {
  readonly #core: ChainCore;
  readonly #snapshots: Snapshots;
  readonly #fork: ForkHandle;

  constructor(core: ChainCore, snapshots: Snapshots, fork: ForkHandle) {
    this.#core = core;
    this.#snapshots = snapshots;
    this.#fork = fork;
  }

  /**
   * Restarts the chain on another fork: no local blocks, an empty pool, no snapshots, initial settings. Rejects when
   * opening the fork does, and with a {@link ForkNotKeptError} for a chain that is kept in a directory; the chain is
   * then unchanged.
   */
  async to(target: ForkTarget, call: CallToken | null = null): Promise<void> {
    const { durability, engine, ruleSet, options, changes, identity } = this.#core;
    const fork = this.#fork;
    if (durability !== null) throw new ForkNotKeptError();
    const next = await fork.forking.open(target, fork.current);
    next.hold();
    try {
      const { forkOrigin } = await import('./fork-origin.ts');
      const origin = await forkOrigin(next, engine, ruleSet, options);
      await changes.run(async () => {
        await runTask(
          this.#snapshots.beginAnew(origin, (settings) => next.settingsOn(settings, fork.forking.fixed)),
        );
        fork.replace(next);
        identity.renew();
      }, call);
    } finally {
      next.release();
    }
  }
}
