/** Ends frames. */

import { beginChange } from './accounts';
import { keepReturnData, reserveReturnData, returnData } from './buffers';
import { copyOutput, pushResult } from './calls';
import { letGo, setCode } from './codes';
import { checkNewCode, codePrice, pushCreated, stateOfCode } from './creations';
import { Frame, outerFrame, popFrame, settleLent, undo } from './frames';
import { End, Event, Kind, Rule } from './generated/protocol';
import { frameEnd } from './host';
import { EVENT, holds } from './layout';
import { code, depth, frameGas, instructionPointer, isTraced, returnLength, stackPointer } from './registers';
import { giveStateGasBack, metersState, repayFromReservoir, takeStateGas } from './gas';
import { isLongSince, revertNewest } from './journal';
import { Operation } from './operations';

/** The instruction that continues to end a frame. */
const ENDING: usize = memory.data<i32>([Operation.ENDING, 0, 0, 0], 16);

// The end and the output of a frame that ends in several steps.
export let endingHow: i32 = 0;
export let endingOutput: usize = 0;
export let endingLength: u32 = 0;
/** Bytes of the output already copied to the return data. */
let keptLength: u32 = 0;

/** Bytes of output to copy in one step (some milliseconds, because new memory pages are slow). */
const KEPT_AT_ONCE: u32 = 4 << 20;

/**
 * Ends the running frame with `gas` left and an output, and returns to the caller. `isContinuation` is true if an
 * earlier step started to end it. Returns `End.NOT_YET`, or the end of the message for the outermost frame.
 * Returns `End.SLICED` if more changes must be reverted or more output must be copied.
 */
export function endFrame(how: i32, gas: i64, output: usize, length: u32, isContinuation: bool): i32 {
  if (!isContinuation) keptLength = 0;
  const frame = outerFrame();
  const isLong = isLongSince(load<u32>(frame, Frame.JOURNAL)) && !succeeds(frame, how, gas, output, length);
  if (isLong || (how <= End.REVERT && length - keptLength > KEPT_AT_ONCE)) {
    if (isLong) revertNewest();
    else keepMore(output, length);
    endingHow = how;
    endingOutput = output;
    endingLength = length;
    frameGas = gas;
    instructionPointer = ENDING;
    return End.SLICED;
  }
  return load<u32>(frame, Frame.KIND) >= Kind.CREATE
    ? endCreation(frame, how, gas, output, length)
    : endCall(frame, how, gas, output, length);
}

/** Copies a part of the output to the return data. {@link keepRest} copies the last part. */
function keepMore(output: usize, length: u32): void {
  const target = keptLength ? returnData() : reserveReturnData(length);
  memory.copy(target + keptLength, output + keptLength, KEPT_AT_ONCE);
  keptLength += KEPT_AT_ONCE;
}

/** Copies the output, or the rest of it, to the return data. */
function keepRest(output: usize, length: u32): void {
  if (keptLength && length) {
    memory.copy(returnData() + keptLength, output + keptLength, length - keptLength);
    returnLength = length;
  } else keepReturnData(output, length);
}

/** Returns true if the changes of the frame are kept. */
function succeeds(frame: usize, how: i32, gas: i64, output: usize, length: u32): bool {
  if (how != End.SUCCESS) return false;
  return load<u32>(frame, Frame.KIND) < Kind.CREATE || checkNewCode(output, length, gas) == End.SUCCESS;
}

function endCall(frame: usize, how: i32, gas: i64, output: usize, length: u32): i32 {
  if (how > End.REVERT) {
    gas = 0;
    returnLength = 0;
  } else keepRest(output, length);
  leave(frame, how, gas);
  if (depth == 0) return how;
  copyOutput(frame);
  pushResult(stackPointer, how == End.SUCCESS);
  return End.NOT_YET;
}

function endCreation(frame: usize, how: i32, gas: i64, output: usize, length: u32): i32 {
  const created = <usize>load<u32>(frame, Frame.CREATED);
  if (how == End.SUCCESS) how = checkNewCode(output, length, gas);
  if (how == End.SUCCESS) {
    gas -= codePrice(length);
    takeStateGas(stateOfCode(length));
    beginChange(created);
    setCode(created, output, length);
  }
  if (how > End.REVERT) {
    gas = 0;
    length = 0;
  }
  // The new code is reported to observers and the host. The creating code receives no return data.
  keepRest(output, length);
  leave(frame, how, gas);
  if (depth == 0) return how;
  if (how != End.REVERT || !holds(Rule.RETURNS_REVERT_DATA)) returnLength = 0;
  pushCreated(stackPointer, how == End.SUCCESS ? created : 0);
  return End.NOT_YET;
}

function leave(frame: usize, how: i32, gas: i64): void {
  if (how != End.SUCCESS) undo(frame);
  if (metersState) {
    const back = settleLent(frame, how == End.SUCCESS);
    // A halt also takes this gas, with all other gas of its frame.
    if (how == End.REVERT) gas += back;
  }
  letGo(code);
  if (isTraced) {
    store<i64>(EVENT, load<i64>(frame, Frame.INNER_GAS) - gas, Event.GAS);
    frameEnd(how, returnData(), returnLength);
  }
  popFrame(gas);
  if (!metersState || depth == 0) return;
  frameGas += how == End.SUCCESS ? repayFromReservoir() : giveStateGasBack(load<i64>(frame, Frame.NEW_ACCOUNT));
}
