import { type ExecutionResult, LOG_BYTES, type Message } from '../../evm/engine.ts';
import type { Log } from '../../protocol/receipt.ts';
import { ResultsTooLargeError } from '../errors.ts';

/** Bytes that the results of all calls of one request may take. Their digits take twice that in the answer. */
const MOST_BYTES = 2 ** 25;

/** Bytes that a result takes besides what it returned. */
const RESULT_BYTES = 512;

/** The memory for the results of a request with many calls or transactions, which are kept until the last of them has run. */
export class ResultBudget {
  #left = MOST_BYTES;

  /** Counts a result with its logs. Throws {@link ResultsTooLargeError} when all together are too large. */
  take({ returnData }: Pick<ExecutionResult, 'returnData'>, logs: readonly Log[] = []): void {
    this.#left -= RESULT_BYTES + returnData.length;
    for (const { data } of logs) this.#left -= LOG_BYTES + data.length;
    if (this.#left < 0) throw new ResultsTooLargeError(MOST_BYTES);
  }

  /** Returns true when so many bytes are left, otherwise throws {@link ResultsTooLargeError}; counts nothing. */
  readonly hasRoom = (bytes: number): true => {
    if (bytes > this.#left) throw new ResultsTooLargeError(MOST_BYTES);
    return true;
  };

  /** Counts what a result returned, and returns true, if it fits beside what was counted before; otherwise counts nothing. */
  takeIfFits({ length }: Uint8Array): boolean {
    const bytes = RESULT_BYTES + length;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

const keepsNone = (): boolean => false;

/** Returns the message itself, whose result now has no logs: there may be millions, which its caller would not read. */
export function withoutLogs(message: Message): Message {
  return Object.assign(message, { keepsLogs: keepsNone });
}
