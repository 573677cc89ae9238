/** Estimates the gas of a user operation by executing its parts in the order of an EntryPoint (ERC-7769). */

import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { PENDING } from '../chain/block-selector.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import type { AccountOverride } from '../chain/execution/state-overrides.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { FrameEnd } from '../evm/observer.ts';
import type { Tracer } from '../evm/tracers/tracer.ts';
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex, type Hex, toHex, toQuantity } from '../primitives/hex.ts';
import { ready, type Steps } from '../primitives/steps.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { floorGas, initialGas, intrinsicGas } from '../protocol/intrinsic-gas.ts';
import { fetchingState } from '../state/state-source.ts';
import { BUNDLER, operationHash } from './bundler.ts';
import { BUNDLER_ABI, freeCall, handleOpsData, packed, senderCreatorOf } from './entry-point.ts';
import { UserOperationError } from './errors.ts';
import type { OperationContext } from './operation-context.ts';
import { DELEGATION_MARKER, type UserOperation } from './user-operation.ts';
import { delegationOverrides } from './validation.ts';

/** Gas of an EntryPoint before the call, without the account's code: it writes the nonce and the deposit. */
const VALIDATION_OVERHEAD = 90_000n;
const PAYMASTER_OVERHEAD = 30_000n;
/**
 * Gas of an EntryPoint per operation outside all limits: events, the refund of the deposit, the beneficiary.
 */
const UNCOUNTED_GAS = 10_000n;
/** New slots of an EntryPoint for nonce and deposit, if the hardfork prices new state apart (EIP-8037). */
const NEW_SLOTS = 2;
/** Maximum tries to find the minimum gas of the call; each adds a quarter. */
const MAX_TRIES = 24;

/** The result of a part, with the gas of its code. A receipt may have more, for its data (EIP-7623). */
interface PartResult extends ExecutionResult {
  readonly frameGas: bigint;
}

/** Records the gas of the outermost frame. */
class PartTracer implements Tracer<PartResult> {
  #depth = 0;
  #frameGas = 0n;

  frameStart(): void {
    this.#depth++;
  }

  frameEnd({ gasUsed }: FrameEnd): void {
    if (--this.#depth === 0) this.#frameGas = gasUsed;
  }

  result(result: ExecutionResult): Steps<PartResult> {
    return ready({ ...result, frameGas: this.#frameGas });
  }
}

/** Minimum size of the return data that an EntryPoint decodes: a number, and bytes with a number. */
const MIN_ANSWER: Readonly<Partial<Record<Part['kind'], number>>> = { validation: 32, paymaster: 96 };

function withMargin(gas: bigint): bigint {
  return gas + gas / 10n;
}

/** A part of an operation: a call from the EntryPoint, or from the contract that creates senders. */
interface Part {
  readonly kind: 'creation' | 'validation' | 'paymaster' | 'call' | 'postOp';
  readonly message: CallMessage;
}

function partOf(kind: Part['kind'], sender: Uint8Array, to: Uint8Array, data: Uint8Array): Part {
  return { kind, message: freeCall(sender, to, data) };
}

function encoded(
  functionName: 'validateUserOp' | 'validatePaymasterUserOp',
  op: UserOperation,
  hash: Hex,
): Uint8Array {
  return fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName, args: [packed(op), hash, 0n] }));
}

const EXECUTE_SELECTOR = fromHex(
  encodeFunctionData({
    abi: BUNDLER_ABI,
    functionName: 'executeUserOp',
    args: [packed({ ...emptyOperation(), sender: new Uint8Array(20) }), `0x${'00'.repeat(32)}`],
  }),
).subarray(0, 4);

function emptyOperation(): UserOperation {
  const gas = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n, maxFeePerGas: 0n };
  const paymaster = { paymaster: null, paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n };
  return {
    ...{ sender: EMPTY_BYTES, nonce: 0n, factory: null, factoryData: EMPTY_BYTES, callData: EMPTY_BYTES },
    ...{ ...gas, maxPriorityFeePerGas: 0n, ...paymaster, paymasterData: EMPTY_BYTES },
    ...{ paymasterSignature: null, signature: EMPTY_BYTES, authorization: null },
  };
}

