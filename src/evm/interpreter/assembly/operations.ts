import { OPERATIONS } from './generated/protocol';

/**
 * The operations of the run loop. The numbers are dense, one case each, so that the loop becomes one table of jumps.
 *
 * Where an operation stands for several opcodes, its immediate says which.
 */
export const enum Operation {
  STOP = 0,
  ADD,
  MUL,
  SUB,
  DIV,
  SDIV,
  MOD,
  SMOD,
  ADDMOD,
  MULMOD,
  EXP,
  SIGNEXTEND,
  LT,
  GT,
  SLT,
  SGT,
  EQ,
  ISZERO,
  AND,
  OR,
  XOR,
  NOT,
  BYTE,
  SHL,
  SHR,
  SAR,
  CLZ,
  KECCAK256,
  /** Pushes a word of `CONTEXT`. */
  CONTEXT,
  BALANCE,
  CALLDATALOAD,
  CALLDATASIZE,
  CALLDATACOPY,
  CODESIZE,
  CODECOPY,
  EXTCODESIZE,
  EXTCODECOPY,
  RETURNDATASIZE,
  RETURNDATACOPY,
  EXTCODEHASH,
  BLOCKHASH,
  SELFBALANCE,
  BLOBHASH,
  POP,
  MLOAD,
  MSTORE,
  MSTORE8,
  SLOAD,
  SSTORE,
  JUMP,
  JUMPI,
  MSIZE,
  GAS,
  TLOAD,
  TSTORE,
  MCOPY,
  /** Pushes the argument: at most 64 bits. PC is one, too. */
  PUSH,
  /** Pushes the word that stands behind it. */
  PUSH_WORD,
  /** Its immediate is the distance in bytes. */
  DUP,
  SWAP,
  /** Its immediate and its argument are the distances in bytes. */
  EXCHANGE,
  /** Its argument is the number of topics. */
  LOG,
  /** Its argument is the kind. */
  CREATE,
  CALL,
  RETURN,
  REVERT,
  SELFDESTRUCT,
  /** A byte that is no opcode: the immediate. */
  INVALID,
  /** Begins a block: charges its static gas (immediate) and checks the stack (`packBounds`). */
  BEGIN,
  /** Begins an opcode that is decoded by itself: the immediate is the opcode, the argument where it stands. */
  STEP,
  /** Goes on with the segment in the argument; the immediate is its first instruction, 0 until it is decoded. */
  NEXT_SEGMENT,
  // Two opcodes in one: PUSH and another, which finds the value in the argument.
  /** JUMP to the instruction at the immediate; that is 0 until it has been found. */
  JUMP_TO,
  JUMPI_TO,
  /** ISZERO, PUSH, JUMPI. */
  JUMPZ_TO,
  ADD_VALUE,
  EQ_VALUE,
  AND_VALUE,
  SHL_VALUE,
  SHR_VALUE,
  /** SWAP1, POP */
  SWAP_POP,
  /** Goes on ending a frame, of whose changes more are to be reverted, or more of whose output is to be copied. */
  ENDING,
}

/** Returns the operation of an opcode that is no push, when it is not fused with another. */
@inline
export function operationOf(opcode: i32): i32 {
  return load<u8>(OPERATIONS + opcode);
}
