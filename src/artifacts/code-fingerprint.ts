/**
 * Fingerprints of code without the parts that are filled in at deployment. They find the artifact of on-chain
 * code with one lookup in a map. A fingerprint only suggests a contract; `code-template.ts` decides.
 */

import type { Steps } from '../primitives/steps.ts';

/** PUSH32 contains immutable variables, PUSH20 library addresses. */
const PUSH1 = 0x60;
const PUSH20 = 0x73;
const PUSH32 = 0x7f;

/**
 * `"ipfs" 58 22` and `"bzzr1" 58 20` (`bzzr0` before Solidity 0.5.9): the keys of the metadata's CBOR map
 * with the length of their values.
 */
const METADATA_KEYS = [
  { key: Buffer.from('64697066735822', 'hex'), size: 34 },
  { key: Buffer.from('65627a7a72315820', 'hex'), size: 32 },
  { key: Buffer.from('65627a7a72305820', 'hex'), size: 32 },
] as const;

/** A range in bytes. */
export interface CodeRange {
  readonly start: number;
  readonly length: number;
}

/** Returns the metadata hashes in the code in order, including hashes of contracts that it creates. */
export function metadataHashes(code: Uint8Array): CodeRange[] {
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.byteLength);
  const found: CodeRange[] = [];
  for (const { key, size } of METADATA_KEYS) {
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.length)) {
      const start = at + key.length;
      if (start + size <= bytes.length) found.push({ start, length: size });
    }
  }
  return found.sort((left, right) => left.start - right.start);
}

const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x9747b28c;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0x5bd1e995;

/** Bytes to read between two checks of the time slice. */
const BYTES_AT_ONCE = 2 ** 14;

/** Reads code from its start and computes the fingerprint of the part it has read. */
class FingerprintReader {
  readonly #code: Uint8Array;
  readonly #metadata: readonly CodeRange[];
  #nextMetadata = 0;
  #first = FIRST_SEED;
  #second = SECOND_SEED;
  /** The bytes before this offset are operands. */
  #operandEnd = 0;
  #isMasked = false;

  constructor(code: Uint8Array) {
    this.#code = code;
    this.#metadata = metadataHashes(code);
  }

  /** Reads bytes from `start`, the current position, to `end`. Calls `found` like {@link fingerprints}. */
  read(
    start: number,
    end: number,
    lengths: { has(length: number): boolean },
    found: (length: number, fingerprint: string) => void,
  ): void {
    const code = this.#code;
    const metadata = this.#metadata;
    let nextMetadata = this.#nextMetadata;
    let first = this.#first;
    let second = this.#second;
    let operandEnd = this.#operandEnd;
    let isMasked = this.#isMasked;
    for (let offset = start; offset < end; offset++) {
      let byte = code[offset] ?? 0;
      const range = metadata[nextMetadata];
      if (range !== undefined && offset >= range.start) {
        if (offset === range.start + range.length - 1) nextMetadata++;
        byte = 0;
        // Reading opcodes restarts after the hash, so that the hash does not shift them.
        operandEnd = offset + 1;
      } else if (offset < operandEnd) {
        if (isMasked) byte = 0;
      } else if (byte >= PUSH1 && byte <= PUSH32) {
        operandEnd = offset + 2 + byte - PUSH1;
        isMasked = byte === PUSH20 || byte === PUSH32;
      }
      first = Math.imul(first ^ byte, FIRST_PRIME);
      second = Math.imul(second ^ (byte + 0x9e), SECOND_PRIME);
      second ^= second >>> 13;
      if (lengths.has(offset + 1)) found(offset + 1, spelled(first, second));
    }
    this.#nextMetadata = nextMetadata;
    this.#first = first;
    this.#second = second;
    this.#operandEnd = operandEnd;
    this.#isMasked = isMasked;
  }
}

/**
 * Calls `found` with the fingerprint of each prefix of the code whose length is in `lengths`, shortest first.
 * The time is linear in the code for any number of lengths; the work is split into time slices. Operands of
 * PUSH20 and PUSH32, and metadata hashes, count as zeros.
 */
export function* fingerprints(
  code: Uint8Array,
  lengths: { has(length: number): boolean },
  found: (length: number, fingerprint: string) => void,
): Steps<void> {
  const reader = new FingerprintReader(code);
  for (let start = 0; start < code.length; start += BYTES_AT_ONCE) {
    const end = Math.min(code.length, start + BYTES_AT_ONCE);
    reader.read(start, end, lengths, found);
    yield end - start;
  }
}

function spelled(first: number, second: number): string {
  return (first >>> 0).toString(36) + (second >>> 0).toString(36).padStart(7, '0');
}

/** Returns the fingerprint of the whole code; the empty string for no code. Yields between time slices. */
export function* fingerprint(code: Uint8Array): Steps<string> {
  let result = '';
  const whole = { has: (length: number) => length === code.length };
  const found = (_length: number, value: string): void => {
    result = value;
  };
  yield* fingerprints(code, whole, found);
  return result;
}
