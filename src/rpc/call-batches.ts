/** The batches of calls that callers sent (EIP-5792), so that they can ask how these went. */

import type { Chain } from '../chain/chain.ts';
import type { Hex } from '../primitives/hex.ts';

/** A batch of calls, each a transaction of its own or all in one. */
export interface CallBatch {
  readonly id: string;
  readonly chainId: Hex;
  /** True where all calls are in one transaction. */
  readonly isAtomic: boolean;
  /** The number of transactions that the calls take; those after one that failed are never sent. */
  readonly transactions: number;
  /** The hashes of the transactions that were sent. */
  readonly hashes: readonly Uint8Array[];
  /** The reason why a call was refused after others had been sent; `null` for none. */
  readonly error: string | null;
}

/** Batches that are remembered for each chain; the oldest ones are forgotten. */
const MOST_BATCHES = 10_000;

/** The batches of all chains of a service, each with its own. */
export class CallBatches {
  readonly #ofChain = new WeakMap<Chain, Map<string, CallBatch>>();

  /** Returns the batch of a chain with that id, or `undefined`. */
  get(chain: Chain, id: string): CallBatch | undefined {
    return this.#ofChain.get(chain)?.get(id);
  }

  /** Keeps the batch, in place of the one with the same id. */
  put(chain: Chain, batch: CallBatch): void {
    const batches = this.#ofChain.get(chain) ?? new Map<string, CallBatch>();
    this.#ofChain.set(chain, batches);
    batches.set(batch.id, batch);
    if (batches.size <= MOST_BATCHES) return;
    const [oldest] = batches.keys();
    if (oldest !== undefined) batches.delete(oldest);
  }

  /** Forgets the batch with that id. */
  remove(chain: Chain, id: string): void {
    this.#ofChain.get(chain)?.delete(id);
  }
}
