/** The functions that the module exports to the host. */

import { accountAt, beginChange, clearAccounts, clearTouches, hasFlag, isEmpty, isWarm, setFlag, warm } from './accounts';
import { memoryInUse, memoryTop, setMemoryBound } from './allocator';
import { addLog, dropLogs, logMark, logsStart, reserveReturnData, returnData } from './buffers';
import { delegateOf, enterCall, gasLeftAtOnce as callGasLeft, isPrepared, priceEntry, tellHalt } from './calls';
import { dropChanges, keepChanges, listChanges } from './changes';
import { codeOf, rawCodeOf, releaseMadeCode, setCode } from './codes';
import { addressByNonce, checkNewCode, enterCreation, gasLeftAtOnce as creationGasLeft } from './creations';
import { endFrame } from './frame-end';
import { Frame, frameRoom, markUndo, prepareFrames, undo } from './frames';
import { Account, End, Flag, Kind, Rule } from './generated/protocol';
import { forgetHash } from './keccak';
import { clearJournal } from './journal';
import { BLOBS, CELLS, CONTEXT, holds, OPCODE_TABLE, PARAMETERS, rule, SCRATCH, TRAIL, VALUE_WORD, WANTED_STEPS } from './layout';
import { beginMemories } from './memories';
import { clearRecords, recordBytes } from './hash-table';
import {
  chargeSliceBy,
  code,
  codeLength,
  depth,
  epoch,
  frameGas,
  gasFloor,
  invalidOpcode,
  isFrameStepped,
  isLogged,
  isStatic,
  isStepped,
  isTraced,
  isTrailed,
  memoryBase,
  memorySize,
  refund,
  returnLength,
  self,
  sliceDebt,
  stackBase,
  trailLength,
} from './registers';
import { run } from './run-loop';
import { meterState, reservoir, setLent, setStateGas, stateGasUsed } from './gas';
import { clearSlots, meterWrite, slotAt, warmSlot, write } from './storage';
import { isZero } from './u256';

export {
  accountAt,
  addLog,
  BLOBS,
  beginChange,
  CELLS,
  CONTEXT,
  depth,
  dropChanges,
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
  // The host does not call these three. What is exported is not inlined, and so the run loop stays as small as it was.
  checkNewCode,
  endFrame,
  meterWrite,
  rawCodeOf,
  recordBytes,
  releaseMadeCode,
  reserveReturnData,
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
  TRAIL,
  WANTED_STEPS,
  warm,
  warmSlot,
};

/** Prepares the module. The rules and the table of opcodes must have been written. */
export function initialize(): void {
  prepareFrames();
  clearRecords();
  clearAccounts();
  clearSlots();
  clearJournal();
}

/** Forgets all accounts and slots, because the state has changed. */
export function forgetState(): void {
  clearRecords();
  clearAccounts();
  clearSlots();
}

/**
 * Begins a message with `length` bytes of data. Returns the address for the data. With `traced` above 0 frames are
 * reported to the host; above 1 logs too, and the very reason why a frame halts; above 2 faults, and the steps of the opcodes and frames
 * that the host wants, for which each opcode is decoded by itself; above 3 the trail.
 */
export function beginMessage(length: u32, traced: u32): usize {
  epoch++;
  depth = 0;
  isStatic = 0;
  isTraced = traced;
  isLogged = u32(traced > 1);
  isStepped = u32(traced > 2);
  isTrailed = u32(traced > 3);
  isFrameStepped = 0;
  trailLength = 0;
  refund = 0;
  meterState(rule(Rule.STATE_SLOT) != 0);
  setStateGas(0, 0);
  setLent(0);
  returnLength = 0;
  frameGas = 0;
  gasFloor = 0;
  sliceDebt = 0;
  forgetHash();
  code = 0;
  codeLength = 0;
  clearTouches();
  clearJournal();
  dropLogs(0);
  beginMemories(length);
  return memoryBase;
}

/** Writes the slot: for precompiles, which pay for it in their price. */
export function writeSlot(slot: usize, value: usize): void {
  write(slot, value);
}

/** Prepares the frame around the message itself; `CELLS` hold its gas, and the gas of the first slice. */
@inline
function prepareOuterFrame(kind: u32, sender: usize): i64 {
  const gas = load<i64>(CELLS);
  const frame = frameRoom();
  self = sender;
  store<u32>(frame, kind, Frame.KIND);
  store<i64>(frame, gas, Frame.INNER_GAS);
  store<i64>(frame, 0, Frame.GAS);
  store<i64>(frame, load<i64>(CELLS, 8), Frame.SLICE);
  return gas;
}

/**
 * Starts the message as a call with the value at `VALUE_WORD`. Returns `End.NOT_YET` when `run` is to go on, how it ended
 * when no code runs, or with nothing changed `End.SUSPENDED`, or `End.SLICED` when a precompile has more to prepare.
 */
