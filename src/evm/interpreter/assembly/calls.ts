/** CALL, CALLCODE, DELEGATECALL and STATICCALL. */

import { accountAt, coldSurcharge, flagsOf, hasFlag, isEmpty, isWarm, touch, transfer, warm } from './accounts';
import { logTransfer, returnData } from './buffers';
import { codeOf, rawCodeOf } from './codes';
import { Frame, frameRoom, markUndo, pushFrame, settleLent, startCode, undo } from './frames';
import { Account, End, Event, Flag, Kind, PrecompileAnswer, Rule } from './generated/protocol';
import { callConsole, callPrecompile, frameEnd, frameStart, preparePrecompile } from './host';
import { CALLER_WORD, EVENT, holds, rule, SCRATCH, VALUE_WORD, ZERO_WORD } from './layout';
import { expand, expansionPrice, memoriesStart, reach } from './memories';
import {
  depth,
  frameGas,
  gasFloor,
  inputLength,
  inputOffset,
  isFrameStepped,
  isStatic,
  isTraced,
  memoryBase,
  memorySize,
  returnLength,
  self,
  stackPointer,
} from './registers';
import { beyondReservoir, giveStateGasBack, metersState, takeStateGas } from './gas';
import { copy, fitsU64, gt, isZero, setU64 } from './u256';

// The results of `priceCall`, for `performCall`.
let target: usize = 0;
/** The account whose code runs: the target, or its delegate (EIP-7702). */
let codeAccount: usize = 0;
let value: usize = 0;
/** The operands below the value, in order: input offset, input length, output offset, output length. */
let operands: usize = 0;
let end: u64 = 0;
/** The cost of the call, without the gas passed to the callee. */
export let callPrice: i64 = 0;
/** The gas that the caller pays for the callee. */
export let passedGas: i64 = 0;
/** The gas of the callee, including the stipend. */
let innerGas: i64 = 0;
/** The state gas of an account that the call creates. */
let newAccount: i64 = 0;

/** Precompile inputs of this length or more are long. */
const LONG_INPUT: u32 = 65_536;

/** Returns the delegate of an account (EIP-7702); 0 if the host must fetch it first. */
export function delegateOf(account: usize): usize {
  const raw = rawCodeOf(account);
  if (raw == 0) return 0;
  const word = SCRATCH;
  for (let i: usize = 0; i < 20; i++) store<u8>(word + 19 - i, load<u8>(raw + 3 + i));
  return accountAt(word);
}

/** Returns true if the call pays for a new account. */
@inline
function makesAccount(account: usize, sendsValue: bool): bool {
  if (!holds(Rule.NEW_ACCOUNT_IF_MISSING)) return sendsValue && isEmpty(account);
  return (flagsOf(account) & (Flag.EXISTS | Flag.PRECOMPILE)) == 0;
}

/** Computes the cost of the call. Returns `End.NOT_YET` if the call can be performed. */
export function priceCall(kind: u32, sp: usize, gas: i64): i32 {
  const hasValue = kind == Kind.CALL || kind == Kind.CALLCODE;
  value = hasValue ? sp - 64 : kind == Kind.DELEGATECALL ? VALUE_WORD : ZERO_WORD;
  operands = hasValue ? sp - 96 : sp - 64;
  const sendsValue = hasValue && !isZero(value);
  if (kind == Kind.CALL && sendsValue && isStatic) return End.STATIC_CALL;
  target = accountAt(sp - 32);
  if (target == 0) return End.SUSPENDED;
  end = max<u64>(reach(operands, operands - 32), reach(operands - 64, operands - 96));
  callPrice = expansionPrice(end);
  if (callPrice > gas) return End.OUT_OF_GAS;
  callPrice += coldSurcharge(target);
  if (sendsValue) callPrice += rule(Rule.CALL_VALUE);
  const isNew = kind == Kind.CALL && makesAccount(target, sendsValue);
  if (isNew) callPrice += rule(Rule.CALL_NEW_ACCOUNT);
  codeAccount = target;
  if (hasFlag(target, Flag.DELEGATES) && holds(Rule.FOLLOWS_DELEGATIONS)) {
    codeAccount = delegateOf(target);
    if (codeAccount == 0) return End.SUSPENDED;
    if (holds(Rule.DELEGATIONS_ARE_ACCESSES)) {
      const isKnown = codeAccount == target || isWarm(codeAccount);
      callPrice += isKnown ? rule(Rule.WARM) : rule(Rule.COLD_ACCOUNT);
    }
  }
  if (metersState) {
    newAccount = isNew ? rule(Rule.STATE_NEW_ACCOUNT) : 0;
    callPrice += beyondReservoir(newAccount);
  }
  return divideGas(sp, gas - callPrice, sendsValue);
}

/** Returns the part of `callPrice` that pays for a new account: state gas beyond the reservoir. */
export function newAccountStateGas(): i64 {
  return metersState ? beyondReservoir(newAccount) : 0;
}

