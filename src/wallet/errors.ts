// Errors of the wallet and of signatures.

import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** The wallet holds no key for the address, or the account is locked. */
export class AccountNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(readonly address: Uint8Array) {
    super(`Could not find account for address: ${toHex(address)} (unknown or locked account)`);
  }
}

/** Like {@link AccountNotFoundError}, with the message that the network has when a message is to be signed. */
export class MessageSignerNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(address: Uint8Array) {
    super(`Account not found: ${toHex(address)} (unknown or locked account)`);
  }
}

/** The passphrase is not the one that the account was created with. */
export class WrongPassphraseError extends CodedError {
  readonly code = -32602;

  /** `hasPassphrase` is false for an account that was made without one. */
  constructor(address: Uint8Array, hasPassphrase: boolean) {
    const hint = hasPassphrase ? '' : ' (it was made without one: give the empty passphrase)';
    super(`Wrong passphrase for account ${toHex(address)}${hint}`);
  }
}

/** Typed data that cannot be hashed: an unknown type, or a value that its type does not have (EIP-712). */
export class TypedDataError extends CodedError {
  readonly code = -32602;
  constructor(reason: string) {
    super(`Invalid typed data: ${reason.slice(0, 400)}`);
  }
}

/** A signature that no key can have made. */
export class InvalidSignatureError extends CodedError {
  readonly code = -32602;
  constructor() {
    super('Invalid signature: it belongs to no public key');
  }
}
