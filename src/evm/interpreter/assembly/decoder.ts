/**
 * Decodes a segment of code into instructions for the run loop.
 *
 * Fused decoding splits code into blocks that run as a whole. `BEGIN` checks the static gas and the stack
 * bounds of the block once, and pairs of opcodes become one operation. Exact decoding emits a `STEP` before
 * each opcode, so that gas and stack are checked per opcode, as in the Yellow Paper. Every step can then be
 * reported to an observer.
 */

import { allocate } from './allocator';
import { farDistance, isAllowed, isDeep, nearDistance } from './deep-items';
import { Kind, NO_OPCODE, Opcode } from './generated/protocol';
import { Counter, Instruction, IS_COUNTING, OPCODE_TABLE } from './layout';
import { Operation, operationOf } from './operations';

/** Number of zero bytes after code, so that whole words can be read at its end. */
export const CODE_PADDING: u32 = 40;

/** Log2 of the segment size in bytes. Segments start at the first opcode after each multiple. */
export const SEGMENT_SHIFT: u32 = 12;

/** Maximum bytes of push data beyond the end of a segment. */
const MAX_PUSH_LENGTH: u32 = 32;

/** Maximum instructions per byte of code, including space for their counters. */
const MAX_OF_BYTE: u32 = IS_COUNTING ? 5 : 2;

/** Size of the workspace in bytes: the largest segment and its exit. */
const WORKSPACE_SIZE: u32 = ((1 << SEGMENT_SHIFT) + MAX_PUSH_LENGTH + 4) * MAX_OF_BYTE * <u32>Instruction.SIZE;

/** The instructions are written to this memory before their number is known. */
let workspace: usize = 0;

@inline
export function isPush(opcode: i32): bool {
  return opcode >= Opcode.PUSH0 && opcode <= Opcode.PUSH32;
}

/** Returns true if the next opcode may not follow, or if this opcode must read the exact gas left. */
export function endsBlock(opcode: i32): bool {
  if (opcode == Opcode.STOP || opcode == Opcode.JUMP || opcode == Opcode.JUMPI) return true;
  return opcode == Opcode.GAS || opcode == Opcode.SSTORE || opcode >= Opcode.CREATE;
}

@inline
export function tableOf(opcode: i32): u32 {
  return load<u32>(OPCODE_TABLE + (opcode << 2));
}

/** Returns the number of operand bytes after the opcode at `at`. Bytes beyond the code are zeros. */
@inline
export function operandLength(opcode: i32, at: usize): u32 {
  if (isPush(opcode)) return opcode - Opcode.PUSH0;
  return u32(isDeep(opcode) && isAllowed(opcode, load<u8>(at + 1)));
}

/** Returns true if the operand makes the opcode invalid. */
@inline
export function isSpoilt(opcode: i32, at: usize): bool {
  return isDeep(opcode) && !isAllowed(opcode, load<u8>(at + 1));
}

/** Emits DUPN, SWAPN or EXCHANGE. */
function emitDeep(at: usize, opcode: i32, operand: u32): usize {
  return emit(at, operationOf(opcode), nearDistance(opcode, operand) << 5, farDistance(opcode, operand) << 5);
}

/** The immediate of an operation shared by several opcodes; otherwise the program counter. */
function immediateOf(opcode: i32, pc: u32): u32 {
  if (opcode >= Opcode.DUP1 && opcode <= Opcode.DUP16) return (opcode - Opcode.DUP1) << 5;
  if (opcode >= Opcode.SWAP1 && opcode <= Opcode.SWAP16) return (opcode - Opcode.SWAP1 + 1) << 5;
  if (operationOf(opcode) == Operation.CONTEXT) return (opcode - Opcode.ADDRESS) << 5;
  return pc;
}

