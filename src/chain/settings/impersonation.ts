// Accounts that can send transactions without a key.

import { hexKey } from '../../primitives/hex.ts';

/** The impersonated accounts. Immutable. */
export interface ImpersonationRecord {
  /** By address, as `hexKey` formats it. */
  readonly addresses: ReadonlyMap<string, Uint8Array>;
  /** True if all accounts are impersonated. */
  readonly isAutomatic: boolean;
}

/** The accounts, including contracts, that can send transactions without a key. */
export class Impersonation {
  #record: ImpersonationRecord;

  /** `isAutomatic` impersonates all accounts from the start. */
  constructor(isAutomatic: boolean) {
    this.#record = { addresses: new Map(), isAutomatic };
  }

  /** The impersonated accounts, for {@link restore}. */
  get record(): ImpersonationRecord {
    return this.#record;
  }

  restore(record: ImpersonationRecord): void {
    this.#record = record;
  }

  /** Returns the impersonated addresses in insertion order. */
  addresses(): Uint8Array[] {
    return Array.from(this.#record.addresses.values());
  }

  /** Returns true if the address can send transactions without a key. */
  covers(address: Uint8Array): boolean {
    return this.#record.isAutomatic || this.#record.addresses.has(hexKey(address));
  }

  add(address: Uint8Array): void {
    const addresses = new Map(this.#record.addresses).set(hexKey(address), address);
    this.#record = { ...this.#record, addresses };
  }

  /** Ends the impersonation of an address. Returns false if it was not impersonated. */
  remove(address: Uint8Array): boolean {
    const addresses = new Map(this.#record.addresses);
    const wasNamed = addresses.delete(hexKey(address));
    this.#record = { ...this.#record, addresses };
    return wasNamed;
  }

  /** Impersonates all accounts, or only the added ones. */
  setAutomatic(isAutomatic: boolean): void {
    this.#record = { ...this.#record, isAutomatic };
  }
}
