/**
 * Dynamic gas of operations, and state gas (EIP-8037). A price of `i64.MAX_VALUE` means out of gas. State gas
 * is taken from the reservoir of the message, and then from the gas of the frame.
 */

import { Rule } from './generated/protocol';
import { rule } from './layout';
import { expansionPrice, reach } from './memories';
import { returnLength } from './registers';
import { countLeadingZeros, fitsU64 } from './u256';

/** The sum of the memory cost and another cost. The memory cost may be `i64.MAX_VALUE`. */
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

/** The gas to expand the memory to `end` and copy `length` bytes. */
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

/** Returns true if the bytes exceed the return data, which halts the frame as out of gas (EIP-211). */
export function isBeyondReturnData(offset: usize, length: usize): bool {
  if (!fitsU64(offset) || !fitsU64(length)) return true;
  const a = load<u64>(offset), b = load<u64>(length);
  return a + b < a || a + b > <u64>returnLength;
}

/** Returns the end of the memory that MCOPY reads or writes. */
@inline
export function copyReach(sp: usize): u64 {
  return max<u64>(reach(sp, sp - 64), reach(sp - 32, sp - 64));
}

/** True if the rules meter state gas separately. Otherwise all state prices are 0. */
export let metersState: bool = false;

/** State gas left in the message. */
export let reservoir: i64 = 0;
/** State gas used by the message. */
export let stateGasUsed: i64 = 0;
/** State gas paid from the gas of the running frame and of its successful nested frames. */
export let lent: i64 = 0;

/** Sets the counts of a message: at its start, or after a revert. */
export function setStateGas(left: i64, used: i64): void {
  reservoir = left;
  stateGasUsed = used;
}

export function meterState(isMetered: bool): void {
  metersState = isMetered;
}

export function setLent(gas: i64): void {
  lent = gas;
}

/** Returns the part of a state price that the frame itself must pay. */
export function beyondReservoir(price: i64): i64 {
  return max<i64>(price - reservoir, 0);
}

/** Charges a state price. The caller charges `beyondReservoir` to the frame. */
export function takeStateGas(price: i64): void {
  const beyond = beyondReservoir(price);
  reservoir -= price - beyond;
  lent += beyond;
  stateGasUsed += price;
}

/** Refunds a state price, first to the frame up to the gas it paid. Returns the frame's part. */
export function giveStateGasBack(price: i64): i64 {
  const toFrame = min<i64>(price, lent);
  lent -= toFrame;
  reservoir += price - toFrame;
  stateGasUsed -= price;
  return toFrame;
}

/**
 * Repays the frame for the state gas that it paid, from the reservoir. Returns the repaid gas. A nested frame fills
 * the reservoir if it clears a slot that the frame paid for.
 */
export function repayFromReservoir(): i64 {
  const repaid = min<i64>(reservoir, lent);
  reservoir -= repaid;
  lent -= repaid;
  return repaid;
}
