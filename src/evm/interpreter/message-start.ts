// The steps before the code of a message runs: authorizations, intrinsic gas and gas price.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { countZeros, intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import { delegationTo } from '../delegation.ts';
import type { Message } from '../engine.ts';
import { EXISTING_ACCOUNT_REFUND, type SignedAuthorization } from '../signed-authorizations.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG } from './protocol.ts';

/** Applies the authorizations: their accounts delegate to code from now on. Returns the gas refund. */
export function followAuthorizations(machine: Machine, signed: readonly SignedAuthorization[]): bigint {
  let refund = 0n;
  for (const { authorization, authority } of signed) {
    const account = machine.account(authority);
    machine.warm(account);
    const hasCode = machine.memory.number(account + ACCOUNT.codeLength) > 0;
    if (hasCode && !machine.hasFlag(account, FLAG.delegates)) continue;
    const nonce = machine.nonce(account);
    if (nonce !== authorization.nonce) continue;
    if (machine.hasFlag(account, FLAG.exists)) refund += EXISTING_ACCOUNT_REFUND;
    machine.setAccount(account, machine.balance(account), nonce + 1n);
    const isCleared = authorization.address.every((byte) => byte === 0);
    machine.setShortCode(account, isCleared ? EMPTY_BYTES : delegationTo(authorization.address));
  }
  return refund;
}

/** The gas that a message pays before any code runs. */
export interface StartingGas {
  readonly intrinsic: bigint;
  /** The minimum charge in the end (EIP-7623); 0 where there is no such rule. */
  readonly floor: bigint;
}

/** Returns the gas that a message pays before any code runs. */
export function startingGas(ruleSet: RuleSet, message: Message): StartingGas {
  const { floorPerToken, transaction } = ruleSet.intrinsicGas;
  if (floorPerToken === 0n) return { intrinsic: intrinsicGas(ruleSet, message), floor: 0n };
  const prices = { ...ruleSet.intrinsicGas, floorPerToken: 0n };
  const zeros = countZeros(message.data);
  const tokens = BigInt(zeros + 4 * (message.data.length - zeros));
  return {
    intrinsic: intrinsicGas({ ...ruleSet, intrinsicGas: prices }, message),
    floor: transaction + floorPerToken * tokens,
  };
}

/** The prices per gas in wei: `price` is paid by the sender, `tip` of it goes to the recipient of the block's fees. */
export interface GasPrice {
  readonly price: bigint;
  readonly tip: bigint;
}

/** Returns the gas price of a message; `baseFeePerGas` is `null` when there is no base fee (EIP-1559). */
export function gasPrice(message: Message, baseFeePerGas: bigint | null): GasPrice {
  const { maxFeePerGas, maxPriorityFeePerGas } = message;
  if (baseFeePerGas === null) return { price: maxFeePerGas, tip: maxFeePerGas };
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  const price = offered < maxFeePerGas ? offered : maxFeePerGas;
  return { price, tip: price - baseFeePerGas };
}
