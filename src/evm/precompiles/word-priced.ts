// The precompiles whose price depends on the words of their input.

import { createHash } from 'node:crypto';
import { padLeft } from '../../primitives/bytes.ts';
import type { WordPricedGas } from '../../protocol/hardforks/precompiles.ts';
import { type Pieces, type PrecompiledFunction, readyFunction } from './precompiled-contract.ts';

/** Bytes of one piece: a millisecond of the slowest of these functions. */
const BYTES_OF_PIECE = 2 ** 17;

function wordPriced(
  { base, word }: WordPricedGas,
  run: (input: Uint8Array) => Uint8Array,
  runInPieces: (input: Uint8Array) => Pieces,
): PrecompiledFunction {
  return readyFunction({
    gas: (input) => BigInt(base + word * Math.ceil(input.length / 32)),
    run,
    runInPieces,
    isLongByInput: true,
  });
}

/** Calls `take` for each part of the input. Yields between them. */
function* eachPart(
  input: Uint8Array,
  take: (part: Uint8Array, start: number) => void,
): Generator<void, void, void> {
  for (let start = 0; start < input.length; start += BYTES_OF_PIECE) {
    if (start > 0) yield;
    take(input.subarray(start, start + BYTES_OF_PIECE), start);
  }
}

function digest(algorithm: string, input: Uint8Array): Uint8Array {
  return new Uint8Array(createHash(algorithm).update(input).digest());
}

function* digestInPieces(algorithm: string, input: Uint8Array): Pieces {
  const hash = createHash(algorithm);
  yield* eachPart(input, (part) => hash.update(part));
  return new Uint8Array(hash.digest());
}

function* copyInPieces(input: Uint8Array): Pieces {
  const output = new Uint8Array(input.length);
  yield* eachPart(input, (part, start) => output.set(part, start));
  return output;
}

/** Returns SHA256: the hash of the input. */
export function sha256(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(
    price,
    (input) => digest('sha256', input),
    (input) => digestInPieces('sha256', input),
  );
}

/** Returns RIPEMD160: the hash of the input, padded with leading zeros to 32 bytes. */
export function ripemd160(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(
    price,
    (input) => padLeft(digest('ripemd160', input), 32),
    function* (input) {
      return padLeft(yield* digestInPieces('ripemd160', input), 32);
    },
  );
}

/** Returns ID: the input. */
export function identity(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(price, (input) => input.slice(), copyInPieces);
}
