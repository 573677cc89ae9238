import { Overlay } from '../../state/overlay.ts';
import type { ChainCore } from '../chain-core.ts';

const MOST_WEI = 2n ** 256n - 1n;

/**
 * Changes accounts without a transaction. No block is mined: the state after the head is replaced, so `latest` and the
 * head's number answer the new values, and later blocks build on them. The head's header does not change, nor does its
 * `stateRoot`: until the next block is mined, proofs at the head prove against the changed state and not against that
 * root. Addresses are 20 bytes, slots 32.
 */
export class StateCheats {
  readonly #core: ChainCore;

  constructor(core: ChainCore) {
    this.#core = core;
  }

  #change(address: Uint8Array, apply: (state: Overlay) => void): Promise<void> {
    const { blockchain, pool, changes } = this.#core;
    return changes.run(async () => {
      const state = new Overlay(blockchain.headState);
      apply(state);
      blockchain.replaceHeadState(state.toWorldState());
      pool.removeStale([address]);
    });
  }

  /** Sets the balance (wei). */
  setBalance(address: Uint8Array, balance: bigint): Promise<void> {
    return this.#change(address, (state) => {
      state.setAccount(address, { nonce: state.account(address)?.nonce ?? 0n, balance });
    });
  }

  /** Adds to the balance (wei), limited to the largest possible balance. */
  addBalance(address: Uint8Array, amount: bigint): Promise<void> {
    return this.#change(address, (state) => {
      const { nonce, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
      const sum = balance + amount;
      state.setAccount(address, { nonce, balance: sum > MOST_WEI ? MOST_WEI : sum });
    });
  }

  /** Sets the nonce, even to a lower one; transactions in the pool with lower nonces are dropped. */
  setNonce(address: Uint8Array, nonce: bigint): Promise<void> {
    return this.#change(address, (state) => {
      state.setAccount(address, { nonce, balance: state.account(address)?.balance ?? 0n });
    });
  }

  /** Sets the code; empty for none. */
  setCode(address: Uint8Array, code: Uint8Array): Promise<void> {
    return this.#change(address, (state) => state.setCode(address, code));
  }

  /** Sets a slot of the storage; the value has no leading zeros, and is empty for zero. */
  setStorageAt(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#change(address, (state) => state.setStorage(address, slot, value));
  }
}
