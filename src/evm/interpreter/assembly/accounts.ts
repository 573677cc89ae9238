/** Accounts that the message read, and unchanged accounts of earlier messages. */

import { Account, Flag, Rule } from './generated/protocol';
import { bucketOf, clearTable, countRecord, growTable, mix, newRecord, Table } from './hash-table';
import { loadAccount } from './host';
import { recordAccount, recordWarmth } from './journal';
import { epoch } from './registers';
import { holds, rule } from './layout';
import { addWithCarry, isZero, sub } from './u256';

const TABLE: usize = memory.data(Table.SIZE, 16);

/** The RIPEMD-160 precompile. It stays touched despite a revert, as happened once on mainnet. */
export let ripemdTouched: usize = 0;

export function clearTouches(): void {
  ripemdTouched = 0;
}

/** Drops all accounts. */
export function clearAccounts(): void {
  clearTable(TABLE);
}

@inline
function hashOfAddress(a: u64, b: u64, c: u64): u32 {
  return mix(a ^ (b << 7) ^ (c << 29) ^ (b >> 31));
}

function hashOfAccount(account: usize): u32 {
  return hashOfAddress(load<u64>(account), load<u64>(account, 8), load<u64>(account, 16));
}

/** Returns the record of the address in the lower 20 bytes of a word; 0 if the host must fetch it first. */
export function accountAt(word: usize): usize {
  const a = load<u64>(word), b = load<u64>(word, 8), c = <u64>load<u32>(word, 16);
  const bucket = bucketOf(TABLE, hashOfAddress(a, b, c));
  let account = <usize>load<u32>(bucket);
  while (account) {
    if (load<u64>(account) == a && load<u64>(account, 8) == b && load<u64>(account, 16) == c) {
      return load<u32>(account, Account.IS_LOADED) ? account : loaded(account);
    }
    account = load<u32>(account, Account.NEXT);
  }
  account = newRecord(Account.SIZE);
  store<u64>(account, a);
  store<u64>(account, b, 8);
  store<u64>(account, c, 16);
  store<u32>(account, load<u32>(bucket), Account.NEXT);
  store<u32>(bucket, <u32>account);
  if (countRecord(TABLE)) growTable(TABLE, Account.NEXT, hashOfAccount);
  return loaded(account);
}

function loaded(account: usize): usize {
  if (loadAccount(account) == 0) return 0;
  store<u32>(account, 1, Account.IS_LOADED);
  return account;
}

@inline
export function flagsOf(account: usize): u32 {
  return load<u32>(account, Account.FLAGS);
}

@inline
export function hasFlag(account: usize, flag: u32): bool {
  return (flagsOf(account) & flag) != 0;
}

/** Returns true if nonce, balance and code are all empty (EIP-161). */
@inline
export function isEmpty(account: usize): bool {
  return (load<u64>(account, Account.NONCE) | <u64>load<u32>(account, Account.CODE_LENGTH)) == 0 && isZero(account + Account.BALANCE);
}

/** Returns true if the account is warm in this message. Precompiles are always warm (EIP-2929). */
@inline
export function isWarm(account: usize): bool {
  return load<u32>(account, Account.WARM_IN) == epoch || hasFlag(account, Flag.BUILT_IN);
}

/** Returns the extra gas of a cold access; 0 if the account is warm. */
@inline
export function coldSurcharge(account: usize): i64 {
  if (!holds(Rule.HAS_ACCESS) || isWarm(account)) return 0;
  return rule(Rule.COLD_ACCOUNT) - rule(Rule.WARM);
}

@inline
export function warm(account: usize): void {
  if (load<u32>(account, Account.WARM_IN) != epoch && holds(Rule.HAS_ACCESS)) {
    recordWarmth(account + Account.WARM_IN);
    store<u32>(account, epoch, Account.WARM_IN);
  }
}

/** Journals the account and marks it as existing. Call it before a change. */
export function beginChange(account: usize): void {
  recordAccount(account);
  store<u32>(account, flagsOf(account) | Flag.EXISTS, Account.FLAGS);
}

export function setFlag(account: usize, flag: u32): void {
  recordAccount(account);
  store<u32>(account, flagsOf(account) | flag, Account.FLAGS);
}

/**
 * Touches the account. At the end of the message, a touched empty account is removed or created, depending on
 * the rules. Other accounts do not change.
 */
@inline
export function touch(account: usize): void {
  if (isEmpty(account)) touchEmpty(account);
}

function touchEmpty(account: usize): void {
  beginChange(account);
  if (load<u64>(account) == 3 && (load<u64>(account, 8) | load<u64>(account, 16)) == 0) ripemdTouched = account;
}

/** Increments the nonce. */
export function raiseNonce(account: usize): void {
  beginChange(account);
  store<u64>(account, load<u64>(account, Account.NONCE) + 1, Account.NONCE);
}

/** Moves wei. Returns false, with an invalid balance of `to`, if that balance overflows 256 bits. */
export function transfer(from: usize, to: usize, value: usize): bool {
  beginChange(from);
  sub(from + Account.BALANCE, value, from + Account.BALANCE);
  beginChange(to);
  return addWithCarry(to + Account.BALANCE, value, to + Account.BALANCE) == 0;
}