/** Divides the remaining gas between caller and callee. */
@inline
function divideGas(requested: usize, left: i64, sendsValue: bool): i32 {
  if (left < 0) return End.OUT_OF_GAS;
  const most = holds(Rule.KEEPS_ONE_SIXTY_FOURTH) ? left - (left >> 6) : left;
  const isBelow = fitsU64(requested) && load<u64>(requested) < <u64>most;
  passedGas = isBelow ? load<i64>(requested) : most;
  innerGas = passedGas;
  if (!sendsValue) return End.NOT_YET;
  const stipend = rule(Rule.CALL_STIPEND);
  if (holds(Rule.IS_STIPEND_FREE)) {
    innerGas += stipend;
    return End.NOT_YET;
  }
  if (left < stipend) return End.OUT_OF_GAS;
  passedGas = min<i64>(left, passedGas + stipend);
  innerGas = passedGas;
  return End.NOT_YET;
}

/** Returns false if a precompile must first compute or fetch more. */
@inline
export function isPrepared(callee: usize, input: usize, length: u32, gas: i64, kind: u32, sent: usize): bool {
  const stepped = length > LONG_INPUT ? Flag.STEPPED | Flag.STEPPED_IF_LONG : Flag.STEPPED;
  if ((flagsOf(callee) & stepped) == 0) return true;
  store<i64>(EVENT, gas, Event.GAS);
  return preparePrecompile(callee, input, length, kind, sent) != 0;
}

/**
 * Performs the call priced by `priceCall`. Returns `End.NOT_YET`; `End.SUSPENDED` or `End.SLICED` (a
 * precompile must prepare more) without any change.
 */
export function performCall(kind: u32, sp: usize, gas: i64): i32 {
  const isPrecompile = hasFlag(target, Flag.PRECOMPILE);
  let prepared: usize = 0;
  if (!isPrecompile && load<u32>(codeAccount, Account.CODE_LENGTH)) {
    prepared = codeOf(codeAccount);
    if (prepared == 0) return End.SUSPENDED;
  }
  const sizeBefore = memorySize;
  expand(end);
  const length = <u32>load<u64>(operands - 32);
  const input = length ? memoryBase + <usize>load<u64>(operands) : memoryBase;
  const isOwnValue = kind == Kind.CALL || kind == Kind.CALLCODE;
  const isTooDeep = <i64>depth > rule(Rule.MAXIMUM_DEPTH);
  const isRejected = isTooDeep || (isOwnValue && gt(value, self + Account.BALANCE));
  if (isPrecompile && !isRejected && !isPrepared(target, input, length, innerGas, kind, value)) {
    memorySize = sizeBefore;
    return End.SLICED;
  }
  warm(target);
  if (codeAccount != target && holds(Rule.DELEGATIONS_ARE_ACCESSES)) warm(codeAccount);
  returnLength = 0;

  const rest = operands - 128;
  const sliceLeft = gas - gasFloor;
  frameGas = gas - callPrice - passedGas;
  if (isRejected) {
    const reason = isTooDeep ? End.CALL_TOO_DEEP : End.BALANCE_TOO_LOW;
    if (isTraced) reportRejected(kind, reason, input, length);
    frameGas += innerGas;
    if (metersState) {
      takeStateGas(newAccount);
      frameGas += giveStateGasBack(newAccount);
    }
    pushResult(rest, false);
    return End.NOT_YET;
  }
  const frame = frameRoom();
  store<u32>(frame, kind, Frame.KIND);
  store<i64>(frame, innerGas, Frame.INNER_GAS);
  store<i64>(frame, frameGas, Frame.GAS);
  store<i64>(frame, sliceLeft, Frame.SLICE);
  const outputLength = <u32>load<u64>(operands - 96);
  store<u32>(frame, outputLength, Frame.OUTPUT_LENGTH);
  store<u32>(frame, outputLength ? <u32>load<u64>(operands - 64) : 0, Frame.OUTPUT);
  if (metersState) {
    takeStateGas(newAccount);
    store<i64>(frame, newAccount, Frame.NEW_ACCOUNT);
  }
  const finished = enterCall(kind, target, prepared, value, input, length, rest, innerGas);
  if (finished != End.NOT_YET) {
    frameGas += gasLeftAtOnce;
    if (metersState && finished != End.SUCCESS) frameGas += giveStateGasBack(newAccount);
    copyOutput(frame);
    pushResult(rest, finished == End.SUCCESS);
  }
  return End.NOT_YET;
}

/** The gas left by a call that ended without running code. */
export let gasLeftAtOnce: i64 = 0;

/** The gas that a message pays in its outermost frame: for a new account and for a delegate. */
let entryStateGas: i64 = 0;
let entryGas: i64 = 0;

/** Prices the account changes of the message itself (EIP-2780). Returns true if gas and reservoir suffice. */
export function priceEntry(newAccountGas: i64, delegateGas: i64, gas: i64): bool {
  entryStateGas = newAccountGas;
  entryGas = delegateGas;
  return delegateGas + beyondReservoir(newAccountGas) <= gas;
}

