import type { ChainCore, ForkLink } from '../chain/chain-core.ts';
import type { Snapshots } from '../chain/snapshots/snapshots.ts';
import { ForkNotKeptError } from '../storage/errors.ts';
import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import type { FixedSettings, ForkRecord, ForkTarget } from './fork-options.ts';

/**
 * Opens a fork at another place than `present`, or anew where there is none. It is not held yet. Rejects with a
 * `CodedError`.
 */
export type OpenFork = (target: ForkTarget, present: Fork | null) => Promise<Fork>;

/** Opens the fork that a dump is of. It is not held yet. Rejects with a `CodedError`. */
export type OpenRecordedFork = (record: ForkRecord) => Promise<Fork>;

/** The fork that a chain starts as, and how it becomes another one. */
export interface ForkConfig {
  /** `null` for a chain with a first block of its own. Its opener holds it until the chain is there. */
  readonly fork: Fork | null;
  readonly fixed: FixedSettings;
  readonly open: OpenFork;
  readonly openRecorded: OpenRecordedFork;
}

/** For a chain that is no fork and never becomes one. */
export const NO_FORKING: ForkConfig = {
  fork: null,
  fixed: { chainId: true, gasLimit: true, minimumGasPrice: true },
  open: async () => {
    throw new ForkPointError('This chain cannot become a fork of another one');
  },
  openRecorded: async () => {
    throw new ForkPointError('This chain cannot become a fork of another one');
  },
};

/**
 * The fork that a chain is at the moment. The chain holds that one, and the one that it started as, to which a reset brings
 * it back; a fork that it leaves is closed unless other chains hold it.
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

  /** Makes the chain another fork from now on, or none. */
  replace(fork: Fork | null): void {
    const before = this.#current;
    this.#current = fork;
    if (this.#isClosed) return;
    fork?.hold();
    before?.release();
  }

  /** Makes the chain again the fork that it started as. */
  restore(): void {
    this.replace(this.forking.fork);
  }

  /** Returns the handle of a chain that comes from this one, as it is now. */
  successor(): ForkHandle {
    return new ForkHandle({ ...this.forking, fork: this.#current });
  }

  /** Lets go of the forks: what is under way at an upstream that no other chain holds is given up. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.forking.fork?.release();
    this.#current?.release();
  }
}

/** Makes a chain a fork of another chain, or of another block of the same. The rules stay those that it started with. */
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
   * Begins anew on another fork: no local blocks, an empty pool, no snapshots, settings as at the start. Rejects as the
   * opening of a fork does, and with a {@link ForkNotKeptError} for a chain that is kept in a directory; the chain stays
   * what it was then.
   */
  async to(target: ForkTarget): Promise<void> {
    const { durability, engine, ruleSet, options, changes, identity } = this.#core;
    const fork = this.#fork;
    if (durability !== null) throw new ForkNotKeptError();
    const next = await fork.forking.open(target, fork.current);
    next.hold();
    try {
      const { forkOrigin } = await import('./fork-origin.ts');
      const origin = await forkOrigin(next, engine, ruleSet, options);
      await changes.run(() => {
        this.#snapshots.beginAnew(origin, (settings) => next.settingsOn(settings, fork.forking.fixed));
        fork.replace(next);
        identity.renew();
      });
    } finally {
      next.release();
    }
  }
}
