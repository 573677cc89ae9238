// Keccak-256, computed by a WebAssembly module that is compiled from AssemblyScript.

import { KECCAK_BINARY } from './generated/keccak-binary.ts';

/** The exports of the module; `src/evm/interpreter/assembly/keccak-module.ts` documents them. */
export interface KeccakExports {
  readonly memory: WebAssembly.Memory;
  readonly INPUT: WebAssembly.Global;
  readonly OUTPUT: WebAssembly.Global;
  readonly VALUE: WebAssembly.Global;
  readonly REFERENCE: WebAssembly.Global;
  hash(length: number): void;
  begin(): void;
  goOn(): void;
  finish(length: number): void;
  hashLeaf(index: number, count: number, length: number): void;
  headOfLeaf(index: number, count: number, length: number): number;
  roomForReferences(count: number): number;
  hashReferences(count: number): void;
}

const HASH_SIZE = 32;
/** The number of bytes that the module takes at once. */
export const INPUT_SIZE = 60 * 136;

const compiledModule = new WebAssembly.Module(Buffer.from(KECCAK_BINARY, 'base64'));

/** Returns an instance of the module, with a memory of its own. */
export function keccakInstance(): KeccakExports {
  return new WebAssembly.Instance(compiledModule, {}).exports as unknown as KeccakExports;
}

/** Computes hashes one after the other in the memory of one module. */
class Keccak256 {
  readonly #module = keccakInstance();
  readonly #input: Uint8Array;
  readonly #output: Uint8Array;
  /** The number of bytes of the input that have not been absorbed yet. */
  #filled = 0;

  constructor() {
    const { memory, INPUT, OUTPUT } = this.#module;
    this.#input = new Uint8Array(memory.buffer, INPUT.value, INPUT_SIZE);
    this.#output = new Uint8Array(memory.buffer, OUTPUT.value, HASH_SIZE);
  }

  /** Returns the hash of the bytes, in an array that the next hash overwrites. */
  hash(bytes: Uint8Array): Uint8Array {
    if (bytes.length > INPUT_SIZE) {
      this.begin();
      this.add(bytes);
      this.finish();
    } else {
      this.#input.set(bytes);
      this.#module.hash(bytes.length);
    }
    return this.#output;
  }

  /** Begins a hash whose bytes are added in parts; no other hash may be computed until it is finished. */
  begin(): void {
    this.#module.begin();
    this.#filled = 0;
  }

  /** Adds the next bytes of the hash in progress. */
  add(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      // The last bytes are left for the end, even when they fill the input.
      if (this.#filled === INPUT_SIZE) {
        this.#module.goOn();
        this.#filled = 0;
      }
      const taken = bytes.subarray(start, start + INPUT_SIZE - this.#filled);
      this.#input.set(taken, this.#filled);
      this.#filled += taken.length;
      start += taken.length;
    }
  }

  /** Returns the hash of the added bytes, in an array that the next hash overwrites. */
  finish(): Uint8Array {
    this.#module.finish(this.#filled);
    return this.#output;
  }
}

const hasher = new Keccak256();

/** Returns the Keccak-256 hash (32 bytes, a new array) of the bytes: the hash of Ethereum, not NIST's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.hash(bytes).slice();
}

/**
 * A Keccak-256 hash whose bytes are added in parts, with other work in between. Meant for long input, because it has a
 * module of its own.
 */
export class KeccakStream {
  readonly #hasher = new Keccak256();

  constructor() {
    this.#hasher.begin();
  }

  add(bytes: Uint8Array): void {
    this.#hasher.add(bytes);
  }

  /** Returns the hash (32 bytes, a new array) of all added bytes. Must be called only once. */
  finish(): Uint8Array {
    return this.#hasher.finish().slice();
  }
}

/**
 * Writes the Keccak-256 hash of the bytes to `offset` of `target`, which avoids an array for a hash that is part of
 * something.
 */
export function writeKeccak256(target: Uint8Array, offset: number, bytes: Uint8Array): void {
  target.set(hasher.hash(bytes), offset);
}

/** The hash of no bytes: the code hash of an account without code. */
export const KECCAK_EMPTY: Uint8Array = keccak256(new Uint8Array(0));
