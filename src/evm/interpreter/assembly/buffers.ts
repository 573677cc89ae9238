/** The return data of the last call, and the logs of the message, including transfer logs (EIP-7708). */

import { allocate, enlarge, enlargeReserved, release, reserve, useMore } from './allocator';
import { Account, Log, Rule } from './generated/protocol';
import { outOfMemory, tellLog } from './host';
import { holds } from './layout';
import { isLogged, returnLength } from './registers';
import { copy, setLimbs, writeBigEndian } from './u256';

const FIRST_SIZE: u32 = 1 << 12;
/** Up to this size in bytes, buffers grow by more than required. */
const LARGE: u32 = 1 << 20;
/** Maximum size of the logs of a message in bytes: more than a billion gas can buy. */
const MAX_LOGS: u64 = 512 << 20;
/** Above this size (bytes), the maximum is reserved, because moving is slow and reserving is free. */
const MOVED_LOGS: u32 = 2 << 20;

let data: usize = 0;
let dataSize: u32 = 0;

/** Returns the address of the return data. */
@inline
export function returnData(): usize {
  return data;
}

/** Reserves a buffer for return data and returns its address. */
export function reserveReturnData(length: u32): usize {
  if (length > dataSize) {
    if (dataSize) release(data, dataSize);
    dataSize = max<u32>(FIRST_SIZE, length + min<u32>(length, LARGE));
    data = allocate(dataSize);
  }
  returnLength = length;
  return data;
}

/** Copies the output of a frame to the return data. */
export function keepReturnData(source: usize, length: u32): void {
  if (length) memory.copy(reserveReturnData(length), source, length);
  else returnLength = 0;
}

let logs: usize = 0;
/** Bytes of the log buffer that may be used, and bytes reserved. */
let logsSize: u32 = 0;
let logsRoom: u32 = 0;
let logsUsed: u32 = 0;

/** Returns the length of the logs, for `dropLogs`. */
@inline
export function logMark(): u32 {
  return logsUsed;
}

/** Drops the logs after the mark. */
@inline
export function dropLogs(mark: u32): void {
  logsUsed = mark;
}

export function logsStart(): usize {
  return logs;
}

function makeRoomForLogs(needed: u64): void {
  if (needed > MAX_LOGS) outOfMemory();
  if (needed <= MOVED_LOGS) {
    const wanted = max<u32>(FIRST_SIZE, <u32>needed * 2);
    logs = logsRoom ? enlarge(logs, logsRoom, logsUsed, wanted) : allocate(wanted);
    logsRoom = wanted;
    logsSize = wanted;
    return;
  }
  if (logsRoom < <u32>MAX_LOGS) {
    logs = logsRoom ? enlargeReserved(logs, logsRoom, logsUsed, <u32>MAX_LOGS) : reserve(<u32>MAX_LOGS);
    logsRoom = <u32>MAX_LOGS;
    logsSize = logsUsed;
  }
  logsSize = useMore(logsSize, logsRoom, <u32>needed);
}

/**
 * Adds a log with `count` topics. `topics` is the address of the first topic; the following topics are at
 * descending addresses. Returns the address of the log.
 */
@inline
export function addLog(account: usize, count: u32, topics: usize, source: usize, length: u32): usize {
  const size = (<u32>Log.DATA + length + 15) & ~15;
  if (<u64>logsUsed + size > <u64>logsSize) makeRoomForLogs(<u64>logsUsed + size);
  const log = logs + logsUsed;
  copy(account + Account.ADDRESS, log + Log.ADDRESS);
  store<u32>(log, count, Log.TOPIC_COUNT);
  store<u32>(log, length, Log.LENGTH);
  for (let i: u32 = 0; i < count; i++) copy(topics - (i << 5), log + Log.TOPICS + (i << 5));
  memory.copy(log + Log.DATA, source, length);
  logsUsed += size;
  return log;
}

/** The system address, in the layout of an account. */
const SYSTEM: usize = memory.data(32, 16);
/** Topics in reverse order: recipient, sender, hash of `Transfer(address,address,uint256)`. */
const TOPICS: usize = memory.data(3 * 32, 16);
const TOPIC_COUNT: u32 = 3;
const WEI: usize = memory.data(32, 16);

/** Logs a transfer to another account, if the rules require it. Call it after the transfer. */
@inline
export function logTransfer(from: usize, to: usize, value: usize): void {
  if (holds(Rule.LOGS_TRANSFERS) && from != to) addTransfer(from, to, value);
}

function addTransfer(from: usize, to: usize, value: usize): void {
  setLimbs(SYSTEM, 0xfffffffffffffffe, ~0, 0xffffffff, 0);
  copy(to + Account.ADDRESS, TOPICS);
  copy(from + Account.ADDRESS, TOPICS + 32);
  setLimbs(TOPICS + 64, 0x28f55a4df523b3ef, 0x952ba7f163c4a116, 0x69c2b068fc378daa, 0xddf252ad1be2c89b);
  writeBigEndian(value, WEI);
  const log = addLog(SYSTEM, TOPIC_COUNT, TOPICS + 64, WEI, 32);
  if (isLogged) tellLog(log);
}
