/** Slots of storage and transient storage, and the prices of writes. */

import { flagsOf } from './accounts';
import { Account, Flag, Rule, Slot } from './generated/protocol';
import { bucketOf, clearTable, countRecord, growTable, mix, newRecord, Table } from './hash-table';
import { loadSlot } from './host';
import { recordSlot, recordWarmth } from './journal';
import { epoch } from './registers';
import { holds, rule } from './layout';
import { beyondReservoir, giveStateGasBack, takeStateGas } from './gas';
import { copy, eq, isZero, setU64 } from './u256';

const TABLE: usize = memory.data(Table.SIZE, 16);

/** Drops all slots. */
export function clearSlots(): void {
  clearTable(TABLE);
}

@inline
function hashOfKey(owner: usize, key: usize): u32 {
  return mix(load<u64>(key) ^ (load<u64>(key, 24) << 11) ^ (<u64>owner << 21) ^ load<u64>(key, 8) ^ (load<u64>(key, 16) >> 9));
}

function hashOfSlot(slot: usize): u32 {
  return hashOfKey(load<u32>(slot, Slot.OWNER), slot);
}

function find(owner: usize, key: usize): usize {
  const bucket = bucketOf(TABLE, hashOfKey(owner, key));
  let slot = <usize>load<u32>(bucket);
  while (slot) {
    if (load<u32>(slot, Slot.OWNER) == <u32>owner && eq(slot, key)) return slot;
    slot = load<u32>(slot, Slot.NEXT);
  }
  slot = newRecord(Slot.SIZE);
  copy(key, slot);
  store<u32>(slot, <u32>owner, Slot.OWNER);
  store<u32>(slot, load<u32>(bucket), Slot.NEXT);
  store<u32>(bucket, <u32>slot);
  if (countRecord(TABLE)) growTable(TABLE, Slot.NEXT, hashOfSlot);
  return slot;
}

/** Returns a slot of the account's storage; 0 if the host must fetch it first. */
export function slotAt(account: usize, key: usize): usize {
  const slot = find(account, key);
  const generation = load<u32>(account, Account.GENERATION);
  if (load<u32>(slot, Slot.GENERATION) != generation) {
    store<u32>(slot, generation, Slot.GENERATION);
    store<u32>(slot, 0, Slot.IS_LOADED);
    store<u32>(slot, 0, Slot.ORIGINAL_IN);
  }
  if (load<u32>(slot, Slot.IS_LOADED) == 0) {
    if (flagsOf(account) & Flag.STORAGE_EMPTY) setU64(slot + Slot.CURRENT, 0);
    else if (loadSlot(slot, account) == 0) return 0;
    store<u32>(slot, 1, Slot.IS_LOADED);
  }
  if (load<u32>(slot, Slot.ORIGINAL_IN) != epoch) {
    copy(slot + Slot.CURRENT, slot + Slot.ORIGINAL);
    store<u32>(slot, epoch, Slot.ORIGINAL_IN);
  }
  return slot;
}

/** Reads the account's transient storage (EIP-1153) into `target`. An unwritten slot needs no record. */
export function readTransient(account: usize, key: usize, target: usize): void {
  const owner = account | 1;
  let slot = <usize>load<u32>(bucketOf(TABLE, hashOfKey(owner, key)));
  while (slot && !(load<u32>(slot, Slot.OWNER) == <u32>owner && eq(slot, key))) slot = load<u32>(slot, Slot.NEXT);
  if (slot && load<u32>(slot, Slot.ORIGINAL_IN) == epoch) copy(slot + Slot.CURRENT, target);
  else setU64(target, 0);
}

/** Returns a slot of the account's transient storage (EIP-1153). */
export function transientSlotAt(account: usize, key: usize): usize {
  const slot = find(account | 1, key);
  if (load<u32>(slot, Slot.ORIGINAL_IN) != epoch) {
    setU64(slot + Slot.CURRENT, 0);
    store<u32>(slot, epoch, Slot.ORIGINAL_IN);
  }
  return slot;
}

/** Journals and writes the slot. */
@inline
export function write(slot: usize, value: usize): void {
  recordSlot(slot);
  copy(value, slot + Slot.CURRENT);
}

@inline
function isCold(slot: usize): bool {
  return load<u32>(slot, Slot.WARM_IN) != epoch && holds(Rule.HAS_ACCESS);
}

/** Marks the slot as warm (EIP-2929). */
@inline
export function warmSlot(slot: usize): void {
  if (isCold(slot)) {
    recordWarmth(slot + Slot.WARM_IN);
    store<u32>(slot, epoch, Slot.WARM_IN);
  }
}

/** Returns the extra gas of a cold read. */
@inline
export function readSurcharge(slot: usize): i64 {
  return isCold(slot) ? rule(Rule.COLD_SLOT) - rule(Rule.WARM) : 0;
}

/** The refund of the last priced write; negative if it reverses an earlier refund. */
export let writeRefund: i64 = 0;

/** Returns the gas to write the value, and sets `writeRefund`. */
export function writePrice(slot: usize, value: usize): i64 {
  const current = slot + Slot.CURRENT;
  writeRefund = 0;
  if (!holds(Rule.STORE_IS_NET)) {
    if (isZero(current)) return isZero(value) ? rule(Rule.STORE_RESET) : rule(Rule.STORE_SET);
    if (isZero(value)) writeRefund = rule(Rule.STORE_CLEAR_REFUND);
    return rule(Rule.STORE_RESET);
  }
  return (isCold(slot) ? rule(Rule.COLD_SLOT_OF_STORE) : 0) + netPrice(slot + Slot.ORIGINAL, current, value);
}

/**
 * Returns the state gas of a write: the price of a new slot; negative if a slot created in this message
 * becomes zero again (EIP-8037).
 */
function stateOfWrite(slot: usize, value: usize): i64 {
  if (!isZero(slot + Slot.ORIGINAL)) return 0;
  const price = rule(Rule.STATE_SLOT);
  const wasZero = isZero(slot + Slot.CURRENT);
  if (wasZero == isZero(value)) return 0;
  return wasZero ? price : -price;
}

/** The gas that the frame pays for the last metered write; negative for a refund. */
export let meteredGas: i64 = 0;

/** Charges the state gas of a write. Returns false without any change if it needs more than `gas`. */
export function meterWrite(slot: usize, value: usize, gas: i64): bool {
  const price = stateOfWrite(slot, value);
  meteredGas = price > 0 ? beyondReservoir(price) : 0;
  if (meteredGas > gas) return false;
  if (price > 0) takeStateGas(price);
  else if (price < 0) meteredGas = -giveStateGasBack(-price);
  return true;
}

/** EIP-1283, EIP-2200 */
function netPrice(original: usize, current: usize, value: usize): i64 {
  if (eq(current, value)) return rule(Rule.STORE_UNCHANGED);
  if (eq(original, current)) {
    if (isZero(original)) return rule(Rule.STORE_SET);
    if (isZero(value)) writeRefund = rule(Rule.STORE_CLEAR_REFUND);
    return rule(Rule.STORE_RESET);
  }
  if (!isZero(original)) {
    if (isZero(current)) writeRefund -= rule(Rule.STORE_CLEAR_REFUND);
    else if (isZero(value)) writeRefund += rule(Rule.STORE_CLEAR_REFUND);
  }
  if (eq(original, value)) {
    writeRefund += isZero(original) ? rule(Rule.STORE_RESTORED_ZERO_REFUND) : rule(Rule.STORE_RESTORED_VALUE_REFUND);
  }
  return rule(Rule.STORE_UNCHANGED);
}
