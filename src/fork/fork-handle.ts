import type { SerialQueue } from '../chain/serial-queue.ts';
import type { ChainIdentity } from '../chain/settings/chain-identity.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import type { Snapshots } from '../chain/snapshots/snapshots.ts';
import type { Engine } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { ForkNotKeptError } from '../storage/errors.ts';
import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import type { FixedSettings, ForkRecord, ForkTarget } from './fork-options.ts';

/**
 * Opens a fork at another place than `present`, or anew where there is none. Nobody holds it yet. Rejects with a
 * `CodedError`.
 */
export type OpenFork = (target: ForkTarget, present: Fork | null) => Promise<Fork>;

/** Opens the fork that a dump is of. Nobody holds it yet. Rejects with a `CodedError`. */
export type OpenRecordedFork = (record: ForkRecord) => Promise<Fork>;

/** What a chain starts with that can be a fork. */
export interface ForkConfig {
  /** `null` for a chain with a first block of its own. Who opened it holds it until the chain is there. */
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
export class ForkHandle {
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

  /** Tells that the chain is another fork from now on, or none. */
  replace(fork: Fork | null): void {
    const before = this.#current;
    this.#current = fork;
    if (this.#isClosed) return;
    fork?.hold();
    before?.release();
  }

  /** Tells that the chain is again what it started as. */
  restore(): void {
    this.replace(this.forking.fork);
  }

  /** For a chain that comes from this one, as it is now. */
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

/** What a chain becomes another fork with; all of it belongs to one chain. */
export interface ForkSwitchParts {
  readonly fork: ForkHandle;
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly snapshots: Snapshots;
  readonly identity: ChainIdentity;
  readonly changes: SerialQueue;
  /** What keeps the chain on disk, which no fork is; `null` where nothing does. */
  readonly createDurability: object | null;
}

/** Makes a chain a fork of another chain, or of another block of the same. The rules stay those that it started with. */
export class ForkReset {
  readonly #parts: ForkSwitchParts;

  constructor(parts: ForkSwitchParts) {
    this.#parts = parts;
  }

  /**
   * Begins anew on another fork: no local blocks, an empty pool, no snapshots, settings as at the start. Rejects as the
   * opening of a fork does, and with a {@link ForkNotKeptError} for a chain that is kept in a directory; the chain stays
   * what it was then.
   */
  async to(target: ForkTarget): Promise<void> {
    const { fork, snapshots, identity, changes, createDurability, ...parts } = this.#parts;
    if (createDurability !== null) throw new ForkNotKeptError();
    const next = await fork.forking.open(target, fork.current);
    next.hold();
    try {
      const { forkOrigin } = await import('./fork-origin.ts');
      const origin = await forkOrigin(next, parts);
      await changes.run(() => {
        snapshots.beginAnew(origin, (settings) => next.settingsOn(settings, fork.forking.fixed));
        fork.replace(next);
        identity.renew();
      });
    } finally {
      next.release();
    }
  }
}
