import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  hasFailed,
  type Message,
  UnexecutableError,
} from '../../evm/engine.ts';
import { HALT_REASONS } from '../../evm/halt-reasons.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import { hasSystemCalls } from '../../execution/system-calls.ts';
import { type Awaitable, isPromise, whenReady } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import type { Steps } from '../../primitives/steps.ts';
import { blobBaseFee, blobCost } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import { endsWithRemasc, REMASC_ADDRESS } from '../../protocol/remasc.ts';
import { type CancelCheck, neverCancelled, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import { type BlockSelector, isPending } from '../block-selector.ts';
import {
  type CallEnvironment,
  type CallResult,
  callGas,
  type GasCut,
  gasCapOf,
  type RecordedCall,
  withGasCut,
} from '../call-environment.ts';
import type { ChainCore } from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import { CallRejectedError, EstimateFailedError, UnpaidCallError } from '../errors.ts';
import type { BlockProducer } from '../mining/block-producer.ts';
import { type Ancestors, ancestorsOf } from '../mining/parent-context.ts';
import type { BlockResolver } from './block-resolver.ts';
import { withoutLogs } from './result-budget.ts';
import {
  type AccountOverride,
  type CallOverrides,
  NO_OVERRIDES,
  overrideAccounts,
  overrideEnvironment,
  withMovedPrecompiles,
} from './state-overrides.ts';

/** A message without a nonce. If its gas limit is `null`, the chain chooses one. */
export type CallMessage = Omit<Message, 'gasLimit' | 'nonce'> & {
  readonly gasLimit: bigint | null;
  /** True to reject the message if its sender cannot pay gas and value. By default funds are not checked. */
  readonly needsFunds?: boolean;
};

/** Returns the environment that code in the block sees under the rule set. */
export function environmentOf(
  block: Block,
  { blockHash, ancestor, uncalled }: Ancestors,
  ruleSet: RuleSet,
): BlockEnvironment {
  const { header } = block;
  const environment: BlockEnvironment = {
    number: header.number,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    difficulty: header.difficulty,
    gasLimit: header.gasLimit,
    minimumGasPrice: header.minimumGasPrice,
    baseFeePerGas: header.ethereum.baseFeePerGas,
    excessBlobGas: header.ethereum.excessBlobGas,
    blobBaseFee: blobBaseFee(header.ethereum.excessBlobGas, ruleSet.blobs),
    prevRandao: header.ethereum.mixHash,
    parentBeaconBlockRoot: header.ethereum.parentBeaconBlockRoot,
    slotNumber: header.ethereum.slotNumber,
    blockHash,
    ancestor,
    uncalled,
  };
  return endsWithRemasc(block) ? { ...environment, feeRecipient: REMASC_ADDRESS } : environment;
}

function least(first: bigint, second: bigint | null): bigint {
  return second !== null && second < first ? second : first;
}

/** Maximum gas of the estimated transaction and its option; `null` for the message's own limit. */
function estimateLimit(
  { gasCap, environment, ruleSet }: CallEnvironment,
  { gasLimit }: CallMessage,
): { readonly most: bigint; readonly option: GasCut['option'] | null } {
  const limits = [
    [gasLimit, null],
    [ruleSet.maximumTransactionGas, '--tx-gas-limit'],
    [gasCap, '--call-gas-limit'],
  ] as const;
  let most = environment.gasLimit;
  let option: GasCut['option'] | null = '--gas-limit';
  for (const [limit, name] of limits) {
    if (limit === null || limit > most || (limit === most && name !== null)) continue;
    most = limit;
    option = name;
  }
  return { most, option };
}

/** Calls ignore the nonce of the message. A creation uses the sender's nonce in the state. */
const UNCHECKED_NONCE = 0n;

/** Adds the gas limit. Throws {@link UnpaidCallError} if required funds are missing. */
export function completeMessage(
  site: CallEnvironment,
  message: CallMessage,
  gasLimit = callGas(site, message.gasLimit).gasLimit,
): Message {
  if (message.needsFunds === true) {
    const balance = site.state.account(message.sender)?.balance ?? 0n;
    const cost = gasLimit * site.ruleSet.fees.offer(message) + message.value + blobCost(message);
    if (balance < cost) throw UnpaidCallError.funds();
  }
  // `Object.assign` is faster in V8 before Node 24 than a spread followed by members.
  return Object.assign({}, message, { gasLimit, nonce: UNCHECKED_NONCE });
}

export function recordedCallAt(site: CallEnvironment, message: CallMessage): RecordedCall {
  const { gasLimit, gasCut } = callGas(site, message.gasLimit);
  return { site, message: completeMessage(site, message, gasLimit), gasCut };
}

/** Replaces an `UnexecutableError` with a {@link CallRejectedError}; throws other errors unchanged. */
function reject(error: unknown): never {
  throw error instanceof UnexecutableError ? new CallRejectedError(error.message) : error;
}

/**
 * Executes a message on `state`; synchronous if the engine need not wait. Throws {@link CallRejectedError} if
 * the message breaks a rule before execution, and any error of `checkCancelled`.
 */
export function executeMessage(
  { engine, environment, checkCancelled }: CallEnvironment,
  message: Message,
  state: Overlay,
  observer?: ExecutionObserver,
): Awaitable<ExecutionResult> {
  try {
    const result = engine.call(environment, state, message, observer, checkCancelled);
    return isPromise(result) ? result.catch(reject) : result;
  } catch (error) {
    return reject(error);
  }
}

/**
 * Executes a message on a discarded copy of the state. The default gas is {@link callGas} of the site. Throws
 * {@link CallRejectedError} if it breaks a rule before execution, {@link UnpaidCallError} if its sender
 * cannot pay.
 */
function executeCall(
  site: CallEnvironment,
  message: CallMessage,
  gasLimit: bigint,
): Awaitable<ExecutionResult> {
  const complete = withoutLogs(completeMessage(site, message, gasLimit));
  return executeMessage(site, complete, new Overlay(site.state));
}

/** Resolves to the gas used before refunds under this gas limit; `null` if the message fails. */
async function gasUsedWith(
  site: CallEnvironment,
  message: CallMessage,
  gasLimit: bigint,
): Promise<bigint | null> {
  if (gasLimit < intrinsicGas(site.ruleSet, message)) return null;
  const { outcome, gasBeforeRefund } = await executeCall(site, message, gasLimit);
  return outcome === 'success' ? gasBeforeRefund : null;
}

/** The default sender of a call. */
const NOBODY = new Uint8Array(20);

/** Returns true for a message that only moves value to an account without code. */
function isPlainTransfer(
  { state }: CallEnvironment,
  { to, data, accessList, authorizationList }: CallMessage,
): boolean {
  if (to === null || data.length + accessList.length + authorizationList.length > 0) return false;
  return (state.account(to)?.code.bytes.length ?? 0) === 0;
}

/** Returns true if the balance of the sender, which code can read, does not depend on the gas limit. */
function isFree({ ruleSet }: CallEnvironment, message: CallMessage): boolean {
  return ruleSet.fees.offer(message) === 0n && message.authorizationList.length === 0;
}

/**
 * Maximum gas that the sender can pay. Returns `null` if funds are not required, the price is zero, or the
 * sender is the default. Throws {@link UnpaidCallError} if the sender cannot even pay the value.
 */
function affordableGas({ state, ruleSet }: CallEnvironment, message: CallMessage): bigint | null {
  const { needsFunds = false, sender, value } = message;
  const price = ruleSet.fees.offer(message);
  if (!needsFunds || price === 0n || equalBytes(sender, NOBODY)) return null;
  const balance = state.account(sender)?.balance ?? 0n;
  const left = balance - value - blobCost(message);
  if (left < 0n) throw UnpaidCallError.funds();
  return left / price;
}

/** Throws {@link UnpaidCallError} if a known sender cannot pay the value. */
function requireValue({ state }: CallEnvironment, { sender, value }: CallMessage): void {
  const balance = state.account(sender)?.balance ?? 0n;
  if (!equalBytes(sender, NOBODY) && balance < value) throw UnpaidCallError.funds();
}

/** The first run of an estimate, with the maximum gas. */
interface FirstRun {
  readonly engine: Engine;
  /** Called after the first run, with any outcome. */
  readonly onEnd: (run: Omit<RecordedCall, 'site'>, result: ExecutionResult) => void;
}

/**
 * Resolves to the smallest gas limit that gives the same run as the maximum gas, by binary search. The gas
 * used is not always enough, because each inner call holds back 1/64 of the gas (EIP-150). Code that catches
 * an inner call's out-of-gas error uses a different amount, so the search compares the amounts. If the use of
 * gas depends on the limit, only success is compared.
 *
 * Throws {@link EstimateFailedError} if the transaction's maximum gas or the message's own limit is not
 * enough. Throws {@link CallRejectedError} if the message breaks a rule before execution. Throws
 * {@link UnpaidCallError} if its sender cannot pay. Any error of `checkCancelled` is thrown too.
 */
async function estimateGas(site: CallEnvironment, message: CallMessage, first: FirstRun): Promise<bigint> {
  if (message.needsFunds === true && isPlainTransfer(site, message)) {
    requireValue(site, message);
    return estimateGas(site, { ...message, needsFunds: false }, first);
  }
  const { most: limit, option } = estimateLimit(site, message);
  const affordable = affordableGas(site, message);
  const isShort = affordable !== null && affordable < limit;
  const most = isShort ? affordable : limit;
  if (isShort && most < intrinsicGas(site.ruleSet, message)) throw UnpaidCallError.allowance(most);
  let isUsedEnough = false;
  const onUnobservedGas = (): void => {
    isUsedEnough = isFree(site, message);
  };
  const complete = { ...withoutLogs(completeMessage(site, message, most)), onUnobservedGas };
  const result = await executeMessage({ ...site, engine: first.engine }, complete, new Overlay(site.state));
  if (isShort && result.haltReason === HALT_REASONS.outOfGas) throw UnpaidCallError.allowance(most);
  if (result.outcome !== 'success') {
    const isCut = !isShort && (message.gasLimit !== null || result.haltReason === HALT_REASONS.outOfGas);
    const gasCut = option === null || !isCut ? undefined : { wanted: message.gasLimit, limit, option };
    first.onEnd({ message: complete, gasCut }, result);
    throw new EstimateFailedError(withGasCut(result, gasCut));
  }
  first.onEnd({ message: complete }, result);
  const used = result.gasBeforeRefund;
  if (isUsedEnough) return used;
  const again = await gasUsedWith(site, message, used);
  if (again === used) return used;
  // Each nested call adds less than 1/63, so twice the gas is enough for about 40 levels.
  const ample = least(2n * used, most - 1n);
  const isSteady = ample > used && (await gasUsedWith(site, message, ample)) === used;
  if (!isSteady && again !== null) return used;
  let enough = isSteady ? ample : most;
  let tooLittle = used;
  while (enough - tooLittle > 1n) {
    const middle = nextGuess(tooLittle, enough);
    await yieldToOthers(site.checkCancelled);
    const usedThen = await gasUsedWith(site, message, middle);
    if (usedThen !== null && (usedThen === used || !isSteady)) enough = middle;
    else tooLittle = middle;
  }
  return enough;
}

/** The result is usually near the lower bound, so the first steps are short. */
function nextGuess(tooLittle: bigint, enough: bigint): bigint {
  const middle = (tooLittle + enough) / 2n;
  const near = tooLittle + tooLittle / 8n;
  return near > tooLittle && near < middle ? near : middle;
}

/**
 * Returns the site with the overrides applied, or a promise of it if there are many. The given site is not
 * changed. Throws {@link PrecompileMoveError}.
 */
export function overrideSite(site: CallEnvironment, overrides: CallOverrides): Awaitable<CallEnvironment> {
  const hasBlock = Object.keys(overrides.block).length > 0;
  const asGiven = hasBlock ? overrideEnvironment(site.environment, overrides.block) : site.environment;
  if (overrides.accounts.length === 0) return hasBlock ? { ...site, environment: asGiven } : site;
  const environment = withMovedPrecompiles(asGiven, site, overrides.accounts);
  return runTask(
    overriddenSite({ ...site, environment }, overrides.accounts),
    new TimeSlice(site.checkCancelled),
  );
}

function* overriddenSite(
  site: CallEnvironment,
  overrides: readonly AccountOverride[],
): Steps<CallEnvironment> {
  // Each part goes into the trie separately, so that the last step does not hash everything without a yield.
  const onPiece = (written: Overlay): Overlay => new Overlay(written.toWorldState());
  const state = yield* overrideAccounts(new Overlay(site.state), overrides, onPiece);
  return { ...site, state: state.toWorldState(), overrideSize: overrideSize(overrides) };
}

/** Approximate bytes of memory of an overridden account without its code, and of a slot. */
const ACCOUNT_SIZE = 1_024;
const SLOT_SIZE = 512;

function overrideSize(overrides: readonly AccountOverride[]): number {
  let size = 0;
  for (const { code, storage, slots } of overrides)
    size += ACCOUNT_SIZE + (code?.length ?? 0) + SLOT_SIZE * ((storage?.length ?? 0) + slots.length);
  return size;
}

/** Executes messages on a present or past state without changing the chain. */
export class ChainCalls {
  readonly #core: ChainCore;
  readonly #blocks: BlockResolver;
  readonly #producer: BlockProducer;

  constructor(core: ChainCore, blocks: BlockResolver, producer: BlockProducer) {
    this.#core = core;
    this.#blocks = blocks;
    this.#producer = producer;
  }

  /** Returns the site of a call in the block. Throws as `BlockResolver.view` does. */
  site(selector: BlockSelector, checkCancelled: CancelCheck): Awaitable<CallEnvironment> {
    const { engine, ruleSet, blockchain, pool, options } = this.#core;
    const gasCap = gasCapOf(options);
    if (isPending(selector) && pool.size === 0 && !hasSystemCalls(ruleSet)) {
      // No transaction or system call runs before the call, so building the pending block is unnecessary.
      const environment = this.#producer.nextEnvironment();
      return { engine, ruleSet, state: blockchain.head.state, environment, gasCap, checkCancelled };
    }
    return whenReady(this.#blocks.view(selector), ({ block, state }) => {
      const ancestors = this.#blocks.isBeside(block)
        ? this.#blocks.ancestors(block)
        : ancestorsOf(blockchain, block.header.number);
      const environment = environmentOf(block, ancestors, ruleSet);
      return { engine, ruleSet, state, environment, gasCap, checkCancelled };
    });
  }

  /** Returns the site of a call in the block, with the overrides. Throws `PrecompileMoveError` too. */
  overriddenSite(
    selector: BlockSelector,
    overrides: CallOverrides,
    checkCancelled: CancelCheck,
  ): Awaitable<CallEnvironment> {
    return whenReady(this.site(selector, checkCancelled), (site) => overrideSite(site, overrides));
  }

  /**
   * Executes the message on the state after the block, in the block's environment. State changes and logs are
   * discarded. Console output and a failure are emitted as events of `caller`. The result is synchronous if
   * nothing must be awaited. Throws, or rejects with, `BlockNotFoundError`, `CallRejectedError` and any error
   * of `checkCancelled`.
   */
  call(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides = NO_OVERRIDES,
    checkCancelled = neverCancelled,
    caller: CallToken | null = null,
  ): Awaitable<CallResult> {
    return whenReady(this.overriddenSite(selector, overrides, checkCancelled), (site) => {
      const { countedEngine: engine } = this.#core;
      const held = recordedCallAt(site, message);
      const result = executeMessage({ ...site, engine }, withoutLogs(held.message), new Overlay(site.state));
      return whenReady(result, (ended) => {
        this.#report(held, ended, caller);
        if (ended.console !== undefined) this.#core.events.emit('console', ended.console, caller);
        return withGasCut(ended, held.gasCut);
      });
    });
  }

  /**
   * Executes the message on a state and an environment and discards all changes. Throws, or rejects with,
   * `CallRejectedError` and any error of `checkCancelled`.
   */
  callOn(
    state: WorldState,
    environment: BlockEnvironment,
    message: CallMessage,
    checkCancelled = neverCancelled,
    observer?: ExecutionObserver,
  ): Awaitable<ExecutionResult> {
    const { engine, ruleSet, options } = this.#core;
    const site = { engine, ruleSet, state, environment, gasCap: gasCapOf(options), checkCancelled };
    return executeMessage(site, withoutLogs(completeMessage(site, message)), new Overlay(state), observer);
  }

  /**
   * Returns the smallest gas limit for the message to succeed on the state after the block. A failure is
   * emitted as an event of `caller`. Without `caller` the estimate is part of a send and no event is emitted.
   * If `isCounted` is true, coverage counts the first run. Rejects with `BlockNotFoundError`,
   * `CallRejectedError`, `EstimateFailedError`, and any error of `checkCancelled`.
   */
  async estimateGas(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides = NO_OVERRIDES,
    checkCancelled = neverCancelled,
    caller?: CallToken | null,
    isCounted = caller !== undefined,
  ): Promise<bigint> {
    const engine = isCounted ? this.#core.countedEngine : this.#core.engine;
    const site = await this.overriddenSite(selector, overrides, checkCancelled);
    if (caller === undefined) return estimateGas(site, message, { engine, onEnd: () => undefined });
    return estimateGas(site, message, {
      engine,
      onEnd: (run, result) => this.#report({ site, ...run }, result, caller),
    });
  }

  #report(held: RecordedCall, result: ExecutionResult, caller: CallToken | null): void {
    const { events } = this.#core;
    if (hasFailed(result)) events.emit('failedCall', held, result, caller);
    events.emit('executedCall', held, result, caller);
  }
}
