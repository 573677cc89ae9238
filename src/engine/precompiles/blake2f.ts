import { compressBlake2b } from './blake2b-compression.ts';
import { PrecompileError } from './errors.ts';
import { requireLength } from './input.ts';
import { type PrecompiledFunction, readyFunction } from './precompiled-contract.ts';

const LENGTH = 213;
const STATE_OFFSET = 4;
const MESSAGE_OFFSET = 68;
const COUNTER_OFFSET = 196;
const FINAL_OFFSET = 212;

function roundsOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset, input.byteLength).getUint32(0);
}

/** BLAKE2F: the compression function of BLAKE2b with any number of rounds (EIP-152). `price` is for each round. */
export function blake2f(price: number): PrecompiledFunction {
  return readyFunction({
    gas: (input) => (input.length === LENGTH ? BigInt(price) * BigInt(roundsOf(input)) : 0n),
    run(input) {
      requireLength(input, LENGTH);
      const final = input[FINAL_OFFSET];
      if (final !== 0 && final !== 1)
        throw new PrecompileError(`The final block flag is ${final}, not 0 or 1`);
      const state = wordsOf(input, STATE_OFFSET, 16);
      compressBlake2b(
        state,
        wordsOf(input, MESSAGE_OFFSET, 32),
        wordsOf(input, COUNTER_OFFSET, 4),
        final === 1,
        roundsOf(input),
      );
      return bytesOf(state);
    },
  });
}

/** `count` little-endian words of 32 bits. */
function wordsOf(input: Uint8Array, offset: number, count: number): Int32Array {
  const view = new DataView(input.buffer, input.byteOffset + offset, 4 * count);
  return Int32Array.from({ length: count }, (_, index) => view.getInt32(4 * index, true));
}

function bytesOf(words: Int32Array): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => {
    view.setInt32(4 * index, word, true);
  });
  return bytes;
}
