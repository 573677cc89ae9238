// The keys that a chain signs with.

import { concatBytes, equalBytes } from '../primitives/bytes.ts';
import type { WallClock } from '../primitives/clock.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { RandomSource } from '../primitives/random.ts';
import { addressOfPrivateKey, addressOfPublicKey, curve } from '../primitives/secp256k1/curve.ts';
import type { Signature } from '../primitives/secp256k1/secp256k1.ts';
import { accountFromSeed, type DevAccount } from './dev-accounts.ts';
import { AccountNotFoundError, InvalidSignatureError, WrongPassphraseError } from './errors.ts';
import { decryptKey, encryptKey, type StoredKey } from './keystore.ts';

/** Signs 32-byte hashes with the key of one account. */
export type HashSigner = (hash: Uint8Array) => Signature;

/** Default unlock duration of a new, imported or unlocked account: 30 minutes, in milliseconds. */
export const DEFAULT_UNLOCK_DURATION = 1_800_000;

const PRIVATE_KEY_LENGTH = 32;

interface WalletDependencies {
  /** Determines the time to lock an unlocked account again. */
  readonly clock: WallClock;
  readonly random: RandomSource;
}

interface UnlockedKey {
  /** `null` for an account without a key. */
  readonly privateKey: Uint8Array | null;
  /** Milliseconds since 1970; infinite if the account stays unlocked until it is locked. */
  readonly until: number;
}

/** Immutable, because forked wallets share it. */
interface WalletAccount extends StoredKey {
  readonly unlocked: UnlockedKey | undefined;
}

/** The accounts of a wallet at one moment, by address. */
export type WalletRecord = ReadonlyMap<string, WalletAccount>;

/**
 * The keys that a chain signs with. Initial accounts and accounts of seeds have no passphrase. They are
 * unlocked until they are locked; the empty passphrase unlocks them again. All other accounts have the
 * passphrase of their creation. They are locked after their duration by the machine's clock, independent of
 * the chain's time. Reverting to a snapshot removes no key.
 */
export class Wallet {
  readonly #clock: WallClock;
  readonly #random: RandomSource;
  #accounts = new Map<string, WalletAccount>();
  /** True while another wallet shares the map. The next change copies it first. */
  #isShared = false;
  #version = 0;

  /** The accounts are unlocked. */
  constructor(accounts: readonly DevAccount[], { clock, random }: WalletDependencies) {
    this.#clock = clock;
    this.#random = random;
    for (const account of accounts) this.#addInitial(account);
  }

