/**
 * Exactly decoded opcodes: checks gas and stack in the order of the reference engine, and reports each opcode
 * to an observer before it is executed.
 */

import { accountAt, coldSurcharge } from './accounts';
import { farDistance, isAllowed, isDeep } from './deep-items';
import { callPrice, newAccountStateGas, passedGas, priceCall } from './calls';
import { creationPrice, priceCreation } from './creations';
import { End, Event, Kind, NO_OPCODE, Opcode, Rule } from './generated/protocol';
import { fault, step, tellTrail } from './host';
import { Code, EVENT, holds, OPCODE_TABLE, rule, TRAIL, TRAIL_LENGTH, WANTED_STEPS } from './layout';
import { expansionPrice, reach, reachOf } from './memories';
import { copyPrice, copyReach, exponentPrice, isBeyondReturnData, keccakPrice, logPrice } from './gas';
import {
  code,
  depth,
  invalidOpcode,
  isStatic,
  isStepped,
  isTrailed,
  refund,
  self,
  stackBase,
  trailLength,
} from './registers';
import { beneficiaryStateGas, priceSelfdestruct, selfdestructPrice } from './selfdestruct';
import { readSurcharge, slotAt, writePrice, writeRefund } from './storage';

/** The reason why the opcode has no price; `End.NOT_YET` if it has one. */
let how: i32 = End.NOT_YET;

/** Starts the opcode. Returns `End.NOT_YET` if it can be executed; the caller then charges its static gas. */
export function beginOpcode(opcode: i32, pc: u32, sp: usize, gas: i64): i32 {
  const entry = load<u32>(OPCODE_TABLE + (opcode << 2));
  if (entry == NO_OPCODE) {
    invalidOpcode = opcode;
    tell(opcode, pc, sp, gas, 0, 0);
    return End.INVALID_OPCODE;
  }
  const base = <i64>(entry & 0xffff);
  const height = <u32>(sp - stackBase) >> 5;
  const taken = (entry >> 16) & 0xff;
  const isUnderflow = height < taken;
  let price = base;
  let given: i64 = 0;
  if (hasVariablePrice(opcode)) {
    how = End.NOT_YET;
    if (isStatic && isRejectedFirst(opcode)) how = End.STATIC_CALL;
    else if (height < pricedItems(opcode, taken)) how = End.STACK_UNDERFLOW;
    const variable = how == End.NOT_YET ? variablePrice(opcode, sp, gas - base) : 0;
    if (how == End.SUSPENDED) return how;
    if (how != End.NOT_YET && how != End.INITCODE_TOO_LARGE) {
      tell(opcode, pc, sp, gas, unpriced(opcode, base), 0);
      return how;
    }
    price = variable == i64.MAX_VALUE ? variable : base + variable;
    if (opcode == Opcode.SSTORE) given = writeRefund;
  }
  tell(opcode, pc, sp, gas, price, given);
  if (base > gas || (price > gas && !isCall(opcode))) return End.OUT_OF_GAS;
  if (isUnderflow) return End.STACK_UNDERFLOW;
  if (isDeep(opcode)) {
    const operand: u32 = load<u8>(<usize>load<u32>(code, Code.RAW) + pc + 1);
    if (!isAllowed(opcode, operand)) {
      invalidOpcode = opcode;
      return End.INVALID_OPCODE;
    }
    if (height <= farDistance(opcode, operand)) return End.STACK_UNDERFLOW;
  }
  return height - taken + (entry >> 24) > 1024 ? End.STACK_OVERFLOW : End.NOT_YET;
}

function tell(opcode: i32, pc: u32, sp: usize, gas: i64, cost: i64, given: i64): void {
  if (isStepped == 0) return;
  if (isTrailed) {
    store<u32>(TRAIL + (trailLength << 2), pc);
    if (++trailLength == TRAIL_LENGTH) tellTrail();
  }
  if (load<u8>(WANTED_STEPS + opcode) == 0) return;
  store<i64>(EVENT, gas, Event.GAS);
  store<i64>(EVENT, cost, Event.COST);
  store<i64>(EVENT, refund + given, Event.REFUND);
  step(pc, opcode, depth - 1, sp);
}

@inline
function isCall(opcode: i32): bool {
  return opcode == Opcode.CALL || opcode == Opcode.CALLCODE || opcode == Opcode.DELEGATECALL || opcode == Opcode.STATICCALL;
}

/** Returns the reported cost of an opcode without a price: static gas without warm access. */
function unpriced(opcode: i32, base: i64): i64 {
  const isAccess =
    isCall(opcode) ||
    opcode == Opcode.BALANCE ||
    opcode == Opcode.EXTCODESIZE ||
    opcode == Opcode.EXTCODECOPY ||
    opcode == Opcode.EXTCODEHASH ||
    opcode == Opcode.SLOAD;
  return isAccess && holds(Rule.HAS_ACCESS) ? base - rule(Rule.WARM) : base;
}