/** Returns the part that creates the sender; `null` if no creation is needed. */
function creationOf(operation: UserOperation, entryPoint: Uint8Array, isThere: boolean): Part | null {
  const { sender, factory, factoryData } = operation;
  const creator = senderCreatorOf(entryPoint);
  if (factory === null) return null;
  if (!equalBytes(factory, DELEGATION_MARKER))
    return isThere ? null : partOf('creation', creator, factory, factoryData);
  return factoryData.length === 0 ? null : partOf('creation', creator, sender, factoryData);
}

function callOf(operation: UserOperation, entryPoint: Uint8Array, hash: Hex): Part {
  const { sender, callData } = operation;
  const takesOperation = equalBytes(callData.subarray(0, 4), EXECUTE_SELECTOR);
  const args = [packed(operation), hash] as const;
  const data = takesOperation
    ? fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'executeUserOp', args }))
    : callData;
  return partOf('call', entryPoint, sender, data);
}

function failureOf(
  { kind }: Part,
  { returnData, haltReason }: ExecutionResult,
  { paymaster }: UserOperation,
): UserOperationError {
  const data = toHex(returnData);
  const why = haltReason ?? 'reverted';
  if (kind === 'call')
    return new UserOperationError('execution', `UserOperation ${why} during simulation`, data);
  if (kind === 'paymaster' || kind === 'postOp')
    return new UserOperationError('paymaster', kind === 'postOp' ? `AA50 postOp ${why}` : `AA33 ${why}`, {
      paymaster: paymaster === null ? null : toHex(paymaster),
      revertData: data,
    });
  const reason = kind === 'creation' ? `AA13 initCode failed: ${why}` : `AA23 ${why}`;
  return new UserOperationError('entryPoint', reason, { revertData: data });
}

/** Runs parts of an operation on the pending state. */
class TrialExecution {
  readonly #context: OperationContext;
  readonly #accounts: readonly AccountOverride[];
  readonly #operation: UserOperation;

  constructor(context: OperationContext, operation: UserOperation, accounts: readonly AccountOverride[]) {
    this.#context = context;
    this.#operation = operation;
    this.#accounts = [...accounts, ...delegationOverrides(operation)];
  }

