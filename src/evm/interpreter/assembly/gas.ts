/**
 * Dynamic gas of operations, and gas for what remains in the state (EIP-8037). A price above any gas limit means: out of gas. Gas for state
 * is taken from the reservoir of the message, and beyond that from the gas of the frame.
 */

import { Rule } from './generated/protocol';
import { rule } from './layout';
import { expansionPrice, reach } from './memories';
import { returnLength } from './registers';
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

/** Returns the end of the memory that MCOPY reads or writes, whichever is further. */
@inline
export function copyReach(sp: usize): u64 {
  return max<u64>(reach(sp, sp - 64), reach(sp - 32, sp - 64));
}

/** True where new state has a gas of its own: else all prices of state are 0, and none of this is looked at. */
export let metersState: bool = false;

/** Gas of the message that is for state alone. */
export let reservoir: i64 = 0;
/** Gas that the message has used for state. */
export let stateGasUsed: i64 = 0;
/** Gas of the running frame, and of those inside it that succeeded, that was used for state. */
export let lent: i64 = 0;

/** Begins the count of a message, or goes back to an earlier one. */
export function setStateGas(left: i64, used: i64): void {
  reservoir = left;
  stateGasUsed = used;
}

/** Called with whether the rules of the message have such gas. */
export function meterState(isMetered: bool): void {
  metersState = isMetered;
}

export function setLent(gas: i64): void {
  lent = gas;
}

/** Returns how much of a price of state the frame itself must pay. */
export function beyondReservoir(price: i64): i64 {
  return max<i64>(price - reservoir, 0);
}

/** Takes a price of state, of which the frame pays `beyondReservoir`. */
export function takeStateGas(price: i64): void {
  const beyond = beyondReservoir(price);
  reservoir -= price - beyond;
  lent += beyond;
  stateGasUsed += price;
}

/** Gives the price of state that is undone back, first of all to the frame as far as that one paid: returns how much. */
export function giveStateGasBack(price: i64): i64 {
  const toFrame = min<i64>(price, lent);
  lent -= toFrame;
  reservoir += price - toFrame;
  stateGasUsed -= price;
  return toFrame;
}
