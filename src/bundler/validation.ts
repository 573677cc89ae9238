/** Checks a user operation against ERC-7562, and converts rejections of an EntryPoint to ERC-7769 errors. */

import { decodeErrorResult, decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { PENDING } from '../chain/block-selector.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import { type AccountOverride, NO_OVERRIDES } from '../chain/execution/state-overrides.ts';
import { revertText } from '../evm/revert-reason.ts';
import { Erc7562Tracer } from '../evm/tracers/erc7562-tracer.ts';
import { bytesToBigInt, concatBytes, equalBytes } from '../primitives/bytes.ts';
import { fromHex, type Hex, toHex, toQuantity } from '../primitives/hex.ts';
import { precompilesOf, rootstockPrecompiles } from '../protocol/hardforks/precompiles.ts';
import { fetchingState } from '../state/state-source.ts';
import { BUNDLER_ABI, freeCall, packed, senderCreatorOf } from './entry-point.ts';
import { UserOperationError } from './errors.ts';
import type { OperationContext } from './operation-context.ts';
import { DELEGATION_MARKER, type UserOperation } from './user-operation.ts';
import { brokenRules, type Entity, type EntityKind, type ValidationTrace } from './validation-rules.ts';

/** `MIN_UNSTAKE_DELAY`: minimum seconds of a stake's lock. Any stake is sufficient on a local chain. */
const MIN_LOCK_SECONDS = 86_400;
const MIN_STAKE = 1n;

/** Resolves to the contract as an entity, with its stake at the EntryPoint. */
async function entityAt(
  { chain, deadline }: OperationContext,
  entryPoint: Uint8Array,
  kind: EntityKind,
  address: Uint8Array,
): Promise<Entity> {
  const args = [toHex(address)] as const;
  const asked = fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'getDepositInfo', args }));
  const message = freeCall(address, entryPoint, asked);
  const { returnData } = await chain.calls.call(message, PENDING, NO_OVERRIDES, deadline);
  const { staked, stake, unstakeDelaySec } = decodeFunctionResult({
    abi: BUNDLER_ABI,
    functionName: 'getDepositInfo',
    data: toHex(returnData),
  });
  const hasStake = staked && stake >= MIN_STAKE;
  const isLong = unstakeDelaySec >= MIN_LOCK_SECONDS;
  return { kind, address: toHex(address), isStaked: hasStake && isLong, hasShortStake: hasStake && !isLong };
}

/**
 * Rejects with {@link UserOperationError} if the validation breaks rules of ERC-7562. The code is -32502 and
 * the data lists the rules. The code is -32505 if a longer lock of the entity's stake would allow the first
 * rule. `bundle` is the EntryPoint call of the operation; it must succeed.
 */
export async function requireRules(
  context: OperationContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
  bundle: CallMessage,
): Promise<void> {
  const { chain, deadline } = context;
  const { sender, factory, paymaster } = operation;
  const options = { ignoredOpcodes: null, withLog: false, describeRevert: revertText };
  const trace = await chain.tracing.call(
    bundle,
    PENDING,
    (subject) => new Erc7562Tracer(subject, options),
    NO_OVERRIDES,
    deadline,
  );
  const code = await fetchingState(() => chain.headState().account(sender)?.code.bytes ?? new Uint8Array(0));
  const isMade = factory === null || equalBytes(factory, DELEGATION_MARKER) || code.length > 0;
  const entity = (kind: EntityKind, address: Uint8Array): Promise<Entity> =>
    entityAt(context, entryPoint, kind, address);
  const addresses = (contracts: readonly { readonly address: Uint8Array }[]): Hex[] =>
    contracts.map(({ address }) => toHex(address));
  const precompiles = new Set(addresses(precompilesOf(chain.ruleSet)));
  const stateful = new Set(addresses(rootstockPrecompiles()));
  const parties = {
    account: await entity('account', sender),
    factory: isMade || factory === null ? null : await entity('factory', factory),
    paymaster: paymaster === null ? null : await entity('paymaster', paymaster),
  };
  const [broken, ...others] = brokenRules(trace as ValidationTrace, {
    entryPoint: toHex(entryPoint),
    senderCreator: toHex(senderCreatorOf(entryPoint)),
    ...parties,
    precompiles,
    purePrecompiles: new Set(Array.from(precompiles).filter((address) => !stateful.has(address))),
  });
  if (broken === undefined) return;
  const { rule, entity: kind, address, contract, message } = broken;
  if (broken.takesStake && parties[kind]?.hasShortStake === true) {
    throw new UserOperationError(
      'stake',
      `the stake of the ${kind} ${address} is locked for less than ${MIN_LOCK_SECONDS} s, but the validation requires a longer lock: ${contract} ${message} [${rule}]`,
      {
        [kind]: address,
        minimumStake: toQuantity(MIN_STAKE),
        minimumUnstakeDelay: toQuantity(MIN_LOCK_SECONDS),
      },
    );
  }
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new UserOperationError(
    'rule',
    `the validation of the ${kind} breaks a rule of ERC-7562: ${contract} ${message} [${rule}]${more}`,
    { violations: [broken, ...others] },
  );
}

