/** The data that the last call returned, and the logs of the message. */

import { allocate, enlarge, release } from './allocator';
import { Account, Log } from './generated/protocol';
import { outOfMemory } from './host';
import { returnLength } from './registers';
import { copy } from './u256';

const FIRST_SIZE: u32 = 1 << 12;
/** Up to this size, buffers grow by more than is needed. */
const LARGE: u32 = 1 << 20;
/** The most bytes of the logs of a message. The host handles all of them at once, which takes time. */
const MOST_LOGS: u64 = 64 << 20;

let data: usize = 0;
let dataSize: u32 = 0;

/** Returns the address of the data that the last call returned. */
@inline
export function returnData(): usize {
  return data;
}

/** Reserves room for returned data of that length and returns its address. */
export function reserveReturnData(length: u32): usize {
  if (length > dataSize) {
    if (dataSize) release(data, dataSize);
    dataSize = max<u32>(FIRST_SIZE, length + min<u32>(length, LARGE));
    data = allocate(dataSize);
  }
  returnLength = length;
  return data;
}

/** Copies the output of a frame into the returned data. */
export function keepReturnData(source: usize, length: u32): void {
  if (length) memory.copy(reserveReturnData(length), source, length);
  else returnLength = 0;
}

let logs: usize = 0;
let logsSize: u32 = 0;
let logsUsed: u32 = 0;

/** Returns the length of the logs, to which `dropLogs` can go back. */
@inline
export function logMark(): u32 {
  return logsUsed;
}

/** Drops the logs since the mark. */
@inline
export function dropLogs(mark: u32): void {
  logsUsed = mark;
}

export function logsStart(): usize {
  return logs;
}

/** Adds a log of `count` topics, the first at `topics`, the next below it. Returns its address. */
@inline
export function addLog(account: usize, count: u32, topics: usize, source: usize, length: u32): usize {
  const size = (<u32>Log.DATA + length + 15) & ~15;
  if (<u64>logsUsed + size > <u64>logsSize) {
    const needed = <u64>logsUsed + size;
    if (needed > MOST_LOGS) outOfMemory();
    const wanted = max<u32>(FIRST_SIZE, <u32>min<u64>(needed * 2, MOST_LOGS));
    logs = logsSize ? enlarge(logs, logsSize, logsUsed, wanted) : allocate(wanted);
    logsSize = wanted;
  }
  const log = logs + logsUsed;
  copy(account + Account.ADDRESS, log + Log.ADDRESS);
  store<u32>(log, count, Log.TOPIC_COUNT);
  store<u32>(log, length, Log.LENGTH);
  for (let i: u32 = 0; i < count; i++) copy(topics - (i << 5), log + Log.TOPICS + (i << 5));
  memory.copy(log + Log.DATA, source, length);
  logsUsed += size;
  return log;
}
