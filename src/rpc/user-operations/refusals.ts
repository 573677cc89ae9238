/** The refusals of an EntryPoint, as errors of ERC-7769. */

import { decodeErrorResult, encodeFunctionData } from 'viem/utils';
import type { AccountOverride } from '../../chain/execution/state-overrides.ts';
import { bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import { PENDING } from '../codecs/block-selector.ts';
import type { UserOperation } from '../codecs/user-operation.ts';
import { UserOperationError } from '../errors.ts';
import type { RpcContext } from '../rpc-context.ts';
import { BUNDLER_ABI, freeCall } from './entry-point.ts';
import { packed } from './packed-operation.ts';

/** The codes of ERC-7769. */
const CODES = {
  entryPoint: -32500,
  paymaster: -32501,
  outOfTime: -32503,
  aggregator: -32506,
  signature: -32507,
  paymasterDeposit: -32508,
} as const;

const DELEGATION_PREFIX = fromHex('0xef0100');

/** Returns the overrides that stand for the delegation of an operation, for calls that come before it. */
export function delegationOverrides({
  sender,
  authorization,
}: Pick<UserOperation, 'sender' | 'authorization'>): AccountOverride[] {
  if (authorization === null) return [];
  const code = concatBytes(DELEGATION_PREFIX, authorization.address);
  const rest = { balance: null, nonce: null, storage: null, slots: [], movePrecompileTo: null };
  return [{ address: sender, code, ...rest }];
}

function codeOf(reason: string): number {
  if (/^AA[23]4/.test(reason)) return CODES.signature;
  if (/^AA[23]2/.test(reason)) return CODES.outOfTime;
  if (reason.startsWith('AA31')) return CODES.paymasterDeposit;
  return reason.startsWith('AA3') ? CODES.paymaster : CODES.entryPoint;
}

/** Returns the error for what an EntryPoint reverted with. */
export function operationErrorOf({ paymaster }: UserOperation, returned: Uint8Array): UserOperationError {
  const data = toHex(returned);
  try {
    const { errorName, args } = decodeErrorResult({ abi: BUNDLER_ABI, data });
    const reason = String(args?.[1]);
    const code = codeOf(reason);
    const inner = errorName === 'FailedOpWithRevert' ? { revertData: args?.[2] } : {};
    const blamesPaymaster = reason.startsWith('AA3') && paymaster !== null;
    const blamed = blamesPaymaster ? { paymaster: toHex(paymaster) } : {};
    return new UserOperationError(code, reason, { ...blamed, ...inner });
  } catch {
    return new UserOperationError(CODES.entryPoint, 'the EntryPoint refused the user operation', data);
  }
}

/** An address in the answer of `validateUserOp`: 0 for a right signature, 1 for a wrong one, and else an aggregator of signatures. */
const AUTHORIZER_BITS = 160;

/**
 * Resolves to the error of ERC-7769 where an account, whose signature `handleOps` calls wrong, asks for an aggregator of signatures, of which
 * the bundler supports none; else to `refused`. An account that cannot be asked by itself, since it is only about to be made, is not.
 */
export async function withAggregator(
  context: RpcContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
  hash: Uint8Array,
  refused: UserOperationError,
): Promise<UserOperationError> {
  if (!refused.message.startsWith('AA24')) return refused;
  const asked = encodeFunctionData({
    abi: BUNDLER_ABI,
    functionName: 'validateUserOp',
    args: [packed(operation), toHex(hash), 0n],
  });
  const overrides = { accounts: delegationOverrides(operation), block: {} };
  const message = freeCall(entryPoint, operation.sender, fromHex(asked));
  const { outcome, returnData } = await context.chain.calls.call(
    message,
    PENDING,
    overrides,
    context.checkInterrupt,
  );
  if (outcome !== 'success' || returnData.length !== 32) return refused;
  const authorizer = BigInt.asUintN(AUTHORIZER_BITS, bytesToBigInt(returnData));
  if (authorizer <= 1n) return refused;
  const aggregator = toHex(returnData.subarray(-20));
  const reason = `AA24 signature error: the account wants the signature aggregator ${aggregator}, and no aggregators are supported`;
  return new UserOperationError(CODES.aggregator, reason, { aggregator });
}