const DELEGATION_PREFIX = fromHex('0xef0100');

/** Returns the overrides that apply the delegation of an operation in calls before it is mined. */
export function delegationOverrides({
  sender,
  authorization,
}: Pick<UserOperation, 'sender' | 'authorization'>): AccountOverride[] {
  if (authorization === null) return [];
  const code = concatBytes(DELEGATION_PREFIX, authorization.address);
  const rest = { balance: null, nonce: null, storage: null, slots: [], movePrecompileTo: null };
  return [{ address: sender, code, ...rest }];
}

/** Returns the kind of error for a reason of the EntryPoint, which starts with its code (`AA23`). */
function kindOf(reason: string): keyof typeof UserOperationError.entries {
  if (/^AA[23]4/.test(reason)) return 'signature';
  if (/^AA[23]2/.test(reason)) return 'time';
  if (reason.startsWith('AA31')) return 'paymasterDeposit';
  return reason.startsWith('AA3') ? 'paymaster' : 'entryPoint';
}

/** Returns the error for the revert data of an EntryPoint. */
export function operationErrorOf({ paymaster }: UserOperation, returned: Uint8Array): UserOperationError {
  const data = toHex(returned);
  try {
    const { errorName, args } = decodeErrorResult({ abi: BUNDLER_ABI, data });
    const reason = String(args?.[1]);
    const inner = errorName === 'FailedOpWithRevert' ? { revertData: args?.[2] } : {};
    const blamesPaymaster = reason.startsWith('AA3') && paymaster !== null;
    const blamed = blamesPaymaster ? { paymaster: toHex(paymaster) } : {};
    return new UserOperationError(kindOf(reason), reason, { ...blamed, ...inner });
  } catch {
    return new UserOperationError('entryPoint', 'the EntryPoint rejected the user operation', data);
  }
}

/**
 * The result of `validateUserOp` is an address in its low bits: 0 for a valid signature, 1 for an invalid
 * one, else a signature aggregator.
 */
const AUTHORIZER_BITS = 160;

/**
 * Returns an aggregator error (ERC-7769) if `handleOps` rejected the signature and the account requires a
 * signature aggregator. Aggregators are not supported. Returns `refused` in all other cases, also for an
 * account that does not exist yet.
 */
export async function withAggregator(
  context: OperationContext,
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
    context.deadline,
  );
  if (outcome !== 'success' || returnData.length !== 32) return refused;
  const authorizer = BigInt.asUintN(AUTHORIZER_BITS, bytesToBigInt(returnData));
  if (authorizer <= 1n) return refused;
  const aggregator = toHex(returnData.subarray(-20));
  const reason = `AA24 signature error: the account requires the signature aggregator ${aggregator}; aggregators are not supported`;
  return new UserOperationError('aggregator', reason, { aggregator });
}
