// The layout of the Bridge's storage.

import type { PrecompileAccount } from '../../evm/precompiles/precompiled-contract.ts';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  joinBytes,
  padLeft,
} from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';

const WORD = 32;

/** Returns the slot of a single value: the ASCII bytes of its name, as on Rootstock. */
export function namedSlot(name: string): Uint8Array {
  return padLeft(new TextEncoder().encode(name), WORD);
}

/** Returns the slot of one of several values with the same name. */
export function keyedSlot(name: string, key: Uint8Array): Uint8Array {
  return keccak256(concatBytes(namedSlot(name), key));
}

/** Reads and writes numbers and bytes in the storage of an account. */
export class BridgeStorage {
  readonly #account: PrecompileAccount;

  constructor(account: PrecompileAccount) {
    this.#account = account;
  }

  /** Returns the 32 bytes of a slot. */
  word(slot: Uint8Array): Uint8Array {
    return this.#account.slot(slot);
  }

  setWord(slot: Uint8Array, word: Uint8Array): void {
    this.#account.setSlot(slot, word);
  }

  /** Returns an unsigned number; 0n if not set. */
  number(slot: Uint8Array): bigint {
    return bytesToBigInt(this.#account.slot(slot));
  }

  setNumber(slot: Uint8Array, value: bigint): void {
    this.#account.setSlot(slot, bigIntToFixedBytes(value, WORD));
  }

  /** Reads `length` bytes from consecutive slots. */
  bytes(slot: Uint8Array, length: number): Uint8Array {
    const words = Math.ceil(length / WORD);
    const parts = Array.from({ length: words }, (_, index) => this.#account.slot(slotAfter(slot, index)));
    return joinBytes(parts).subarray(0, length);
  }

  /** Writes bytes to consecutive slots. */
  setBytes(slot: Uint8Array, bytes: Uint8Array): void {
    for (let index = 0; index * WORD < bytes.length; index++) {
      const word = new Uint8Array(WORD);
      word.set(bytes.subarray(index * WORD, (index + 1) * WORD));
      this.#account.setSlot(slotAfter(slot, index), word);
    }
  }
}

function slotAfter(slot: Uint8Array, distance: number): Uint8Array {
  if (distance === 0) return slot;
  return bigIntToFixedBytes(BigInt.asUintN(256, bytesToBigInt(slot) + BigInt(distance)), WORD);
}
