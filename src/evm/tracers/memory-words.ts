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