export function startCall(sender: usize, to: usize, length: u32): i32 {
  let codeAccount = to;
  const delegates = hasFlag(to, Flag.DELEGATES) && holds(Rule.FOLLOWS_DELEGATIONS);
  if (delegates) {
    codeAccount = delegateOf(to);
    if (codeAccount == 0) return End.SUSPENDED;
  }
  let prepared: usize = 0;
  if (!hasFlag(to, Flag.PRECOMPILE) && load<u32>(codeAccount, Account.CODE_LENGTH)) {
    prepared = codeOf(codeAccount);
    if (prepared == 0) return End.SUSPENDED;
  }
  self = sender;
  if (!isPrepared(to, memoryBase, length, load<i64>(CELLS), Kind.CALL, VALUE_WORD)) return End.SLICED;
  const gas = prepareOuterFrame(Kind.CALL, sender);
  const newAccount = isZero(VALUE_WORD) || !isEmpty(to) ? 0 : rule(Rule.STATE_NEW_ACCOUNT);
  const isPaid = delegates && holds(Rule.DELEGATE_IS_PAID);
  // An account can delegate to itself.
  const isKnown = codeAccount == to || isWarm(codeAccount);
  const access = isPaid ? rule(isKnown ? Rule.WARM : Rule.COLD_ACCOUNT) : 0;
  if (!priceEntry(newAccount, access, gas)) {
    if (isTraced) tellHalt(Kind.CALL, to, VALUE_WORD, length, gas, hasFlag(to, Flag.PRECOMPILE));
    return cannotEnter();
  }
  if (codeAccount != to) warm(codeAccount);
  const how = enterCall(Kind.CALL, to, prepared, VALUE_WORD, memoryBase, length, stackBase, gas);
  if (how != End.NOT_YET) frameGas = callGasLeft;
  return how;
}

/** Returns where the address of the contract that the account creates with the nonce `CELLS[0]` stands: a word. */
export function createdAddress(creator: usize): usize {
  addressByNonce(creator, load<u64>(CELLS));
  return SCRATCH;
}

/** Starts the message as a creation of the account; otherwise as `startCall`. */
export function startCreation(sender: usize, created: usize, length: u32): i32 {
  const gas = prepareOuterFrame(Kind.CREATE, sender);
  const newAccount = isEmpty(created) ? rule(Rule.STATE_NEW_ACCOUNT) : 0;
  if (!priceEntry(newAccount, 0, gas)) {
    if (isTraced) tellHalt(Kind.CREATE, created, VALUE_WORD, length, gas, false);
    return cannotEnter();
  }
  const nonce = <u64>rule(Rule.TRANSACTION_NONCE);
  const how = enterCreation(Kind.CREATE, created, VALUE_WORD, memoryBase, length, stackBase, gas, nonce);
  if (how != End.NOT_YET) frameGas = creationGasLeft;
  return how;
}

/** Returns how many places the trail has, which begins anew. */
export function takeTrail(): u32 {
  const length = trailLength;
  trailLength = 0;
  return length;
}

/** Returns the message another slice of gas: `CELLS[1]`. */
export function allowSlice(): void {
  sliceDebt = 0;
  gasFloor = max<i64>(0, frameGas - load<i64>(CELLS, 8));
}

/** Takes `CELLS[1]` of gas from the slice, for work that the host did. */
export function chargeSlice(): void {
  chargeSliceBy(load<i64>(CELLS, 8));
}

/** Sets the gas of the message that is for state alone, `CELLS[0]`, and marks where `undoEntry` goes back to. */
export function beginEntry(): void {
  setStateGas(load<i64>(CELLS), 0);
  markUndo(frameRoom());
}

/** Sets the gas for state that is left, `CELLS[0]`, and that has been used, `CELLS[1]`, by what the message does before it is started. */
export function goOnWithEntry(): void {
  setStateGas(load<i64>(CELLS), load<i64>(CELLS, 8));
}

/** Takes back what happened since `beginEntry`, because it could not be paid for. */
export function undoEntry(): void {
  undo(frameRoom());
  frameGas = 0;
}

/** Ends a message that cannot pay for what it does to accounts before any code runs (EIP-2780). */
function cannotEnter(): i32 {
  undoEntry();
  return End.OUT_OF_GAS;
}

/** Sets the refund that does not depend on the code: `CELLS[0]`. */
export function beginRefund(): void {
  refund = load<i64>(CELLS);
}

/** Writes the gas that the message has left to `CELLS[0]`, and the refund to `CELLS[1]`. */
export function readGas(): void {
  store<i64>(CELLS, frameGas);
  store<i64>(CELLS, refund, 8);
}

/** Writes the gas for state that the message has left to `CELLS[0]`, and that it has used to `CELLS[1]`. */
export function readStateGas(): void {
  store<i64>(CELLS, reservoir);
  store<i64>(CELLS, stateGasUsed, 8);
}

/** Returns the size of the memory of the frame, in bytes. */
export function frameMemorySize(): u32 {
  return <u32>memorySize;
}