  async results(parts: readonly Part[]): Promise<readonly PartResult[]> {
    const { chain, deadline } = this.#context;
    // With a higher limit, the frame's gas would not include the gas of state, which a bundle pays from it
    // (EIP-8037).
    const most = chain.ruleSet.gas.state?.executionLimit;
    const messages = parts.map(({ message }) => ({
      message: { ...message, gasLimit: message.gasLimit ?? most ?? null },
      createTracer: () => new PartTracer(),
    }));
    const site = { selector: PENDING, transactionIndex: null, accounts: this.#accounts };
    const [results = []] = await chain.tracing.bundles([{ messages, block: {} }], site, deadline);
    return results;
  }

  /** Rejects with {@link UserOperationError} for the first part that fails. */
  async gas(
    parts: readonly Part[],
  ): Promise<readonly { readonly gas: bigint; readonly output: Uint8Array }[]> {
    const results = await this.results(parts);
    return results.map((result, index) => {
      const part = parts[index];
      if (part === undefined) throw new RangeError('a result without its part');
      const isShort = result.returnData.length < (MIN_ANSWER[part.kind] ?? 0);
      if (result.outcome !== 'success' || isShort) throw failureOf(part, result, this.#operation);
      return { gas: result.frameGas, output: result.returnData };
    });
  }

  /** Returns the part with this gas for its code, or with the minimum gas of its data if that is higher. */
  limited(part: Part, gas: bigint): Part {
    const { ruleSet } = this.#context.chain;
    const wanted = gas + initialGas(ruleSet, part.message);
    const least = floorGas(ruleSet, part.message);
    return { ...part, message: { ...part.message, gasLimit: wanted < least ? least : wanted } };
  }

  /** Returns the minimum gas of {@link limited}. */
  leastOf({ message }: Part): bigint {
    const { ruleSet } = this.#context.chain;
    const more = floorGas(ruleSet, message) - initialGas(ruleSet, message);
    return more > 0n ? more : 0n;
  }
}

/** Resolves to the lowest tried gas that lets the last part succeed. */
async function minGas(
  trial: TrialExecution,
  before: readonly Part[],
  part: Part,
  used: bigint,
): Promise<bigint> {
  const least = trial.leastOf(part);
  let gas = used < least ? least : used;
  for (let count = 0; count < MAX_TRIES; count++) {
    const result = (await trial.results([...before, trial.limited(part, gas)])).at(-1);
    if (result?.outcome === 'success') return gas;
    gas += gas / 4n + 1_000n;
  }
  return gas;
}

/** Returns the gas of an EntryPoint before the call, without the account's code, including new state. */
function validationOverhead({ gas: { state } }: RuleSet): bigint {
  return VALIDATION_OVERHEAD + BigInt(NEW_SLOTS * (state?.slot ?? 0));
}

/**
 * Resolves to the gas limits of an operation, as QUANTITY. Signatures are not verified; they may be dummies.
 * Rejects with {@link UserOperationError} if the account, paymaster or call fails.
 */
export async function estimateOperation(
  context: OperationContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
  accounts: readonly AccountOverride[],
): Promise<object> {
  const { chain } = context;
  const hash = toHex(await operationHash(context, operation, entryPoint));
  const code = await fetchingState(
    () => chain.headState().account(operation.sender)?.code.bytes ?? EMPTY_BYTES,
  );
  const trial = new TrialExecution(context, operation, accounts);
  const creation = creationOf(operation, entryPoint, code.length > 0);
  const isMade = code.length > 0 || creation !== null || operation.authorization !== null;
  if (!isMade && accounts.length === 0)
    throw new UserOperationError('entryPoint', 'AA20 account not deployed');
  const validation = partOf(
    'validation',
    entryPoint,
    operation.sender,
    encoded('validateUserOp', operation, hash),
  );
  const { paymaster } = operation;
  const before: Part[] = [...(creation === null ? [] : [creation]), validation];
  if (paymaster !== null)
    before.push(
      partOf('paymaster', entryPoint, paymaster, encoded('validatePaymasterUserOp', operation, hash)),
    );
  const call = callOf(operation, entryPoint, hash);
  const parts = await trial.gas([...before, call]);
  const gasOf = (kind: Part['kind']): bigint =>
    parts[[...before, call].findIndex((part) => part.kind === kind)]?.gas ?? 0n;
  const callGas = await minGas(trial, before, call, gasOf('call'));
  const bundle = partOf('call', BUNDLER, entryPoint, handleOpsData(packed(operation), BUNDLER));
  const authorizations = operation.authorization === null ? [] : [operation.authorization];
  const outside = intrinsicGas(chain.ruleSet, { ...bundle.message, authorizationList: authorizations });
  const own = {
    preVerificationGas: toQuantity(outside + UNCOUNTED_GAS),
    verificationGasLimit: toQuantity(
      withMargin(gasOf('creation') + gasOf('validation')) + validationOverhead(chain.ruleSet),
    ),
    callGasLimit: toQuantity(withMargin(callGas) + 10_000n),
  };
  if (paymaster === null) return own;
  const context_ = parts[before.findIndex(({ kind }) => kind === 'paymaster')]?.output ?? EMPTY_BYTES;
  return {
    ...own,
    paymasterVerificationGasLimit: toQuantity(withMargin(gasOf('paymaster')) + PAYMASTER_OVERHEAD),
    paymasterPostOpGasLimit: toQuantity(
      await postOpGas(trial, [...before, call], paymaster, entryPoint, context_),
    ),
  };
}

/** Resolves to the gas of a paymaster's `postOp`; 0 if the paymaster returned no context. */
async function postOpGas(
  trial: TrialExecution,
  before: readonly Part[],
  paymaster: Uint8Array,
  entryPoint: Uint8Array,
  validated: Uint8Array,
): Promise<bigint> {
  const [kept] = decodeFunctionResult({
    abi: BUNDLER_ABI,
    functionName: 'validatePaymasterUserOp',
    data: toHex(validated),
  });
  if (kept === '0x') return 0n;
  const args = [0, kept, 0n, 0n] as const;
  const data = fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'postOp', args }));
  const part = partOf('postOp', entryPoint, paymaster, data);
  const used = (await trial.gas([...before, part])).at(-1)?.gas ?? 0n;
  return withMargin(used) + PAYMASTER_OVERHEAD;
}
