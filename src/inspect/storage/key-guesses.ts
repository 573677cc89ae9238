/**
 * Guesses mapping keys that no execution hashed, because an optimizer precomputes slots of constant keys. It
 * hashes likely keys and compares the results with unnamed slots. A match is therefore always correct.
 */

import {
  type MappingType,
  type StorageType,
  type StorageVariable,
  slotsOf,
  type ValueType,
} from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex, hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import type { RecordedFrame } from '../execution-recorder.ts';
import type { Preimages } from './preimages.ts';
import { slotBytes } from './storage-value.ts';

const WORD = 32;
const ADDRESS = 20;
const SELECTOR = 4;
/** Maximum hashes per layout, about 30 ms. */
const MAX_HASHES = 30_000;
const HASHES_PER_TURN = 1_000;
/** Maximum variables, members and items to visit per layout. An array can have any number of items. */
const MAX_VISITS = 200_000;
const VISITS_PER_TURN = 10_000;
/** The cost, in visits, of listing the likely keys of a mapping. */
const MAPPING_VISITS = 64;
const MAX_WORDS = 1_000;
/** Maximum words to take from a frame's input. */
const MAX_ARGUMENTS = 64;
const SMALL_NUMBERS = 256;
/** Small numbers to try as addresses: zero and the precompiles. */
const SMALL_ADDRESSES = 20;
/** Common addresses for burned tokens and for the native coin. */
const AGREED_ADDRESSES = [
  '0x000000000000000000000000000000000000dead',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
].map((address) => padLeft(fromHex(address as `0x${string}`), WORD));
/** The high hex digits of a slot. The lower digits differ between the parts of one value. */
const HIGH_DIGITS = 48;

const SMALL = Array.from({ length: SMALL_NUMBERS }, (_, number) => bigIntToFixedBytes(BigInt(number), WORD));

/** Returns true if the word (32 bytes) can be a key of this type. */
export function fitsKey({ value, size }: ValueType, word: Uint8Array): boolean {
  const rest = value === 'bytes' ? word.subarray(size) : word.subarray(0, WORD - size);
  // Negative numbers have ones there.
  return rest.every((byte) => byte === 0) || (value === 'int' && rest.every((byte) => byte === 0xff));
}

/** A bounded set of words that may be keys. Beyond the bound the oldest words are removed. */
export class LikelyKeys {
  readonly #words = new Map<string, Uint8Array>();

