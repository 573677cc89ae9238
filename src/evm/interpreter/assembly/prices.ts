/** Dynamic gas of operations. A price above any gas limit means: out of gas. */

import { Rule } from './generated/protocol';
import { expansionPrice, reach } from './memories';
import { returnLength } from './registers';
import { rule } from './rules';
import { countLeadingZeros, fitsU64 } from './u256';

/** The sum of what memory and something else cost; both may be far more than any gas. */
@inline
function sum(memoryPrice: i64, other: i64): i64 {
  return memoryPrice == i64.MAX_VALUE ? memoryPrice : memoryPrice + other;
}

@inline
function wordsOf(length: usize): i64 {
  return <i64>((load<u64>(length) + 31) >> 5);
}

export function exponentPrice(exponent: usize): i64 {
  return <i64>((263 - countLeadingZeros(exponent)) >> 3) * rule(Rule.EXPONENT_BYTE);
}

/** Memory that reaches so far, and the copying of `length` bytes. */
@inline
export function copyPrice(end: u64, length: usize): i64 {
  return sum(expansionPrice(end), wordsOf(length) * rule(Rule.COPY_WORD));
}

@inline
export function keccakPrice(end: u64, length: usize): i64 {
  return sum(expansionPrice(end), wordsOf(length) * rule(Rule.KECCAK_WORD));
}

@inline
export function logPrice(end: u64, length: usize, topics: u64): i64 {
  return sum(expansionPrice(end), <i64>load<u64>(length) * rule(Rule.LOG_BYTE) + <i64>topics * rule(Rule.LOG_TOPIC));
}

/** Returns true when the bytes asked for are not all there: that halts the frame for want of gas (EIP-211). */
export function isBeyondReturnData(offset: usize, length: usize): bool {
  if (!fitsU64(offset) || !fitsU64(length)) return true;
  const a = load<u64>(offset), b = load<u64>(length);
  return a + b < a || a + b > <u64>returnLength;
}

/** Where MCOPY ends: the further of where it reads and where it writes. */
@inline
export function copyReach(sp: usize): u64 {
  return max<u64>(reach(sp, sp - 64), reach(sp - 32, sp - 64));
}
