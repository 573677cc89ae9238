/**
 * Where things stand in linear memory, and how the records in it are laid out.
 *
 * Regions of a fixed size are static data, below `__heap_base`; whatever grows comes from `allocator.ts`.
 */

/** What the opcodes from ADDRESS (0x30) to 0x4f push, 32 bytes each, by opcode. Those of the block come from the host. */
export const CONTEXT: usize = memory.data(32 * 32, 16);
export const ADDRESS_WORD: usize = CONTEXT;
export const CALLER_WORD: usize = CONTEXT + 3 * 32;
export const VALUE_WORD: usize = CONTEXT + 4 * 32;
export const NUMBER_WORD: usize = CONTEXT + 19 * 32;

/** What the rule set says: `rules.ts`. Written by the host. */
export const PARAMETERS: usize = memory.data(64 * 8, 16);

/** Per opcode 4 bytes, written by the host: static gas (16 bits), items taken, items left; all ones where it is none. */
export const OPCODE_TABLE: usize = memory.data(256 * 4, 16);
export const NO_OPCODE: u32 = 0xffffffff;

/** Numbers that the host and the module tell each other: eight of 64 bits. */
export const CELLS: usize = memory.data(8 * 8, 16);

/** Words that an instruction uses while it runs. */
export const SCRATCH: usize = memory.data(8 * 32, 16);
/** What is hashed for the address of a new contract (EIP-1014), and that hash. */
export const ADDRESS_PREIMAGE: usize = memory.data(96, 16);
export const ADDRESS_HASH: usize = memory.data(32, 16);

export const ZERO_WORD: usize = memory.data(32, 16);

/**
 * An account. From `BALANCE` to `JOURNALED_END` stands what a revert restores.
 *
 * The key of the table (`ADDRESS`) is the address as a word.
 */
export namespace Account {
  export const ADDRESS: usize = 0;
  export const BALANCE: usize = 32;
  export const NONCE: usize = 64;
  export const CODE_LENGTH: usize = 72;
  export const FLAGS: usize = 76;
  /** 32 bytes as hashed, not a word. */
  export const CODE_HASH: usize = 80;
  /** Raised when all storage is cleared: slots of an older generation are void. */
  export const GENERATION: usize = 112;
  /** The code, as long as `CODE_TICK` is the code store's. */
  export const CODE: usize = 116;
  export const JOURNALED_END: usize = 120;
  export const CODE_TICK: usize = 120;
  /** The message in which the account was touched last; it is warm in that one (EIP-2929). */
  export const WARM_IN: usize = 124;
  export const NEXT: usize = 128;
  export const IS_LOADED: usize = 132;
  /** The message whose list of changes holds the account. */
  export const LISTED_IN: usize = 136;
  export const SIZE: usize = 144;
}

export const JOURNALED_SIZE: usize = Account.JOURNALED_END - Account.BALANCE;

/** `Account.FLAGS` */
export namespace Flag {
  export const EXISTS: u32 = 1;
  /** The state below holds no storage of it. */
  export const STORAGE_EMPTY: u32 = 2;
  export const PRECOMPILE: u32 = 4;
  /** Created by this message (EIP-6780). */
  export const CREATED: u32 = 8;
  /** Ended by SELFDESTRUCT in this message. */
  export const ENDED: u32 = 16;
  /** Its code names another account whose code runs (EIP-7702). */
  export const DELEGATES: u32 = 32;
  /** The address is taken until the block ends (a contract ended there earlier in the block). */
  export const TAKEN: u32 = 64;
  /** Given new code by this message. */
  export const CODE_SET: u32 = 128;
  /** The console of contracts: the host is told of calls to it. */
  export const CONSOLE: u32 = 256;
  /** A precompile that may compute for long: the host prepares each call of it, in pieces. */
  export const STEPPED: u32 = 512;
  /** The same, but only where its input is long. */
  export const STEPPED_IF_LONG: u32 = 1024;
}

/** A slot of an account's storage, or of its transient storage (then `OWNER` is the account plus 1). */
export namespace Slot {
  export const KEY: usize = 0;
  export const CURRENT: usize = 32;
  /** The value before the message, as long as `ORIGINAL_IN` is the message. */
  export const ORIGINAL: usize = 64;
  export const OWNER: usize = 96;
  export const GENERATION: usize = 100;
  export const ORIGINAL_IN: usize = 104;
  export const WARM_IN: usize = 108;
  export const NEXT: usize = 112;
  export const IS_LOADED: usize = 116;
  export const LISTED_IN: usize = 120;
  export const SIZE: usize = 128;
}

/** An instruction as the run loop reads it: 16 bytes. */
export namespace Instruction {
  export const OPERATION: usize = 0;
  /** 32 bits: for an operation whose price depends on more than the opcode, where it stands in the code. */
  export const IMMEDIATE: usize = 4;
  /** 64 bits. */
  export const ARGUMENT: usize = 8;
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
  /** How far it is known where jumps may go: where a segment begins, or the length of the code. */
  export const SCANNED: usize = 52;
  export const NEXT: usize = 56;
  /** How many frames run it: such code is not evicted. */
  export const USERS: usize = 60;
  export const RAW_SIZE: usize = 64;
  /** 1 for code that stands in the table by its hash. */
  export const IS_SHARED: usize = 68;
  export const USED_AT: usize = 72;
  /** The next in the list of code that the message made; 0 when it is not in it. */
  export const MADE_NEXT: usize = 76;
  export const SIZE: usize = 80;
}

/** A part of code that is decoded at once, when it is first reached. */
export namespace Segment {
  /** Where its first opcode stands in the code. */
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

/** How a frame, an instruction or a request ends. Below zero: not yet. */
export namespace End {
  /** The host must bring something first: the instruction is executed again. */
  export const SUSPENDED: i32 = -3;
  /** The slice of gas is used up. */
  export const SLICED: i32 = -2;
  export const NOT_YET: i32 = -1;
  export const SUCCESS: i32 = 0;
  export const REVERT: i32 = 1;
  export const OUT_OF_GAS: i32 = 2;
  export const STACK_UNDERFLOW: i32 = 3;
  export const STACK_OVERFLOW: i32 = 4;
  export const INVALID_JUMP: i32 = 5;
  export const STATIC_CALL: i32 = 6;
  export const INVALID_OPCODE: i32 = 7;
  export const CODE_TOO_LARGE: i32 = 8;
  export const INITCODE_TOO_LARGE: i32 = 9;
  export const CODE_STARTS_WITH_EF: i32 = 10;
  export const ADDRESS_TAKEN: i32 = 11;
  export const BALANCE_OVERFLOW: i32 = 12;
  export const BALANCE_TOO_LOW: i32 = 13;
  export const CALL_TOO_DEEP: i32 = 14;
  /** A precompile cannot work on its input. */
  export const PRECOMPILE_FAILED: i32 = 15;
  /** The precompile that the message itself calls cannot work on its input, and the message succeeds nevertheless. */
  export const PRECOMPILE_REFUSED: i32 = 17;
}

/** What begins a frame. */
export namespace Kind {
  export const CALL: u32 = 0;
  export const STATICCALL: u32 = 1;
  export const DELEGATECALL: u32 = 2;
  export const CALLCODE: u32 = 3;
  export const CREATE: u32 = 4;
  export const CREATE2: u32 = 5;
  export const SELFDESTRUCT: u32 = 6;
}
