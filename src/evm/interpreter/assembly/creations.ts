/** CREATE and CREATE2. */

import { accountAt, beginChange, flagsOf, hasFlag, isEmpty, raiseNonce, transfer, warm } from './accounts';
import { logTransfer, returnData } from './buffers';
import { payEntry } from './calls';
import { newCode, prepare } from './codes';
import { Frame, frameRoom, markUndo, pushFrame, settleLent, startCode, undo } from './frames';
import { Account, End, Event, Flag, Kind, Rule } from './generated/protocol';
import { hashAhead, keccak256, LONG_HASH, takeHash } from './keccak';
import { frameEnd, frameStart } from './host';
import { ADDRESS_HASH, ADDRESS_PREIMAGE, CALLER_WORD, Code, EVENT, holds, rule, SCRATCH, VALUE_WORD } from './layout';
import { expand, expansionPrice, reach } from './memories';
import {
  chargeSliceBy,
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
import { copy, gt, isZero, readBigEndian, setU64, writeBigEndian } from './u256';
import { beyondReservoir, giveStateGasBack, metersState, takeStateGas } from './gas';

/** Slice gas per byte of initcode, because its price per byte is below one gas. */
const INITCODE_BYTE: i64 = 4;

// The results of `priceCreation`, for `performCreation`.
let end: u64 = 0;
let length: u32 = 0;
/** The cost of the creation, without the gas passed to the initcode. */
export let creationPrice: i64 = 0;
let innerGas: i64 = 0;

/** Computes the cost of the creation. Returns `End.NOT_YET` if the creation can be performed. */
export function priceCreation(kind: u32, sp: usize, gas: i64): i32 {
  if (isStatic) return End.STATIC_CALL;
  end = reach(sp - 32, sp - 64);
  creationPrice = expansionPrice(end);
  if (creationPrice == i64.MAX_VALUE) return End.OUT_OF_GAS;
  const size = load<u64>(sp - 64);
  const words = <i64>((size + 31) >> 5);
  creationPrice += words * rule(Rule.INITCODE_WORD);
  if (kind == Kind.CREATE2) creationPrice += words * rule(Rule.KECCAK_WORD);
  if (creationPrice > gas) return End.OUT_OF_GAS;
  length = <u32>size;
  const left = gas - creationPrice;
  innerGas = holds(Rule.KEEPS_ONE_SIXTY_FOURTH) ? left - (left >> 6) : left;
  return <i64>size > rule(Rule.MAXIMUM_INITCODE) ? End.INITCODE_TOO_LARGE : End.NOT_YET;
}

/** Returns true if the initcode is too long to be hashed in one time slice: it is hashed in advance. */
@inline
export function hashesLong(kind: u32): bool {
  return kind == Kind.CREATE2 && length > LONG_HASH;
}

/** Expands the memory for the creation and returns the cost. The creation must then be priced again. */
export function expandForCreation(): i64 {
  const price = expansionPrice(end);
  expand(end);
  return price;
}

/** Continues to hash the initcode; returns true when finished. The memory must be expanded. */
export function hashInitcode(sp: usize): bool {
  return hashAhead(memoryBase + <usize>load<u64>(sp - 32), length);
}

/**
 * Performs the creation priced by `priceCreation`. Returns `End.NOT_YET`; `End.SUSPENDED` without any change;
 * `End.OUT_OF_GAS` if the gas cannot pay for the new account.
 */
export function performCreation(kind: u32, sp: usize, gas: i64): i32 {
  const sizeBefore = memorySize;
  expand(end);
  const initcode = length ? memoryBase + <usize>load<u64>(sp - 32) : memoryBase;
  if (kind == Kind.CREATE2) addressWithSalt(sp - 96, initcode, length);
  else addressByNonce(self, load<u64>(self, Account.NONCE));
  const created = accountAt(SCRATCH);
  if (created == 0) {
    memorySize = sizeBefore;
    return End.SUSPENDED;
  }
  const isTooDeep = <i64>depth > rule(Rule.MAXIMUM_DEPTH);
  const isTooPoor = gt(sp, self + Account.BALANCE);
  const isLast = load<u64>(self, Account.NONCE) == u64.MAX_VALUE;
  const isRejected = isTooDeep || isTooPoor || isLast;
  const newAccount = !isRejected && isEmpty(created) ? rule(Rule.STATE_NEW_ACCOUNT) : 0;
  const beyond = beyondReservoir(newAccount);
  if (beyond) {
    creationPrice += beyond;
    const left = gas - creationPrice;
    if (left < 0) {
      memorySize = sizeBefore;
      return End.OUT_OF_GAS;
    }
    innerGas = holds(Rule.KEEPS_ONE_SIXTY_FOURTH) ? left - (left >> 6) : left;
  }
  returnLength = 0;
  const rest = kind == Kind.CREATE2 ? sp - 128 : sp - 96;
  const sliceLeft = gas - gasFloor;
  frameGas = gas - creationPrice - innerGas;
  if (isRejected) {
    if (isTraced) {
      tellStart(kind, created, sp, initcode, length, innerGas);
      store<i64>(EVENT, 0, Event.GAS);
      frameEnd(isTooDeep ? End.CALL_TOO_DEEP : isTooPoor ? End.BALANCE_TOO_LOW : End.NONCE_OVERFLOW, 0, 0);
    }
    frameGas += innerGas;
    pushCreated(rest, 0);
    return End.NOT_YET;
  }
  const frame = frameRoom();
  store<u32>(frame, kind, Frame.KIND);
  store<i64>(frame, innerGas, Frame.INNER_GAS);
  store<i64>(frame, frameGas, Frame.GAS);
  store<i64>(frame, sliceLeft, Frame.SLICE);
  store<i64>(frame, newAccount, Frame.NEW_ACCOUNT);
  takeStateGas(newAccount);
  raiseNonce(self);
  const finished = enterCreation(kind, created, sp, initcode, length, rest, innerGas, 1);
  if (finished != End.NOT_YET) {
    frameGas += gasLeftAtOnce;
    if (finished != End.SUCCESS) frameGas += giveStateGasBack(newAccount);
    pushCreated(rest, finished == End.SUCCESS ? created : 0);
  }
  return End.NOT_YET;
}

/** The gas left by a creation that ended without running code. */
export let gasLeftAtOnce: i64 = 0;

/**
 * Starts the frame of a creation. Returns `End.NOT_YET` if initcode runs now; otherwise the end of the
 * creation, with `gasLeftAtOnce`.
 */
export function enterCreation(
  kind: u32,
  created: usize,
  sent: usize,
  initcode: usize,
  size: u32,
  rest: usize,
  gas: i64,
  nonce: u64,
): i32 {
  const frame = frameRoom();
  if (isTraced) tellStart(kind, created, sent, initcode, size, gas);
  warm(created);
  markUndo(frame);
  store<u32>(frame, <u32>created, Frame.CREATED);
  if (metersState) gas = payEntry(gas);
  if (isTaken(created)) return finish(frame, End.ADDRESS_TAKEN, 0);
  beginChange(created);
  store<u64>(created, nonce, Account.NONCE);
  store<u32>(created, load<u32>(created, Account.GENERATION) + 1, Account.GENERATION);
  store<u32>(created, flagsOf(created) | Flag.STORAGE_EMPTY | Flag.CREATED, Account.FLAGS);
  if (!isZero(sent)) {
    if (!transfer(self, created, sent)) return finish(frame, End.BALANCE_OVERFLOW, gas);
    logTransfer(self, created, sent);
  }
  if (size == 0) return finish(frame, End.SUCCESS, gas);

  const code = newCode(size);
  memory.copy(load<u32>(code, Code.RAW), initcode, size);
  prepare(code);
  pushFrame(frame, rest);
  inputOffset = 0;
  inputLength = 0;
  copy(sent, VALUE_WORD);
  copy(self + Account.ADDRESS, CALLER_WORD);
  self = created;
  startCode(code, rest, gas);
  chargeSliceBy(<i64>size * INITCODE_BYTE);
  return End.NOT_YET;
}

/**
 * Returns true if the address has a nonce, code or storage (EIP-684, EIP-7610), or if its contract was
 * destroyed earlier in this block.
 */
function isTaken(account: usize): bool {
  if (load<u64>(account, Account.NONCE) | <u64>load<u32>(account, Account.CODE_LENGTH)) return true;
  return !hasFlag(account, Flag.STORAGE_EMPTY) || hasFlag(account, Flag.TAKEN);
}

function finish(frame: usize, how: i32, left: i64): i32 {
  if (how != End.SUCCESS) undo(frame);
  if (metersState) settleLent(frame, how == End.SUCCESS);
  gasLeftAtOnce = left;
  if (isTraced) {
    store<i64>(EVENT, load<i64>(frame, Frame.INNER_GAS) - left, Event.GAS);
    frameEnd(how, returnData(), 0);
  }
  return how;
}

/** Pushes the address of the created contract, or 0. */
export function pushCreated(rest: usize, created: usize): void {
  stackPointer = rest + 32;
  if (created) copy(created + Account.ADDRESS, stackPointer);
  else setU64(stackPointer, 0);
}

/** Returns the gas to deploy code of this size, without the part that the reservoir pays. */
export function codePrice(size: u32): i64 {
  const words = (<i64>size + 31) >> 5;
  return <i64>size * rule(Rule.CODE_BYTE) + words * rule(Rule.CODE_WORD) + beyondReservoir(stateOfCode(size));
}

/** Returns the state gas of code of this size. */
@inline
export function stateOfCode(size: u32): i64 {
  return <i64>size * rule(Rule.STATE_CODE_BYTE);
}

/** Returns `End.SUCCESS` if the output of the initcode may become code; otherwise the reason. */
export function checkNewCode(output: usize, size: u32, gas: i64): i32 {
  if (<i64>size > rule(Rule.MAXIMUM_CODE)) return End.CODE_TOO_LARGE;
  if (codePrice(size) > gas) return End.OUT_OF_GAS;
  if (size && load<u8>(output) == 0xef && holds(Rule.REFUSES_EF)) return End.CODE_STARTS_WITH_EF;
  return End.SUCCESS;
}

/** Writes the 20 bytes of an address, big-endian. */
@inline
function writeAddress(account: usize, target: usize): void {
  writeBigEndian(account + Account.ADDRESS, SCRATCH + 32);
  memory.copy(target, SCRATCH + 44, 20);
}

/** Writes the lower 20 bytes of the hash at `ADDRESS_HASH` to `SCRATCH`, as a word. */
@inline
function takeAddress(): void {
  memory.fill(ADDRESS_HASH, 0, 12);
  readBigEndian(ADDRESS_HASH, SCRATCH);
}

/** Computes the CREATE address keccak(rlp([creator, nonce])), at `SCRATCH`. */
export function addressByNonce(creator: usize, nonce: u64): void {
  const list = ADDRESS_PREIMAGE;
  const bytes: u32 = nonce < 0x80 ? 0 : 8 - (<u32>clz(nonce) >> 3);
  store<u8>(list, <u8>(0xc0 + 22 + bytes));
  store<u8>(list, 0x94, 1);
  writeAddress(creator, list + 2);
  if (bytes == 0) store<u8>(list, nonce == 0 ? 0x80 : <u8>nonce, 22);
  else {
    store<u8>(list, <u8>(0x80 + bytes), 22);
    for (let i: u32 = 0; i < bytes; i++) store<u8>(list + 23 + i, <u8>(nonce >> ((bytes - 1 - i) << 3)));
  }
  keccak256(list, 23 + bytes, ADDRESS_HASH);
  takeAddress();
}

/** Computes the CREATE2 address (EIP-1014), at `SCRATCH`. */
function addressWithSalt(salt: usize, initcode: usize, size: u32): void {
  const preimage = ADDRESS_PREIMAGE;
  store<u8>(preimage, 0xff);
  writeAddress(self, preimage + 1);
  writeBigEndian(salt, preimage + 21);
  takeHash(initcode, size, preimage + 53);
  keccak256(preimage, 85, ADDRESS_HASH);
  takeAddress();
}

function tellStart(kind: u32, created: usize, sent: usize, initcode: usize, size: u32, gas: i64): void {
  store<i64>(EVENT, gas, Event.GAS);
  isFrameStepped = frameStart(kind, depth, self, created, initcode, size, sent, 0);
}
