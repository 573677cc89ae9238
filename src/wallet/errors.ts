import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** No key for the address is held, or it is locked. */
export class AccountNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(readonly address: Uint8Array) {
    super(`Could not find account for address: ${toHex(address)} (unknown or locked account)`);
  }
}

/** As {@link AccountNotFoundError}, in the words that the network has where a message is to be signed. */
export class MessageSignerNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(address: Uint8Array) {
    super(`Account not found: ${toHex(address)} (unknown or locked account)`);
  }
}

/** The passphrase is not the one that the account was made with. */
export class WrongPassphraseError extends CodedError {
  readonly code = -32602;

  /** `hasPassphrase` is false for an account that was made without one. */
  constructor(address: Uint8Array, hasPassphrase: boolean) {
    const hint = hasPassphrase ? '' : ' (it was made without one: give the empty passphrase)';
    super(`Wrong passphrase for account ${toHex(address)}${hint}`);
  }
}

/** Typed data that cannot be hashed: a type that is not known, or a value that its type does not have (EIP-712). */
export class TypedDataError extends CodedError {
  readonly code = -32602;
  constructor(reason: string) {
    super(`Invalid typed data: ${reason.slice(0, 400)}`);
  }
}

/** A signature that no key has made. */
export class InvalidSignatureError extends CodedError {
  readonly code = -32602;
  constructor() {
    super('Invalid signature: it belongs to no public key');
  }
}