  #addInitial({ address, privateKey }: DevAccount): void {
    const unlocked = { privateKey, until: Number.POSITIVE_INFINITY };
    const known = this.#accounts.get(hexKey(address));
    this.#put({ address, isInitial: true, stored: { privateKey }, ...known, unlocked });
  }

  /** Returns an independent wallet with the same keys and lock states, without copying them. */
  fork(): Wallet {
    const wallet = new Wallet([], { clock: this.#clock, random: this.#random });
    this.#isShared = true;
    wallet.#accounts = this.#accounts;
    wallet.#isShared = true;
    return wallet;
  }

  /** Returns the current accounts for {@link restore}, without copying them. */
  record(): WalletRecord {
    this.#isShared = true;
    return this.#accounts;
  }

  /** Restores the accounts of a record with their lock states. */
  restore(record: WalletRecord): void {
    this.#version++;
    this.#accounts = new Map(record);
    this.#isShared = false;
  }

  /** Incremented with every change of stored data or lock states. */
  get version(): number {
    return this.#version;
  }

  #prepareChange(): void {
    this.#version++;
    if (!this.#isShared) return;
    this.#accounts = new Map(this.#accounts);
    this.#isShared = false;
  }

  #put(account: WalletAccount): void {
    this.#prepareChange();
    this.#accounts.set(hexKey(account.address), account);
  }

  /**
   * Returns all addresses, including locked accounts: initial accounts and accounts of seeds first, then the
   * others, each in order of creation.
   */
  addresses(): Uint8Array[] {
    const accounts = Array.from(this.#accounts.values());
    const initial = accounts.filter(({ isInitial }) => isInitial);
    const others = accounts.filter(({ isInitial }) => !isInitial);
    return [...initial, ...others].map(({ address }) => address);
  }

  /** Returns all accounts as stored, in order of creation. Without a passphrase, they have the plain key. */
  storedKeys(): StoredKey[] {
    return Array.from(this.#accounts.values(), ({ address, isInitial, stored }) => ({
      address,
      isInitial,
      stored,
    }));
  }

  /** Adds the accounts that are new: unlocked without limit if they have no passphrase, otherwise locked. */
  addStoredKeys(keys: readonly StoredKey[]): void {
    for (const { address, isInitial, stored } of keys) {
      if (this.#accounts.has(hexKey(address))) continue;
      const unlocked =
        'privateKey' in stored
          ? { privateKey: stored.privateKey, until: Number.POSITIVE_INFINITY }
          : undefined;
      this.#put({ address, isInitial, stored, unlocked });
    }
  }

  /** Returns true if the wallet can currently sign for the address. */
  isUnlocked(address: Uint8Array): boolean {
    return this.#unlockedKey(address) !== undefined;
  }

  /** True while an account without a key is unlocked. It cannot sign; transactions can be sent from it. */
  isUnlockedWithoutKey(address: Uint8Array): boolean {
    return this.#unlocked(address)?.privateKey === null;
  }

  /** Returns the account's signature over a 32-byte hash. Throws {@link AccountNotFoundError}. */
  signHash(address: Uint8Array, hash: Uint8Array): Signature {
    return curve.sign(hash, this.privateKey(address));
  }

  /** Returns the private key (32 bytes) of an unlocked account. Throws {@link AccountNotFoundError}. */
  privateKey(address: Uint8Array): Uint8Array {
    const privateKey = this.#unlockedKey(address);
    if (privateKey === undefined) throw new AccountNotFoundError(address);
    return privateKey;
  }

  #unlockedKey(address: Uint8Array): Uint8Array | undefined {
    return this.#unlocked(address)?.privateKey ?? undefined;
  }

  #unlocked(address: Uint8Array): UnlockedKey | undefined {
    const account = this.#accounts.get(hexKey(address));
    if (account?.unlocked === undefined) return undefined;
    if (account.unlocked.until > this.#clock.now()) return account.unlocked;
    this.#put({ ...account, unlocked: undefined });
    return undefined;
  }

  /** Creates an account with a random key, unlocked for 30 minutes; returns its address. */
  createAccount(passphrase: string): Promise<Uint8Array> {
    return this.importKey(this.#randomKey(), passphrase);
  }

  #randomKey(): Uint8Array {
    let privateKey: Uint8Array;
    do privateKey = this.#random(PRIVATE_KEY_LENGTH);
    while (!curve.isPrivateKey(privateKey));
    return privateKey;
  }

  /** Adds a locked account without a key, with a passphrase. Returns false if the address is known. */
  async addWithoutKey(address: Uint8Array, passphrase: string): Promise<boolean> {
    if (this.#accounts.has(hexKey(address))) return false;
    // The keystore only verifies the passphrase; its key does not belong to the address.
    const stored = { keystore: await encryptKey(this.#randomKey(), address, passphrase, this.#random) };
    if (this.#accounts.has(hexKey(address))) return false;
    this.#put({ address, isInitial: false, stored, unlocked: undefined });
    return true;
  }

  /** Removes an account and its key. Returns false if unknown. Rejects with {@link WrongPassphraseError}. */
  async remove(address: Uint8Array, passphrase: string): Promise<boolean> {
    const account = this.#accounts.get(hexKey(address));
    if (account === undefined) return false;
    await this.#decrypted(account, passphrase);
    this.#prepareChange();
    return this.#accounts.delete(hexKey(address));
  }

  /**
   * Stores a valid private key (32 bytes) with a passphrase, unlocked for 30 minutes; returns its address. If
   * the account is known, the passphrase replaces the old one, and an unlimited unlock stays.
   */
  async importKey(privateKey: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const address = addressOfPrivateKey(privateKey);
    const stored = { keystore: await encryptKey(privateKey, address, passphrase, this.#random) };
    const known = this.#accounts.get(hexKey(address));
    const unlocked = known?.unlocked?.privateKey === null ? undefined : known?.unlocked;
    const account = { address, isInitial: known?.isInitial ?? false, stored, unlocked };
    this.#put(account);
    this.#unlock(account, privateKey, DEFAULT_UNLOCK_DURATION);
    return address;
  }

  /** Creates an unlocked account whose key is the Keccak hash of a seed text; returns its address. */
  addSeedAccount(seed: string): Uint8Array {
    const account = accountFromSeed(seed);
    this.#addInitial(account);
    return account.address;
  }

  /** Locks an account. Returns false if it was not unlocked or is unknown. */
  lock(address: Uint8Array): boolean {
    const wasUnlocked = this.#unlocked(address) !== undefined;
    const account = this.#accounts.get(hexKey(address));
    if (account?.unlocked !== undefined) this.#put({ ...account, unlocked: undefined });
    return wasUnlocked;
  }

  /**
   * Unlocks an account for `duration` milliseconds; 0 means until it is locked. An unlimited unlock stays.
   * Returns false for an unknown address. Rejects with {@link WrongPassphraseError}.
   */
  async unlock(address: Uint8Array, passphrase: string, duration: number): Promise<boolean> {
    const account = this.#accounts.get(hexKey(address));
    if (account === undefined) return false;
    const privateKey = await this.#decrypted(account, passphrase);
    this.#unlock(account, privateKey, duration === 0 ? Number.POSITIVE_INFINITY : duration);
    return true;
  }

  #unlock(account: WalletAccount, privateKey: Uint8Array | null, duration: number): void {
    if (account.unlocked?.until === Number.POSITIVE_INFINITY) return;
    this.#put({ ...account, unlocked: { privateKey, until: this.#clock.now() + duration } });
  }

  /**
   * Returns a signer for an account and its passphrase; the account stays locked if it was. Resolves to
   * `null` for an account without a key. Rejects with {@link AccountNotFoundError} or {@link
   * WrongPassphraseError}.
   */
  async signerWithPassphrase(address: Uint8Array, passphrase: string): Promise<HashSigner | null> {
    const account = this.#accounts.get(hexKey(address));
    if (account === undefined) throw new AccountNotFoundError(address);
    const privateKey = await this.#decrypted(account, passphrase);
    return privateKey === null ? null : (hash) => curve.sign(hash, privateKey);
  }

  /** Resolves to the private key; `null` for a keyless account. Rejects with {@link WrongPassphraseError}. */
  async #decrypted({ address, stored }: WalletAccount, passphrase: string): Promise<Uint8Array | null> {
    if ('privateKey' in stored) {
      if (passphrase === '') return stored.privateKey;
      throw new WrongPassphraseError(address, false);
    }
    const privateKey = await decryptKey(stored.keystore, passphrase);
    if (privateKey === undefined) throw new WrongPassphraseError(address, true);
    return equalBytes(addressOfPrivateKey(privateKey), address) ? privateKey : null;
  }
}

/** Returns the hash that `eth_sign` signs for a message. The prefix rules out transactions (EIP-191). */
export function messageHash(message: Uint8Array): Uint8Array {
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`);
  return keccak256(concatBytes(prefix, message));
}

/** Returns the address (20 bytes) that signed a 32-byte hash. Throws {@link InvalidSignatureError}. */
export function recoverSigner(hash: Uint8Array, signature: Signature): Uint8Array {
  let publicKey: Uint8Array;
  try {
    publicKey = curve.recover(hash, signature);
  } catch {
    throw new InvalidSignatureError();
  }
  return addressOfPublicKey(publicKey);
}
