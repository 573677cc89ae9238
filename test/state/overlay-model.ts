import { toHex } from '../../src/primitives/hex.ts';
import type { PlainAccount } from './reference-trie.ts';

interface ModelAccount {
  readonly address: Uint8Array;
  nonce: bigint;
  balance: bigint;
  code: Uint8Array;
  readonly storage: Map<string, { slot: Uint8Array; value: Uint8Array }>;
}

type ModelAccounts = Map<string, ModelAccount>;

const EMPTY = new Uint8Array(0);

/** A simple overlay. A checkpoint copies all accounts. */
export class OverlayModel {
  #accounts: ModelAccounts = new Map();
  readonly #copies: ModelAccounts[] = [];

  get openCheckpoints(): number {
    return this.#copies.length;
  }

  account(address: Uint8Array): ModelAccount | undefined {
    return this.#accounts.get(toHex(address));
  }

  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.account(address)?.storage.get(toHex(slot))?.value ?? EMPTY;
  }

  setAccount(address: Uint8Array, nonce: bigint, balance: bigint): void {
    Object.assign(this.#created(address), { nonce, balance });
  }

  deleteAccount(address: Uint8Array): void {
    this.#accounts.delete(toHex(address));
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.#created(address).code = code;
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const { storage } = this.#created(address);
    if (value.length === 0) storage.delete(toHex(slot));
    else storage.set(toHex(slot), { slot, value });
  }

  clearStorage(address: Uint8Array): void {
    this.account(address)?.storage.clear();
  }

  checkpoint(): void {
    this.#copies.push(
      new Map(
        [...this.#accounts].map(([key, account]) => [key, { ...account, storage: new Map(account.storage) }]),
      ),
    );
  }

  commit(): void {
    this.#copies.pop();
  }

  revert(): void {
    this.#accounts = this.#copies.pop() ?? this.#accounts;
  }

  accounts(): PlainAccount[] {
    return [...this.#accounts.values()].map((account) => ({
      ...account,
      storage: [...account.storage.values()],
    }));
  }

  #created(address: Uint8Array): ModelAccount {
    const key = toHex(address);
    const account = this.#accounts.get(key) ?? {
      address,
      nonce: 0n,
      balance: 0n,
      code: EMPTY,
      storage: new Map(),
    };
    this.#accounts.set(key, account);
    return account;
  }
}
