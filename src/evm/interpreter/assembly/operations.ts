import { OPERATIONS } from './generated/protocol';

/**
 * The operations of the run loop. The numbers are dense, with one case each, so that the loop compiles to one
 * jump table.
 *
 * If an operation is shared by several opcodes, its immediate or argument selects the opcode.
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
  /** Pushes the argument (at most 64 bits). PC also decodes to it. */
  PUSH,
  /** Pushes the word after the instruction. */
  PUSH_WORD,
  /** The immediate is the distance in bytes. */
  DUP,
  SWAP,
  /** The immediate and the argument are the distances in bytes. */
  EXCHANGE,
  /** The argument is the number of topics. */
  LOG,
  /** The argument is the `Kind`. */
  CREATE,
  CALL,
  RETURN,
  REVERT,
  SELFDESTRUCT,
  /** An undefined opcode, in the immediate. */
  INVALID,
  /** Starts a block: charges its static gas (immediate) and checks the stack (`packBounds`). */
  BEGIN,
  /** Starts an exactly decoded opcode: the immediate is the opcode, the argument its program counter. */
  STEP,
  /** Continues at the segment in the argument; the immediate is its first instruction, or 0 until decoded. */
  NEXT_SEGMENT,
  // PUSH fused with the next opcode; the value is in the argument.
  /** JUMP to the instruction in the immediate, or 0 until resolved. */
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
  /** Continues to end a frame that has more changes to revert or more output to copy. */
  ENDING,
}

/** Returns the operation of an opcode that is not a push and not fused. */
@inline
export function operationOf(opcode: i32): i32 {
  return load<u8>(OPERATIONS + opcode);
}
