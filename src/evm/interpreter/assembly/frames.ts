/** The frame stack, and switching between frames. */

import { allocate } from './allocator';
import { dropLogs, logMark } from './buffers';
import { hold } from './codes';
import { Account } from './generated/protocol';
import { journalMark, revertTo } from './journal';
import { ADDRESS_WORD, CALLER_WORD, Code, VALUE_WORD } from './layout';
import { memoriesStart, pushMemories, stackAt, stackDistance } from './memories';
import {
  code,
  codeLength,
  depth,
  frameGas,
  gasFloor,
  inputLength,
  inputOffset,
  instructionPointer,
  isExact,
  isStatic,
  isFrameStepped,
  isStepped,
  jumps,
  memoryBase,
  memorySize,
  refund,
  returnLength,
  scanned,
  self,
  sliceDebt,
  stackBase,
  stackPointer,
} from './registers';
import { nextSegment } from './segments';
import { lent, metersState, reservoir, setLent, setStateGas, stateGasUsed } from './gas';
import { copy } from './u256';

/** The registers saved while a nested frame runs. Addresses that may move are saved as offsets. */
export namespace Frame {
  export const INSTRUCTION: usize = 0;
  export const STACK: usize = 4;
  export const STACK_BASE: usize = 8;
  export const MEMORY: usize = 12;
  export const MEMORY_SIZE: usize = 16;
  export const CODE: usize = 24;
  export const IS_EXACT: usize = 28;
  export const SELF: usize = 32;
  export const INPUT: usize = 36;
  export const INPUT_LENGTH: usize = 40;
  export const IS_STATIC: usize = 44;
  /** The gas left, without the gas of the nested frame. */
  export const GAS: usize = 48;
  /** The slice gas left when the nested frame started. */
  export const SLICE: usize = 56;
  export const CALLER: usize = 64;
  export const VALUE: usize = 96;
  // About the nested frame:
  export const JOURNAL: usize = 128;
  export const LOGS: usize = 132;
  export const REFUND: usize = 136;
  export const INNER_GAS: usize = 144;
  export const KIND: usize = 152;
  /** The offset of the output in this frame's memory. */
  export const OUTPUT: usize = 156;
  export const OUTPUT_LENGTH: usize = 160;
  /** The contract that the nested frame creates. */
  export const CREATED: usize = 164;
  /** `sliceDebt` when the nested frame started. */
  export const DEBT: usize = 168;
  // The state gas when the nested frame started, and the state gas paid for its new account:
  export const RESERVOIR: usize = 176;
  export const STATE_GAS_USED: usize = 184;
  export const LENT: usize = 192;
  export const NEW_ACCOUNT: usize = 200;
  export const SIZE: usize = 208;
}

/** Maximum number of frames. */
const MAX_FRAMES: u32 = 1024 + 3;

let frames: usize = 0;

export function prepareFrames(): void {
  frames = allocate(MAX_FRAMES * <u32>Frame.SIZE);
}

/** The frame around the running frame. */
@inline
export function outerFrame(): usize {
  return frames + <usize>(depth - 1) * Frame.SIZE;
}

/** Saves the marks to revert a new frame, in the enclosing frame. Call it before any change. */
export function markUndo(frame: usize): void {
  store<u32>(frame, journalMark(), Frame.JOURNAL);
  store<u32>(frame, logMark(), Frame.LOGS);
  store<i64>(frame, refund, Frame.REFUND);
  if (metersState) markStateGas(frame);
}

function markStateGas(frame: usize): void {
  store<i64>(frame, reservoir, Frame.RESERVOIR);
  store<i64>(frame, stateGasUsed, Frame.STATE_GAS_USED);
  store<i64>(frame, lent, Frame.LENT);
  setLent(0);
}

/** Reverts all changes since `markUndo`. */
export function undo(frame: usize): void {
  revertTo(load<u32>(frame, Frame.JOURNAL));
  dropLogs(load<u32>(frame, Frame.LOGS));
  refund = load<i64>(frame, Frame.REFUND);
  if (metersState) setStateGas(load<i64>(frame, Frame.RESERVOIR), load<i64>(frame, Frame.STATE_GAS_USED));
}

/**
 * Settles the state gas that the nested frame paid. On success, it moves to the enclosing frame and the
 * result is 0. Otherwise, returns the gas to refund to the nested frame.
 */
