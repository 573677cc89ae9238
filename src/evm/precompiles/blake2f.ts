// BLAKE2F, with a WebAssembly module for its rounds.

import { BLAKE2B_BINARY } from '../interpreter/generated/blake2b-binary.ts';
import {
  type PrecompiledFunction,
  PrecompileError,
  readyFunction,
  requireLength,
} from './precompiled-contract.ts';

/** The exports of the module; `src/evm/interpreter/assembly/blake2b.ts` documents them. */
interface Blake2bExports {
  readonly memory: WebAssembly.Memory;
  readonly STATE: WebAssembly.Global;
  readonly MESSAGE: WebAssembly.Global;
  readonly COUNTER: WebAssembly.Global;
  begin(finalMask: bigint): void;
  mix(rounds: number): void;
  finish(): void;
}

/** The input of the compression function; words are little-endian. */
export interface Blake2bBlock {
  /** 64 bytes. */
  readonly state: Uint8Array;
  /** 128 bytes. */
  readonly message: Uint8Array;
  /** 16 bytes. */
  readonly counter: Uint8Array;
  readonly isFinal: boolean;
}

const STATE_SIZE = 64;

class Blake2bModule {
  readonly #module = new WebAssembly.Module(Buffer.from(BLAKE2B_BINARY, 'base64'));

  create(): Blake2b {
    return new Blake2b(new WebAssembly.Instance(this.#module, {}).exports as unknown as Blake2bExports);
  }
}

/**
 * The compression function F of BLAKE2b (RFC 7693, section 3.2) with any number of rounds, in steps. An
 * instance processes one block at a time.
 */
class Blake2b {
  readonly #exports: Blake2bExports;

  constructor(exports: Blake2bExports) {
    this.#exports = exports;
  }

  begin({ state, message, counter, isFinal }: Blake2bBlock): void {
    const { memory, STATE, MESSAGE, COUNTER, begin } = this.#exports;
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(state, STATE.value);
    bytes.set(message, MESSAGE.value);
    bytes.set(counter, COUNTER.value);
    begin(isFinal ? -1n : 0n);
  }

  /** Computes the next rounds. */
  mix(rounds: number): void {
    this.#exports.mix(rounds);
  }

  /** Returns the resulting state (64 bytes). */
  finish(): Uint8Array {
    const { memory, STATE, finish } = this.#exports;
    finish();
    return new Uint8Array(memory.buffer).slice(STATE.value, STATE.value + STATE_SIZE);
  }
}

const LENGTH = 213;
const STATE_OFFSET = 4;
const MESSAGE_OFFSET = 68;
const COUNTER_OFFSET = 196;
const FINAL_OFFSET = 212;

function roundsOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset, input.byteLength).getUint32(0);
}

/** Rounds per time slice (about a millisecond). */
const ROUNDS_OF_PIECE = 20_000;

/** Decodes the input. Throws `PrecompileError` if it is invalid. */
function blockOf(input: Uint8Array): Blake2bBlock {
  requireLength(input, LENGTH);
  const final = input[FINAL_OFFSET];
  if (final !== 0 && final !== 1)
    throw new PrecompileError(`expected a final block flag of 0 or 1, got ${final}`);
  return {
    state: input.subarray(STATE_OFFSET, MESSAGE_OFFSET),
    message: input.subarray(MESSAGE_OFFSET, COUNTER_OFFSET),
    counter: input.subarray(COUNTER_OFFSET, FINAL_OFFSET),
    isFinal: final === 1,
  };
}

/** Creates BLAKE2F, the compression function of BLAKE2b (EIP-152). `price` is in gas per round. */
export function blake2f(price: number): PrecompiledFunction {
  let module: Blake2bModule | undefined;
  let shared: Blake2b | undefined;
  const create = (): Blake2b => {
    module ??= new Blake2bModule();
    return module.create();
  };
  return readyFunction({
    gas: (input) => (input.length === LENGTH ? BigInt(price) * BigInt(roundsOf(input)) : 0n),
    run(input) {
      const block = blockOf(input);
      shared ??= create();
      shared.begin(block);
      shared.mix(roundsOf(input));
      return shared.finish();
    },
    *runInSteps(input) {
      const block = blockOf(input);
      // A separate instance, because other computations may run between the time slices.
      const own = create();
      own.begin(block);
      for (let left = roundsOf(input); left > 0; left -= ROUNDS_OF_PIECE) {
        own.mix(Math.min(left, ROUNDS_OF_PIECE));
        yield;
      }
      return own.finish();
    },
  });
}
