import { equalBytes } from '../../primitives/bytes.ts';
import type { Timers } from '../../primitives/clock.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import { ReceiptTimeoutError } from '../errors.ts';

/** What waiting for receipts needs of a chain. */
export interface WaitingParts {
  readonly blockchain: Blockchain;
  readonly events: ChainEvents;
  readonly timers: Timers;
}

/** Waits until transactions are mined. */
export class ReceiptWaiting {
  readonly #parts: WaitingParts;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the transaction with that hash is mined, at once when it is already. Rejects with
   * {@link ReceiptTimeoutError} when `milliseconds` pass before.
   */
  async untilMined(hash: Uint8Array, milliseconds: number): Promise<void> {
    const { blockchain, events, timers } = this.#parts;
    if (blockchain.positionOf(hash) !== undefined) return;
    await new Promise<void>((resolve, reject) => {
      const timer = timers.after(milliseconds, () => {
        stopListening();
        reject(new ReceiptTimeoutError(toHex(hash), milliseconds));
      });
      const stopListening = events.on('block', ({ transactions }) => {
        if (!transactions.some((transaction) => equalBytes(transaction.hash, hash))) return;
        stopListening();
        timer.cancel();
        resolve();
      });
    });
  }
}
