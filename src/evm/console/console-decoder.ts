// Decoding the calls of the contracts' console (`console.sol`).

import { bytesToBigInt } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';

/** A Solidity type of console arguments. */
export type ConsoleType = 'uint256' | 'int256' | 'string' | 'bool' | 'address' | 'bytes' | `bytes${number}`;

/** The function of a selector: `log` with these types, or `table` with one or two arrays of a type. */
export type ConsoleSignature =
  | { readonly kind: 'log'; readonly types: readonly ConsoleType[] }
  | { readonly kind: 'table'; readonly hasKeys: boolean; readonly type: ConsoleType };

/** `log` takes up to four of these, in any order. */
const COMBINED: readonly ConsoleType[] = ['uint256', 'string', 'bool', 'address'];
const MOST_COMBINED = 4;
const TABLE_TYPES: readonly ConsoleType[] = ['uint256', 'int256', 'address', 'bytes32', 'string', 'bool'];
const SELECTOR_SIZE = 4;

function combinations(length: number): ConsoleType[][] {
  if (length === 0) return [[]];
  return combinations(length - 1).flatMap((shorter) => COMBINED.map((type) => [...shorter, type]));
}

function logTypes(): ConsoleType[][] {
  const fixedBytes = Array.from({ length: 32 }, (_, index): ConsoleType => `bytes${index + 1}`);
  const alone: ConsoleType[] = ['int256', 'bytes', ...fixedBytes];
  const combined = Array.from({ length: MOST_COMBINED + 1 }, (_, length) => combinations(length));
  return [...combined.flat(), ...alone.map((type) => [type]), ['string', 'int256']];
}

function selectorOf(signature: string): string {
  return hexKey(keccak256(new TextEncoder().encode(signature)).subarray(0, SELECTOR_SIZE));
}

/**
 * Returns all functions of `console.sol` of Hardhat and forge-std, by their selector (eight digits): `log` and the
 * functions with names of their own (`logBytes32` sends `log(bytes32)`), and `table` of forge-std. Until version 2.10.2
 * Hardhat computed selectors with `uint` and `int`, which are not ABI types; contracts of that time are supported too.
 */
export function consoleSignatures(): ReadonlyMap<string, ConsoleSignature> {
  const signatures = new Map<string, ConsoleSignature>();
  for (const types of logTypes()) {
    const written = `log(${types.join(',')})`;
    const signature = { kind: 'log', types } as const;
    signatures.set(selectorOf(written), signature);
    if (written.includes('int256'))
      signatures.set(selectorOf(written.replaceAll('int256', 'int')), signature);
  }
  for (const type of TABLE_TYPES) {
    signatures.set(selectorOf(`table(${type}[])`), { kind: 'table', hasKeys: false, type });
    signatures.set(selectorOf(`table(string[],${type}[])`), { kind: 'table', hasKeys: true, type });
  }
  return signatures;
}

/** An argument of a console function: a number, a boolean, a text, or bytes and addresses. */
export type ConsoleValue = bigint | boolean | string | Uint8Array;

/** A decoded console call. */
export type ConsoleMessage =
  | { readonly kind: 'log'; readonly values: readonly ConsoleValue[] }
  /** `keys` is `null` for a table whose rows are numbered. */
  | {
      readonly kind: 'table';
      readonly keys: readonly ConsoleValue[] | null;
      readonly values: readonly ConsoleValue[];
    };
const WORD = 32;
const ADDRESS_SIZE = 20;
const TEXT = new TextDecoder();

/** Thrown inside this file when data ends too early. */
class TooShortError extends Error {
  override readonly name = 'TooShortError';
}

/** Reads ABI-encoded data (Solidity documentation, Contract ABI Specification). */
class AbiReader {
  readonly #data: Uint8Array;
  /** Encoders never let two items share bytes, so items cannot be longer in total than the data. */
  #bytesLeft: number;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#bytesLeft = data.length;
  }

  /** Returns the value of the type whose head is at `head`; offsets count from `base`. */
  value(type: ConsoleType, head: number, base: number): ConsoleValue {
    switch (type) {
      case 'uint256':
        return bytesToBigInt(this.#slice(head, WORD));
      case 'int256':
        return BigInt.asIntN(256, bytesToBigInt(this.#slice(head, WORD)));
      case 'bool':
        return this.#slice(head, WORD).some((byte) => byte !== 0);
      case 'address':
        return this.#slice(head, WORD).subarray(WORD - ADDRESS_SIZE);
      case 'bytes':
        return this.#bytes(base + this.#size(head));
      case 'string':
        return TEXT.decode(this.#bytes(base + this.#size(head)));
      default:
        return this.#slice(head, WORD).subarray(0, Number(type.slice('bytes'.length)));
    }
  }

  /** Returns the items of the array whose head is at `head`. */
  array(type: ConsoleType, head: number): ConsoleValue[] {
    const start = this.#size(head);
    const length = this.#size(start);
    const items = start + WORD;
    this.#slice(items, length * WORD);
    return Array.from({ length }, (_, index) => this.value(type, items + index * WORD, items));
  }

  #bytes(start: number): Uint8Array {
    const length = this.#size(start);
    this.#bytesLeft -= length;
    if (this.#bytesLeft < 0) throw new TooShortError();
    return this.#slice(start + WORD, length);
  }

  /** Returns an offset or a length. */
  #size(start: number): number {
    const size = bytesToBigInt(this.#slice(start, WORD));
    if (size > BigInt(this.#data.length)) throw new TooShortError();
    return Number(size);
  }

  #slice(start: number, length: number): Uint8Array {
    if (start + length > this.#data.length) throw new TooShortError();
    return this.#data.subarray(start, start + length);
  }
}

function read(signature: ConsoleSignature, data: Uint8Array): ConsoleMessage {
  const reader = new AbiReader(data);
  if (signature.kind === 'log') {
    const values = signature.types.map((type, index) => reader.value(type, index * WORD, 0));
    return { kind: 'log', values };
  }
  const { hasKeys, type } = signature;
  return {
    kind: 'table',
    keys: hasKeys ? reader.array('string', 0) : null,
    values: reader.array(type, hasKeys ? WORD : 0),
  };
}

/** Decodes console calls. The table of selectors is computed at the first one. */
export class ConsoleDecoder {
  #signatures: ReadonlyMap<string, ConsoleSignature> | undefined;

  /** Returns the decoded call; `null` for an unknown function, and for data that ends too early. */
  decode(input: Uint8Array): ConsoleMessage | null {
    this.#signatures ??= consoleSignatures();
    const signature = this.#signatures.get(hexKey(input.subarray(0, SELECTOR_SIZE)));
    if (signature === undefined) return null;
    try {
      return read(signature, input.subarray(SELECTOR_SIZE));
    } catch (error) {
      if (error instanceof TooShortError) return null;
      throw error;
    }
  }
}
