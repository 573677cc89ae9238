/** Hardhat's messages for failed executions (crates/edr_solidity/src/error_inferrer.rs). */

import type { DecodedEntry, DecodedParameter } from '../artifacts/decoding.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import type { RevertReason } from '../evm/revert-reason.ts';
import type { Failure } from '../inspect/failure.ts';
import { FIRST_ROOTSTOCK_CONTRACT } from '../protocol/hardforks/precompiles.ts';

const PREFIX = 'VM Exception while processing transaction: ';

const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x01n, 'Assertion error'],
  [0x11n, 'Arithmetic operation overflowed outside of an unchecked block'],
  [0x12n, 'Division or modulo division by zero'],
  [0x21n, 'Tried to convert a value into an enum, but the value was too big or negative'],
  [0x22n, 'Incorrectly encoded storage byte array'],
  [0x31n, '.pop() was called on an empty array'],
  [0x32n, 'Array accessed at an out-of-bounds or negative index'],
  [0x41n, 'Too much memory was allocated, or an array was created that is too large'],
  [0x51n, 'Called a zero-initialized variable of internal function type'],
]);

function panicMessage(panicCode: bigint): string {
  const code = `0x${panicCode.toString(16)}`;
  const meaning = PANICS.get(panicCode);
  return meaning === undefined
    ? `${PREFIX}reverted with unknown panic code ${code}`
    : `${PREFIX}reverted with panic code ${code} (${meaning})`;
}

/** Returns the message of a revert from its return data alone. */
export function hardhatRevertMessage(reason: RevertReason): string {
  switch (reason.kind) {
    case 'none':
      return 'Transaction reverted without a reason string';
    case 'text':
      return `${PREFIX}reverted with reason string '${reason.text}'`;
    case 'panic':
      return panicMessage(reason.panicCode);
    case 'custom':
      return `${PREFIX}reverted with an unrecognized custom error (return data: ${reason.data})`;
  }
}

const CALL_OUT_OF_GAS = 'Transaction reverted: contract call run out of gas and made the transaction revert';
const INVALID_OPCODE = /^invalid opcode\b/;

/** Returns the message of a halted execution in an unknown contract. */
export function hardhatHaltMessage(reason: string): string {
  if (reason === HALT_REASONS.outOfGas) return 'Transaction ran out of gas';
  if (reason === HALT_REASONS.codeTooLarge)
    return 'Transaction reverted: trying to deploy a contract whose code is too large';
  return `${PREFIX}${INVALID_OPCODE.test(reason) ? 'invalid opcode' : reason}`;
}

/** Returns the message of a failure in a known contract; `null` if the return data determines it. */
export function hardhatFailureMessage({ cause, error, isGuess, message }: Failure): string | null {
  if (cause === null) return null;
  if (cause.kind === 'halt') {
    const { reason, precompile, isInside } = cause;
    // Hardhat has no precompiled contracts of Rootstock.
    if (precompile !== null)
      return `Transaction reverted: ${precompile < FIRST_ROOTSTOCK_CONTRACT ? `call to precompile ${precompile} failed` : message}`;
    return isInside && reason === HALT_REASONS.outOfGas ? CALL_OUT_OF_GAS : hardhatHaltMessage(reason);
  }
  if (cause.check !== null) return `Transaction reverted: ${cause.check.hardhatText}`;
  return error === null || isGuess
    ? hardhatRevertMessage(cause.reason)
    : `${PREFIX}reverted with custom error '${customErrorText(error)}'`;
}

/** Returns `InsufficientBalance(1, "0x…")`. */
function customErrorText({ name, parameters }: DecodedEntry): string {
  return `${name}(${parameters.map(valueText).join(', ')})`;
}

/** Hardhat prints bytes, addresses and strings in quotes, and structs as arrays. */
function valueText({ type, value }: DecodedParameter): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return `[${value.map(valueText).join(', ')}]`;
  if (type === 'function') return '<function>';
  return /^u?int/.test(type) ? value : `"${value}"`;
}
