import { fromHex } from '../../primitives/hex.ts';

/** Where `console.sol` of Hardhat and forge-std sends its calls: an account without code, named `console.log` in ASCII. */
export const CONSOLE_ADDRESS: Uint8Array = fromHex('0x000000000000000000636f6e736f6c652e6c6f67');

/** A call of the console. */
export interface ConsoleCall {
  /** 20 bytes: the contract that called, or the sender of a message that goes to the console itself. */
  readonly caller: Uint8Array;
  /** The data of the call, which a `ConsoleDecoder` reads. */
  readonly input: Uint8Array;
}

/** What an execution told the console. */
export interface ConsoleRecord {
  /** In the order they were made, those of frames that were reverted too. */
  readonly calls: readonly ConsoleCall[];
  /** How many more there were, of which nothing is kept. */
  readonly omitted: number;
}

/** Bytes that the record of one execution may take; a loop of calls could fill the memory otherwise. */
const MOST_BYTES = 2 ** 20;
/** Bytes that a call takes besides its data, or a loop of empty calls would be free. */
const CALL_OVERHEAD = 64;

/**
 * Takes down the calls of the console while a message runs. An engine has one for each execution and adds every frame
 * that runs the code of `CONSOLE_ADDRESS`, whatever opcode asked for it; frames that never begin are no calls.
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

  /** What was taken down; `undefined` when the console was not called. */
  get record(): ConsoleRecord | undefined {
    if (this.#calls.length === 0 && this.#omitted === 0) return undefined;
    return { calls: this.#calls, omitted: this.#omitted };
  }
}
