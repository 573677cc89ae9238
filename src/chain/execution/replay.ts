import { PricedMessage } from '../../evm/admission.ts';
import type { BlockEnvironment, ExecutionResult, Message } from '../../evm/engine.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import { beginBlock } from '../../execution/system-calls.ts';
import { blobBaseFee } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import { localSlotNumber } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import { isUncalled } from '../../storage/blocks-without-calls.ts';
import type { BlockSelector } from '../block-selector.ts';
import { type CallEnvironment, gasCapOf } from '../call-environment.ts';
import type { ChainCore } from '../chain-core.ts';
import type { BlockResolver } from './block-resolver.ts';
import { environmentOf } from './calls.ts';

/** The engine and rule set of an execution: the chain's own, or others. */
export interface ExecutionRules extends Pick<ChainCore, 'engine' | 'ruleSet'> {
  /** Overrides the transaction's gas limit. */
  readonly gasLimit?: bigint;
}

/**
 * Returns the environment of a block under another rule set. The minimum gas price and the base fee replace
 * each other if one is missing or 0. The blob base fee is computed again from the excess blob gas. A missing slot
 * number is the default slot of the block number.
 */
export function environmentUnder(ruleSet: RuleSet, environment: BlockEnvironment): BlockEnvironment {
  const { fees, blobs } = ruleSet;
  const { baseFeePerGas, minimumGasPrice } = environment;
  const excessBlobGas = blobs === null ? null : (environment.excessBlobGas ?? 0n);
  const slotNumber = environment.slotNumber ?? localSlotNumber(ruleSet, environment.number);
  const later = { excessBlobGas, blobBaseFee: blobBaseFee(excessBlobGas, blobs), slotNumber };
  if (fees.name === 'base fee')
    return { ...environment, ...later, baseFeePerGas: baseFeePerGas ?? minimumGasPrice };
  const least = baseFeePerGas === null || baseFeePerGas === 0n ? minimumGasPrice : baseFeePerGas;
  return { ...environment, ...later, baseFeePerGas: fees.baseFee(null), minimumGasPrice: least };
}

/** A mined transaction and the context of its replay. */
export interface MinedRun {
  readonly environment: BlockEnvironment;
  /** Before the run, the state before the transaction; afterwards, the state after it. */
  readonly state: Overlay;
  readonly transaction: Transaction;
  readonly observer?: ExecutionObserver | undefined;
  readonly checkCancelled: CancelCheck;
  /** True to enforce the gas cap of EIP-7825, if the rules differ from the block's. */
  readonly isCapped?: boolean;
}

/** Lifts the gas cap, because the transaction may have been mined with another `--tx-gas-limit`. */
function uncapped(transaction: Transaction, { maximumTransactionGas }: RuleSet): Message {
  const isAbove = maximumTransactionGas !== null && transaction.gasLimit > maximumTransactionGas;
  return isAbove ? { ...transaction, isUncapped: true } : transaction;
}

/**
 * Gives the sender the nonce and the funds of its mined transaction. If a fork follows its chain, the sender can
 * have others there. May throw a `MissingStateError`, before a change.
 */
function prepareSender(state: Overlay, transaction: Transaction, { fees }: RuleSet): void {
  const { sender, nonce } = transaction;
  const { nonce: nonceNow, balance } = state.account(sender) ?? { nonce: 0n, balance: 0n };
  const { maximumCost } = new PricedMessage(transaction, fees);
  if (nonceNow === nonce && balance >= maximumCost) return;
  state.setAccount(sender, { nonce, balance: balance > maximumCost ? balance : maximumCost });
}

/** Replays a mined transaction. REMASC's closing transaction runs without an engine. */
export async function runAgain(
  { engine, ruleSet }: ExecutionRules,
  { environment, state, transaction, observer, checkCancelled, isCapped = false }: MinedRun,
): Promise<ExecutionResult> {
  if (!isRemascTransaction(transaction)) {
    const message = isCapped ? transaction : uncapped(transaction, ruleSet);
    await fetchingState(() => prepareSender(state, transaction, ruleSet), checkCancelled);
    return engine.transact(environment, state, message, observer, checkCancelled);
  }
  const { remascClosing } = await import('../mining/remasc-closing.ts');
  const closing = remascClosing(ruleSet);
  const before = state.toWorldState();
  // An observer must not receive an event twice, so a first run fetches the required state.
  await fetchingState(() => closing.run(environment, new Overlay(before)));
  return closing.run(environment, state, observer);
}

/** A position in a block of the chain. */
export interface InnerSite {
  readonly selector: BlockSelector;
  /** Messages run before this transaction; `null` for the end of the block. */
  readonly transactionIndex: number | null;
}

/**
 * Returns the site of calls in the block, at its end or before one of its transactions. Rejects with
 * `BlockNotFoundError` and any error of `checkCancelled`.
 */
export async function siteInside(
  core: ChainCore,
  blocks: BlockResolver,
  { selector, transactionIndex }: InnerSite,
  checkCancelled: CancelCheck,
): Promise<CallEnvironment> {
  const { engine, ruleSet, options } = core;
  const { block, state: atEnd } = await blocks.view(selector);
  const environment = environmentOf(block, blocks.ancestors(block), ruleSet);
  const state =
    transactionIndex === null
      ? atEnd
      : (await stateBefore(core, blocks, block, transactionIndex, checkCancelled)).toWorldState();
  return { engine, ruleSet, environment, state, gasCap: gasCapOf(options), checkCancelled };
}

/**
 * Returns the state before a block's transactions: the parent's state after the system calls. Blocks of a
 * bulk-mined series made no system calls. Rejects with any error of `checkCancelled`.
 */
export async function stateBeforeReplay(
  { engine, ruleSet }: ExecutionRules,
  block: Block,
  environment: BlockEnvironment,
  before: WorldState,
  checkCancelled: CancelCheck,
): Promise<Overlay> {
  const state = new Overlay(before);
  const { parentHash } = block.header;
  if (isUncalled(block)) return state;
  await runTask(
    beginBlock({ engine, ruleSet, environment, parentHash, state, checkCancelled }),
    new TimeSlice(checkCancelled),
  );
  return state;
}

/**
 * Resolves to the state in a block before its transaction at `index`. An index past the end gives the state
 * after the last transaction. Rejects with `BlockNotFoundError` if the block's parent is no longer known, and
 * with any error of `checkCancelled`.
 */
export async function stateBefore(
  core: ChainCore,
  blocks: BlockResolver,
  block: Block,
  index: number,
  checkCancelled: CancelCheck,
): Promise<Overlay> {
  const { blockchain } = core;
  const { number } = block.header;
  if (number === blockchain.lowest) return new Overlay(blockchain.state(number));
  const environment = environmentOf(block, blocks.ancestors(block), core.ruleSet);
  const state = await stateBeforeReplay(core, block, environment, blocks.stateBelow(block), checkCancelled);
  for (const transaction of block.transactions.slice(0, index)) {
    await runAgain(core, { environment, state, transaction, checkCancelled });
    await yieldToOthers(checkCancelled);
  }
  return state;
}