/** Returns true for opcodes whose stack operands must be checked before their gas. */
function hasVariablePrice(opcode: i32): bool {
  switch (opcode) {
    case Opcode.KECCAK256:
    case Opcode.EXP:
    case Opcode.BALANCE:
    case Opcode.CALLDATACOPY:
    case Opcode.CODECOPY:
    case Opcode.EXTCODESIZE:
    case Opcode.EXTCODECOPY:
    case Opcode.RETURNDATACOPY:
    case Opcode.EXTCODEHASH:
    case Opcode.MLOAD:
    case Opcode.MSTORE:
    case Opcode.MSTORE8:
    case Opcode.SLOAD:
    case Opcode.SSTORE:
    case Opcode.MCOPY:
      return true;
    default:
      return (opcode >= Opcode.LOG0 && opcode <= Opcode.LOG4) || opcode >= Opcode.CREATE;
  }
}

/** Returns the number of items that the price depends on. Missing items are reported before missing gas. */
@inline
function pricedItems(opcode: i32, taken: u32): u32 {
  if (opcode >= Opcode.LOG0 && opcode <= Opcode.LOG4) return 2;
  return opcode == Opcode.MSTORE || opcode == Opcode.MSTORE8 ? 1 : taken;
}

/** Returns true for opcodes that a static call rejects before it checks their operands. */
@inline
function isRejectedFirst(opcode: i32): bool {
  return opcode == Opcode.SSTORE || opcode == Opcode.SELFDESTRUCT || (opcode >= Opcode.LOG0 && opcode <= Opcode.LOG4);
}

@inline
function ofAccount(word: usize): i64 {
  const account = accountAt(word);
  if (account == 0) how = End.SUSPENDED;
  return account ? coldSurcharge(account) : 0;
}

/** Returns the dynamic gas, including the gas passed to a call. If unknown, `how` is the reason. */
function variablePrice(opcode: i32, sp: usize, gas: i64): i64 {
  if (opcode == Opcode.EXP) return exponentPrice(sp - 32);
  if (opcode == Opcode.KECCAK256) return keccakPrice(reach(sp, sp - 32), sp - 32);
  if (opcode == Opcode.BALANCE || opcode == Opcode.EXTCODESIZE || opcode == Opcode.EXTCODEHASH) return ofAccount(sp);
  if (opcode == Opcode.CALLDATACOPY || opcode == Opcode.CODECOPY) return copyPrice(reach(sp, sp - 64), sp - 64);
  if (opcode == Opcode.EXTCODECOPY) {
    const surcharge = ofAccount(sp);
    const price = copyPrice(reach(sp - 32, sp - 96), sp - 96);
    // The host computes a price that exceeds 63 bits, except for this surcharge.
    store<i64>(EVENT, surcharge, Event.SURCHARGE);
    return price == i64.MAX_VALUE ? price : price + surcharge;
  }
  if (opcode == Opcode.RETURNDATACOPY) {
    if (isBeyondReturnData(sp - 32, sp - 64)) how = End.OUT_OF_GAS;
    return copyPrice(reach(sp, sp - 64), sp - 64);
  }
  if (opcode == Opcode.MLOAD || opcode == Opcode.MSTORE) return expansionPrice(reachOf(sp, 32));
  if (opcode == Opcode.MSTORE8) return expansionPrice(reachOf(sp, 1));
  if (opcode == Opcode.SLOAD || opcode == Opcode.SSTORE) return storagePrice(opcode, sp, gas);
  if (opcode == Opcode.MCOPY) return copyPrice(copyReach(sp), sp - 64);
  if (opcode == Opcode.RETURN || opcode == Opcode.REVERT) return expansionPrice(reach(sp, sp - 32));
  if (opcode >= Opcode.LOG0 && opcode <= Opcode.LOG4) {
    return logPrice(reach(sp, sp - 32), sp - 32, opcode - Opcode.LOG0);
  }
  return frameOpcodePrice(opcode, sp, gas);
}

function storagePrice(opcode: i32, sp: usize, gas: i64): i64 {
  const sentry = rule(Rule.STORE_SENTRY);
  if (opcode == Opcode.SSTORE && sentry > 0 && gas <= sentry) {
    how = End.OUT_OF_GAS;
    return 0;
  }
  const slot = slotAt(self, sp);
  if (slot == 0) {
    how = End.SUSPENDED;
    return 0;
  }
  return opcode == Opcode.SLOAD ? readSurcharge(slot) : writePrice(slot, sp - 32);
}

function frameOpcodePrice(opcode: i32, sp: usize, gas: i64): i64 {
  if (opcode == Opcode.SELFDESTRUCT) {
    const ended = priceSelfdestruct(sp, gas);
    if (ended != End.OUT_OF_GAS) how = ended;
    return selfdestructPrice - beneficiaryStateGas();
  }
  if (opcode == Opcode.CREATE || opcode == Opcode.CREATE2) {
    const ended = priceCreation(opcode == Opcode.CREATE ? Kind.CREATE : Kind.CREATE2, sp, gas);
    if (ended != End.OUT_OF_GAS) how = ended;
    return creationPrice;
  }
  let kind: u32 = Kind.CALL;
  if (opcode == Opcode.CALLCODE) kind = Kind.CALLCODE;
  else if (opcode == Opcode.DELEGATECALL) kind = Kind.DELEGATECALL;
  else if (opcode == Opcode.STATICCALL) kind = Kind.STATICCALL;
  how = priceCall(kind, sp, gas);
  return callPrice - newAccountStateGas() + passedGas;
}

/** Reports that the opcode of the last step violates a rule and ends its frame. */
@inline
export function reportFault(end: i32): void {
  if (isStepped && end > End.REVERT) fault(end);
}
