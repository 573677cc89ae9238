import type { ChainCore, ForkBase, ForkLink } from '../chain/chain-core.ts';
import type { CallToken } from '../chain/changes.ts';
import { initialSettings, withoutNext } from '../chain/settings/block-settings.ts';
import { ChainClock } from '../chain/settings/chain-clock.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { genesisOf } from '../chain/snapshots/genesis-block.ts';
import type { Snapshots } from '../chain/snapshots/snapshots.ts';
import { ForkNotSavedError } from '../storage/errors.ts';
import { ForkPointError, ParentChainForkError } from './errors.ts';
import type { Fork } from './fork.ts';
import type { ForkKeeper } from './fork-keeper.ts';
import type { FixedSettings, ForkRecord, ForkTarget } from './fork-options.ts';

/**
 * Opens a fork at another block than `present`, or a new one without `present`. The caller must hold it.
 * Rejects with a `CodedError`.
 */
export type OpenFork = (target: ForkTarget, present: Fork | null) => Promise<Fork>;

/** Opens the fork of a dump. The caller must hold it. Rejects with a `CodedError`. */
export type OpenRecordedFork = (record: ForkRecord) => Promise<Fork>;

/** The initial fork of a chain, and functions to open others. */
export interface ForkConfig {
  /** `null` for a chain with its own genesis. The opener holds the fork until the chain is created. */
  readonly fork: Fork | null;
  /** The options of the chain after its initial fork has ended; `null` without an initial fork. */
  readonly unforked: ChainOptions | null;
  readonly fixed: FixedSettings;
  readonly open: OpenFork;
  readonly openRecorded: OpenRecordedFork;
  /** Stores the initial fork; absent for a chain in memory. */
  readonly keeper?: ForkKeeper;
  /** Writes the run record, if enabled. Called after all chains have closed. Rejects with a `CodedError`. */
  readonly finish: () => Promise<void>;
}

/** For a chain that cannot become a fork. */
export const NO_FORKING: ForkConfig = {
  fork: null,
  unforked: null,
  fixed: { chainId: true, gasLimit: true, minimumGasPrice: true },
  open: async () => {
    throw new ForkPointError('this chain cannot become a fork');
  },
  openRecorded: async () => {
    throw new ForkPointError('this chain cannot become a fork');
  },
  finish: async () => undefined,
};

/** Does not compare with the class, because a chain without a fork should not load it. */
function isFork(base: ForkBase): base is Fork {
  return 'upstream' in base;
}

function forkOf(base: ForkBase): Fork {
  if (isFork(base)) return base;
  throw new TypeError(`block ${base.number} is not the block of a fork`);
}

/**
 * A change of the fork.
 *
 * - `restored`: it is the initial fork again.
 * - `moved`: a reset without a block number moved it to the newest block.
 * - `loaded`: a dump was loaded.
 * - `fixed`: a reset moved it to a given block or ended it.
 * - `closed`: the chain was closed.
 */
export type ForkChange = 'restored' | 'moved' | 'loaded' | 'fixed' | 'closed';

/**
 * The present fork of a chain. The chain holds the present fork, and the initial one for a reset. A replaced
 * fork is closed unless other chains hold it.
 */
export class ForkHandle implements ForkLink {
  readonly forking: ForkConfig;
  /** Chain id of the present fork; `null` without a fork. */
  chainId: number | null;
  /** The present fork; `null` for a chain with its own genesis. Changed by {@link replace} only. */
  current: Fork | null;
  #isClosed = false;
  #onChange: (change: ForkChange) => void = () => undefined;

  constructor(forking: ForkConfig) {
    this.forking = forking;
    this.current = forking.fork;
    this.chainId = forking.fork?.chainId ?? null;
    forking.fork?.hold();
    this.current?.hold();
  }

  /** True if another chain holds the present fork too, so they share its upstream. */
  get isShared(): boolean {
    const own = this.current === this.forking.fork ? 2 : 1;
    return (this.current?.holders ?? 0) > own;
  }

