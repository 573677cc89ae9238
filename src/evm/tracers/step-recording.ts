// Records the stack, memory and storage of each step with little copying.

import { asciiCodes, JsonWriter } from '../../json/json-writer.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { OPCODES, opcodeRange, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import type { ExecutionStep } from '../observer.ts';

const MEMORY_OPCODES: ReadonlySet<number> = new Set([
  ...[OPCODES.KECCAK256, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.EXTCODECOPY, OPCODES.RETURNDATACOPY],
  ...[OPCODES.MCOPY, ...opcodeRange('MLOAD', 'MSTORE8'), ...opcodeRange('LOG0', 'LOG4')],
  // Creations, calls, RETURN and REVERT.
  ...[...opcodeRange('CREATE', 'CREATE2'), OPCODES.STATICCALL, OPCODES.REVERT],
]);

/** Returns true for an opcode that may change or expand the memory. */
function mayChangeMemory(opcode: number): boolean {
  return MEMORY_OPCODES.has(opcode);
}

/** Returns the words of a memory, 64 hex digits each without `0x`. */
export function memoryWords(memory: Uint8Array): string[] {
  const digits = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength).toString('hex');
  const words: string[] = [];
  for (let start = 0; start < digits.length; start += 64) words.push(digits.slice(start, start + 64));
  return words;
}

const QUOTE = asciiCodes('"');
const COMMA = asciiCodes(',');
const OPEN = asciiCodes('[');
const CLOSE = asciiCodes(']');
const WORD_SIZE = 32;
/** Characters of a word in JSON: its digits, two quotes and a comma. */
const WORD_CHARACTERS = 67;

/** Returns the JSON of {@link memoryWords}. It is many times faster than formatting the words first. */
export function memoryJson(memory: Uint8Array): string {
  const count = memory.length / WORD_SIZE;
  const writer = new JsonWriter(2 + count * WORD_CHARACTERS);
  writer.codes(OPEN);
  for (let start = 0; start < memory.length; start += WORD_SIZE) {
    if (start > 0) writer.codes(COMMA);
    writer.codes(QUOTE);
    writer.hex(memory, start, start + WORD_SIZE);
    writer.codes(QUOTE);
  }
  writer.codes(CLOSE);
  return writer.written.toString('latin1');
}

/** The converted memories of nested frames. Only opcodes that may change one invalidate it. */
export class MemoryWords<Words = readonly string[]> {
  readonly #convert: (memory: Uint8Array) => Words;
  readonly #frames: { words: Words | undefined }[] = [];

  constructor(convert: (memory: Uint8Array) => Words) {
    this.#convert = convert;
  }

  /** Call it when a frame starts. */
  open(): void {
    this.#frames.push({ words: undefined });
  }

  /** Call it when the innermost frame ends. */
  close(): void {
    this.#frames.pop();
  }

  /** Returns the converted memory of the innermost frame before `opcode`. */
  before(opcode: number, memory: () => Uint8Array): Words {
    const frame = this.#frames.at(-1);
    const words = frame?.words ?? this.#convert(memory());
    if (frame !== undefined) frame.words = mayChangeMemory(opcode) ? undefined : words;
    return words;
  }
}

/** The maximum number of topmost items that SWAPN and EXCHANGE change. */
const DEEPEST = 236;

/** Returns the maximum number of topmost items that the opcode pops or changes. DUP only reads them. */
function takenItems(opcode: number): number {
  if (opcode === OPCODES.SWAPN || opcode === OPCODES.EXCHANGE) return DEEPEST;
  return opcode >= OPCODES.DUP1 && opcode <= OPCODES.DUP16 ? 0 : (STACK_USE[opcode]?.taken ?? 0);
}

const TAKEN_ITEMS = Uint8Array.from({ length: 256 }, (_, opcode) => takenItems(opcode));

/**
 * The converted items on the stacks of nested frames. Most items stay on the stack for many steps, so each
 * item is converted once, when it is pushed.
 */
export class StackItems<Kept> {
  readonly #convert: (item: bigint, below: Kept | undefined) => Kept;
  readonly #frames: { readonly items: Kept[]; unchanged: number }[] = [];

  /** `convert` receives an item and the converted item below it; `undefined` for the lowest item. */
  constructor(convert: (item: bigint, below: Kept | undefined) => Kept) {
    this.#convert = convert;
  }

  /** Call it when a frame starts. */
  open(): void {
    this.#frames.push({ items: [], unchanged: 0 });
  }

  /** Call it when the innermost frame ends. */
  close(): void {
    this.#frames.pop();
  }

  /**
   * Returns the converted stack of the innermost frame before the step, with the top last. Call it for each
   * step of the frame. The next call changes the returned array.
   */
  before(step: ExecutionStep): readonly Kept[] {
    const frame = this.#frames.at(-1) ?? { items: [], unchanged: 0 };
    const { items } = frame;
    const height = step.stackHeight;
    items.length = Math.min(frame.unchanged, items.length);
    for (let distance = height - items.length - 1; distance >= 0; distance--) {
      items.push(this.#convert(step.stackItem(distance) ?? 0n, items.at(-1)));
    }
    frame.unchanged = Math.max(0, height - (TAKEN_ITEMS[step.opcode] ?? height));
    return items;
  }
}

const { SLOAD, SSTORE } = OPCODES;

/** The touched slots of one contract. Slots and values have 64 hex digits without `0x`. */
export type TouchedSlots = Readonly<Record<string, string>>;

function digitsOf(word: bigint): string {
  return word.toString(16).padStart(64, '0');
}

/** The storage touched so far, by contract. */
export class TouchedStorage {
  readonly #contracts = new Map<string, Record<string, string>>();

  /**
   * Records the slot that the step reads or writes. Returns all slots of the contract touched so far;
   * `undefined` if the step touches no slot.
   */
  touch(step: ExecutionStep): TouchedSlots | undefined {
    if (step.opcode !== SLOAD && step.opcode !== SSTORE) return undefined;
    const slot = step.stackItem(0);
    const written = step.opcode === SSTORE ? step.stackItem(1) : undefined;
    if (slot === undefined || (step.opcode === SSTORE && written === undefined)) return undefined;
    const key = hexKey(step.address);
    const value =
      written === undefined
        ? hexKey(padLeft(step.storageAt(bigIntToFixedBytes(slot, 32)), 32))
        : digitsOf(written);
    const slots = { ...this.#contracts.get(key), [digitsOf(slot)]: value };
    this.#contracts.set(key, slots);
    return slots;
  }

  /** Returns all slots of a contract (20 bytes) touched so far. */
  of(address: Uint8Array): TouchedSlots {
    return this.#contracts.get(hexKey(address)) ?? {};
  }
}

const FIXED_SIZE = 100;
const MEMORY_WORD_SIZE = 67;
const SLOT_SIZE = 134;

/** The fields of a step with variable size. */
interface GrowingFields {
  readonly stack?: readonly string[];
  readonly memory?: readonly string[];
  readonly storage?: TouchedSlots;
}

/** Returns the approximate number of characters of JSON for a step. */
export function stepSize({ stack, memory, storage }: GrowingFields): number {
  let size = FIXED_SIZE;
  if (stack !== undefined) for (const item of stack) size += item.length + 3;
  if (memory !== undefined) size += memory.length * MEMORY_WORD_SIZE;
  if (storage !== undefined) size += Object.keys(storage).length * SLOT_SIZE;
  return size;
}
