// Keccak-256, computed by a WebAssembly module that is compiled from AssemblyScript.

import { KECCAK_BINARY } from './generated/keccak-binary.ts';

/** The exports of the module; `src/evm/interpreter/assembly/keccak-module.ts` documents them. */
export interface KeccakExports {
  readonly memory: WebAssembly.Memory;
  readonly INPUT: WebAssembly.Global;
  readonly OUTPUT: WebAssembly.Global;
  readonly VALUE: WebAssembly.Global;
  readonly REFERENCE: WebAssembly.Global;
  hashPart(start: number, length: number): void;
  hashWords(count: number, stride: number): void;
  begin(): void;
  goOn(): void;
  finish(length: number): void;
  hashLeaf(index: number, count: number, length: number): void;
  headOfLeaf(index: number, count: number, length: number): number;
  roomForReferences(count: number): number;
  hashReferences(count: number): void;
}

const HASH_SIZE = 32;
/** The first byte of the RLP of a hash. */
const HASH_PREFIX = 0x80 + HASH_SIZE;
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
  /** The bytes that are hashed, for callers that write them here themselves. */
  readonly input: Uint8Array;
  readonly #output: Uint8Array;
  /** The hash with its prefix in RLP. */
  readonly #encodedOutput: Uint8Array;
  /** The number of bytes of the input that have not been absorbed yet. */
  #filled = 0;

  constructor() {
    const { memory, INPUT, OUTPUT } = this.#module;
    this.input = new Uint8Array(memory.buffer, INPUT.value, INPUT_SIZE);
    this.#output = new Uint8Array(memory.buffer, OUTPUT.value, HASH_SIZE);
    this.#encodedOutput = new Uint8Array(memory.buffer, OUTPUT.value - 1, 1 + HASH_SIZE);
    this.#encodedOutput[0] = HASH_PREFIX;
  }

  /** Returns the hash of the bytes, in an array that the next hash overwrites. */
  hash(bytes: Uint8Array): Uint8Array {
    if (bytes.length > INPUT_SIZE) {
      this.begin();
      this.add(bytes);
      this.finish();
    } else {
      this.input.set(bytes);
      this.#module.hashPart(0, bytes.length);
    }
    return this.#output;
  }

  /** Returns the RLP of the hash of a part of the input, in an array that the next hash overwrites. */
  encodedHashOf(start: number, length: number): Uint8Array {
    this.#module.hashPart(start, length);
    return this.#encodedOutput;
  }

  /** Hashes the words (32 bytes) of which each begins `stride` bytes behind the one before. */
  hashWords(bytes: Uint8Array, stride: number): Uint8Array {
    const hashes = new Uint8Array((bytes.length / stride) * HASH_SIZE);
    const size = INPUT_SIZE - (INPUT_SIZE % stride);
    for (let start = 0, end = 0; start < bytes.length; start += size) {
      const part = bytes.length <= size ? bytes : bytes.subarray(start, start + size);
      this.input.set(part);
      const count = part.length / stride;
      this.#module.hashWords(count, stride);
      hashes.set(this.input.subarray(0, count * HASH_SIZE), end);
      end += count * HASH_SIZE;
    }
    return hashes;
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
      this.input.set(taken, this.#filled);
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
 * Returns the Keccak-256 hashes, one after the other, of words of 32 bytes, of which each begins `stride` bytes behind the one before:
 * `bytes` has whole strides.
 */
export function keccak256OfWords(bytes: Uint8Array, stride: number): Uint8Array {
  return hasher.hashWords(bytes, stride);
}

/**
 * Bytes that {@link encodedKeccak256} hashes where they are, so that what is encoded only to be hashed need not be copied. Every other
 * hash overwrites them.
 */
export const KECCAK_INPUT: Uint8Array = hasher.input;

/** Returns the RLP of the Keccak-256 hash (33 bytes, a new array) of a part of {@link KECCAK_INPUT}. */
export function encodedKeccak256(start: number, length: number): Uint8Array {
  return hasher.encodedHashOf(start, length).slice();
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
