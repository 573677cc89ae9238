/**
 * The interpreter loop.
 *
 * It must compile to one jump table (the build checks it), with one case per operation in the order of their
 * numbers. The table requires a single long function, because split-off parts would cost calls or extra
 * jumps. Each operation computes its price before it changes state. It can therefore be executed again after
 * the host fetched state, or with exact decoding to find the halt reason.
 */

import { accountAt, coldSurcharge, hasFlag, isEmpty, warm } from './accounts';
import { addLog, returnData } from './buffers';
import {
  add,
  and,
  copy,
  countLeadingZeros,
  eq,
  fitsU64,
  gt,
  isZero,
  lt,
  not,
  or,
  readBigEndian,
  setLimbs,
  setU64,
  sgt,
  slt,
  sub,
  writeBigEndian,
  xor,
} from './u256';
import { performCall, priceCall } from './calls';
import { rawCodeOf } from './codes';
import {
  checkNewCode,
  expandForCreation,
  hashesLong,
  hashInitcode,
  performCreation,
  priceCreation,
} from './creations';
import { staticGasFrom } from './decoder';
import { count, leaveBlock } from './counting';
import { div, mod, sdiv, smod } from './division';
import { exp, mul } from './multiplication';
import { endFrame, endingHow, endingLength, endingOutput } from './frame-end';
import { Frame, outerFrame } from './frames';
import { Account, Context, End, Flag, Kind, Rule, Slot } from './generated/protocol';
import { HASH_PIECE, hashAhead, hashed, keccak256, LONG_HASH, takeHash } from './keccak';
import { loadBlockHash, tellLog } from './host';
import { Code, CONTEXT, Counter, holds, Instruction, IS_COUNTING, MARKED, NUMBER_WORD, OPCODE_TABLE, rule, SCRATCH } from './layout';
import { expand, expansionPrice, memoriesStart, reach, reachOf } from './memories';
import { addmod, mulmod } from './modular';
import { Operation } from './operations';
import { copyPrice, copyReach, exponentPrice, isBeyondReturnData, keccakPrice, logPrice, metersState } from './gas';
import {
  code,
  codeLength,
  depth,
  frameGas,
  gasFloor,
  inputLength,
  inputOffset,
  instructionPointer,
  invalidOpcode,
  isExact,
  isLogged,
  isStatic,
  isStepped,
  jumps,
  memoryBase,
  memorySize,
  refund,
  spareGas,
  returnLength,
  scanned,
  self,
  stackBase,
  stackPointer,
} from './registers';
import { exactInstructionAt, jumpTarget, nextSegment, NOT_KNOWN_YET } from './segments';
import { performSelfdestruct, priceSelfdestruct, selfdestructPrice } from './selfdestruct';
import { byte, sar, shiftLeft, shiftRight, shl, shr, signextend } from './shifts';
import { beginOpcode, reportFault } from './steps';
import { meteredGas, meterWrite, readSurcharge, readTransient, slotAt, transientSlotAt, warmSlot, write, writePrice, writeRefund } from './storage';

/** Copies bytes of a source to memory, padded with zeros. Memory from `zeros` on is already zero. */
function copyPadded(target: usize, source: usize, sourceLength: u64, offset: usize, length: u32, zeros: usize): void {
  const start = fitsU64(offset) ? min<u64>(load<u64>(offset), sourceLength) : sourceLength;
  const available = <u32>min<u64>(sourceLength - start, length);
  memory.copy(target, source + <usize>start, available);
  const rest = target + available, end = min<usize>(target + length, zeros);
  if (rest < end) memory.fill(rest, 0, end - rest);
}

/** Loads a word of the calldata, padded with zeros. */
function loadInput(offset: u64, out: usize): void {
  const available = <u64>inputLength - offset;
  const source = memoriesStart() + inputOffset + <usize>offset;
  if (available >= 32) {
    readBigEndian(source, out);
    return;
  }
  memory.fill(SCRATCH, 0, 32);
  memory.copy(SCRATCH, source, <usize>available);
  readBigEndian(SCRATCH, out);
}

