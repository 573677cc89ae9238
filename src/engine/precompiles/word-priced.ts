import { createHash } from 'node:crypto';
import { padLeft } from '../../primitives/bytes.ts';
import type { WordPricedGas } from '../../rules/precompile-gas.ts';
import { type PrecompiledFunction, readyFunction } from './precompiled-contract.ts';

function wordPriced(
  { base, word }: WordPricedGas,
  run: (input: Uint8Array) => Uint8Array,
): PrecompiledFunction {
  return readyFunction({ gas: (input) => BigInt(base + word * Math.ceil(input.length / 32)), run });
}

function digest(algorithm: string, input: Uint8Array): Uint8Array {
  return new Uint8Array(createHash(algorithm).update(input).digest());
}

/** SHA256: the hash of the input. */
export function sha256(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(price, (input) => digest('sha256', input));
}

/** RIPEMD160: the hash of the input, with zeros in front, 32 bytes. */
export function ripemd160(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(price, (input) => padLeft(digest('ripemd160', input), 32));
}

/** ID: the input. */
export function identity(price: WordPricedGas): PrecompiledFunction {
  return wordPriced(price, (input) => input.slice());
}
