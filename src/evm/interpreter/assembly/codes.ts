/**
 * The code cache, by code hash.
 *
 * Decoded code depends on the opcode table, so an instance of the module serves one rule set.
 */

import { flagsOf } from './accounts';
import { allocate, blockSize, release } from './allocator';
import { takeCountsOf } from './counting';
import { CODE_PADDING } from './decoder';
import { Account, Flag } from './generated/protocol';
import { takeHash } from './keccak';
import { loadCode } from './host';
import { Code, IS_COUNTING } from './layout';
import { beginSegments, discardSegments, segmentBytes } from './segments';
import { eq } from './u256';

const BUCKET_COUNT: u32 = 1 << 10;
const BUCKETS: usize = memory.data(BUCKET_COUNT * 4, 16);
/** Maximum size of the cache in bytes. Code that is running may exceed it. */
const KEPT_BYTES: u32 = 24 << 20;

let bytes: u32 = 0;
/** Incremented by each eviction, which invalidates older pointers to code. */
let tick: u32 = 1;
/** Ends the list of code made by the message. Not 0, because 0 means that code is in no list. */
const NO_MORE: usize = 1;
/** Code made by this message. The host cannot reload it before the message ends. */
let made: usize = NO_MORE;
/** Use counter, for eviction of the least recently used code. */
let clock: u32 = 0;

@inline
function bucketOfHash(hash: usize): usize {
  return BUCKETS + ((load<u32>(hash) & (BUCKET_COUNT - 1)) << 2);
}

/** Returns the code record of an account with code; 0 if the host must fetch the code first. */
function recordOf(account: usize): usize {
  if (load<u32>(account, Account.CODE_TICK) == tick) return load<u32>(account, Account.CODE);
  const hash = account + Account.CODE_HASH;
  let code = find(hash);
  if (code == 0) {
    code = newCode(load<u32>(account, Account.CODE_LENGTH));
    if (loadCode(account, load<u32>(code, Code.RAW)) == 0) {
      discard(code);
      return 0;
    }
    share(code, hash);
  }
  store<u32>(account, <u32>code, Account.CODE);
  store<u32>(account, tick, Account.CODE_TICK);
  return code;
}

@inline
function find(hash: usize): usize {
  let code = <usize>load<u32>(bucketOfHash(hash));
  while (code && !eq(code, hash)) code = load<u32>(code, Code.NEXT);
  return code;
}

/** Returns the bytes of an account's non-empty code; 0 if the host must fetch them first. */
export function rawCodeOf(account: usize): usize {
  const code = recordOf(account);
  return code ? <usize>load<u32>(code, Code.RAW) : 0;
}

/** Returns an account's non-empty code, ready to run; 0 if the host must fetch it first. */
export function codeOf(account: usize): usize {
  const code = recordOf(account);
  if (code) prepare(code);
  return code;
}

/** Creates a code record with space for `length` bytes. */
export function newCode(length: u32): usize {
  if (bytes + segmentBytes > KEPT_BYTES) evict();
  const code = allocate(<u32>Code.SIZE);
  memory.fill(code, 0, Code.SIZE);
  const rawSize = length + CODE_PADDING;
  const raw = allocate(rawSize);
  memory.fill(raw + length, 0, CODE_PADDING);
  store<u32>(code, <u32>raw, Code.RAW);
  store<u32>(code, rawSize, Code.RAW_SIZE);
  store<u32>(code, length, Code.LENGTH);
  bytes += blockSize(rawSize);
  return code;
}

/** Prepares the code to run, unless already done. */
export function prepare(code: usize): void {
  store<u32>(code, ++clock, Code.USED_AT);
  if (load<u32>(code, Code.SEGMENTS) == 0) beginSegments(code);
}

/** Adds the code to the cache under its hash. */
function share(code: usize, hash: usize): void {
  memory.copy(code, hash, 32);
  const bucket = bucketOfHash(hash);
  store<u32>(code, load<u32>(bucket), Code.NEXT);
  store<u32>(bucket, <u32>code);
  store<u32>(code, 1, Code.IS_SHARED);
}

/** Adds a frame that runs the code. */
@inline
export function hold(code: usize): void {
  store<u32>(code, load<u32>(code, Code.USERS) + 1, Code.USERS);
}

/** Removes a frame that ran the code. Initcode without frames is discarded. */
@inline
export function letGo(code: usize): void {
  const users = load<u32>(code, Code.USERS) - 1;
  store<u32>(code, users, Code.USERS);
  if (users == 0 && load<u32>(code, Code.IS_SHARED) == 0) discard(code);
}

function discard(code: usize): void {
  if (IS_COUNTING) takeCountsOf(code);
  const rawSize = load<u32>(code, Code.RAW_SIZE);
  bytes -= blockSize(rawSize);
  release(load<u32>(code, Code.RAW), rawSize);
  discardSegments(code);
  release(code, <u32>Code.SIZE);
}

/** Evicts the least recently used half of the code, except code that is running. */
function evict(): void {
  tick++;
  const oldest = clock - (clock - oldestUse()) / 2;
  for (let i: u32 = 0; i < BUCKET_COUNT; i++) {
    let link = BUCKETS + (i << 2);
    while (load<u32>(link)) {
      const code = <usize>load<u32>(link);
      if (load<u32>(code, Code.USERS) == 0 && load<u32>(code, Code.USED_AT) <= oldest) {
        store<u32>(link, load<u32>(code, Code.NEXT));
        discard(code);
      } else link = code + Code.NEXT;
    }
  }
}

/** Ignores code that is running. The code of the outermost frame is often the oldest. */
function oldestUse(): u32 {
  let oldest = clock;
  for (let i: u32 = 0; i < BUCKET_COUNT; i++) {
    let code = <usize>load<u32>(BUCKETS + (i << 2));
    while (code) {
      if (load<u32>(code, Code.USERS) == 0) oldest = min(oldest, load<u32>(code, Code.USED_AT));
      code = load<u32>(code, Code.NEXT);
    }
  }
  return oldest;
}

/** Sets the code of a journaled account to a copy of the bytes, and computes its hash. */
export function setCode(account: usize, source: usize, length: u32): void {
  store<u32>(account, length, Account.CODE_LENGTH);
  store<u32>(account, 0, Account.CODE_TICK);
  takeHash(source, length, account + Account.CODE_HASH);
  const isDelegation = length == 23 && (load<u32>(source) & 0xffffff) == 0x0001ef;
  const others = (flagsOf(account) & ~Flag.DELEGATES) | Flag.CODE_SET;
  store<u32>(account, isDelegation ? others | Flag.DELEGATES : others, Account.FLAGS);
  if (length == 0) return;
  const hash = account + Account.CODE_HASH;
  let code = find(hash);
  if (code == 0) {
    code = newCode(length);
    memory.copy(load<u32>(code, Code.RAW), source, length);
    share(code, hash);
  }
  if (load<u32>(code, Code.MADE_NEXT)) return;
  hold(code);
  store<u32>(code, <u32>made, Code.MADE_NEXT);
  made = code;
}

/** Allows eviction of the code made by the message, after the host copied it. */
export function releaseCreatedCode(): void {
  while (made != NO_MORE) {
    const code = made;
    made = load<u32>(code, Code.MADE_NEXT);
    store<u32>(code, 0, Code.MADE_NEXT);
    letGo(code);
  }
}