/** Pushes the result of EXTCODEHASH (EIP-1052). */
function pushCodeHash(account: usize, out: usize): void {
  if (hasFlag(account, Flag.PRECOMPILE) && holds(Rule.PRECOMPILE_LOOKS_LIKE_CONTRACT)) {
    keccak256(account, 0, SCRATCH);
    readBigEndian(SCRATCH, out);
    return;
  }
  const isMissing = holds(Rule.CLEARS_EMPTY) ? isEmpty(account) : !hasFlag(account, Flag.EXISTS);
  if (isMissing) setU64(out, 0);
  else readBigEndian(account + Account.CODE_HASH, out);
}

function pushCodeSize(account: usize, out: usize): void {
  if (hasFlag(account, Flag.PRECOMPILE) && holds(Rule.PRECOMPILE_LOOKS_LIKE_CONTRACT)) setLimbs(out, ~0, ~0, ~0, ~0);
  else setU64(out, load<u32>(account, Account.CODE_LENGTH));
}

/** Returns true if the block is one of the 256 previous blocks. */
@inline
function isRecentBlock(number: usize): bool {
  if (!fitsU64(number)) return false;
  const current = load<u64>(NUMBER_WORD), asked = load<u64>(number);
  return asked < current && current - asked <= 256;
}

/** Replaces the index with the hash of the message's blob; zero if absent (EIP-4844). */
function pushBlobHash(index: usize): void {
  const isOne = fitsU64(index) && load<u64>(index) < <u64>load<u32>(CONTEXT + Context.BLOB_COUNT);
  if (isOne) copy(CONTEXT + Context.BLOB_HASHES + (<usize>load<u64>(index) << 5), index);
  else {
    setU64(index, 0);
  }
}

/** Returns the instruction at the jump destination; at most `MARKED` if it is not resolved yet. */
@inline
function knownTarget(word: usize): usize {
  return fitsU64(word) && load<u64>(word) < <u64>scanned ? <usize>load<u32>(jumps + (<usize>load<u64>(word) << 2)) : 0;
}

/** Resolves a constant jump destination like `jumpTarget`, and caches it in the instruction. */
function findTarget(instruction: usize): usize {
  const target = jumpTarget(load<u64>(instruction, Instruction.ARGUMENT));
  if (target != NOT_KNOWN_YET) store<u32>(instruction, <u32>target, Instruction.IMMEDIATE);
  return target;
}

/** Longer copies (bytes) check the slice first, because blocks check it only at their start. */
const LONG_COPY: u64 = 1 << 20;

/** Returns true if the output of the running frame becomes valid code. */
function isNewCode(output: usize, length: u32, gas: i64): bool {
  return load<u32>(outerFrame(), Frame.KIND) >= Kind.CREATE && checkNewCode(output, length, gas) == End.SUCCESS;
}

/** Saves the locals of the loop. */
@inline
function keep(gas: i64, sp: usize, ip: usize): void {
  frameGas = gas;
  stackPointer = sp;
  instructionPointer = ip;
}

/**
 * Runs until the message ends (returns its `End`), waits for the host (`End.SUSPENDED`) or ends its slice
 * (`End.SLICED`). The next call continues.
 */
