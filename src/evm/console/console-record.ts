// Recording the calls of the contracts' console (`console.sol`).

import { fromHex } from '../../primitives/hex.ts';

/**
 * The address that `console.sol` of Hardhat and forge-std calls: an account without code, named `console.log` in ASCII.
 */
export const CONSOLE_ADDRESS: Uint8Array = fromHex('0x000000000000000000636f6e736f6c652e6c6f67');

export interface ConsoleCall {
  /** 20 bytes: the contract that called, or the sender of a message that goes to the console itself. */
  readonly caller: Uint8Array;
  /** The data of the call, which a `ConsoleDecoder` decodes. */
  readonly input: Uint8Array;
}

/** The console calls of an execution. */
export interface ConsoleRecord {
  /** In their order, including those of reverted frames. */
  readonly calls: readonly ConsoleCall[];
  /** The number of further calls, which were not recorded. */
  readonly omitted: number;
}

/** The maximum size of the record of one execution in bytes; a loop of calls could exhaust the memory otherwise. */
const MOST_BYTES = 2 ** 20;
/** Bytes that a call counts for besides its data, because a loop of empty calls must be limited too. */
const CALL_OVERHEAD = 64;

/**
 * Records the calls of the console while a message runs. An engine has one for each execution and adds every frame that
 * runs the code of `CONSOLE_ADDRESS`, whatever opcode began it; calls that are refused before a frame begins are not
 * recorded.
 */
export class ConsoleRecorder {
  readonly #calls: ConsoleCall[] = [];
  #bytesLeft = MOST_BYTES;
  #omitted = 0;

  /** Adds a call; `input` is copied. Once the record is full, calls are only counted. */
  add(caller: Uint8Array, input: Uint8Array): void {
    this.#bytesLeft -= input.length + CALL_OVERHEAD;
    if (this.#bytesLeft < 0) {
      this.#bytesLeft = 0;
      this.#omitted++;
    } else this.#calls.push({ caller: caller.slice(), input: input.slice() });
  }

  /** The recorded calls; `undefined` when the console was not called. */
  get record(): ConsoleRecord | undefined {
    if (this.#calls.length === 0 && this.#omitted === 0) return undefined;
    return { calls: this.#calls, omitted: this.#omitted };
  }
}
