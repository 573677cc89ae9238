import { Blake2b } from './blake2b.ts';
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
  let blake2b: Blake2b | undefined;
  return readyFunction({
    gas: (input) => (input.length === LENGTH ? BigInt(price) * BigInt(roundsOf(input)) : 0n),
    run(input) {
      requireLength(input, LENGTH);
      const final = input[FINAL_OFFSET];
      if (final !== 0 && final !== 1)
        throw new PrecompileError(`The final block flag is ${final}, not 0 or 1`);
      const block = {
        state: input.subarray(STATE_OFFSET, MESSAGE_OFFSET),
        message: input.subarray(MESSAGE_OFFSET, COUNTER_OFFSET),
        counter: input.subarray(COUNTER_OFFSET, FINAL_OFFSET),
      };
      blake2b ??= new Blake2b();
      return blake2b.compress(block, final === 1, roundsOf(input));
    },
  });
}
