/**
 * The start and the end of a message. The host writes the context, and calls `beginMessage`, `fetchParties`,
 * `enter` and `start`. After the message ended, it calls `readResult`, `payFees` and `listChanges`.
 */

import { accountAt, beginChange, clearTouches, hasFlag, isEmpty, isWarm, warm } from './accounts';
import { dropLogs, logMark, returnData } from './buffers';
import { delegateOf, enterCall, gasLeftAtOnce as callGasLeft, isPrepared, priceEntry, reportHalt } from './calls';
import { codeOf } from './codes';
import { addressByNonce, enterCreation, gasLeftAtOnce as creationGasLeft } from './creations';
import { Frame, frameRoom, markUndo, undo } from './frames';
import { metersState, meterState, reservoir, setLent, setStateGas, stateGasUsed } from './gas';
import { Account, Context, End, Flag, Kind, Result, Rule } from './generated/protocol';
import { clearJournal } from './journal';
import { forgetHash } from './keccak';
import { CONTEXT, holds, ORIGIN_WORD, RESULT, rule, SCRATCH, VALUE_WORD } from './layout';
import { beginMemories } from './memories';
import {
  chargeSliceBy,
  code,
  codeLength,
  depth,
  epoch,
  frameGas,
  gasFloor,
  isFrameStepped,
  isLogged,
  isStatic,
  isStepped,
  isTraced,
  isTrailed,
  memoryBase,
  refund,
  spareGas,
  returnLength,
  self,
  sliceDebt,
  stackBase,
  trailLength,
} from './registers';
import { addWithCarry, copy, isZero, lt, setLimbs, sub } from './u256';

/** The account records of the message. */
let sender: usize = 0;
let feeRecipient: usize = 0;
/** The called account, or the contract to create. */
let target: usize = 0;

/** Bytes of data. */
let dataLength: u32 = 0;

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
  dataLength = length;
  depth = 0;
  isStatic = 0;
  isTraced = traced;
  isLogged = u32(traced > 1);
  isStepped = u32(traced > 2);
  isTrailed = u32(traced > 3);
  isFrameStepped = 0;
  trailLength = 0;
  refund = 0;
  spareGas = i64.MAX_VALUE;
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

/**
 * Finds the sender, the fee recipient and the target, and warms them (EIP-2929, EIP-3651). Returns 0 if the
 * host must fetch one of them first.
 */
export function fetchParties(): i32 {
  sender = accountAt(ORIGIN_WORD);
  if (sender == 0) return 0;
  feeRecipient = accountAt(CONTEXT + Context.FEE_RECIPIENT);
  if (feeRecipient == 0) return 0;
  let address: usize = CONTEXT + Context.TARGET;
  if (isCreation()) {
    addressByNonce(sender, load<u64>(sender, Account.NONCE));
    address = SCRATCH;
  }
  target = accountAt(address);
  if (target == 0) return 0;
  warm(sender);
  warm(target);
  if (holds(Rule.IS_COINBASE_WARM)) warm(feeRecipient);
  return 1;
}

@inline
function isCreation(): bool {
  return load<u32>(CONTEXT, Context.IS_CREATION) != 0;
}

/** Buys the gas, increments the nonce, and sets the state gas. `undoEntry` reverts later changes. */
export function enter(): void {
  beginChange(sender);
  const balance = sender + Account.BALANCE;
  const cost = CONTEXT + Context.COST, least = CONTEXT + Context.MIN_BALANCE;
  const isShort = lt(balance, cost);
  sub(balance, cost, balance);
  if (isShort || lt(balance, least)) copy(least, balance);
  store<u64>(sender, load<u64>(sender, Account.NONCE) + 1, Account.NONCE);
  setStateGas(load<i64>(CONTEXT, Context.RESERVOIR), 0);
  markUndo(frameRoom());
}

/** Reverts all changes since `enter`, because the gas was not sufficient. */
export function undoEntry(): void {
  undo(frameRoom());
  frameGas = 0;
}

/** Ends a message that cannot pay for its account changes before any code runs (EIP-2780). */
function cannotEnter(): i32 {
  undoEntry();
  return End.OUT_OF_GAS;
}

/**
 * Starts the execution with the gas, the state gas and the refund of the context. Returns `End.NOT_YET` if
 * code runs now, otherwise the end of the message. Returns `End.SUSPENDED` or `End.SLICED` (a precompile must
 * prepare more) without any change; call it again then.
 */
export function start(): i32 {
  refund = load<i64>(CONTEXT, Context.REFUND);
  setStateGas(load<i64>(CONTEXT, Context.RESERVOIR), load<i64>(CONTEXT, Context.STATE_GAS));
  return isCreation() ? startCreation() : startCall();
}

