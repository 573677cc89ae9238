/**
 * The layout of linear memory and of the records that only the module reads. `generated/protocol.ts` has the
 * records that the host also reads; the build generates it from the host's `protocol.ts`.
 *
 * Regions of fixed size are static data below `__heap_base`. The file `allocator.ts` allocates growing data.
 * The host writes the parameters of the rule set before any message runs.
 */

import { Account, Context, ContextWord, Event, Result, Rule } from './generated/protocol';

/** True in the counting module (`COUNTING`). Otherwise the compiler removes dependent code. */
export const IS_COUNTING: bool = isDefined(COUNTING);

/** The words that the opcodes 0x30 to 0x4f push, and the inputs of the message. Written by the host. */
export const CONTEXT: usize = memory.data(Context.SIZE, 16);
export const ORIGIN_WORD: usize = CONTEXT + ContextWord.ORIGIN * 32;
export const ADDRESS_WORD: usize = CONTEXT + ContextWord.ADDRESS * 32;
export const CALLER_WORD: usize = CONTEXT + ContextWord.CALLER * 32;
export const VALUE_WORD: usize = CONTEXT + ContextWord.VALUE * 32;
export const NUMBER_WORD: usize = CONTEXT + ContextWord.NUMBER * 32;

/** The parameters of the rule set, 8 bytes per `Rule`, written by the host. */
export const PARAMETERS: usize = memory.data(Rule.COUNT * 8, 16);

/**
 * The opcode table, 4 bytes per opcode, written by the host: static gas (16 bits), items taken, items left.
 * All ones for an undefined opcode.
 */
export const OPCODE_TABLE: usize = memory.data(256 * 4, 16);

/** One byte per opcode, written by the host: 0 if its steps are not reported. */
export const WANTED_STEPS: usize = memory.data(256, 16);

/** The program counters of the steps since the last read by the host, 32 bits each. */
export const TRAIL: usize = memory.data(4096 * 4, 16);
export const TRAIL_LENGTH: u32 = 4096;

/** The result of the message, for the host. */
export const RESULT: usize = memory.data(Result.SIZE, 16);

/** The numbers of an event, for the host. */
export const EVENT: usize = memory.data(Event.SIZE, 16);

/** Scratch words of an instruction. */
export const SCRATCH: usize = memory.data(8 * 32, 16);
/** The preimage of the address of a new contract (EIP-1014), and its hash. */
export const ADDRESS_PREIMAGE: usize = memory.data(96, 16);
export const ADDRESS_HASH: usize = memory.data(32, 16);

export const ZERO_WORD: usize = memory.data(32, 16);

export const JOURNALED_SIZE: usize = Account.JOURNALED_END - Account.BALANCE;

/** An instruction of the run loop, 16 bytes. */
export namespace Instruction {
  export const OPERATION: usize = 0;
  /** 32 bits; the program counter, if the price of the operation depends on more than the opcode. */
  export const IMMEDIATE: usize = 4;
  /** 64 bits. */
  export const ARGUMENT: usize = 8;
  export const SIZE: usize = 16;
}

/** The execution count of an instruction in this message, after each `BEGIN` and `STEP`. */
export namespace Counter {
  /** 64 bits. */
  export const TIMES: usize = 0;
  /** The next non-zero counter of the same code. */
  export const NEXT: usize = 8;
  /** After `BEGIN`: the end of its block. After `STEP`: how many times a block was left before the opcode. */
  export const END: usize = 12;
  export const LEFT: usize = 12;
  export const SIZE: usize = 16;
}

/** A code record. Code is scanned and decoded only as far as it is reached. */
export namespace Code {
  /** 32 bytes, big-endian; undefined for initcode. */
  export const HASH: usize = 0;
  export const RAW: usize = 32;
  export const LENGTH: usize = 36;
  /** 32 bits per byte before `SCANNED`: 0 (no destination), `MARKED`, or the instruction. */
  export const JUMPS: usize = 40;
  /** The segment records, in one block with the jumps; 0 until the code first runs. */
  export const SEGMENTS: usize = 44;
  export const BLOCK_SIZE: usize = 48;
  /** The end of the code with known jump destinations: the start of a segment, or the length of the code. */
  export const SCANNED: usize = 52;
  export const NEXT: usize = 56;
  /** The number of frames that run it. Code in use is not evicted. */
  export const USERS: usize = 60;
  export const RAW_SIZE: usize = 64;
  /** 1 if the code is in the cache. */
  export const IS_SHARED: usize = 68;
  export const USED_AT: usize = 72;
  /** The next entry in the list of code made by the message; 0 if not in the list. */
  export const MADE_NEXT: usize = 76;
  /** The first non-zero counter. Codes with non-zero counters form a doubly linked list. */
  export const COUNTERS: usize = 80;
  export const COUNTED_NEXT: usize = 84;
  export const COUNTED_BEFORE: usize = 88;
  export const SIZE: usize = IS_COUNTING ? 96 : 80;
}

/** A segment of code. It is decoded when it is first reached. */
export namespace Segment {
  /** The program counter of its first opcode. */
  export const START: usize = 0;
  /** Its fused instructions; 0 until needed. */
  export const FUSED: usize = 4;
  export const FUSED_SIZE: usize = 8;
  /** Its exact instructions, after a table with the instruction address per byte of code. */
  export const EXACT: usize = 12;
  export const EXACT_SIZE: usize = 16;
  export const SIZE: usize = 20;
}

/** Marks a jump destination that is not decoded yet. */
export const MARKED: usize = 1;

/** Returns the value of a rule parameter. */
@inline
export function rule(which: Rule): i64 {
  return load<i64>(PARAMETERS + ((<usize>which) << 3));
}

/** Returns true if the boolean rule is set. */
@inline
export function holds(which: Rule): bool {
  return load<u8>(PARAMETERS + ((<usize>which) << 3)) != 0;
}
