import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  HALT_REASONS,
  type Message,
  UnexecutableError,
} from '../../evm/engine.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { type CheckInterrupt, yieldToOthers } from '../../primitives/interrupt.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import { endsWithRemasc, REMASC_ADDRESS } from '../../protocol/remasc.ts';
import { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import { CallRejectedError, EstimateFailedError, UnpaidCallError } from '../errors.ts';
import type { Ancestors } from '../mining/parent-context.ts';

/** A message whose gas limit may be left to the chain. */
export type CallMessage = Omit<Message, 'gasLimit' | 'nonce'> & {
  readonly gasLimit: bigint | null;
  /** True to refuse the message where its sender cannot pay gas and value; by default funds are not looked at. */
  readonly needsFunds?: boolean;
};

/** Where a call runs: a state, and the block that code sees around it; and what ends it before its time. */
export interface CallSite {
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly state: WorldState;
  readonly environment: BlockEnvironment;
  /** The most gas that a call can have; left out where it is that of the block. */
  readonly gasCap?: bigint;
  readonly checkInterrupt: CheckInterrupt;
}

/** The environment of a block as code in it sees it; `blockHash` and `ancestor` answer for the blocks before it. */
export function environmentOf(block: Block, { blockHash, ancestor }: Ancestors): BlockEnvironment {
  const { header } = block;
  const environment: BlockEnvironment = {
    number: header.number,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    difficulty: header.difficulty,
    gasLimit: header.gasLimit,
    minimumGasPrice: header.minimumGasPrice,
    baseFeePerGas: header.ethereum.baseFeePerGas,
    prevRandao: header.ethereum.mixHash,
    blockHash,
    ancestor,
  };
  return endsWithRemasc(block) ? { ...environment, feeRecipient: REMASC_ADDRESS } : environment;
}

/** The gas a message runs with: what it asks for, at most a whole block's or what the site says. */
function gasOf({ gasCap, environment }: CallSite, message: CallMessage): bigint {
  const most = gasCap ?? environment.gasLimit;
  return message.gasLimit === null || message.gasLimit > most ? most : message.gasLimit;
}

/**
 * The message with what was left to the chain: the sender's nonce at the site, and gas. Throws {@link UnpaidCallError} for
 * one that needs funds which its sender does not have.
 */
export function completeMessage(site: CallSite, message: CallMessage): Message {
  const { nonce, balance } = site.state.account(message.sender) ?? { nonce: 0n, balance: 0n };
  const gasLimit = gasOf(site, message);
  if (message.needsFunds === true && balance < gasLimit * message.maxFeePerGas + message.value) {
    throw UnpaidCallError.funds();
  }
  return { ...message, gasLimit, nonce };
}

/**
 * Runs a message on `state`. Throws {@link CallRejectedError} when it cannot be run at all, and what the site's
 * `checkInterrupt` throws.
 */
export async function executeMessage(
  { engine, environment, checkInterrupt }: CallSite,
  message: Message,
  state: Overlay,
  observer?: ExecutionObserver,
): Promise<ExecutionResult> {
  try {
    return await engine.call(environment, state, message, observer, checkInterrupt);
  } catch (error) {
    if (error instanceof UnexecutableError) throw new CallRejectedError(error.message);
    throw error;
  }
}

/**
 * Runs a message on a throw-away copy of the state, with at most a whole block's gas.
 * Throws {@link CallRejectedError} when it cannot be run at all, {@link UnpaidCallError} when its sender cannot pay.
 */
export function executeCall(site: CallSite, message: CallMessage): Promise<ExecutionResult> {
  return executeMessage(site, completeMessage(site, message), new Overlay(site.state));
}

async function succeeds(site: CallSite, message: CallMessage, gasLimit: bigint): Promise<boolean> {
  if (gasLimit < intrinsicGas(site.ruleSet, message)) return false;
  return (await executeCall(site, { ...message, gasLimit })).outcome === 'success';
}

/** The sender of a call that names none. */
const NOBODY = new Uint8Array(20);

/** True for a message that moves value to an account without code and does nothing else. */
function isPlainTransfer(
  { state }: CallSite,
  { to, data, accessList, authorizationList }: CallMessage,
): boolean {
  if (to === null || data.length + accessList.length + authorizationList.length > 0) return false;
  return (state.account(to)?.code.bytes.length ?? 0) === 0;
}

/**
 * The most gas that the sender can pay for; `null` for a message that needs no funds, offers no price or names no sender.
 * Throws {@link UnpaidCallError} when not even the value can be paid.
 */
function affordableGas({ state }: CallSite, message: CallMessage): bigint | null {
  const { needsFunds = false, sender, value, maxFeePerGas } = message;
  if (!needsFunds || maxFeePerGas === 0n || equalBytes(sender, NOBODY)) return null;
  const balance = state.account(sender)?.balance ?? 0n;
  if (value > balance) throw UnpaidCallError.funds();
  return (balance - value) / maxFeePerGas;
}

/**
 * The least gas limit with which the message succeeds, found by halving the distance: what code used is not always
 * enough, since calls keep back a part of the gas. Throws {@link EstimateFailedError} when a whole block's gas (or the
 * message's own limit) is not enough, {@link CallRejectedError} when the message cannot be run at all,
 * {@link UnpaidCallError} when its sender cannot pay for it, and what the site's `checkInterrupt` throws.
 */
export async function estimateGas(site: CallSite, message: CallMessage): Promise<bigint> {
  if (message.needsFunds === true && isPlainTransfer(site, message)) {
    return estimateGas(site, { ...message, needsFunds: false });
  }
  const limit = gasOf(site, message);
  const affordable = affordableGas(site, message);
  const isShort = affordable !== null && affordable < limit;
  const most = isShort ? affordable : limit;
  if (isShort && most < intrinsicGas(site.ruleSet, message)) throw UnpaidCallError.allowance(most);
  const result = await executeCall(site, { ...message, gasLimit: most });
  if (isShort && result.haltReason === HALT_REASONS.outOfGas) throw UnpaidCallError.allowance(most);
  if (result.outcome !== 'success') throw new EstimateFailedError(result);
  let enough = most;
  let tooLittle = result.gasBeforeRefund - 1n;
  if (await succeeds(site, message, result.gasBeforeRefund)) return result.gasBeforeRefund;
  while (enough - tooLittle > 1n) {
    const middle = nextGuess(tooLittle, enough);
    await yieldToOthers(site.checkInterrupt);
    if (await succeeds(site, message, middle)) enough = middle;
    else tooLittle = middle;
  }
  return enough;
}

/** The answer lies near the lower end far more often than in the middle, so the first steps are short. */
function nextGuess(tooLittle: bigint, enough: bigint): bigint {
  const middle = (tooLittle + enough) / 2n;
  const near = tooLittle + tooLittle / 8n;
  return near > tooLittle && near < middle ? near : middle;
}