/** Prepares the frame around the message, and returns its gas. */
@inline
function prepareOuterFrame(kind: u32): i64 {
  const gas = load<i64>(CONTEXT, Context.GAS);
  const frame = frameRoom();
  self = sender;
  store<u32>(frame, kind, Frame.KIND);
  store<i64>(frame, gas, Frame.INNER_GAS);
  store<i64>(frame, 0, Frame.GAS);
  store<i64>(frame, load<i64>(CONTEXT, Context.SLICE), Frame.SLICE);
  return gas;
}

function startCall(): i32 {
  const to = target;
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
  if (hasFlag(to, Flag.PRECOMPILE)) spareGas = -1;
  self = sender;
  if (!isPrepared(to, memoryBase, dataLength, load<i64>(CONTEXT, Context.GAS), Kind.CALL, VALUE_WORD)) return End.SLICED;
  const gas = prepareOuterFrame(Kind.CALL);
  const newAccount = isZero(VALUE_WORD) || !isEmpty(to) ? 0 : rule(Rule.STATE_NEW_ACCOUNT);
  const isPaid = delegates && holds(Rule.DELEGATE_IS_PAID);
  // An account can delegate to itself.
  const isKnown = codeAccount == to || isWarm(codeAccount);
  const access = isPaid ? rule(isKnown ? Rule.WARM : Rule.COLD_ACCOUNT) : 0;
  if (!priceEntry(newAccount, access, gas)) {
    if (isTraced) reportHalt(Kind.CALL, to, VALUE_WORD, dataLength, gas, hasFlag(to, Flag.PRECOMPILE), End.OUT_OF_GAS);
    return cannotEnter();
  }
  if (codeAccount != to && holds(Rule.DELEGATIONS_ARE_ACCESSES)) warm(codeAccount);
  const how = enterCall(Kind.CALL, to, prepared, VALUE_WORD, memoryBase, dataLength, stackBase, gas);
  if (how != End.NOT_YET) frameGas = callGasLeft;
  return how;
}

function startCreation(): i32 {
  const gas = prepareOuterFrame(Kind.CREATE);
  if (load<u64>(sender, Account.NONCE) == 0) {
    // `enter` has incremented the highest nonce. Its owner creates nothing (EIP-2681).
    store<u64>(sender, u64.MAX_VALUE, Account.NONCE);
    if (isTraced) reportHalt(Kind.CREATE, target, VALUE_WORD, dataLength, gas, false, End.NONCE_OVERFLOW);
    frameGas = gas;
    return End.NONCE_OVERFLOW;
  }
  const newAccount = isEmpty(target) ? rule(Rule.STATE_NEW_ACCOUNT) : 0;
  if (!priceEntry(newAccount, 0, gas)) {
    if (isTraced) reportHalt(Kind.CREATE, target, VALUE_WORD, dataLength, gas, false, End.OUT_OF_GAS);
    return cannotEnter();
  }
  const nonce = <u64>rule(Rule.TRANSACTION_NONCE);
  const how = enterCreation(Kind.CREATE, target, VALUE_WORD, memoryBase, dataLength, stackBase, gas, nonce);
  if (how != End.NOT_YET) frameGas = creationGasLeft;
  return how;
}

/** Starts a new slice of gas. */
export function allowSlice(gas: i64): void {
  sliceDebt = 0;
  gasFloor = max<i64>(0, frameGas - gas);
}

/** Takes gas from the slice, for work of the host. */
export function chargeSlice(gas: i64): void {
  chargeSliceBy(gas);
}

/** Writes the result of the ended message. */
export function readResult(): void {
  store<i64>(RESULT, frameGas, Result.GAS);
  store<i64>(RESULT, refund, Result.REFUND);
  store<i64>(RESULT, reservoir, Result.RESERVOIR);
  store<i64>(RESULT, stateGasUsed, Result.STATE_GAS);
  store<u32>(RESULT, logMark(), Result.LOG_BYTES);
  store<u32>(RESULT, <u32>returnData(), Result.RETURN_DATA);
  store<u32>(RESULT, returnLength, Result.RETURN_LENGTH);
  store<u32>(RESULT, <u32>target, Result.TARGET);
  store<u32>(RESULT, u32(frameGas <= spareGas && !metersState), Result.IS_GAS_UNOBSERVED);
}

/** Adds wei, up to the maximum of a word. The account then exists. */
function pay(account: usize, wei: usize): void {
  beginChange(account);
  const balance = account + Account.BALANCE;
  if (addWithCarry(balance, wei, balance)) setLimbs(balance, ~0, ~0, ~0, ~0);
}

/** Pays the two words of `SCRATCH`: wei for unused gas to the sender, and the fee to its recipient. */
export function payFees(): void {
  pay(sender, SCRATCH);
  pay(feeRecipient, SCRATCH + 32);
}
