import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** No key for the address is held, or it is locked. */
export class AccountNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(address: Uint8Array) {
    super(`Could not find account for address: ${toHex(address)} (unknown or locked account)`);
  }
}
