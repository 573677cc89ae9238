import { keyOf } from '../primitives/hex.ts';
import { curve, type Signature } from '../primitives/secp256k1.ts';
import type { DevAccount } from './dev-accounts.ts';
import { AccountNotFoundError } from './errors.ts';

/** The keys a chain signs with. */
export class Wallet {
  readonly #accounts = new Map<string, DevAccount>();

  /** Holds the accounts, unlocked. */
  constructor(accounts: readonly DevAccount[]) {
    for (const account of accounts) this.#accounts.set(keyOf(account.address), account);
  }

  /** The addresses in the order they came. */
  addresses(): Uint8Array[] {
    return Array.from(this.#accounts.values(), (account) => account.address);
  }

  /** True when the wallet can sign for the address now. */
  isUnlocked(address: Uint8Array): boolean {
    return this.#accounts.has(keyOf(address));
  }

  /** The account's signature over a 32-byte hash. Throws {@link AccountNotFoundError}. */
  signHash(address: Uint8Array, hash: Uint8Array): Signature {
    const account = this.#accounts.get(keyOf(address));
    if (account === undefined) throw new AccountNotFoundError(address);
    return curve.sign(hash, account.privateKey);
  }
}