/** The argument of an operation shared by several opcodes. */
function argumentOf(opcode: i32, pc: u32): u64 {
  if (opcode >= Opcode.LOG0 && opcode <= Opcode.LOG4) return opcode - Opcode.LOG0;
  if (opcode == Opcode.PC) return pc;
  if (opcode == Opcode.STATICCALL) return Kind.STATICCALL;
  if (opcode == Opcode.DELEGATECALL) return Kind.DELEGATECALL;
  if (opcode == Opcode.CALLCODE) return Kind.CALLCODE;
  if (opcode == Opcode.CREATE) return Kind.CREATE;
  if (opcode == Opcode.CREATE2) return Kind.CREATE2;
  return Kind.CALL;
}

@inline
function emit(at: usize, operation: i32, immediate: u32, argument: u64): usize {
  store<u32>(at, operation);
  store<u32>(at, immediate, Instruction.IMMEDIATE);
  store<u64>(at, argument, Instruction.ARGUMENT);
  return at + Instruction.SIZE;
}

/** Packs the bounds of a block: minimum and maximum stack height (bytes), program counter. */
@inline
function packBounds(needs: i32, grows: i32, pc: u32): u64 {
  // No stack height is valid for this block, so it always fails.
  if (needs > 1024 || grows > 1024) return (<u64>pc << 32) | 0xffff;
  return (<u64>pc << 32) | (<u64>((1024 - grows) << 5) << 16) | <u64>(needs << 5);
}

@inline
function valueOf(data: usize, count: u32): u64 {
  let value: u64 = 0;
  for (let i: u32 = 0; i < count; i++) value = (value << 8) | load<u8>(data + i);
  return value;
}

/** Emits a push of more than 8 bytes. The word takes the space of the next two instructions. */
function emitWord(at: usize, data: usize, count: u32): usize {
  emit(at, Operation.PUSH_WORD, 0, 0);
  const word = at + Instruction.SIZE;
  memory.fill(word, 0, 32);
  for (let i: u32 = 0; i < count; i++) store<u8>(word + (count - 1 - i), load<u8>(data + i));
  return word + 32;
}

/** Returns the operation that combines PUSH and the next opcode; 0 if there is none. */
function fusedWithPush(following: i32, value: u64): i32 {
  if (following == Opcode.JUMP) return Operation.JUMP_TO;
  if (following == Opcode.JUMPI) return Operation.JUMPI_TO;
  if (following == Opcode.ADD) return Operation.ADD_VALUE;
  if (following == Opcode.EQ) return Operation.EQ_VALUE;
  if (following == Opcode.AND) return Operation.AND_VALUE;
  if (following == Opcode.SHL && value < 256) return Operation.SHL_VALUE;
  if (following == Opcode.SHR && value < 256) return Operation.SHR_VALUE;
  return 0;
}

/** Log2 of the page size in bytes. Blocks end at page boundaries, so that a slice can end there. */
const PAGE: u32 = 9;

/** Returns true if both program counters are in the same page. */
@inline
export function isSamePage(one: u32, other: u32): bool {
  return one >> PAGE == other >> PAGE;
}

/** Returns the address of the last decoded instructions; valid until the next decoding. */
export function decoded(): usize {
  return workspace;
}

@inline
function beginDecoding(): usize {
  if (workspace == 0) workspace = allocate(WORKSPACE_SIZE);
  return workspace;
}

/** Emits the counter of the previous instruction. */
@inline
function emitCounter(at: usize, end: u32): usize {
  memory.fill(at, 0, Counter.SIZE);
  store<u32>(at, end, Counter.END);
  return at + Counter.SIZE;
}

/** Returns true if a JUMPI is followed by a JUMPDEST. The count of the JUMPDEST then includes jumps. */
@inline
function fallsIntoJumpdest(raw: usize, pc: u32): bool {
  return load<u8>(raw + pc) == Opcode.JUMPDEST;
}

/** Emits an empty block that counts how many times a JUMPI does not jump. */
function emitFall(at: usize, pc: u32): usize {
  return emitCounter(emit(at, Operation.BEGIN, 0, packBounds(0, 0, pc)), pc);
}