  copy(): LikelyKeys {
    const made = new LikelyKeys();
    for (const word of this.#words.values()) made.add(word);
    return made;
  }

  /** Adds a 32-byte word or an address. */
  add(bytes: Uint8Array): void {
    const word = padLeft(bytes, WORD);
    const key = hexKey(word);
    this.#words.delete(key);
    this.#words.set(key, word);
    if (this.#words.size <= MAX_WORDS) return;
    const [oldest = ''] = this.#words.keys();
    this.#words.delete(oldest);
  }

  /** Adds the senders, targets and arguments of frames, and the constants in their code. */
  addFrames(frames: readonly RecordedFrame[]): void {
    for (const { start } of frames) {
      this.add(start.from);
      this.add(start.to);
      this.addArguments(start.input, start.kind === 'CREATE' || start.kind === 'CREATE2');
    }
    for (const { code } of frames) this.addConstants(code);
  }

  /** Adds the words after the selector of call data, or the last words of initcode. */
  addArguments(input: Uint8Array, isCreation: boolean): void {
    // Constructor arguments follow the initcode. The length of the initcode may be unknown.
    const rest = input.length - WORD * MAX_ARGUMENTS;
    const first = isCreation ? Math.max(input.length % WORD, rest) : SELECTOR;
    for (let at = first; at + WORD <= input.length && at < first + WORD * MAX_ARGUMENTS; at += WORD)
      this.add(input.slice(at, at + WORD));
  }

  /** Adds the constants in a code that are too long to be a jump destination. */
  addConstants(code: Uint8Array): void {
    for (let pc = 0; pc < code.length; pc++) {
      const size = (code[pc] ?? 0) - OPCODES.PUSH0;
      if (size < 1 || size > WORD) continue;
      if (size > 2) this.add(code.slice(pc + 1, pc + 1 + size));
      pc += size;
    }
  }

  /** Returns the candidate keys for this mapping type, likeliest first. */
  of({ key }: MappingType): Uint8Array[] {
    // The hash of text or bytes cannot be guessed.
    if (key.kind !== 'value') return [];
    if (key.value === 'bool') return SMALL.slice(0, 2);
    const isAddress = key.size === ADDRESS && key.value !== 'bytes';
    const small = isAddress ? [...SMALL.slice(0, SMALL_ADDRESSES), ...AGREED_ADDRESSES] : SMALL;
    const words = new Map(
      [...this.#words.values(), ...small]
        .filter((word) => fitsKey(key, word))
        .map((word) => [hexKey(word), word]),
    );
    return [...words.values()];
  }
}

/** A variable or hashed value whose type may contain mappings. */
interface Holder {
  readonly type: StorageType;
  readonly slot: bigint;
  /** The hash inputs on the path to it. */
  readonly path: readonly Uint8Array[];
}

/** Hashes likely keys with the slots of mappings, and keeps the inputs whose hashes lead to wanted slots. */
class KeySearch {
  readonly #wanted: ReadonlySet<string>;
  readonly #keys: LikelyKeys;
  readonly #into: Preimages;
  readonly #checkCancelled: CancelCheck;
  #left = MAX_HASHES;
  #visitsLeft = MAX_VISITS;
  /** The search yields next after the remaining visits drop to this number. */
  #nextIteration = MAX_VISITS - VISITS_PER_TURN;
  readonly #holders = new WeakMap<StorageType, boolean>();

  constructor(wanted: Iterable<bigint>, keys: LikelyKeys, into: Preimages, checkCancelled: CancelCheck) {
    this.#wanted = new Set(Array.from(wanted, highDigits));
    this.#keys = keys;
    this.#into = into;
    this.#checkCancelled = checkCancelled;
  }

  /** Visits outer mappings before inner ones, so that likelier names are tried first. */
  async search(roots: readonly StorageVariable[]): Promise<void> {
    let level: Holder[] = roots.map(({ type, slot }) => ({ type, slot, path: [] }));
    while (level.length > 0 && this.#isLeft) {
      const next: Holder[] = [];
      for (const holder of level) await this.#open(holder, next);
      level = next;
    }
  }

  /** False after all hashes or visits are used. */
  get #isLeft(): boolean {
    return this.#left > 0 && this.#visitsLeft > 0;
  }

  async #open({ type, slot, path }: Holder, next: Holder[]): Promise<void> {
    if (!this.#isLeft) return;
    this.#visitsLeft--;
    if (this.#visitsLeft <= this.#nextIteration) {
      this.#nextIteration = this.#visitsLeft - VISITS_PER_TURN;
      await yieldToOthers(this.#checkCancelled);
    }
    if (type.kind === 'struct') {
      for (const member of type.members)
        await this.#open({ type: member.type, slot: slot + member.slot, path }, next);
    } else if (type.kind === 'fixedArray' && slotsOf(type.item) > 0n && this.#holdsOthers(type.item)) {
      for (let index = 0n; index < type.count && this.#isLeft; index++)
        await this.#open({ type: type.item, slot: slot + index * slotsOf(type.item), path }, next);
    } else if (type.kind === 'dynamicArray' || type.kind === 'bytes') this.#hash(slotBytes(slot), path);
    else if (type.kind === 'mapping') {
      const value = type.value();
      const isHolder = this.#holdsOthers(value);
      this.#visitsLeft -= MAPPING_VISITS;
      for (const key of this.#keys.of(type)) {
        const parts = [key, slotBytes(slot)];
        const input = concatBytes(...(type.order === 'keyFirst' ? parts : parts.reverse()));
        const base = this.#hash(input, path);
        if (base === null) return;
        if (isHolder) next.push({ type: value, slot: base, path: [...path, input] });
        if (this.#left % HASHES_PER_TURN === 0) await yieldToOthers(this.#checkCancelled);
      }
    }
  }

  /** Returns true if the type has parts behind a hash. */
  #holdsOthers(type: StorageType): boolean {
    const known = this.#holders.get(type);
    if (known !== undefined) return known;
    const holds =
      type.kind === 'struct'
        ? type.members.some((member) => this.#holdsOthers(member.type))
        : type.kind === 'fixedArray'
          ? this.#holdsOthers(type.item)
          : type.kind === 'mapping' || type.kind === 'dynamicArray' || type.kind === 'bytes';
    this.#holders.set(type, holds);
    return holds;
  }

  /**
   * Returns the hash as a slot; `null` after all hashes are used. If the hash leads to a wanted slot, it
   * keeps the inputs of the whole path.
   */
  #hash(input: Uint8Array, path: readonly Uint8Array[]): bigint | null {
    if (this.#left <= 0) return null;
    this.#left--;
    const hash = keccak256(input);
    if (this.#wanted.has(hexKey(hash).slice(0, HIGH_DIGITS)))
      for (const bytes of [...path, input]) this.#into.add(bytes);
    return bytesToBigInt(hash);
  }
}

function highDigits(slot: bigint): string {
  return hexKey(slotBytes(slot)).slice(0, HIGH_DIGITS);
}

/** Adds the inputs of likely keys that lead to wanted slots. Rejects with the error of `checkCancelled`. */
export async function guessKeys(
  roots: readonly StorageVariable[],
  wanted: Iterable<bigint>,
  keys: LikelyKeys,
  into: Preimages,
  checkCancelled: CancelCheck,
): Promise<void> {
  await new KeySearch(wanted, keys, into, checkCancelled).search(roots);
}
