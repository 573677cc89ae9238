import type { RandomSource } from '../../primitives/random.ts';
import { ChainResetError } from '../errors.ts';

const ID_SIZE = 32;

/** The id of a chain, which is new whenever the chain starts anew, so that lives of a chain can be distinguished. */
export class ChainIdentity {
  readonly #random: RandomSource;
  #instanceId: Uint8Array | undefined;
  #life = 0;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** 32 random bytes, the same until {@link renew}. */
  get instanceId(): Uint8Array {
    this.#instanceId ??= this.#random(ID_SIZE);
    return this.#instanceId;
  }

  /** Puts back the id that the chain had in an earlier process. */
  restore(instanceId: Uint8Array): void {
    this.#instanceId = instanceId;
  }

  /** How often the chain has started anew in this process. */
  get life(): number {
    return this.#life;
  }

  /** Throws {@link ChainResetError} when the chain has started anew since it was in that life; `undefined` for any. */
  requireLife(life: number | undefined): void {
    if (life !== undefined && life !== this.#life) throw new ChainResetError();
  }

  /** Begins a new life with a new id. Called when the chain has started anew. */
  renew(): void {
    this.#instanceId = undefined;
    this.#life++;
  }
}