/** Ends the instructions of a segment. `pc` is the next opcode. */
@inline
function leaveSegment(at: usize, pc: u32, length: u32): usize {
  if (pc >= length) return emit(at, Operation.STOP, 0, 0);
  return emit(at, Operation.NEXT_SEGMENT, 0, pc >> SEGMENT_SHIFT);
}

/**
 * Decodes the opcodes from `pc` that start before `end`, exactly. The code has `length` bytes, followed by
 * `CODE_PADDING` zeros. Returns the size of the instructions in bytes.
 */
export function decodeExactly(raw: usize, length: u32, pc: u32, end: u32): u32 {
  let at = beginDecoding();
  while (pc < end) {
    const opcode: i32 = load<u8>(raw + pc);
    const isKnown = tableOf(opcode) != NO_OPCODE;
    at = emit(at, Operation.STEP, opcode, pc);
    if (IS_COUNTING) at = emitCounter(at, 0);
    if (isPush(opcode)) {
      const count = opcode - Opcode.PUSH0;
      if (!isKnown) at = emit(at, Operation.INVALID, opcode, 0);
      else if (count <= 8) at = emit(at, Operation.PUSH, 0, valueOf(raw + pc + 1, count));
      else at = emitWord(at, raw + pc + 1, count);
      pc += count;
    } else if (!isKnown || isSpoilt(opcode, raw + pc)) at = emit(at, Operation.INVALID, opcode, 0);
    else if (isDeep(opcode)) at = emitDeep(at, opcode, load<u8>(raw + ++pc));
    else if (opcode != Opcode.JUMPDEST) {
      at = emit(at, operationOf(opcode), immediateOf(opcode, pc), argumentOf(opcode, pc));
    }
    pc++;
    if (IS_COUNTING) if (opcode == Opcode.JUMPI && fallsIntoJumpdest(raw, pc)) at = emitFall(at, pc);
  }
  return <u32>(leaveSegment(at, pc, length) - workspace);
}

