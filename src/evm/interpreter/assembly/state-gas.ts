/**
 * Gas for what remains in the state (EIP-8037). It is taken from the reservoir of the message, and beyond that from the gas of the
 * frame.
 */

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

/** Says whether the rules of the message have such gas. */
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
