// Delegations of accounts to code (EIP-7702).

import { concatBytes } from '../primitives/bytes.ts';

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DELEGATION_LENGTH = 23;

/** Returns the code that delegates to an account (20 bytes). */
export function delegationTo(address: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, address);
}

/** True for code that delegates to an account. */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_LENGTH && PREFIX.every((byte, index) => code[index] === byte);
}

/** Returns the account (20 bytes) that the code delegates to; `null` for other code. */
export function delegateOf(code: Uint8Array): Uint8Array | null {
  return isDelegation(code) ? code.subarray(PREFIX.length) : null;
}
