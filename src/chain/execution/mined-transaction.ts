import type { BlockEnvironment, Engine, ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import type { CheckInterrupt } from '../../primitives/interrupt.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { isRemascTransaction } from '../../protocol/remasc-transaction.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState } from '../../state/state-elsewhere.ts';

/** A mined transaction, and where it runs again. */
export interface MinedRun {
  readonly environment: BlockEnvironment;
  /** The state before the transaction; afterwards that after it. */
  readonly state: Overlay;
  readonly transaction: Transaction;
  readonly observer?: ExecutionObserver | undefined;
  readonly checkInterrupt: CheckInterrupt;
}

/** Runs a mined transaction again: on the engine, unless it is the one that ends a block, which no engine runs. */
export async function runAgain(
  { engine, ruleSet }: { readonly engine: Engine; readonly ruleSet: RuleSet },
  { environment, state, transaction, observer, checkInterrupt }: MinedRun,
): Promise<ExecutionResult> {
  if (!isRemascTransaction(transaction)) {
    return engine.transact(environment, state, transaction, observer, checkInterrupt);
  }
  const { remascClosing } = await import('../mining/remasc-closing.ts');
  const closing = remascClosing(ruleSet);
  const before = state.toWorldState();
  // An observer is to be told once, so what it takes is fetched beforehand.
  await fetchingState(() => closing.run(environment, new Overlay(before)));
  return closing.run(environment, state, observer);
}
