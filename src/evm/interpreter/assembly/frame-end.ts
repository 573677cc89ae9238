/** Ends frames whose code has ended. */

import { beginChange } from './accounts';
import { keepReturnData, returnData } from './buffers';
import { copyOutput, pushResult } from './calls';
import { letGo, setCode } from './codes';
import { checkNewCode, codePrice, pushCreated, stateOfCode } from './creations';
import { Frame, outerFrame, popFrame, settleLent, undo } from './frames';
import { End, Kind, Rule } from './generated/protocol';
import { frameEnd } from './host';
import { CELLS, holds } from './layout';
import { code, depth, frameGas, instructionPointer, isTraced, returnLength, stackPointer } from './registers';
import { giveStateGasBack, metersState, takeStateGas } from './gas';
import { isLongSince, revertNewest } from './journal';
import { Operation } from './operations';

/** The instruction that goes on ending a frame. */
const ENDING: usize = memory.data<i32>([Operation.ENDING, 0, 0, 0], 16);

// How the frame that is ended in several steps ends, and its output.
export let endingHow: i32 = 0;
export let endingOutput: usize = 0;
export let endingLength: u32 = 0;

/**
 * Ends the running frame with `gas` left and an output, and goes back to the frame around. Returns `End.NOT_YET`, how
 * the message ended when there is no frame around, or `End.SLICED` when a frame that failed has more to revert.
 */
export function endFrame(how: i32, gas: i64, output: usize, length: u32): i32 {
  const frame = outerFrame();
  if (isLongSince(load<u32>(frame, Frame.JOURNAL)) && !succeeds(frame, how, gas, output, length)) {
    revertNewest();
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

/** Returns true when the changes of the frame stay. */
function succeeds(frame: usize, how: i32, gas: i64, output: usize, length: u32): bool {
  if (how != End.SUCCESS) return false;
  return load<u32>(frame, Frame.KIND) < Kind.CREATE || checkNewCode(output, length, gas) == End.SUCCESS;
}

function endCall(frame: usize, how: i32, gas: i64, output: usize, length: u32): i32 {
  if (how > End.REVERT) {
    gas = 0;
    returnLength = 0;
  } else keepReturnData(output, length);
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
  // The new code is reported to observers and the host; the creating code finds no returned data.
  keepReturnData(output, length);
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
    // A halt takes that as well, with all other gas of its frame.
    if (how == End.REVERT) gas += back;
  }
  letGo(code);
  if (isTraced) {
    store<i64>(CELLS, load<i64>(frame, Frame.INNER_GAS) - gas);
    frameEnd(how, returnData(), returnLength);
  }
  popFrame(gas);
  if (metersState && depth != 0 && how != End.SUCCESS) frameGas += giveStateGasBack(load<i64>(frame, Frame.NEW_ACCOUNT));
}
