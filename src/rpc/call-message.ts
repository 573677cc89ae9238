import type { CallMessage } from '../chain/execution/call-execution.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { toQuantity } from '../primitives/hex.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { CallObject } from './codecs/call-object.ts';
import { describeValue } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';
import { flatFees, namedFees } from './fees.ts';
import type { RpcContext } from './rpc-context.ts';

const ZERO_ADDRESS = new Uint8Array(20);

/** The fields of a message that some rule sets have and others do not; `null` for what is absent. */
type RuleDependentFields = Pick<
  CallObject,
  'maxFeePerGas' | 'maxPriorityFeePerGas' | 'accessList' | 'authorizationList'
>;

function unknownField(place: string, { name }: RuleSet, lack: string, got: unknown): InvalidParamsError {
  const expected = `no such field, as the rule set ${name} has ${lack} (--hardfork chooses another rule set)`;
  return new InvalidParamsError(
    place,
    expected,
    typeof got === 'bigint' ? toQuantity(got) : describeValue(got),
  );
}

/**
 * Throws {@link InvalidParamsError} for a field that the rule set does not have, since without it the message would be
 * another one; `path` says where the message stands. Empty lists ask for nothing and are taken.
 */
export function requireKnownFields(
  { maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList }: RuleDependentFields,
  ruleSet: RuleSet,
  path: string,
): void {
  if (!ruleSet.hasBaseFee) {
    const lack = 'no base fee and takes gasPrice alone';
    if (maxFeePerGas !== null) throw unknownField(`${path}.maxFeePerGas`, ruleSet, lack, maxFeePerGas);
    if (maxPriorityFeePerGas !== null) {
      throw unknownField(`${path}.maxPriorityFeePerGas`, ruleSet, lack, maxPriorityFeePerGas);
    }
  }
  const { transactionTypes } = ruleSet;
  if (accessList !== null && accessList.length > 0 && !transactionTypes.includes(1)) {
    throw unknownField(`${path}.accessList`, ruleSet, 'no access lists', accessList);
  }
  if (authorizationList !== null && authorizationList.length > 0 && !transactionTypes.includes(4)) {
    throw unknownField(`${path}.authorizationList`, ruleSet, 'no authorizations', authorizationList);
  }
}

/**
 * The message that a call object stands for. The sender defaults to the zero address, the fees and the value to 0; no
 * recipient means a creation. Throws {@link InvalidParamsError} for a field that the rule set does not have; `path` says
 * where the call object stands.
 */
export function callMessage(
  { chain, settings }: Pick<RpcContext, 'chain' | 'settings'>,
  call: CallObject,
  path = 'call',
): CallMessage {
  requireKnownFields(call, chain.ruleSet, path);
  const fees = namedFees(call, chain.fees.nextBaseFee() ?? 0n, 0n) ?? flatFees(0n);
  return {
    sender: call.from ?? ZERO_ADDRESS,
    to: call.to,
    value: call.value ?? 0n,
    data: call.input ?? EMPTY_BYTES,
    gasLimit: call.gas,
    ...fees,
    accessList: call.accessList ?? [],
    authorizationList: call.authorizationList ?? [],
    needsFunds: settings.compat.callsNeedFunds,
  };
}
