// Simulates a bundle of signed transactions at the top of a block. All changes are discarded.

import { AdmittedTransaction, BlockGas } from '../../evm/admission.ts';
import { type BlockEnvironment, type ExecutionResult, UnexecutableError } from '../../evm/engine.ts';
import { UnanswerableCallError } from '../../evm/errors.ts';
import { beginBlock } from '../../execution/system-calls.ts';
import type { Block } from '../../protocol/block.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { BlockSelector } from '../block-selector.ts';
import type { ChainCore } from '../chain-core.ts';
import { baseFeeAfter } from '../settings/block-settings.ts';
import type { BlockResolver } from './block-resolver.ts';
import { environmentOf } from './calls.ts';
import { ResultBudget } from './result-budget.ts';
import { type CallOverrides, overrideEnvironment } from './state-overrides.ts';

export interface BundleSimulationRequest {
  readonly transactions: readonly Transaction[];
  /** The block whose state the bundle runs on. */
  readonly selector: BlockSelector;
  /** Overrides of the simulated block, which by default follows the block of the state. */
  readonly block: CallOverrides['block'];
}

/** The execution of a transaction. Amounts are in wei. */
export interface SimulatedTransaction {
  readonly transaction: Transaction;
  readonly execution: ExecutionResult;
  /** The income of the coinbase: fees and payments. Negative if the coinbase spends more. */
  readonly coinbaseDiff: bigint;
  /** The fees of the coinbase. */
  readonly gasFees: bigint;
}

export interface BundleSimulation {
  readonly stateBlock: Block;
  /** The number and the timestamp (seconds since 1970) of the simulated block. */
  readonly number: number;
  readonly timestamp: number;
  /** The transactions up to the first one that cannot be executed. */
  readonly results: readonly SimulatedTransaction[];
  /** The transaction that cannot be executed, and the reason as text; `null` if all were executed. */
  readonly fault: { readonly transaction: Transaction; readonly text: string } | null;
}

/**
 * Executes the bundle. `blockDistance` is the default number of seconds between the block of the state and the simulated
 * block. Rejects with `BlockNotFoundError`, and with any error of `checkCancelled`.
 */
export async function simulateBundle(
  core: ChainCore,
  blocks: BlockResolver,
  { transactions, selector, block: overrides }: BundleSimulationRequest,
  blockDistance: number,
  checkCancelled: CancelCheck,
): Promise<BundleSimulation> {
  const { countedEngine: engine, ruleSet } = core;
  const { block: stateBlock, state: before } = await blocks.view(selector);
  const environment = overrideEnvironment(
    nextEnvironment(core, blocks, stateBlock, blockDistance),
    overrides,
  );
  const { number, timestamp } = environment;
  const state = new Overlay(before);
  const parentHash = stateBlock.hash;
  await runTask(
    beginBlock({ engine, ruleSet, environment, parentHash, state, checkCancelled }),
    new TimeSlice(checkCancelled),
  );
  const coinbaseBalance = (): Promise<bigint> =>
    Promise.resolve(fetchingState(() => state.account(environment.coinbase)?.balance ?? 0n));
  const gas = new BlockGas(ruleSet);
  const budget = new ResultBudget();
  const results: SimulatedTransaction[] = [];
  let balance = await coinbaseBalance();
  for (const transaction of transactions) {
    await yieldToOthers(checkCancelled);
    const run = await executed(core, environment, state, transaction, gas, checkCancelled);
    if (typeof run === 'string')
      return { stateBlock, number, timestamp, results, fault: { transaction, text: run } };
    budget.take(run);
    gas.add(run);
    const after = await coinbaseBalance();
    const tip = new AdmittedTransaction(transaction, ruleSet.fees).effectiveTip(environment.baseFeePerGas);
    const gasFees = tip * run.gasUsed;
    // REMASC receives the fees for the coinbase.
    const isPaidLater = environment.feeRecipient !== undefined;
    const coinbaseDiff = after - balance + (isPaidLater ? gasFees : 0n);
    results.push({ transaction, execution: run, coinbaseDiff, gasFees });
    balance = after;
  }
  return { stateBlock, number, timestamp, results, fault: null };
}

/** Returns the result, or the reason as text if the transaction cannot be executed. */
async function executed(
  { countedEngine: engine }: ChainCore,
  environment: BlockEnvironment,
  state: Overlay,
  transaction: Transaction,
  gas: BlockGas,
  checkCancelled: CancelCheck,
): Promise<ExecutionResult | string> {
  const gasLeft = gas.left(environment.gasLimit);
  if (transaction.gasLimit > gasLeft)
    return `gas limit of the block reached: the transaction needs ${transaction.gasLimit}, but ${gasLeft} is left`;
  try {
    return await engine.transact(environment, state, transaction, undefined, checkCancelled);
  } catch (error) {
    if (error instanceof UnexecutableError || error instanceof UnanswerableCallError) return error.message;
    throw error;
  }
}

function nextEnvironment(
  core: ChainCore,
  blocks: BlockResolver,
  parent: Block,
  blockDistance: number,
): BlockEnvironment {
  const { ruleSet, settings, blockchain } = core;
  const environment = environmentOf(parent, blocks.ancestors(parent), ruleSet);
  const { number, timestamp } = parent.header;
  // The settings of the next block apply only to the block above the head.
  const isNext = blockchain.head.block === parent;
  return {
    ...environment,
    number: number + 1,
    timestamp: timestamp + blockDistance,
    baseFeePerGas: isNext
      ? baseFeeAfter(parent, settings.current, ruleSet)
      : ruleSet.fees.nextBaseFee(parent.header),
    blockHash: (wanted) => (wanted === number ? parent.hash : environment.blockHash(wanted)),
    ancestor: (wanted) => (wanted === number ? parent : environment.ancestor(wanted)),
  };
}
