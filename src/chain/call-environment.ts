import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import type { WorldState } from '../state/world-state.ts';

/** The context of a call: a state, the block that code sees, and a check that can cancel the call. */
export interface CallEnvironment {
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly state: WorldState;
  readonly environment: BlockEnvironment;
  /** Maximum gas of a call (`--call-gas-limit`); `null` for the default, which depends on the block. */
  readonly gasCap: bigint | null;
  readonly checkCancelled: CancelCheck;
  /** Bytes of the accounts that the overrides added to the state; absent without overrides. */
  readonly overrideSize?: number;
}

/** A call with its context, so that it can run again after the chain has changed. */
export interface RecordedCall {
  readonly site: CallEnvironment;
  /** With the nonce and the gas of its execution. */
  readonly message: Message;
  /** The limit that cut the gas of the message; absent if no limit did. */
  readonly gasCut?: GasCut | undefined;
}

/** Default gas of a call, unless the block gas limit is higher. */
const MIN_DEFAULT_GAS = 10_000_000n;
/** Maximum gas of a call, unless the block gas limit is higher. */
const USUAL_GAS_CAP = 2n ** 30n;
/** Maximum gas of a call on Rootstock's nodes, independent of the block (`rpc.callGasCap`). */
const NETWORK_GAS_CAP = 10_000_000n;

/** Maximum gas of a call from the options; `null` for the default, which depends on the block. */
export function gasCapOf({
  callGasLimit,
  networkLimits,
}: {
  readonly callGasLimit: bigint | null;
  readonly networkLimits: boolean;
}): bigint | null {
  return callGasLimit ?? (networkLimits ? NETWORK_GAS_CAP : null);
}

type GasSite = Pick<CallEnvironment, 'gasCap'> & { readonly environment: Pick<BlockEnvironment, 'gasLimit'> };

/** Maximum gas of a call: `--call-gas-limit`, or the larger of the block gas limit and 2^30. */
export function maximumCallGas({ gasCap, environment: { gasLimit } }: GasSite): bigint {
  return gasCap ?? (gasLimit > USUAL_GAS_CAP ? gasLimit : USUAL_GAS_CAP);
}

/** A limit below the requested gas, and the option that sets the limit. */
export interface GasCut {
  /** Gas of the message without the limit; `null` for any amount. */
  readonly wanted: bigint | null;
  readonly limit: bigint;
  readonly option: '--call-gas-limit' | '--tx-gas-limit' | '--gas-limit';
}

/** Returns the cut and the remedy as text. */
export function gasCutText({ wanted, limit, option }: GasCut): string {
  return wanted === null
    ? `at most ${limit} gas can be used; raise the limit with ${option}`
    : `gas was cut from ${wanted} to ${limit}; raise the limit with ${option}`;
}

/** Gas limit of a call, and its cut by {@link maximumCallGas}, if any. */
export interface CallGas {
  readonly gasLimit: bigint;
  readonly gasCut: GasCut | undefined;
}

/**
 * Gas limit of a call: the requested gas, capped by {@link maximumCallGas} alone. The default is the block
 * gas limit, at least ten million. The transaction limit of EIP-7825 does not apply.
 */
export function callGas(site: GasSite, requested: bigint | null): CallGas {
  const { gasLimit } = site.environment;
  const wanted = requested ?? (gasLimit > MIN_DEFAULT_GAS ? gasLimit : MIN_DEFAULT_GAS);
  const limit = maximumCallGas(site);
  return wanted > limit
    ? { gasLimit: limit, gasCut: { wanted, limit, option: '--call-gas-limit' } }
    : { gasLimit: wanted, gasCut: undefined };
}

export interface CallResult extends ExecutionResult {
  /** Present if the call failed and its gas was cut. */
  readonly gasCut?: GasCut;
}

/** Returns the result, with the cut if the execution failed. */
export function withGasCut(result: ExecutionResult, cut: GasCut | undefined): CallResult {
  return cut === undefined || result.outcome === 'success' ? result : { ...result, gasCut: cut };
}