/** Like `decodeExactly`, but in blocks. Writes the offset of each JUMPDEST, plus 1, to the jump table. */
export function decodeFused(raw: usize, length: u32, pc: u32, end: u32, jumps: usize): u32 {
  let at = beginDecoding();
  let begin: usize = 0;
  let beginPc: u32 = 0;
  let gas: u32 = 0;
  let height: i32 = 0, needs: i32 = 0, grows: i32 = 0;
  let isNew = true;
  /** True if the previous block ended with a JUMPI. */
  let hasJumped = false;
  /** The address of the previous instruction in the same block, or 0. */
  let before: usize = 0;
  while (pc < end) {
    const opcode: i32 = load<u8>(raw + pc);
    if (opcode == Opcode.JUMPDEST || isNew || !isSamePage(pc, beginPc)) {
      if (begin) emitBegin(begin, gas, packBounds(needs, grows, beginPc), pc);
      if (IS_COUNTING) if (hasJumped && fallsIntoJumpdest(raw, pc)) at = emitFall(at, pc);
      hasJumped = false;
      if (opcode == Opcode.JUMPDEST) store<u32>(jumps + (pc << 2), <u32>(at - workspace) + 1);
      begin = at;
      beginPc = pc;
      at += BEGIN_SIZE;
      gas = 0;
      height = needs = grows = 0;
      isNew = false;
      before = 0;
    }
    const entry = tableOf(opcode);
    if (entry == NO_OPCODE) {
      at = emit(at, Operation.INVALID, opcode, 0);
      isNew = true;
      pc += isPush(opcode) ? opcode - Opcode.PUSH0 + 1 : 1;
      continue;
    }
    gas += entry & 0xffff;
    if (isDeep(opcode)) {
      if (isSpoilt(opcode, raw + pc)) {
        at = emit(at, Operation.INVALID, opcode, 0);
        isNew = true;
        pc++;
        continue;
      }
      const operand: u32 = load<u8>(raw + pc + 1);
      needs = max(needs, <i32>farDistance(opcode, operand) + 1 - height);
      height += entry >> 24;
      grows = max(grows, height);
      before = at;
      at = emitDeep(at, opcode, operand);
      pc += 2;
      continue;
    }
    height -= (entry >> 16) & 0xff;
    needs = max(needs, -height);
    height += entry >> 24;
    grows = max(grows, height);
    if (opcode == Opcode.JUMPDEST) {
      pc++;
      continue;
    }
    if (isPush(opcode)) {
      const count = opcode - Opcode.PUSH0;
      const data = raw + pc + 1;
      pc += count + 1;
      if (count > 8) {
        before = 0;
        at = emitWord(at, data, count);
        continue;
      }
      const value = valueOf(data, count);
      const following: i32 = pc < length ? load<u8>(raw + pc) : 0;
      const fused = pc < length && isSamePage(pc, beginPc) ? fusedWithPush(following, value) : 0;
      if (fused == 0 || tableOf(following) == NO_OPCODE) {
        before = at;
        at = emit(at, Operation.PUSH, 0, value);
        continue;
      }
      const followingEntry = tableOf(following);
      gas += followingEntry & 0xffff;
      height -= (followingEntry >> 16) & 0xff;
      needs = max(needs, -height);
      height += followingEntry >> 24;
      pc++;
      if (fused == Operation.JUMPI_TO && before && load<i32>(before) == Operation.ISZERO) {
        emit(before, Operation.JUMPZ_TO, 0, value);
      } else {
        before = at;
        at = emit(at, fused, 0, value);
      }
      isNew = endsBlock(following);
      if (IS_COUNTING) hasJumped = following == Opcode.JUMPI;
      continue;
    }
    if (
      opcode == Opcode.SWAP1 && pc + 1 < length && load<u8>(raw + pc + 1) == Opcode.POP &&
      isSamePage(pc + 1, beginPc)
    ) {
      gas += tableOf(Opcode.POP) & 0xffff;
      height--;
      before = at;
      at = emit(at, Operation.SWAP_POP, 0, 0);
      pc += 2;
      continue;
    }
    before = at;
    at = emit(at, operationOf(opcode), immediateOf(opcode, pc), argumentOf(opcode, pc));
    pc++;
    isNew = endsBlock(opcode);
    if (IS_COUNTING) hasJumped = opcode == Opcode.JUMPI;
  }
  if (begin) emitBegin(begin, gas, packBounds(needs, grows, beginPc), pc);
  if (IS_COUNTING) if (hasJumped && fallsIntoJumpdest(raw, pc)) at = emitFall(at, pc);
  return <u32>(leaveSegment(at, pc, length) - workspace);
}

/** The size of `BEGIN` with its counter, in bytes. */
const BEGIN_SIZE: usize = IS_COUNTING ? Instruction.SIZE + Counter.SIZE : Instruction.SIZE;

/** Fills in the `BEGIN` of a block after its end is known. */
@inline
function emitBegin(begin: usize, gas: u32, bounds: u64, end: u32): void {
  emit(begin, Operation.BEGIN, gas, bounds);
  if (IS_COUNTING) emitCounter(begin + Instruction.SIZE, end);
}

/** Returns the static gas from `pc` to the end of the block, which `BEGIN` already charged. */
export function staticGasFrom(raw: usize, length: u32, pc: u32): i64 {
  let gas: i64 = 0;
  let at = pc;
  while (at < length) {
    const opcode: i32 = load<u8>(raw + at);
    const entry = tableOf(opcode);
    if (entry == NO_OPCODE || (opcode == Opcode.JUMPDEST && at != pc) || !isSamePage(at, pc)) break;
    gas += entry & 0xffff;
    if (endsBlock(opcode) || isSpoilt(opcode, raw + at)) break;
    at += operandLength(opcode, raw + at) + 1;
  }
  return gas;
}