/** Charges the price of `priceEntry` in the outermost frame; returns the rest of `gas`. */
export function payEntry(gas: i64): i64 {
  if (depth != 0) return gas;
  const left = gas - entryGas - beyondReservoir(entryStateGas);
  takeStateGas(entryStateGas);
  return left;
}

/** Starts a call. Returns `End.NOT_YET` if code runs now, otherwise its end (`gasLeftAtOnce`). */
export function enterCall(
  kind: u32,
  callee: usize,
  prepared: usize,
  sent: usize,
  input: usize,
  length: u32,
  rest: usize,
  gas: i64,
): i32 {
  const frame = frameRoom();
  const isPrecompile = hasFlag(callee, Flag.PRECOMPILE);
  markUndo(frame);
  if (hasFlag(callee, Flag.CONSOLE)) callConsole(self, input, length);
  if (isTraced) tellStart(kind, callee, sent, input, length, gas, isPrecompile);
  if (metersState) gas = payEntry(gas);
  if (kind == Kind.CALL && !isZero(sent)) {
    if (!transfer(self, callee, sent)) return finish(frame, End.BALANCE_OVERFLOW, gas);
    logTransfer(self, callee, sent);
  } else if (kind == Kind.CALL || kind == Kind.STATICCALL) touch(callee);
  if (isPrecompile) return runPrecompile(frame, callee, input, length, gas, kind, sent);
  if (prepared == 0) return finish(frame, End.SUCCESS, gas);

  pushFrame(frame, rest);
  inputOffset = <u32>(input - memoriesStart());
  inputLength = length;
  if (kind != Kind.DELEGATECALL) {
    copy(sent, VALUE_WORD);
    copy(self + Account.ADDRESS, CALLER_WORD);
    if (kind != Kind.CALLCODE) self = callee;
    if (kind == Kind.STATICCALL) isStatic = 1;
  }
  startCode(prepared, rest, gas);
  return End.NOT_YET;
}

function runPrecompile(
  frame: usize,
  account: usize,
  input: usize,
  length: u32,
  gas: i64,
  kind: u32,
  sent: usize,
): i32 {
  store<i64>(EVENT, gas, Event.GAS);
  const outcome = callPrecompile(account, input, length, kind, sent);
  const price = load<i64>(EVENT, Event.GAS);
  if (outcome == PrecompileAnswer.SUCCEEDED) return finish(frame, End.SUCCESS, gas - price);
  returnLength = 0;
  if (outcome == PrecompileAnswer.OUT_OF_GAS) return finish(frame, End.OUT_OF_GAS, 0);
  if (depth == 0 && holds(Rule.FAILED_PRECOMPILE_SUCCEEDS_AT_TOP)) {
    undo(frame);
    finish(frame, End.SUCCESS, gas - price);
    return End.PRECOMPILE_REJECTED;
  }
  // A message to a failing precompile uses all gas (RSKIP-692).
  return finish(frame, End.PRECOMPILE_FAILED, depth > 0 && holds(Rule.FAILURE_TAKES_PRICE) ? gas - price : 0);
}

/** Ends a frame that ran no code. */
function finish(frame: usize, how: i32, left: i64): i32 {
  if (how != End.SUCCESS) undo(frame);
  if (metersState) settleLent(frame, how == End.SUCCESS);
  gasLeftAtOnce = left;
  if (isTraced) {
    store<i64>(EVENT, load<i64>(frame, Frame.INNER_GAS) - left, Event.GAS);
    frameEnd(how, returnData(), returnLength);
  }
  return how;
}

/** Copies the output of a call to the caller's memory, up to the requested length. */
export function copyOutput(frame: usize): void {
  const length = min<u32>(load<u32>(frame, Frame.OUTPUT_LENGTH), returnLength);
  if (length) memory.copy(memoryBase + load<u32>(frame, Frame.OUTPUT), returnData(), length);
}

/** Pushes 1 for success, otherwise 0. */
@inline
export function pushResult(rest: usize, isSuccess: bool): void {
  stackPointer = rest + 32;
  setU64(stackPointer, u64(isSuccess));
}

/** Reports the start of a frame. A DELEGATECALL comes from the contract whose storage it uses. */
function tellStart(kind: u32, callee: usize, sent: usize, input: usize, length: u32, gas: i64, isPrecompile: bool): void {
  store<i64>(EVENT, gas, Event.GAS);
  isFrameStepped = frameStart(kind, depth, self, callee, input, length, kind == Kind.STATICCALL ? 0 : sent, i32(isPrecompile));
}

/** Reports a message that halts before any code runs. */
export function reportHalt(kind: u32, callee: usize, sent: usize, length: u32, gas: i64, isPrecompile: bool, reason: i32): void {
  tellStart(kind, callee, sent, memoryBase, length, gas, isPrecompile);
  store<i64>(EVENT, gas, Event.GAS);
  frameEnd(reason, 0, 0);
}

function reportRejected(kind: u32, reason: i32, input: usize, length: u32): void {
  tellStart(kind, target, value, input, length, innerGas, false);
  store<i64>(EVENT, 0, Event.GAS);
  frameEnd(reason, 0, 0);
}
