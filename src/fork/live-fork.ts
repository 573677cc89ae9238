import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import type { FixedSettings, ForkTarget } from './fork-options.ts';
import type { ForkRecord } from './fork-record.ts';

/**
 * Opens a fork at another place than `present`, or anew where there is none. Nobody holds it yet. Rejects with a
 * `CodedError`.
 */
export type OpenFork = (target: ForkTarget, present: Fork | null) => Promise<Fork>;

/** Opens the fork that a dump is of. Nobody holds it yet. Rejects with a `CodedError`. */
export type OpenRecordedFork = (record: ForkRecord) => Promise<Fork>;

/** What a chain starts with that can be a fork. */
export interface Forking {
  /** `null` for a chain with a first block of its own. Who opened it holds it until the chain is there. */
  readonly fork: Fork | null;
  readonly fixed: FixedSettings;
  readonly open: OpenFork;
  readonly openRecorded: OpenRecordedFork;
}

/** For a chain that is no fork and never becomes one. */
export const NO_FORKING: Forking = {
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
export class LiveFork {
  readonly forking: Forking;
  #current: Fork | null;
  #isClosed = false;

  constructor(forking: Forking) {
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
  successor(): LiveFork {
    return new LiveFork({ ...this.forking, fork: this.#current });
  }

  /** Lets go of the forks: what is under way at an upstream that no other chain holds is given up. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.forking.fork?.release();
    this.#current?.release();
  }
}
