import type { RandomSource } from '../primitives/random.ts';

const ID_SIZE = 32;

/** What tells one life of a chain from another: an id that is new when the chain starts anew. */
export class ChainIdentity {
  readonly #random: RandomSource;
  #instanceId: Uint8Array | undefined;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** 32 random bytes, the same until {@link renew}. */
  get instanceId(): Uint8Array {
    this.#instanceId ??= this.#random(ID_SIZE);
    return this.#instanceId;
  }

  /** Tells that the chain is one that had an id before. */
  restore(instanceId: Uint8Array): void {
    this.#instanceId = instanceId;
  }

  /** Tells that the chain has started anew. */
  renew(): void {
    this.#instanceId = undefined;
  }
}
