/** The call batches of clients (EIP-5792), for their status requests. */

import type { Chain } from '../chain/chain.ts';
import type { Hex } from '../primitives/hex.ts';

/** A batch of calls, with one transaction per call or one for all. */
export interface CallBatch {
  readonly id: string;
  readonly chainId: Hex;
  /** True if one transaction contains all calls. */
  readonly isAtomic: boolean;
  /** The number of transactions of the calls. Transactions after a failed one are never sent. */
  readonly transactions: number;
  /** The hashes of the sent transactions. */
  readonly hashes: readonly Uint8Array[];
  /** The reason if a call was rejected after others had been sent; otherwise `null`. */
  readonly error: string | null;
}

/** Maximum batches per chain; the oldest are removed. */
const MAX_BATCHES = 10_000;

/** The batches of each chain of a node. */
export class CallBatches {
  readonly #ofChain = new WeakMap<Chain, Map<string, CallBatch>>();

  get(chain: Chain, id: string): CallBatch | undefined {
    return this.#ofChain.get(chain)?.get(id);
  }

  /** Stores the batch; replaces a batch with the same id. */
  put(chain: Chain, batch: CallBatch): void {
    const batches = this.#ofChain.get(chain) ?? new Map<string, CallBatch>();
    this.#ofChain.set(chain, batches);
    batches.set(batch.id, batch);
    if (batches.size <= MAX_BATCHES) return;
    const [oldest] = batches.keys();
    if (oldest !== undefined) batches.delete(oldest);
  }

  remove(chain: Chain, id: string): void {
    this.#ofChain.get(chain)?.delete(id);
  }
}
