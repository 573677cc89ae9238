import { type Blake2b, type Blake2bBlock, Blake2bModule } from './blake2b.ts';
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

/** Rounds of one piece: about a millisecond. */
const ROUNDS_OF_PIECE = 20_000;

/** Throws a `PrecompileError` for bad input. */
function blockOf(input: Uint8Array): Blake2bBlock {
  requireLength(input, LENGTH);
  const final = input[FINAL_OFFSET];
  if (final !== 0 && final !== 1) throw new PrecompileError(`The final block flag is ${final}, not 0 or 1`);
  return {
    state: input.subarray(STATE_OFFSET, MESSAGE_OFFSET),
    message: input.subarray(MESSAGE_OFFSET, COUNTER_OFFSET),
    counter: input.subarray(COUNTER_OFFSET, FINAL_OFFSET),
    isFinal: final === 1,
  };
}

/** BLAKE2F: the compression function of BLAKE2b with any number of rounds (EIP-152). `price` is for each round. */
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
    *runInPieces(input) {
      const block = blockOf(input);
      // Others may run between the pieces.
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
