/** An address with what it is called. */
export interface NamedAddress {
  /** `0x` and 40 lower-case digits. */
  readonly address: string;
  /** A label, or the name of the contract there; `null` for none. */
  readonly name: string | null;
}