export function run(): i32 {
  let gas = frameGas, floor = gasFloor;
  let sp = stackPointer, ip = instructionPointer, mb = memoryBase;
  let ended = End.NOT_YET;
  /** The output of the frame after RETURN or REVERT. */
  let output: usize = 0;
  let outputLength: u32 = 0;
  for (;;) {
    const operation = load<i32>(ip);
    ip += 16;
    switch (operation) {
      case Operation.STOP: {
        ended = End.SUCCESS;
        outputLength = 0;
        break;
      }
      case Operation.ADD: {
        add(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.MUL: {
        mul(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SUB: {
        sub(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.DIV: {
        div(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SDIV: {
        sdiv(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.MOD: {
        mod(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SMOD: {
        smod(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.ADDMOD: {
        addmod(sp, sp - 32, sp - 64, sp - 64);
        sp -= 64;
        continue;
      }
      case Operation.MULMOD: {
        mulmod(sp, sp - 32, sp - 64, sp - 64);
        sp -= 64;
        continue;
      }
      case Operation.EXP: {
        const price = exponentPrice(sp - 32);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        exp(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SIGNEXTEND: {
        signextend(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.LT: {
        setU64(sp - 32, u64(lt(sp, sp - 32)));
        sp -= 32;
        continue;
      }
      case Operation.GT: {
        setU64(sp - 32, u64(gt(sp, sp - 32)));
        sp -= 32;
        continue;
      }
      case Operation.SLT: {
        setU64(sp - 32, u64(slt(sp, sp - 32)));
        sp -= 32;
        continue;
      }
      case Operation.SGT: {
        setU64(sp - 32, u64(sgt(sp, sp - 32)));
        sp -= 32;
        continue;
      }
      case Operation.EQ: {
        setU64(sp - 32, u64(eq(sp, sp - 32)));
        sp -= 32;
        continue;
      }
      case Operation.ISZERO: {
        setU64(sp, u64(isZero(sp)));
        continue;
      }
      case Operation.AND: {
        and(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.OR: {
        or(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.XOR: {
        xor(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.NOT: {
        not(sp, sp);
        continue;
      }
      case Operation.BYTE: {
        byte(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SHL: {
        shl(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SHR: {
        shr(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.SAR: {
        sar(sp, sp - 32, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.CLZ: {
        setU64(sp, countLeadingZeros(sp));
        continue;
      }
      case Operation.KECCAK256: {
        if (hashed == 0) {
          if (load<u64>(sp - 32) > LONG_HASH && gas < floor) {
            keep(gas, sp, ip - 16);
            return End.SLICED;
          }
          const end = reach(sp, sp - 32);
          const price = keccakPrice(end, sp - 32);
          if (price > gas) {
            ended = End.OUT_OF_GAS;
            break;
          }
          gas -= price;
          expand(end);
          mb = memoryBase;
        }
        const length = <u32>load<u64>(sp - 32);
        if (length > LONG_HASH && !hashAhead(mb + <usize>load<u64>(sp), length)) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        if (length > LONG_HASH) floor += <i64>min<u32>(length, HASH_PIECE) << 1;
        takeHash(length ? mb + <usize>load<u64>(sp) : mb, length, SCRATCH);
        sp -= 32;
        readBigEndian(SCRATCH, sp);
        continue;
      }
      case Operation.CONTEXT: {
        sp += 32;
        copy(CONTEXT + load<u32>(ip - 12), sp);
        continue;
      }
      case Operation.BALANCE: {
        const account = accountAt(sp);
        if (account == 0) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        const price = coldSurcharge(account);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        warm(account);
        copy(account + Account.BALANCE, sp);
        continue;
      }
      case Operation.CALLDATALOAD: {
        if (!fitsU64(sp) || load<u64>(sp) >= <u64>inputLength) setU64(sp, 0);
        else loadInput(load<u64>(sp), sp);
        continue;
      }
      case Operation.CALLDATASIZE: {
        sp += 32;
        setU64(sp, inputLength);
        continue;
      }
      case Operation.CALLDATACOPY: {
        if (load<u64>(sp - 64) > LONG_COPY && gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const end = reach(sp, sp - 64);
        const price = copyPrice(end, sp - 64);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        const sizeBefore = memorySize;
        expand(end);
        mb = memoryBase;
        const length = <u32>load<u64>(sp - 64);
        if (length) copyPadded(mb + <usize>load<u64>(sp), memoriesStart() + inputOffset, inputLength, sp - 32, length, mb + <usize>sizeBefore);
        sp -= 96;
        continue;
      }
      case Operation.CODESIZE: {
        sp += 32;
        setU64(sp, codeLength);
        continue;
      }
      case Operation.CODECOPY: {
        if (load<u64>(sp - 64) > LONG_COPY && gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const end = reach(sp, sp - 64);
        const price = copyPrice(end, sp - 64);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        const sizeBefore = memorySize;
        expand(end);
        mb = memoryBase;
        const length = <u32>load<u64>(sp - 64);
        if (length) copyPadded(mb + <usize>load<u64>(sp), load<u32>(code, Code.RAW), codeLength, sp - 32, length, mb + <usize>sizeBefore);
        sp -= 96;
        continue;
      }
      case Operation.EXTCODESIZE: {
        const account = accountAt(sp);
        if (account == 0) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        const price = coldSurcharge(account);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        warm(account);
        pushCodeSize(account, sp);
        continue;
      }
      case Operation.EXTCODECOPY: {
        if (load<u64>(sp - 96) > LONG_COPY && gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const account = accountAt(sp);
        const size = account ? load<u32>(account, Account.CODE_LENGTH) : 0;
        const raw = size ? rawCodeOf(account) : 0;
        if (account == 0 || (size && raw == 0)) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        const end = reach(sp - 32, sp - 96);
        const copying = copyPrice(end, sp - 96);
        const surcharge = coldSurcharge(account);
        if (copying > gas || copying + surcharge > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= copying + surcharge;
        warm(account);
        const sizeBefore = memorySize;
        expand(end);
        mb = memoryBase;
        const length = <u32>load<u64>(sp - 96);
        if (length) copyPadded(mb + <usize>load<u64>(sp - 32), raw, size, sp - 64, length, mb + <usize>sizeBefore);
        sp -= 128;
        continue;
      }
      case Operation.RETURNDATASIZE: {
        sp += 32;
        setU64(sp, returnLength);
        continue;
      }
      case Operation.RETURNDATACOPY: {
        if (load<u64>(sp - 64) > LONG_COPY && gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const end = reach(sp, sp - 64);
        const price = copyPrice(end, sp - 64);
        if (price > gas || isBeyondReturnData(sp - 32, sp - 64)) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        expand(end);
        mb = memoryBase;
        const length = <u32>load<u64>(sp - 64);
        if (length) memory.copy(mb + <usize>load<u64>(sp), returnData() + <usize>load<u64>(sp - 32), length);
        sp -= 96;
        continue;
      }
      case Operation.EXTCODEHASH: {
        const account = accountAt(sp);
        if (account == 0) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        const price = coldSurcharge(account);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        warm(account);
        pushCodeHash(account, sp);
        continue;
      }
      case Operation.BLOCKHASH: {
        if (!isRecentBlock(sp)) {
          setU64(sp, 0);
          continue;
        }
        if (loadBlockHash(<f64>load<u64>(sp), SCRATCH) == 0) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        readBigEndian(SCRATCH, sp);
        continue;
      }
      case Operation.SELFBALANCE: {
        sp += 32;
        copy(self + Account.BALANCE, sp);
        continue;
      }
      case Operation.BLOBHASH: {
        pushBlobHash(sp);
        continue;
      }
      case Operation.POP: {
        sp -= 32;
        continue;
      }
      case Operation.MLOAD: {
        const end = reachOf(sp, 32);
        if (end > memorySize) {
          const price = expansionPrice(end);
          if (price > gas) {
            ended = End.OUT_OF_GAS;
            break;
          }
          gas -= price;
          expand(end);
          mb = memoryBase;
        }
        readBigEndian(mb + <usize>load<u64>(sp), sp);
        continue;
      }
      case Operation.MSTORE: {
        const end = reachOf(sp, 32);
        if (end > memorySize) {
          const price = expansionPrice(end);
          if (price > gas) {
            ended = End.OUT_OF_GAS;
            break;
          }
          gas -= price;
          expand(end);
          mb = memoryBase;
        }
        writeBigEndian(sp - 32, mb + <usize>load<u64>(sp));
        sp -= 64;
        continue;
      }
      case Operation.MSTORE8: {
        const end = reachOf(sp, 1);
        if (end > memorySize) {
          const price = expansionPrice(end);
          if (price > gas) {
            ended = End.OUT_OF_GAS;
            break;
          }
          gas -= price;
          expand(end);
          mb = memoryBase;
        }
        store<u8>(mb + <usize>load<u64>(sp), load<u8>(sp - 32));
        sp -= 64;
        continue;
      }
      case Operation.SLOAD: {
        const slot = slotAt(self, sp);
        if (slot == 0) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        const price = readSurcharge(slot);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        warmSlot(slot);
        copy(slot + Slot.CURRENT, sp);
        continue;
      }
      case Operation.SSTORE: {
        if (isStatic) {
          ended = End.STATIC_CALL;
          break;
        }
        if (gas <= rule(Rule.STORE_SENTRY)) {
          ended = End.OUT_OF_GAS;
          break;
        }
        const slot = slotAt(self, sp);
        if (slot == 0) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        spareGas = min<i64>(spareGas, gas - rule(Rule.STORE_SENTRY) - 1);
        const price = writePrice(slot, sp - 32);
        if (price > gas || (metersState && !meterWrite(slot, sp - 32, gas - price))) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        if (metersState) gas -= meteredGas;
        refund += writeRefund;
        warmSlot(slot);
        write(slot, sp - 32);
        sp -= 64;
        continue;
      }
      case Operation.JUMP: {
        let target = knownTarget(sp);
        if (target <= MARKED) {
          gasFloor = floor;
          target = fitsU64(sp) ? jumpTarget(load<u64>(sp)) : 0;
          floor = gasFloor;
          if (target == NOT_KNOWN_YET) {
            keep(gas, sp, ip - 16);
            return End.SLICED;
          }
          if (target == 0) {
            ended = End.INVALID_JUMP;
            break;
          }
        }
        sp -= 32;
        ip = target;
        continue;
      }
      case Operation.JUMPI: {
        if (!isZero(sp - 32)) {
          let target = knownTarget(sp);
          if (target <= MARKED) {
            gasFloor = floor;
            target = fitsU64(sp) ? jumpTarget(load<u64>(sp)) : 0;
            floor = gasFloor;
            if (target == NOT_KNOWN_YET) {
              keep(gas, sp, ip - 16);
              return End.SLICED;
            }
            if (target == 0) {
              ended = End.INVALID_JUMP;
              break;
            }
          }
          ip = target;
        }
        sp -= 64;
        continue;
      }
      case Operation.MSIZE: {
        sp += 32;
        setU64(sp, memorySize);
        continue;
      }
      case Operation.GAS: {
        spareGas = -1;
        sp += 32;
        setU64(sp, <u64>gas);
        continue;
      }
      case Operation.TLOAD: {
        readTransient(self, sp, sp);
        continue;
      }
      case Operation.TSTORE: {
        if (isStatic) {
          ended = End.STATIC_CALL;
          break;
        }
        write(transientSlotAt(self, sp), sp - 32);
        sp -= 64;
        continue;
      }
      case Operation.MCOPY: {
        if (load<u64>(sp - 64) > LONG_COPY && gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const end = copyReach(sp);
        const price = copyPrice(end, sp - 64);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        expand(end);
        mb = memoryBase;
        const length = <u32>load<u64>(sp - 64);
        if (length) memory.copy(mb + <usize>load<u64>(sp), mb + <usize>load<u64>(sp - 32), length);
        sp -= 96;
        continue;
      }
      case Operation.PUSH: {
        sp += 32;
        setU64(sp, load<u64>(ip - 8));
        continue;
      }
      case Operation.PUSH_WORD: {
        sp += 32;
        copy(ip, sp);
        ip += 32;
        continue;
      }
      case Operation.DUP: {
        copy(sp - load<u32>(ip - 12), sp + 32);
        sp += 32;
        continue;
      }
      case Operation.SWAP: {
        const other = sp - load<u32>(ip - 12);
        const r0 = load<u64>(other), r1 = load<u64>(other, 8), r2 = load<u64>(other, 16), r3 = load<u64>(other, 24);
        copy(sp, other);
        setLimbs(sp, r0, r1, r2, r3);
        continue;
      }
      case Operation.EXCHANGE: {
        const one = sp - load<u32>(ip - 12), other = sp - <usize>load<u64>(ip - 8);
        const r0 = load<u64>(other), r1 = load<u64>(other, 8), r2 = load<u64>(other, 16), r3 = load<u64>(other, 24);
        copy(one, other);
        setLimbs(one, r0, r1, r2, r3);
        continue;
      }
      case Operation.LOG: {
        if (isStatic) {
          ended = End.STATIC_CALL;
          break;
        }
        const end = reach(sp, sp - 32);
        const topics = load<u64>(ip - 8);
        const price = logPrice(end, sp - 32, topics);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        expand(end);
        mb = memoryBase;
        const length = <u32>load<u64>(sp - 32);
        const log = addLog(self, <u32>topics, sp - 64, length ? mb + <usize>load<u64>(sp) : mb, length);
        if (isLogged) tellLog(log);
        sp -= 64 + <usize>(topics << 5);
        continue;
      }
      case Operation.CREATE: {
        const kind = load<u32>(ip - 8);
        spareGas = -1;
        ended = priceCreation(kind, sp, gas);
        if (ended >= 0) break;
        if (ended == End.NOT_YET && hashesLong(kind)) {
          gas -= expandForCreation();
          if (!hashInitcode(sp)) {
            keep(gas, sp, ip - 16);
            return End.SLICED;
          }
          ended = priceCreation(kind, sp, gas);
        }
        keep(gas, sp, ip);
        gasFloor = floor;
        if (ended != End.SUSPENDED) ended = performCreation(kind, sp, gas);
        if (ended >= 0) break;
        if (ended == End.SUSPENDED) {
          instructionPointer = ip - 16;
          return End.SUSPENDED;
        }
        gas = frameGas;
        sp = stackPointer;
        ip = instructionPointer;
        mb = memoryBase;
        floor = gasFloor;
        continue;
      }
      case Operation.CALL: {
        const kind = load<u32>(ip - 8);
        spareGas = -1;
        ended = priceCall(kind, sp, gas);
        if (ended >= 0) break;
        keep(gas, sp, ip);
        gasFloor = floor;
        if (ended != End.SUSPENDED) ended = performCall(kind, sp, gas);
        if (ended != End.NOT_YET) {
          // The price is not charged yet. The call is priced again on the next attempt.
          keep(gas, sp, ip - 16);
          return ended;
        }
        gas = frameGas;
        sp = stackPointer;
        ip = instructionPointer;
        mb = memoryBase;
        floor = gasFloor;
        continue;
      }
      case Operation.RETURN: {
        const end = reach(sp, sp - 32);
        const price = expansionPrice(end);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        expand(end);
        outputLength = <u32>load<u64>(sp - 32);
        output = outputLength ? memoryBase + <usize>load<u64>(sp) : 0;
        if (outputLength > LONG_HASH && isNewCode(output, outputLength, gas) && !hashAhead(output, outputLength)) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        ended = End.SUCCESS;
        break;
      }
      case Operation.REVERT: {
        const end = reach(sp, sp - 32);
        const price = expansionPrice(end);
        if (price > gas) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas -= price;
        expand(end);
        outputLength = <u32>load<u64>(sp - 32);
        output = outputLength ? memoryBase + <usize>load<u64>(sp) : 0;
        ended = End.REVERT;
        break;
      }
      case Operation.SELFDESTRUCT: {
        ended = priceSelfdestruct(sp, gas);
        if (ended >= 0) break;
        if (ended == End.SUSPENDED) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        gas -= selfdestructPrice;
        performSelfdestruct();
        outputLength = 0;
        ended = End.SUCCESS;
        break;
      }
      case Operation.INVALID: {
        invalidOpcode = load<i32>(ip - 12);
        ended = End.INVALID_OPCODE;
        break;
      }
      case Operation.BEGIN: {
        // Checks the slice before charging the block, because a block may cost more than a slice.
        if (gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const left = gas - <i64>load<u32>(ip - 12);
        const height = <u32>(sp - stackBase);
        if (left < 0 || height < <u32>load<u16>(ip - 8) || height > <u32>load<u16>(ip - 6)) {
          ended = End.OUT_OF_GAS;
          break;
        }
        gas = left;
        if (IS_COUNTING) {
          count(ip);
          ip += Counter.SIZE;
        }
        continue;
      }
      case Operation.STEP: {
        if (gas < floor) {
          keep(gas, sp, ip - 16);
          return End.SLICED;
        }
        const opcode = load<i32>(ip - 12);
        ended = beginOpcode(opcode, load<u32>(ip - 8), sp, gas);
        // The observer of the step may have ended the slice.
        floor = gasFloor;
        if (IS_COUNTING) if (ended != End.SUSPENDED) count(ip);
        if (ended >= 0) break;
        if (ended == End.SUSPENDED) {
          keep(gas, sp, ip - 16);
          return End.SUSPENDED;
        }
        gas -= staticGasOf(opcode);
        if (IS_COUNTING) ip += Counter.SIZE;
        continue;
      }
      case Operation.NEXT_SEGMENT: {
        let target = <usize>load<u32>(ip - 12);
        if (target == 0) {
          gasFloor = floor;
          target = nextSegment(load<u32>(ip - 8));
          floor = gasFloor;
          store<u32>(ip - 12, <u32>target);
        }
        ip = target;
        continue;
      }
      case Operation.JUMP_TO: {
        let target = <usize>load<u32>(ip - 12);
        if (target == 0) {
          gasFloor = floor;
          target = findTarget(ip - 16);
          floor = gasFloor;
          if (target == NOT_KNOWN_YET) {
            keep(gas, sp, ip - 16);
            return End.SLICED;
          }
          if (target == 0) {
            ended = End.INVALID_JUMP;
            break;
          }
        }
        ip = target;
        continue;
      }
      case Operation.JUMPI_TO: {
        const isTaken = !isZero(sp);
        if (isTaken) {
          let target = <usize>load<u32>(ip - 12);
          if (target == 0) {
            gasFloor = floor;
            target = findTarget(ip - 16);
            floor = gasFloor;
            if (target == NOT_KNOWN_YET) {
              keep(gas, sp, ip - 16);
              return End.SLICED;
            }
            if (target == 0) {
              ended = End.INVALID_JUMP;
              break;
            }
          }
          ip = target;
        }
        sp -= 32;
        continue;
      }
      case Operation.JUMPZ_TO: {
        const isTaken = isZero(sp);
        if (isTaken) {
          let target = <usize>load<u32>(ip - 12);
          if (target == 0) {
            gasFloor = floor;
            target = findTarget(ip - 16);
            floor = gasFloor;
            if (target == NOT_KNOWN_YET) {
              keep(gas, sp, ip - 16);
              return End.SLICED;
            }
            if (target == 0) {
              ended = End.INVALID_JUMP;
              break;
            }
          }
          ip = target;
        }
        sp -= 32;
        continue;
      }
      case Operation.ADD_VALUE: {
        const before = load<u64>(sp);
        const after = before + load<u64>(ip - 8);
        store<u64>(sp, after);
        if (after < before) carry(sp);
        continue;
      }
      case Operation.EQ_VALUE: {
        setU64(sp, u64(load<u64>(sp) == load<u64>(ip - 8) && fitsU64(sp)));
        continue;
      }
      case Operation.AND_VALUE: {
        setU64(sp, load<u64>(sp) & load<u64>(ip - 8));
        continue;
      }
      case Operation.SHL_VALUE: {
        shiftLeft(load<u64>(ip - 8), sp, sp);
        continue;
      }
      case Operation.SHR_VALUE: {
        shiftRight(load<u64>(ip - 8), sp, sp);
        continue;
      }
      case Operation.SWAP_POP: {
        copy(sp, sp - 32);
        sp -= 32;
        continue;
      }
      case Operation.ENDING: {
        ended = endingHow;
        output = endingOutput;
        outputLength = endingLength;
        break;
      }
      default: {
        ended = End.INVALID_OPCODE;
        break;
      }
    }

    // The frame ended. The counting module also decodes exactly after a static-call violation, to correct the
    // counts of opcodes that did not run.
    if (IS_COUNTING) if (ended == End.STATIC_CALL) ended = isExact ? ended : End.OUT_OF_GAS;
    if (ended == End.OUT_OF_GAS && (IS_COUNTING || depth == 1 || isLogged) && !isExact) {
      // `BEGIN` charges whole blocks, so the frame may actually halt later, for a different reason.
      gas += exactly(ip - 16);
      ip = instructionPointer;
      ended = End.NOT_YET;
      continue;
    }
    if (isStepped && operation != Operation.ENDING) reportFault(ended);
    ended = endFrame(ended, gas, output, outputLength, operation == Operation.ENDING);
    if (ended != End.NOT_YET) return ended;
    gas = frameGas;
    sp = stackPointer;
    ip = instructionPointer;
    mb = memoryBase;
    floor = gasFloor;
  }
  return End.NOT_YET;
}

/** Propagates the carry of the lowest limb. */
function carry(sp: usize): void {
  const r1 = load<u64>(sp, 8) + 1;
  store<u64>(sp, r1, 8);
  if (r1) return;
  const r2 = load<u64>(sp, 16) + 1;
  store<u64>(sp, r2, 16);
  if (r2 == 0) store<u64>(sp, load<u64>(sp, 24) + 1, 24);
}

@inline
function staticGasOf(opcode: i32): i64 {
  return <i64>(load<u32>(OPCODE_TABLE + (opcode << 2)) & 0xffff);
}

/**
 * Switches to exact decoding at the instruction without sufficient gas, or at the block that could not start.
 * Returns the gas already charged for opcodes that did not run. Sets `instructionPointer` to the next
 * instruction.
 */
function exactly(instruction: usize): i64 {
  const isBlock = load<i32>(instruction) == Operation.BEGIN;
  const pc = isBlock ? load<u32>(instruction, 12) : load<u32>(instruction, 4);
  isExact = true;
  scanned = 0;
  instructionPointer = exactInstructionAt(pc);
  if (IS_COUNTING) if (!isBlock) leaveBlock(instructionPointer);
  return isBlock ? 0 : staticGasFrom(load<u32>(code, Code.RAW), codeLength, pc);
}
