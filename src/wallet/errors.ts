// Errors of the wallet and of signatures.

import { codedError } from '../primitives/error-class.ts';
import { toHex } from '../primitives/hex.ts';

/** The wallet has no key for the address, or the account is locked. */
export class AccountNotFoundError extends codedError({
  name: 'AccountNotFound',
  code: -32602,
  message: 'Could not find account for address: {address} (unknown or locked account)',
  page: 'wallet',
}) {
  constructor(readonly address: Uint8Array) {
    super({ address: toHex(address) });
  }
}

/** Like {@link AccountNotFoundError}, with Rootstock's message for methods that sign messages. */
export class MessageSignerNotFoundError extends codedError({
  name: 'SignerNotFound',
  code: -32602,
  message: 'Account not found: {address} (unknown or locked account)',
  page: 'wallet',
}) {
  constructor(address: Uint8Array) {
    super({ address: toHex(address) });
  }
}

export class WrongPassphraseError extends codedError({
  name: 'WrongPassphrase',
  code: -32602,
  message: 'Wrong passphrase for account {address}{hint}',
  page: 'wallet',
}) {
  /** `hasPassphrase` is false for an account created without one. */
  constructor(address: Uint8Array, hasPassphrase: boolean) {
    const hint = hasPassphrase ? '' : ': the account has no passphrase; pass an empty string';
    super({ address: toHex(address), hint });
  }
}

/** The typed data cannot be hashed: an unknown type, or a value that does not fit its type (EIP-712). */
export class TypedDataError extends codedError({
  name: 'InvalidTypedData',
  code: -32602,
  message: 'Invalid typed data: {reason}',
  page: 'wallet',
}) {
  constructor(reason: string) {
    super({ reason: reason.slice(0, 400) });
  }
}

/** No public key can be recovered from the signature. */
export class InvalidSignatureError extends codedError({
  name: 'InvalidSignature',
  code: -32602,
  message: 'Invalid signature: no public key can be recovered from it',
  page: 'wallet',
}) {}
