import type { CallMessage } from '../node/call-execution.ts';
import type { Chain } from '../node/chain.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { TransactionTypeError } from '../rules/errors.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Authorization } from '../rules/transaction.ts';
import type { CallObject } from './codecs/call-object.ts';
import { flatFees, namedFees } from './fees.ts';

const ZERO_ADDRESS = new Uint8Array(20);

/**
 * The authorizations that a message names, none for `null` (EIP-7702). Throws {@link TransactionTypeError} for some under
 * rules that have none: without them the message would be another one.
 */
export function authorizationsOf(
  named: readonly Authorization[] | null,
  ruleSet: RuleSet,
): readonly Authorization[] {
  if (named === null || named.length === 0) return [];
  if (!ruleSet.transactionTypes.includes(4)) throw new TransactionTypeError(4, ruleSet);
  return named;
}

/**
 * The message that a call object stands for. The sender defaults to the zero address, the fees and the value to 0; no
 * recipient means a creation. Throws {@link TransactionTypeError} for authorizations under rules that have none.
 */
export function callMessage(call: CallObject, chain: Chain): CallMessage {
  const fees = namedFees(call, chain.head().header.ethereum.baseFeePerGas) ?? flatFees(0n);
  return {
    sender: call.from ?? ZERO_ADDRESS,
    to: call.to,
    value: call.value ?? 0n,
    data: call.input ?? EMPTY_BYTES,
    gasLimit: call.gas,
    ...fees,
    // Where access lists do not exist, one that a client made up must not cost gas.
    accessList: chain.ruleSet.transactionTypes.includes(1) ? (call.accessList ?? []) : [],
    authorizationList: authorizationsOf(call.authorizationList, chain.ruleSet),
  };
}
