// The whitelist of pegins.

import {
  bigIntToFixedBytes,
  bytesToBigInt,
  compareBytes,
  concatBytes,
  joinBytes,
} from '../../primitives/bytes.ts';
import { type BridgeStorage, namedSlot } from './bridge-storage.ts';

/** A parent chain address that may send coins to Rootstock. */
export interface WhitelistEntry {
  /** 20 bytes: the hash in the address. */
  readonly destination: Uint8Array;
  /** Maximum satoshi of a single transfer; `null` for no limit. */
  readonly maximum: bigint | null;
}

const LENGTH = namedSlot('lockWhitelistLength');
const ENTRIES = namedSlot('lockWhitelist');
const DISABLE_HEIGHT = namedSlot('lockWhitelistDisableHeight');
const HASH_SIZE = 20;
const AMOUNT_SIZE = 8;
const ENTRY_SIZE = HASH_SIZE + 1 + AMOUNT_SIZE;

function encode({ destination, maximum }: WhitelistEntry): Uint8Array {
  const amount = bigIntToFixedBytes(BigInt.asUintN(64, maximum ?? 0n), AMOUNT_SIZE);
  return concatBytes(destination, Uint8Array.of(maximum === null ? 1 : 0), amount);
}

function decode(bytes: Uint8Array): WhitelistEntry {
  const isUnlimited = bytes[HASH_SIZE] === 1;
  const amount = BigInt.asIntN(64, bytesToBigInt(bytes.subarray(HASH_SIZE + 1)));
  return { destination: bytes.subarray(0, HASH_SIZE), maximum: isUnlimited ? null : amount };
}

/** The whitelist in the storage of the Bridge. */
export class LockWhitelist {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  /** Returns the entries sorted by hash. */
  all(): WhitelistEntry[] {
    const length = Number(this.#storage.number(LENGTH));
    const bytes = this.#storage.bytes(ENTRIES, length * ENTRY_SIZE);
    return Array.from({ length }, (_, index) =>
      decode(bytes.subarray(index * ENTRY_SIZE, (index + 1) * ENTRY_SIZE)),
    );
  }

  find(destination: Uint8Array): WhitelistEntry | undefined {
    return this.all().find((entry) => compareBytes(entry.destination, destination) === 0);
  }

  /** Adds an entry. The address must not have one. */
  add(entry: WhitelistEntry): void {
    const entries = [...this.all(), entry];
    this.#write(entries.sort((left, right) => compareBytes(left.destination, right.destination)));
  }

  remove(destination: Uint8Array): void {
    this.#write(this.all().filter((entry) => compareBytes(entry.destination, destination) !== 0));
  }

  /** From this height of the parent chain on, all addresses may send; 0 if not set. */
  get disableHeight(): number {
    return Number(this.#storage.number(DISABLE_HEIGHT));
  }

  set disableHeight(height: number) {
    this.#storage.setNumber(DISABLE_HEIGHT, BigInt(height));
  }

  #write(entries: readonly WhitelistEntry[]): void {
    this.#storage.setNumber(LENGTH, BigInt(entries.length));
    this.#storage.setBytes(ENTRIES, joinBytes(entries.map(encode)));
  }
}
