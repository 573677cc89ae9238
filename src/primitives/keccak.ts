// Keccak-256 in a WebAssembly module that is compiled from AssemblyScript.

import { KECCAK_BINARY } from './generated/keccak-binary.ts';

/** The exports of the module; see `src/evm/interpreter/assembly/keccak-module.ts`. */
export interface KeccakExports {
  readonly memory: WebAssembly.Memory;
  readonly INPUT: WebAssembly.Global;
  readonly OUTPUT: WebAssembly.Global;
  readonly VALUE: WebAssembly.Global;
  readonly REFERENCE: WebAssembly.Global;
  hashPart(start: number, length: number): void;
  hashItems(count: number, stride: number): void;
  begin(): void;
  goOn(): void;
  finish(length: number): void;
  hashLeaf(index: number, count: number, length: number): void;
  headOfLeaf(index: number, count: number, length: number): number;
  roomForReferences(count: number): number;
  hashReferences(count: number): void;
}

const HASH_SIZE = 32;
/** The RLP prefix of a hash. */
const HASH_PREFIX = 0x80 + HASH_SIZE;
/** Maximum input bytes per call of the module. */
export const INPUT_SIZE = 60 * 136;

const compiledModule = new WebAssembly.Module(Buffer.from(KECCAK_BINARY, 'base64'));

/** Returns an instance of the module with its own memory. */
export function keccakInstance(): KeccakExports {
  return new WebAssembly.Instance(compiledModule, {}).exports as unknown as KeccakExports;
}

/** Computes one hash at a time in the memory of one module. */
class Keccak256 {
  readonly #module = keccakInstance();
  /** The input bytes. Callers may write them directly. */
  readonly input: Uint8Array;
  readonly #output: Uint8Array;
  /** The hash with its RLP prefix. */
  readonly #encodedOutput: Uint8Array;
  /** The number of input bytes that are not absorbed yet. */
  #filled = 0;

  constructor() {
    const { memory, INPUT, OUTPUT } = this.#module;
    this.input = new Uint8Array(memory.buffer, INPUT.value, INPUT_SIZE);
    this.#output = new Uint8Array(memory.buffer, OUTPUT.value, HASH_SIZE);
    this.#encodedOutput = new Uint8Array(memory.buffer, OUTPUT.value - 1, 1 + HASH_SIZE);
    this.#encodedOutput[0] = HASH_PREFIX;
  }

  /** Returns the hash of the bytes. The next hash overwrites the array. */
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

  /** Returns the RLP of the hash of a part of the input. The next hash overwrites the array. */
  encodedHashOf(start: number, length: number): Uint8Array {
    this.#module.hashPart(start, length);
    return this.#encodedOutput;
  }

  /** Hashes one word (32 bytes) per stride. */
  hashItems(bytes: Uint8Array, stride: number): Uint8Array {
    const hashes = new Uint8Array((bytes.length / stride) * HASH_SIZE);
    const size = INPUT_SIZE - (INPUT_SIZE % stride);
    for (let start = 0, end = 0; start < bytes.length; start += size) {
      const part = bytes.length <= size ? bytes : bytes.subarray(start, start + size);
      this.input.set(part);
      const count = part.length / stride;
      this.#module.hashItems(count, stride);
      hashes.set(this.input.subarray(0, count * HASH_SIZE), end);
      end += count * HASH_SIZE;
    }
    return hashes;
  }

  /** Begins a hash whose bytes are added in parts. No other hash may be computed until {@link finish}. */
  begin(): void {
    this.#module.begin();
    this.#filled = 0;
  }

  /** Adds the next bytes of the hash in progress. */
  add(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      // Keep the last bytes for `finish`, even if they fill the input.
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

  /** Returns the hash of the added bytes. The next hash overwrites the array. */
  finish(): Uint8Array {
    this.#module.finish(this.#filled);
    return this.#output;
  }
}

const hasher = new Keccak256();

/** Returns the Keccak-256 hash (32 bytes, a new array): Ethereum's hash, not NIST's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.hash(bytes).slice();
}

/**
 * Returns the Keccak-256 hashes of words (32 bytes), one word per `stride` bytes. The length of `bytes` must
 * be a multiple of `stride`.
 */
export function keccak256OfWords(bytes: Uint8Array, stride: number): Uint8Array {
  return hasher.hashItems(bytes, stride);
}

/** The input of {@link encodedKeccak256}, encoded in place without a copy. Every other hash overwrites it. */
export const KECCAK_INPUT: Uint8Array = hasher.input;

/** Returns the RLP of the Keccak-256 hash (33 bytes, a new array) of a part of {@link KECCAK_INPUT}. */
export function encodedKeccak256(start: number, length: number): Uint8Array {
  return hasher.encodedHashOf(start, length).slice();
}

/**
 * A Keccak-256 hash whose bytes are added in parts, with other work in between. It is meant for long input,
 * because it has its own module.
 */
export class KeccakStream {
  readonly #hasher = new Keccak256();

  constructor() {
    this.#hasher.begin();
  }

  add(bytes: Uint8Array): void {
    this.#hasher.add(bytes);
  }

  /** Returns the hash (32 bytes, a new array) of all added bytes. Call it only once. */
  finish(): Uint8Array {
    return this.#hasher.finish().slice();
  }
}

/** Writes the Keccak-256 hash to `offset` of `target`, without an intermediate array. */
export function writeKeccak256(target: Uint8Array, offset: number, bytes: Uint8Array): void {
  target.set(hasher.hash(bytes), offset);
}

/** The hash of no bytes: the code hash of an account without code. */
export const KECCAK_EMPTY: Uint8Array = keccak256(new Uint8Array(0));