export function settleLent(frame: usize, isSuccess: bool): i64 {
  const inner = lent;
  const outer = load<i64>(frame, Frame.LENT);
  setLent(isSuccess ? outer + inner : outer);
  return isSuccess ? 0 : inner;
}

/** Returns the address to save the running frame. */
@inline
export function frameRoom(): usize {
  return frames + <usize>depth * Frame.SIZE;
}

/** Saves the running frame. `sp` is its stack without the operands of the current instruction. */
export function pushFrame(frame: usize, sp: usize): void {
  store<u32>(frame, <u32>instructionPointer, Frame.INSTRUCTION);
  store<u32>(frame, stackDistance(sp), Frame.STACK);
  store<u32>(frame, stackDistance(stackBase), Frame.STACK_BASE);
  store<u32>(frame, <u32>(memoryBase - memoriesStart()), Frame.MEMORY);
  store<u64>(frame, memorySize, Frame.MEMORY_SIZE);
  store<u32>(frame, <u32>code, Frame.CODE);
  store<u32>(frame, u32(isExact), Frame.IS_EXACT);
  store<u32>(frame, <u32>self, Frame.SELF);
  store<u32>(frame, inputOffset, Frame.INPUT);
  store<u32>(frame, inputLength, Frame.INPUT_LENGTH);
  store<u32>(frame, isStatic, Frame.IS_STATIC);
  store<i64>(frame, sliceDebt, Frame.DEBT);
  copy(CALLER_WORD, frame + Frame.CALLER);
  copy(VALUE_WORD, frame + Frame.VALUE);
}

/** Loads the registers of the running code. */
@inline
function readCode(): void {
  codeLength = load<u32>(code, Code.LENGTH);
  jumps = load<u32>(code, Code.JUMPS);
  scanned = isExact ? 0 : load<u32>(code, Code.SCANNED);
}

/** Starts code. The enclosing frame is saved, with `INNER_GAS` and `SLICE`; `sp` ends its stack. */
export function startCode(prepared: usize, sp: usize, gas: i64): void {
  const outer = frameRoom();
  depth++;
  hold(prepared);
  code = prepared;
  isExact = isStepped != 0 && isFrameStepped != 0;
  pushMemories(sp);
  returnLength = 0;
  frameGas = gas;
  gasFloor = max<i64>(0, gas - load<i64>(outer, Frame.SLICE));
  copy(self + Account.ADDRESS, ADDRESS_WORD);
  readCode();
  instructionPointer = nextSegment(0);
}

/** Returns to the enclosing frame with `gasBack` gas of the nested frame. */
export function popFrame(gasBack: i64): void {
  depth--;
  const frame = frameRoom();
  instructionPointer = load<u32>(frame, Frame.INSTRUCTION);
  stackPointer = stackAt(load<u32>(frame, Frame.STACK));
  stackBase = stackAt(load<u32>(frame, Frame.STACK_BASE));
  memoryBase = memoriesStart() + load<u32>(frame, Frame.MEMORY);
  memorySize = load<u64>(frame, Frame.MEMORY_SIZE);
  code = load<u32>(frame, Frame.CODE);
  isExact = load<u32>(frame, Frame.IS_EXACT) != 0;
  self = load<u32>(frame, Frame.SELF);
  inputOffset = load<u32>(frame, Frame.INPUT);
  inputLength = load<u32>(frame, Frame.INPUT_LENGTH);
  isStatic = load<u32>(frame, Frame.IS_STATIC);
  copy(frame + Frame.CALLER, CALLER_WORD);
  copy(frame + Frame.VALUE, VALUE_WORD);
  // If another slice started meanwhile, only its debt is known.
  const debt = max<i64>(sliceDebt - load<i64>(frame, Frame.DEBT), 0);
  const slice = load<i64>(frame, Frame.SLICE) - (load<i64>(frame, Frame.INNER_GAS) - gasBack) - debt;
  frameGas = load<i64>(frame, Frame.GAS) + gasBack;
  gasFloor = max<i64>(0, frameGas - max<i64>(slice, 0));
  if (depth == 0) return;
  readCode();
  copy(self + Account.ADDRESS, ADDRESS_WORD);
}
