import { createKeccak } from 'hash-wasm';

/** Computes hashes one after the other, with one buffer for all. */
class Keccak256 {
  readonly #hasher;
  // Small arrays of their own are slow to hand over to WebAssembly: each one's memory has to move first.
  readonly #input = new Uint8Array(1024);

  constructor(hasher: Awaited<ReturnType<typeof createKeccak>>) {
    this.#hasher = hasher;
  }

  hash(bytes: Uint8Array): Uint8Array {
    this.#hasher.init();
    if (bytes.length > this.#input.length) {
      this.#hasher.update(bytes);
    } else {
      this.#input.set(bytes);
      this.#hasher.update(this.#input.subarray(0, bytes.length));
    }
    return this.#hasher.digest('binary');
  }
}

const hasher = new Keccak256(await createKeccak(256));

/** The Keccak-256 hash (32 bytes, a new array) of the bytes: the hash of Ethereum, not NIST's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.hash(bytes);
}

/** The hash of no bytes: the code hash of an account without code. */
export const KECCAK_EMPTY: Uint8Array = keccak256(new Uint8Array(0));