  /** Calls the listener after each change, but not after {@link moveTo}. There is one listener. */
  onChange(listener: (change: ForkChange) => void): void {
    this.#onChange = listener;
  }

  /** Replaces the present fork; `null` for none. */
  replace(fork: Fork | null, change: ForkChange = 'fixed'): void {
    this.#set(fork);
    this.#onChange(change);
  }

  #set(fork: Fork | null): void {
    const before = this.current;
    this.current = fork;
    this.chainId = fork?.chainId ?? null;
    if (this.#isClosed) return;
    fork?.hold();
    before?.release();
  }

  /** @inheritdoc */
  get base(): ForkBase | null {
    return this.current;
  }

  /** @inheritdoc */
  moveTo(base: ForkBase): void {
    this.#set(forkOf(base));
  }

  restore(): void {
    this.replace(this.forking.fork, 'restored');
  }

  /** Returns the handle for a chain that is forked from this one, by default at its present base. */
  successor(base: ForkBase | null = this.current): ForkHandle {
    const { forking } = this;
    const fork = base === null ? null : forkOf(base);
    return new ForkHandle({ ...forking, fork, unforked: fork === null ? null : forking.unforked });
  }

  /** Releases the forks. Pending requests are cancelled if no other chain holds the upstream. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onChange('closed');
    this.forking.fork?.release();
    this.current?.release();
  }
}

/**
 * Turns a chain into a fork, moves a fork to another chain or block, or ends a fork. The rules stay, except
 * for blob parameters of the other chain.
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
   * Ends the fork: the chain restarts with its own genesis block, as if it had not started on a fork. The
   * rules of the fork stay. A chain with its own initial genesis block returns to it. Rejects with a
   * {@link ForkNotSavedError} for a fork in a data directory.
   */
  async end(call: CallToken | null = null): Promise<void> {
    const { durability, ruleSet, wallClock, changes, identity } = this.#core;
    const { unforked } = this.#fork.forking;
    if (unforked === null) {
      await this.#snapshots.reset(call);
      return;
    }
    if (durability !== null) throw new ForkNotSavedError();
    const clock = new ChainClock(wallClock, unforked.genesisTimestamp, unforked);
    const { chainId, gasLimit, minimumGasPrice, next } = initialSettings(unforked);
    await changes.run(async () => {
      const origin = genesisOf(unforked, ruleSet, clock);
      await this.#snapshots.beginAnew(origin, (settings) => ({
        ...settings,
        chainId,
        gasLimit,
        minimumGasPrice,
        next,
      }));
      this.#fork.replace(null);
      identity.renew();
    }, call);
  }

  /**
   * Restarts the chain on another fork: no local blocks, an empty pool, no snapshots, initial settings.
   * Rejects if the fork cannot be opened. Rejects with a {@link ForkNotSavedError} for a chain in a data
   * directory, and with a {@link ParentChainForkError} for a chain with a parent chain. The chain then stays
   * unchanged.
   */
  async to(target: ForkTarget, call: CallToken | null = null): Promise<void> {
    const { durability, engine, ruleSet, options, changes, identity, parentChain } = this.#core;
    const fork = this.#fork;
    if (durability !== null) throw new ForkNotSavedError();
    if (parentChain !== null) throw new ParentChainForkError();
    const next = await fork.forking.open(target, fork.current);
    next.hold();
    try {
      const { forkOrigin } = await import('./fork-origin.ts');
      const origin = await forkOrigin(next, engine, ruleSet, options);
      await changes.run(async () => {
        await this.#snapshots.beginAnew(origin, (initial) => {
          const settings = next.settingsOn(initial, fork.forking.fixed);
          // Only a given base fee applies to the first own block.
          return options.baseFee === null ? withoutNext(settings) : settings;
        });
        fork.replace(next, target.blockNumber === null ? 'moved' : 'fixed');
        identity.renew();
      }, call);
    } finally {
      next.release();
    }
  }
}
