import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import type { FixedSettings, ForkTarget } from './fork-options.ts';
import type { ForkRecord } from './fork-record.ts';

/** Opens a fork at another place than `present`, or anew where there is none. Rejects with a `CodedError`. */
export type OpenFork = (target: ForkTarget, present: Fork | null) => Promise<Fork>;

/** Opens the fork that a dump is of. Rejects with a `CodedError`. */
export type OpenRecordedFork = (record: ForkRecord) => Promise<Fork>;

/** What a chain starts with that can be a fork. */
export interface Forking {
  /** `null` for a chain with a first block of its own. */
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

/** The fork that a chain is at the moment. */
export class LiveFork {
  readonly forking: Forking;
  readonly #isSuccessor: boolean;
  #current: Fork | null;

  constructor(forking: Forking, isSuccessor = false) {
    this.forking = forking;
    this.#isSuccessor = isSuccessor;
    this.#current = forking.fork;
  }

  /** `null` for a chain with a first block of its own. */
  get current(): Fork | null {
    return this.#current;
  }

  /** Tells that the chain is another fork from now on, or none. */
  replace(fork: Fork | null): void {
    this.#current = fork;
  }

  /** Tells that the chain is again what it started as. */
  restore(): void {
    this.#current = this.forking.fork;
  }

  /** For a chain that comes from this one, as it is now. */
  successor(): LiveFork {
    return new LiveFork({ ...this.forking, fork: this.#current }, true);
  }

  /** Gives up what is under way at the upstreams. A chain that came from another one leaves that to the first. */
  close(): void {
    if (this.#isSuccessor) return;
    this.forking.fork?.close();
    this.#current?.close();
  }
}
