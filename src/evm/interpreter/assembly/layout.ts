/**
 * The layout of linear memory, and of the records in it that the host does not read. Those that it
 * reads are in `generated/protocol.ts`, which the build makes from the host's `protocol.ts`.
 *
 * The parameters of the rule set, which the host writes before anything runs, are read here. Regions of a fixed size are static data, below `__heap_base`; whatever grows comes from `allocator.ts`.
 */

import { Account, Blobs, ContextWord, Rule } from './generated/protocol';

/**
 * True in the module that counts how often each block of code runs: the build defines `COUNTING` for it. Where it is false,
 * the compiler leaves out all that depends on it, so that the other module pays nothing.
 */
export const IS_COUNTING: bool = isDefined(COUNTING);

/** The values that the opcodes from ADDRESS (0x30) to 0x4f push, 32 bytes each, by opcode. Those of the block come from the host. */
export const CONTEXT: usize = memory.data(32 * 32, 16);
export const ADDRESS_WORD: usize = CONTEXT + ContextWord.ADDRESS * 32;
export const CALLER_WORD: usize = CONTEXT + ContextWord.CALLER * 32;
export const VALUE_WORD: usize = CONTEXT + ContextWord.VALUE * 32;
export const NUMBER_WORD: usize = CONTEXT + ContextWord.NUMBER * 32;

/** The numbers of the rule set: 8 bytes for each `Rule`, written by the host. */
export const PARAMETERS: usize = memory.data(Rule.COUNT * 8, 16);

/** Per opcode 4 bytes, written by the host: static gas (16 bits), items taken, items left; all ones where it is none. */
export const OPCODE_TABLE: usize = memory.data(256 * 4, 16);

/** The hashes of the message's blobs, written by the host. */
export const BLOBS: usize = memory.data(Blobs.SIZE, 16);

/** Per opcode one byte, written by the host: 0 where its steps are not reported. */
export const WANTED_STEPS: usize = memory.data(256, 16);

/** The places in the code of the steps since the host looked last, 32 bits each. */
export const TRAIL: usize = memory.data(4096 * 4, 16);
export const TRAIL_LENGTH: u32 = 4096;

/** Numbers that the host and the module exchange: eight of 64 bits. */
export const CELLS: usize = memory.data(8 * 8, 16);

/** Words that an instruction uses while it runs. */
export const SCRATCH: usize = memory.data(8 * 32, 16);
/** The preimage of the address of a new contract (EIP-1014), and its hash. */
export const ADDRESS_PREIMAGE: usize = memory.data(96, 16);
export const ADDRESS_HASH: usize = memory.data(32, 16);

export const ZERO_WORD: usize = memory.data(32, 16);

export const JOURNALED_SIZE: usize = Account.JOURNALED_END - Account.BALANCE;

/** An instruction as the run loop reads it: 16 bytes. */
export namespace Instruction {
  export const OPERATION: usize = 0;
  /** 32 bits: for an operation whose price depends on more than the opcode, where it stands in the code. */
  export const IMMEDIATE: usize = 4;
  /** 64 bits. */
  export const ARGUMENT: usize = 8;
  export const SIZE: usize = 16;
}

/** The number of times that an instruction ran in this message, behind each `BEGIN` and `STEP` of the module that counts. */
export namespace Counter {
  /** 64 bits. */
  export const TIMES: usize = 0;
  /** The next counter of the same code that is not zero. */
  export const NEXT: usize = 8;
  /** Behind `BEGIN`: where its block ends. Behind `STEP`: how often a block was left before the opcode. */
  export const END: usize = 12;
  export const LEFT: usize = 12;
  export const SIZE: usize = 16;
}

/** Code, with what is known of it so far: it is looked at as far as it runs. */
export namespace Code {
  /** 32 bytes as hashed; without meaning for initcode. */
  export const HASH: usize = 0;
  export const RAW: usize = 32;
  export const LENGTH: usize = 36;
  /**
   * 32 bits for each byte of code before `SCANNED`: 0 where no jump may go, `MARKED` where one may, and the instruction
   * there once it is decoded.
   */
  export const JUMPS: usize = 40;
  /** The records of its segments, in one block with the jumps; 0 until the code is run for the first time. */
  export const SEGMENTS: usize = 44;
  export const BLOCK_SIZE: usize = 48;
  /** The end of the code whose jump destinations are known: the start of a segment, or the length of the code. */
  export const SCANNED: usize = 52;
  export const NEXT: usize = 56;
  /** The number of frames that run it: such code is not evicted. */
  export const USERS: usize = 60;
  export const RAW_SIZE: usize = 64;
  /** 1 for code that stands in the table by its hash. */
  export const IS_SHARED: usize = 68;
  export const USED_AT: usize = 72;
  /** The next in the list of code that the message made; 0 when it is not in it. */
  export const MADE_NEXT: usize = 76;
  /** The first of its counters that are not zero; the codes with such counters are a list in both directions. */
  export const COUNTERS: usize = 80;
  export const COUNTED_NEXT: usize = 84;
  export const COUNTED_BEFORE: usize = 88;
  export const SIZE: usize = IS_COUNTING ? 96 : 80;
}

/** A part of code that is decoded at once, when it is first reached. */
export namespace Segment {
  /** The program counter of its first opcode. */
  export const START: usize = 0;
  /** Its instructions in blocks; 0 until they are needed. */
  export const FUSED: usize = 4;
  export const FUSED_SIZE: usize = 8;
  /** The same decoded opcode by opcode, behind 32 bits for each byte: where the instruction of the opcode there is. */
  export const EXACT: usize = 12;
  export const EXACT_SIZE: usize = 16;
  export const SIZE: usize = 20;
}

/** In the place of an instruction: there is one, which is not decoded yet. */
export const MARKED: usize = 1;

/** The number of the rule. */
@inline
export function rule(which: Rule): i64 {
  return load<i64>(PARAMETERS + ((<usize>which) << 3));
}

/** True when the rule holds. */
@inline
export function holds(which: Rule): bool {
  return load<u8>(PARAMETERS + ((<usize>which) << 3)) != 0;
}
