import { concatBytes } from '../primitives/bytes.ts';

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DELEGATION_LENGTH = 23;

/** Returns the code that names an account (20 bytes) whose code is to run instead (EIP-7702). */
export function delegationTo(address: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, address);
}

/** True for code that names an account whose code is to run instead (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_LENGTH && PREFIX.every((byte, index) => code[index] === byte);
}

/**
 * Returns the account (20 bytes) whose code is to run in place of this code; `null` for code that runs itself
 * (EIP-7702).
 */
export function delegateOf(code: Uint8Array): Uint8Array | null {
  return isDelegation(code) ? code.subarray(PREFIX.length) : null;
}
