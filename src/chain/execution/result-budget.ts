import { type ExecutionResult, LOG_BYTES, type Message } from '../../evm/engine.ts';
import type { Log } from '../../protocol/receipt.ts';
import { ResultsTooLargeError } from '../errors.ts';

/** Maximum bytes of all results of one request. Their hex digits take twice as many bytes in the response. */
const MAX_BYTES = 2 ** 25;

/** Bytes per result, in addition to its return data. */
const RESULT_BYTES = 512;

/** Memory limit for the results of one request. They stay in memory until its last call has run. */
export class ResultBudget {
  #left = MAX_BYTES;

  /** Counts a result and its logs. Throws {@link ResultsTooLargeError} above the limit. */
  take({ returnData }: Pick<ExecutionResult, 'returnData'>, logs: readonly Log[] = []): void {
    this.#left -= RESULT_BYTES + returnData.length;
    for (const { data } of logs) this.#left -= LOG_BYTES + data.length;
    if (this.#left < 0) throw new ResultsTooLargeError(MAX_BYTES);
  }

  /** Throws {@link ResultsTooLargeError} unless `bytes` more fit; otherwise returns true. Counts nothing. */
  readonly hasRoom = (bytes: number): true => {
    if (bytes > this.#left) throw new ResultsTooLargeError(MAX_BYTES);
    return true;
  };

  /** Counts return data and returns true if it fits. Otherwise it counts nothing and returns false. */
  takeIfFits({ length }: Uint8Array): boolean {
    const bytes = RESULT_BYTES + length;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

const keepsNone = (): boolean => false;

/** Drops the logs of the message in place. A call can emit millions that its client does not receive. */
export function withoutLogs(message: Message): Message {
  return Object.assign(message, { keepsLogs: keepsNone });
}
