import { hexKey } from '../../primitives/hex.ts';

/** In whose name transactions can be sent without a key. Never changed, only replaced. */
export interface ImpersonationRecord {
  /** By address, as `hexKey` spells it. */
  readonly addresses: ReadonlyMap<string, Uint8Array>;
  /** True when everybody is impersonated. */
  readonly isAutomatic: boolean;
}

/** The accounts, contracts too, in whose name a chain sends transactions without a key of theirs. */
export class Impersonation {
  #record: ImpersonationRecord;

  /** `isAutomatic` to impersonate everybody from the start. */
  constructor(isAutomatic: boolean) {
    this.#record = { addresses: new Map(), isAutomatic };
  }

  /** Who is impersonated, to be put back with {@link restore}. */
  get record(): ImpersonationRecord {
    return this.#record;
  }

  /** Puts a record back. */
  restore(record: ImpersonationRecord): void {
    this.#record = record;
  }

  /** The addresses that were named, in the order they came. */
  addresses(): Uint8Array[] {
    return Array.from(this.#record.addresses.values());
  }

  /** True when transactions can be sent in the name of the address. */
  covers(address: Uint8Array): boolean {
    return this.#record.isAutomatic || this.#record.addresses.has(hexKey(address));
  }

  /** Impersonates the address from now on. */
  add(address: Uint8Array): void {
    const addresses = new Map(this.#record.addresses).set(hexKey(address), address);
    this.#record = { ...this.#record, addresses };
  }

  /** Ends the impersonation of an address; false when it was not named. */
  remove(address: Uint8Array): boolean {
    const addresses = new Map(this.#record.addresses);
    const wasNamed = addresses.delete(hexKey(address));
    this.#record = { ...this.#record, addresses };
    return wasNamed;
  }

  /** Impersonates everybody, or only who was named. */
  setAutomatic(isAutomatic: boolean): void {
    this.#record = { ...this.#record, isAutomatic };
  }
}
