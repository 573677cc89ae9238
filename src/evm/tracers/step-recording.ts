import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { OPCODES, opcodeRange } from '../../protocol/hardforks/opcodes.ts';
import type { ExecutionStep } from '../observer.ts';

const MEMORY_OPCODES: ReadonlySet<number> = new Set([
  // KECCAK256 and the opcodes that copy
  0x20, 0x37, 0x39, 0x3c, 0x3e, 0x5e,
  // MLOAD, MSTORE, MSTORE8
  0x51, 0x52, 0x53,
  // LOG0 to LOG4
  0xa0, 0xa1, 0xa2, 0xa3, 0xa4,
  // creations, calls, and the ends of frames
  0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xfa, 0xfd,
]);

/** True for an opcode that may change or grow the memory. */
function mayChangeMemory(opcode: number): boolean {
  return MEMORY_OPCODES.has(opcode);
}

/** The words of a memory, 64 digits each without `0x`. */
function memoryWords(memory: Uint8Array): string[] {
  const digits = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength).toString('hex');
  const words: string[] = [];
  for (let start = 0; start < digits.length; start += 64) words.push(digits.slice(start, start + 64));
  return words;
}

/** The words of the memories of nested frames; they are spelled anew only where an opcode may have changed them. */
export class MemoryWords {
  readonly #frames: { words: readonly string[]; isCurrent: boolean }[] = [];

  /** A frame begins. */
  open(): void {
    this.#frames.push({ words: [], isCurrent: false });
  }

  /** The innermost frame ends. */
  close(): void {
    this.#frames.pop();
  }

  /** The words of the innermost frame's memory before `opcode` is executed. */
  before(opcode: number, memory: () => Uint8Array): readonly string[] {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return memoryWords(memory());
    if (!frame.isCurrent) frame.words = memoryWords(memory());
    frame.isCurrent = !mayChangeMemory(opcode);
    return frame.words;
  }
}

const { SWAP1, SWAP16 } = OPCODES;

/** The opcodes that take or change so many of the topmost items, but for the swaps; what is not named takes none. */
const TAKING: readonly (readonly number[])[] = [
  [],
  [
    ...[OPCODES.ISZERO, OPCODES.NOT, OPCODES.BALANCE, OPCODES.CALLDATALOAD, OPCODES.EXTCODESIZE],
    ...[OPCODES.EXTCODEHASH, OPCODES.BLOCKHASH, OPCODES.BLOBHASH, OPCODES.POP, OPCODES.MLOAD],
    ...[OPCODES.SLOAD, OPCODES.TLOAD, OPCODES.JUMP, OPCODES.SELFDESTRUCT],
  ],
  [
    ...opcodeRange('ADD', 'SMOD'),
    ...opcodeRange('EXP', 'SIGNEXTEND'),
    ...opcodeRange('LT', 'EQ'),
    ...opcodeRange('AND', 'XOR'),
    ...opcodeRange('BYTE', 'SAR'),
    ...[OPCODES.KECCAK256, OPCODES.MSTORE, OPCODES.MSTORE8, OPCODES.SSTORE, OPCODES.TSTORE],
    ...[OPCODES.JUMPI, OPCODES.RETURN, OPCODES.REVERT, OPCODES.LOG0],
  ],
  [
    ...[OPCODES.ADDMOD, OPCODES.MULMOD, OPCODES.CALLDATACOPY, OPCODES.CODECOPY],
    ...[OPCODES.RETURNDATACOPY, OPCODES.MCOPY, OPCODES.CREATE, OPCODES.LOG0 + 1],
  ],
  [OPCODES.EXTCODECOPY, OPCODES.CREATE2, OPCODES.LOG0 + 2],
  [OPCODES.LOG0 + 3],
  [OPCODES.DELEGATECALL, OPCODES.STATICCALL, OPCODES.LOG4],
  [OPCODES.CALL, OPCODES.CALLCODE],
];

function takenItems(opcode: number): number {
  if (opcode >= SWAP1 && opcode <= SWAP16) return opcode - SWAP1 + 2;
  return Math.max(
    0,
    TAKING.findIndex((opcodes) => opcodes.includes(opcode)),
  );
}

const TAKEN_ITEMS = Uint8Array.from({ length: 256 }, (_, opcode) => takenItems(opcode));

/**
 * The items of the stacks of nested frames as texts. Most of a stack outlives an opcode, and so do its texts: an item
 * is spelled when it comes, not at each step.
 */
export class StackTexts {
  readonly #spell: (item: bigint) => string;
  readonly #frames: { texts: readonly string[]; kept: number }[] = [];

  constructor(spell: (item: bigint) => string) {
    this.#spell = spell;
  }

  /** A frame begins. */
  open(): void {
    this.#frames.push({ texts: [], kept: 0 });
  }

  /** The innermost frame ends. */
  close(): void {
    this.#frames.pop();
  }

  /** The innermost frame's stack before the step, its top last. To be asked at each step of the frame. */
  before(step: ExecutionStep): readonly string[] {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return step.stack().map(this.#spell);
    const height = step.stackHeight;
    const texts = frame.texts.slice(0, frame.kept);
    for (let distance = height - texts.length - 1; distance >= 0; distance--) {
      texts.push(this.#spell(step.stackItem(distance) ?? 0n));
    }
    frame.texts = texts;
    frame.kept = Math.max(0, height - (TAKEN_ITEMS[step.opcode] ?? height));
    return texts;
  }
}

const SLOAD = 0x54;
const SSTORE = 0x55;

/** The slots of one contract that were touched: 64 digits each without `0x`, as are the values. */
export type TouchedSlots = Readonly<Record<string, string>>;

function digitsOf(word: bigint): string {
  return word.toString(16).padStart(64, '0');
}

/** The storage that an execution has touched so far, by contract. */
export class TouchedStorage {
  readonly #contracts = new Map<string, Record<string, string>>();

  /**
   * Takes note of the slot that the step reads or is about to write. Gives all slots of the contract touched so far,
   * or `undefined` for a step that touches none.
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

  /** All slots of a contract (20 bytes) touched so far. */
  of(address: Uint8Array): TouchedSlots {
    return this.#contracts.get(hexKey(address)) ?? {};
  }
}

const FIXED_SIZE = 100;
const MEMORY_WORD_SIZE = 67;
const SLOT_SIZE = 134;

/** The fields of a step that can grow. */
interface GrowingFields {
  readonly stack?: readonly string[];
  readonly memory?: readonly string[];
  readonly storage?: TouchedSlots;
}

/** About how many characters of JSON a step takes. */
export function stepSize({ stack, memory, storage }: GrowingFields): number {
  let size = FIXED_SIZE;
  if (stack !== undefined) for (const item of stack) size += item.length + 3;
  if (memory !== undefined) size += memory.length * MEMORY_WORD_SIZE;
  if (storage !== undefined) size += Object.keys(storage).length * SLOT_SIZE;
  return size;
}
