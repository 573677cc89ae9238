/** The exports of the module. */

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
  // The host does not call `checkNewCode`, `endFrame` and `meterWrite`. They are exported because the
  // compiler does not inline exports, which keeps the run loop small.
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

/**
 * Starts a message with `length` bytes of data and returns the address for the data. `traced` selects the
 * reports to the host:
 *
 * - 1: frames
 * - 2: also logs, and the exact halt reason
 * - 3: also faults and wanted steps (exact decoding)
 * - 4: also the trail
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

/** Writes a slot for a precompile, whose price includes the write. */
export function writeSlot(slot: usize, value: usize): void {
  write(slot, value);
}

/** Prepares the frame around the message. `CELLS` contain its gas and the gas of the first slice. */
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
 * Starts the message as a call. Its value is at `VALUE_WORD`. Returns `End.NOT_YET` if code runs now,
 * otherwise the end of the message. Returns `End.SUSPENDED` or `End.SLICED` (a precompile must prepare more)
 * without any change.
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

/** Returns the address of a word: the contract address for the creator and the nonce in `CELLS[0]`. */
export function createdAddress(creator: usize): usize {
  addressByNonce(creator, load<u64>(CELLS));
  return SCRATCH;
}

/** Starts the message as a creation; otherwise like `startCall`. */
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

/** Returns the length of the trail and resets it. */
export function takeTrail(): u32 {
  const length = trailLength;
  trailLength = 0;
  return length;
}

/** Starts a new slice of `CELLS[1]` gas. */
export function allowSlice(): void {
  sliceDebt = 0;
  gasFloor = max<i64>(0, frameGas - load<i64>(CELLS, 8));
}

/** Takes `CELLS[1]` gas from the slice, for work of the host. */
export function chargeSlice(): void {
  chargeSliceBy(load<i64>(CELLS, 8));
}

/** Sets the state gas reservoir of the message to `CELLS[0]`, and marks the state for `undoEntry`. */
export function beginEntry(): void {
  setStateGas(load<i64>(CELLS), 0);
  markUndo(frameRoom());
}

/** Sets the state gas left (`CELLS[0]`) and used (`CELLS[1]`) after the authorizations of the message. */
export function goOnWithEntry(): void {
  setStateGas(load<i64>(CELLS), load<i64>(CELLS, 8));
}

/** Reverts all changes since `beginEntry`, because the gas was not sufficient. */
export function undoEntry(): void {
  undo(frameRoom());
  frameGas = 0;
}

/** Ends a message that cannot pay for its account changes before any code runs (EIP-2780). */
function cannotEnter(): i32 {
  undoEntry();
  return End.OUT_OF_GAS;
}

/** Sets the refund that does not depend on code: `CELLS[0]`. */
export function beginRefund(): void {
  refund = load<i64>(CELLS);
}

/** Writes the gas left to `CELLS[0]` and the refund to `CELLS[1]`. */
export function readGas(): void {
  store<i64>(CELLS, frameGas);
  store<i64>(CELLS, refund, 8);
}

/** Writes the state gas left to `CELLS[0]` and the state gas used to `CELLS[1]`. */
export function readStateGas(): void {
  store<i64>(CELLS, reservoir);
  store<i64>(CELLS, stateGasUsed, 8);
}

/** Returns the size of the frame's memory in bytes. */
export function frameMemorySize(): u32 {
  return <u32>memorySize;
}
