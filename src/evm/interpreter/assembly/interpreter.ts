/** The exports of the module. */

import { accountAt, beginChange, clearAccounts, setFlag, warm } from './accounts';
import { memoryInUse, memoryTop, setMemoryBound } from './allocator';
import { addLog, logMark, logsStart, reserveReturnData, returnData } from './buffers';
import { dropChanges, keepChanges, listChanges } from './changes';
import { rawCodeOf, releaseCreatedCode, setCode } from './codes';
import { checkNewCode } from './creations';
import { endFrame } from './frame-end';
import { prepareFrames } from './frames';
import { clearJournal } from './journal';
import { CONTEXT, EVENT, OPCODE_TABLE, PARAMETERS, RESULT, SCRATCH, TRAIL, WANTED_STEPS } from './layout';
import { clearRecords, recordBytes } from './hash-table';
import {
  allowSlice,
  beginMessage,
  chargeSlice,
  enter,
  fetchParties,
  payFees,
  readResult,
  start,
  undoEntry,
} from './message';
import {
  depth,
  invalidOpcode,
  isStatic,
  memoryBase,
  memorySize,
  returnLength,
  self,
  stackBase,
  trailLength,
} from './registers';
import { run } from './run-loop';
import { clearSlots, meterWrite, slotAt, transientSlotAt, warmSlot, write } from './storage';

export {
  accountAt,
  addLog,
  allowSlice,
  beginChange,
  beginMessage,
  chargeSlice,
  CONTEXT,
  depth,
  dropChanges,
  enter,
  EVENT,
  fetchParties,
  invalidOpcode,
  isStatic,
  keepChanges,
  listChanges,
  logMark,
  logsStart,
  memoryBase,
  memoryInUse,
  memoryTop,
  OPCODE_TABLE,
  PARAMETERS,
  // The host does not call `checkNewCode`, `endFrame` and `meterWrite`. They are exported because the
  // compiler does not inline exports, which keeps the run loop small.
  checkNewCode,
  endFrame,
  meterWrite,
  payFees,
  rawCodeOf,
  readResult,
  recordBytes,
  releaseCreatedCode,
  reserveReturnData,
  RESULT,
  returnData,
  returnLength,
  run,
  SCRATCH,
  self,
  setCode,
  setFlag,
  setMemoryBound,
  slotAt,
  stackBase,
  start,
  TRAIL,
  undoEntry,
  WANTED_STEPS,
  warm,
  warmSlot,
};

/** Initialises the module. The rules and the opcode table must already be written. */
export function initialize(): void {
  prepareFrames();
  clearRecords();
  clearAccounts();
  clearSlots();
  clearJournal();
}

/** Drops all accounts and slots, because the state changed. */
export function forgetState(): void {
  clearRecords();
  clearAccounts();
  clearSlots();
}

/** Writes a slot for a precompile, whose price includes the write. */
export function writeSlot(slot: usize, value: usize): void {
  write(slot, value);
}

/** Writes a slot of transient storage, for a message that runs inside a transaction. */
export function writeTransientSlot(account: usize, key: usize, value: usize): void {
  write(transientSlotAt(account, key), value);
}

/** Returns the length of the trail and resets it. */
export function takeTrail(): u32 {
  const length = trailLength;
  trailLength = 0;
  return length;
}

/** Returns the size of the frame's memory in bytes. */
export function frameMemorySize(): u32 {
  return <u32>memorySize;
}
