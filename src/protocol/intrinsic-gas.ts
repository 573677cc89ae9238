import { equalBytes } from '../primitives/bytes.ts';
import { rlpListLength } from '../primitives/rlp.ts';
import { isFreeCall } from './hardforks/free-calls.ts';
import type { RuleSet } from './hardforks/rule-set.ts';
import type { AccessListEntry } from './transaction.ts';

/** The fields of a transaction that the intrinsic gas depends on. */
export interface PricedFields {
  readonly sender: Uint8Array;
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly authorizationList: readonly unknown[];
}

const ADDRESS_SIZE = 20;
const SLOT_SIZE = 32;

/** In bytes. The zero counts of longer data are cached, because they are read repeatedly. */
const LONG_DATA = 2 ** 16;

/** The zero counts of long, immutable data. */
const zerosOfLongData = new WeakMap<Uint8Array, number>();

/** Returns the number of zero bytes in the immutable data. */
function countZeros(data: Uint8Array): number {
  const known = data.length < LONG_DATA ? undefined : zerosOfLongData.get(data);
  if (known !== undefined) return known;
  const { length } = data;
  let zeros = 0;
  // Iterating over the bytes would take five times as long.
  for (let index = 0; index < length; index++) if (data[index] === 0) zeros++;
  if (length >= LONG_DATA) zerosOfLongData.set(data, zeros);
  return zeros;
}

/** Returns the gas for the recipient: a new contract or another account, and its value (EIP-2780). */
function addressingCost({ intrinsicGas: prices }: RuleSet, { sender, to, value }: PricedFields): bigint {
  if (to === null) return prices.creation;
  if (prices.recipient === 0n || equalBytes(to, sender)) return 0n;
  return prices.recipient + (value > 0n ? prices.value : 0n);
}

/** Returns the gas charged before any code runs. */
export function initialGas(ruleSet: RuleSet, parts: PricedFields): bigint {
  if (isFreeCall(ruleSet, parts)) return 0n;
  const prices = ruleSet.intrinsicGas;
  const zeros = BigInt(countZeros(parts.data));
  const nonZeros = BigInt(parts.data.length) - zeros;
  let gas = prices.transaction + zeros * prices.zeroByte + nonZeros * prices.nonZeroByte;
  gas += addressingCost(ruleSet, parts);
  if (parts.to === null) gas += BigInt(ruleSet.gas.size.initcodeWord * Math.ceil(parts.data.length / 32));
  if (parts.accessList.length > 0) gas += accessListCost(ruleSet, parts.accessList);
  const authorizations = parts.authorizationList.length;
  return authorizations === 0 ? gas : gas + prices.authorization * BigInt(authorizations);
}

function accessListCost(ruleSet: RuleSet, accessList: PricedFields['accessList']): bigint {
  const prices = ruleSet.intrinsicGas;
  const addresses = accessList.length;
  const slots = slotsOf(accessList);
  const gas = prices.accessListAddress * BigInt(addresses) + prices.accessListSlot * BigInt(slots);
  const tokens = prices.floorPerToken * accessListTokens(ruleSet, addresses, slots);
  if (prices.accessListByte === 0n) return gas + tokens;
  return gas + tokens + prices.accessListByte * BigInt(encodedLength(accessList));
}

/** In bytes, with the prefix: an encoded address or slot. */
const ENCODED_ADDRESS_SIZE = ADDRESS_SIZE + 1;
const ENCODED_SLOT_SIZE = SLOT_SIZE + 1;

/** Returns the length of an access list in RLP. */
function encodedLength(accessList: PricedFields['accessList']): number {
  let length = 0;
  for (const { storageKeys } of accessList)
    length += rlpListLength(ENCODED_ADDRESS_SIZE + rlpListLength(ENCODED_SLOT_SIZE * storageKeys.length));
  return rlpListLength(length);
}

function slotsOf(accessList: PricedFields['accessList']): number {
  let slots = 0;
  for (const { storageKeys } of accessList) slots += storageKeys.length;
  return slots;
}

/** Returns the tokens of an access list (EIP-7981). */
function accessListTokens({ intrinsicGas: prices }: RuleSet, addresses: number, slots: number): bigint {
  return BigInt(prices.accessListByteTokens * (ADDRESS_SIZE * addresses + SLOT_SIZE * slots));
}

/** Returns the minimum gas of a transaction (EIP-7623); 0 without this rule. */
export function floorGas(ruleSet: RuleSet, parts: PricedFields): bigint {
  const { data, accessList } = parts;
  const { floorPerToken, floorBegins, zeroByteTokens, transaction } = ruleSet.intrinsicGas;
  if (floorPerToken === 0n) return 0n;
  const zeros = countZeros(data);
  const tokens = BigInt(zeroByteTokens * zeros + 4 * (data.length - zeros));
  const addressing = floorBegins === 'with the transaction' ? 0n : addressingCost(ruleSet, parts);
  const listTokens = accessListTokens(ruleSet, accessList.length, slotsOf(accessList));
  return transaction + addressing + floorPerToken * (tokens + listTokens);
}

/** Returns the minimum gas limit of a transaction: the initial gas, or the floor if it is higher. */
export function intrinsicGas(ruleSet: RuleSet, parts: PricedFields): bigint {
  const [gas, floor] = [initialGas(ruleSet, parts), floorGas(ruleSet, parts)];
  return floor > gas ? floor : gas;
}
