// Accounts that transactions can be sent from without their key.

import { hexKey } from '../../primitives/hex.ts';

/** The impersonated accounts. Never changed, only replaced. */
export interface ImpersonationRecord {
  /** By address, as `hexKey` spells it. */
  readonly addresses: ReadonlyMap<string, Uint8Array>;
  /** True when all accounts are impersonated. */
  readonly isAutomatic: boolean;
}

/** The accounts, including contracts, that a chain sends transactions from without their keys. */
export class Impersonation {
  #record: ImpersonationRecord;

  /** `isAutomatic` to impersonate all accounts from the start. */
  constructor(isAutomatic: boolean) {
    this.#record = { addresses: new Map(), isAutomatic };
  }

  /** The impersonated accounts, for {@link restore}. */
  get record(): ImpersonationRecord {
    return this.#record;
  }

  /** Restores a record. */
  restore(record: ImpersonationRecord): void {
    this.#record = record;
  }

  /** Returns the impersonated addresses, in the order they were added. */
  addresses(): Uint8Array[] {
    return Array.from(this.#record.addresses.values());
  }

  /** Returns true if transactions can be sent from the address. */
  covers(address: Uint8Array): boolean {
    return this.#record.isAutomatic || this.#record.addresses.has(hexKey(address));
  }

  /** Impersonates the address from now on. */
  add(address: Uint8Array): void {
    const addresses = new Map(this.#record.addresses).set(hexKey(address), address);
    this.#record = { ...this.#record, addresses };
  }

  /** Ends the impersonation of an address; returns false when it was not impersonated. */
  remove(address: Uint8Array): boolean {
    const addresses = new Map(this.#record.addresses);
    const wasNamed = addresses.delete(hexKey(address));
    this.#record = { ...this.#record, addresses };
    return wasNamed;
  }

  /** Impersonates all accounts, or only those that were added. */
  setAutomatic(isAutomatic: boolean): void {
    this.#record = { ...this.#record, isAutomatic };
  }
}
