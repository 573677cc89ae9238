/** Holds a user operation to the rules of ERC-7562 before it is sent. */

import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { CallMessage } from '../../chain/execution/calls.ts';
import { NO_OVERRIDES } from '../../chain/execution/state-overrides.ts';
import { revertText } from '../../evm/revert-reason.ts';
import { Erc7562Tracer } from '../../evm/tracers/erc7562-tracer.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex, type Hex, toHex, toQuantity } from '../../primitives/hex.ts';
import { networkContracts, precompilesOf } from '../../protocol/hardforks/precompiles.ts';
import { fetchingState } from '../../state/state-source.ts';
import { PENDING } from '../codecs/block-selector.ts';
import { DELEGATION_MARKER, type UserOperation } from '../codecs/user-operation.ts';
import { UserOperationError } from '../errors.ts';
import type { RpcContext } from '../rpc-context.ts';
import { BUNDLER_ABI, freeCall, senderCreatorOf } from './entry-point.ts';
import { brokenRules, type Entity, type EntityKind, type ValidationTrace } from './validation-rules.ts';

/** The code of ERC-7769 for an operation whose validation does what it may not. */
const RULE_BROKEN = -32502;
/** The code of ERC-7769 for an entity whose stake is not what the rules want of it. */
const STAKE_TOO_LOW = -32505;

/** `MIN_UNSTAKE_DELAY`: seconds that a stake must stay locked; any stake is enough on a chain of one's own. */
const LEAST_UNSTAKE_DELAY = 86_400;
const LEAST_STAKE = 1n;

/** Resolves to the contract as an entity, with the stake that the EntryPoint has of it. */
async function entityAt(
  { chain, checkInterrupt }: RpcContext,
  entryPoint: Uint8Array,
  kind: EntityKind,
  address: Uint8Array,
): Promise<Entity> {
  const args = [toHex(address)] as const;
  const asked = fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'getDepositInfo', args }));
  const message = freeCall(address, entryPoint, asked);
  const { returnData } = await chain.calls.call(message, PENDING, NO_OVERRIDES, checkInterrupt);
  const { staked, stake, unstakeDelaySec } = decodeFunctionResult({
    abi: BUNDLER_ABI,
    functionName: 'getDepositInfo',
    data: toHex(returnData),
  });
  const hasStake = staked && stake >= LEAST_STAKE;
  const isLong = unstakeDelaySec >= LEAST_UNSTAKE_DELAY;
  return { kind, address: toHex(address), isStaked: hasStake && isLong, hasShortStake: hasStake && !isLong };
}

/**
 * Rejects with a {@link UserOperationError} for an operation whose validation breaks rules of ERC-7562: -32502, whose data lists them, or
 * -32505 where the first would be none if the stake of the entity were locked for longer.
 * `bundle` is the call of the EntryPoint that the operation is to be sent in, which must succeed.
 */
export async function requireRules(
  context: RpcContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
  bundle: CallMessage,
): Promise<void> {
  const { chain, checkInterrupt } = context;
  const { sender, factory, paymaster } = operation;
  const options = { ignoredOpcodes: null, withLog: false, describeRevert: revertText };
  const trace = await chain.tracing.call(
    bundle,
    PENDING,
    (subject) => new Erc7562Tracer(subject, options),
    NO_OVERRIDES,
    checkInterrupt,
  );
  const code = await fetchingState(() => chain.headState().account(sender)?.code.bytes ?? new Uint8Array(0));
  const isMade = factory === null || equalBytes(factory, DELEGATION_MARKER) || code.length > 0;
  const entity = (kind: EntityKind, address: Uint8Array): Promise<Entity> =>
    entityAt(context, entryPoint, kind, address);
  const addresses = (contracts: readonly { readonly address: Uint8Array }[]): Hex[] =>
    contracts.map(({ address }) => toHex(address));
  const precompiles = new Set(addresses(precompilesOf(chain.ruleSet)));
  const stateful = new Set(addresses(networkContracts()));
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
      STAKE_TOO_LOW,
      `the stake of the ${kind} ${address} is locked for less than ${LEAST_UNSTAKE_DELAY} seconds: ${contract} ${message} [${rule}]`,
      {
        [kind]: address,
        minimumStake: toQuantity(LEAST_STAKE),
        minimumUnstakeDelay: toQuantity(LEAST_UNSTAKE_DELAY),
      },
    );
  }
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new UserOperationError(
    RULE_BROKEN,
    `the validation of the ${kind} breaks a rule of ERC-7562: ${contract} ${message} [${rule}]${more}`,
    { violations: [broken, ...others] },
  );
}
