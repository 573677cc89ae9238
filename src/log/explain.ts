/** Explains transactions and failed calls with the names and values of the user's contracts. */

import type { RecordedCall } from '../chain/call-environment.ts';
import { type TracedBlock, TraceMismatchError } from '../chain/execution/tracing.ts';
import { type ExecutionResult, hasFailed } from '../evm/engine.ts';
import { changeLines } from '../inspect/change-text.ts';
import type { InspectedCall, InspectedEvent, Inspection } from '../inspect/inspection.ts';
import type { Inspector } from '../inspect/inspector.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { ParentTransaction } from '../inspect/parent-transaction.ts';
import { callText, eventNote, eventText, stackText, treeLines } from '../inspect/tree-text.ts';
import type { NameOfAddress } from '../inspect/value-text.ts';
import { type Awaitable, isPromise } from '../primitives/awaitable.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { type CancelCheck, unlessCancelled } from '../scheduling/cancel-check.ts';
import { runTask, type Task, waitFor } from '../scheduling/task.ts';
import type { WorldState } from '../state/world-state.ts';
import { usesBridge } from './describe-block.ts';
import type { BlockEntry, ExplainedFacts, FailedCallFacts, TransactionEntry } from './log-entries.ts';

/** Maximum explained transactions per block. More would take longer than reading them. */
const MAX_EXPLAINED = 100;

/** Maximum gas of explained failed transactions per block. Each one runs two more times. */
const MAX_GAS = 200_000_000n;

export interface ExplainOptions {
  /** True to list all calls of each transaction. */
  readonly isVerbose: boolean;
  /** Throws a coded error to stop the explanation. */
  readonly checkCancelled: CancelCheck;
}

/**
 * Returns the entry, explained with the user's contracts, or a promise of it if it must wait. If that fails
 * or takes too long, parts stay unchanged. Throws only bugs.
 */
export function explainBlock(
  lazy: LazyInspector,
  mined: MinedBlock,
  entry: BlockEntry,
  options: ExplainOptions,
): Awaitable<BlockEntry> {
  return runTask(explained(lazy, mined, entry, options));
}

function* explained(
  lazy: LazyInspector,
  { block, held, results, state }: MinedBlock,
  entry: BlockEntry,
  { isVerbose, checkCancelled }: ExplainOptions,
): Task<BlockEntry> {
  const ready = lazy.ready();
  let inspector: Inspector;
  try {
    inspector = yield* waitFor(isPromise(ready) ? unlessCancelled(ready, checkCancelled) : ready);
  } catch (error) {
    if (error instanceof CodedError) return entry;
    throw error;
  }
  let gasLeft = MAX_GAS;
  let index = 0;
  const transactions: TransactionEntry[] = [];
  for (const described of entry.transactions) {
    // The entries are in block order, but some transactions have no entry.
    while (index < results.length && !isOf(block.transactions[index], described)) index++;
    const transaction = index < MAX_EXPLAINED ? block.transactions[index] : undefined;
    const result = results[index];
    if (described.kind === 'transfer' || transaction === undefined || result === undefined)
      transactions.push(described);
    else if (!hasFailed(result) && !isVerbose && !usesBridge(transaction, result)) {
      const names = yield* waitFor(inspector.names(transaction, result, block, state));
      transactions.push({ ...described, ...names });
    } else if (held === null || result.gasUsed > gasLeft) transactions.push(described);
    else {
      gasLeft -= result.gasUsed;
      transactions.push(
        yield* waitFor(explain(inspector, held, index, described, { isVerbose, checkCancelled })),
      );
    }
  }
  const { hasLabels, labelOf } = inspector.contracts;
  return {
    ...entry,
    transactions: hasLabels ? transactions.map((each) => labelled(each, labelOf)) : transactions,
  };
}

/** Adds the labels of sender and recipient. */
function labelled(entry: TransactionEntry, labelOf: NameOfAddress): TransactionEntry {
  const fromLabel = labelOf(entry.from);
  const toLabel = entry.to === null ? null : labelOf(entry.to);
  return {
    ...entry,
    ...(fromLabel === null ? {} : { fromLabel }),
    ...(toLabel === null ? {} : { toLabel }),
  };
}

function isOf(transaction: Transaction | undefined, { hash }: TransactionEntry): boolean {
  return transaction !== undefined && toHex(transaction.hash) === hash;
}

export interface MinedBlock {
  readonly block: Block;
  /** The parent state; `null` if no transaction must run again, because keeping it is expensive. */
  readonly held: TracedBlock | null;
  readonly results: readonly ExecutionResult[];
  /** The state after the block. */
  readonly state: WorldState;
}

/** Runs a transaction again, to explain its inner calls. */
async function explain(
  inspector: Inspector,
  held: TracedBlock,
  index: number,
  entry: TransactionEntry,
  { isVerbose, checkCancelled }: ExplainOptions,
): Promise<TransactionEntry> {
  try {
    const inspection = await inspector.transaction(held, index, { hasChanges: isVerbose, checkCancelled });
    const { failure, call } = inspection;
    return {
      ...entry,
      ...(call.from.name === null ? {} : { fromLabel: call.from.name }),
      failure: failure === null ? entry.failure : failure.message,
      // The message already contains the data of unknown errors.
      ...(failure === null ? {} : { errorArguments: [], errorArgumentCount: 0 }),
      ...explainedFacts(inspection, inspector.contracts.labelOf, isVerbose),
    };
  } catch (error) {
    // Code that reads hashes of removed blocks executes differently than before.
    if (error instanceof CodedError || error instanceof TraceMismatchError) return entry;
    throw error;
  }
}

/** Explains a failure; `null` if its contracts are unknown or the time is over. Rejects only with bugs. */
export async function explainCall(
  lazy: LazyInspector,
  held: RecordedCall,
  { isVerbose, checkCancelled }: ExplainOptions,
): Promise<FailedCallFacts | null> {
  try {
    const inspector = await unlessCancelled(Promise.resolve(lazy.ready()), checkCancelled);
    const inspection = await inspector.heldCall(held, { hasChanges: false, checkCancelled });
    const facts = explainedFacts(inspection, inspector.contracts.labelOf, isVerbose);
    const { failure } = inspection;
    const isKnown = facts.subject != null || facts.stackTrace !== undefined || failure?.error != null;
    return isKnown && failure !== null ? { ...facts, failure: failure.message } : null;
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

/** True for a decoded call, or a call of a named contract. */
function isNamed({ call, type, to, implementation }: InspectedCall): boolean {
  const isCreation = type === 'CREATE' || type === 'CREATE2';
  return call !== null || (!isCreation && (to.name !== null || (implementation?.name ?? null) !== null));
}

/** Returns names, stack trace and events; with `isVerbose` also the call tree. Includes address labels. */
function explainedFacts(
  { call, stackTrace, changes }: Inspection,
  labelOf: NameOfAddress,
  isVerbose: boolean,
): ExplainedFacts {
  const events = eventsOf(call);
  return {
    subject: isNamed(call) ? callText(call, labelOf) : null,
    // A stack trace of unknown contracts would contain only addresses.
    ...(stackTrace.some(({ source }) => source !== null) ? { stackTrace, stack: stackText(stackTrace) } : {}),
    events: events
      .filter(({ event }) => event !== null)
      .map((event) => `${eventText(event, labelOf)}${eventNote(event)}`),
    ...bridgeFacts(call),
    tree: isVerbose ? [...treeLines(call, { labelOf }), ...changeLines(changes)] : [],
  };
}

/** Returns the events of a call and its successful inner calls. */
function eventsOf(item: InspectedCall['items'][number]): InspectedEvent[] {
  if (item.kind === 'event') return [item];
  return item.kind === 'call' && item.outcome === 'success' ? item.items.flatMap(eventsOf) : [];
}

/** Returns the remarks and the Bitcoin transactions of a call and its inner calls. */
function bridgeFacts(root: InspectedCall): Pick<ExplainedFacts, 'remarks' | 'parentTransactions'> {
  const remarks: string[] = [];
  const parentTransactions: ParentTransaction[] = [];
  const left: InspectedCall['items'][number][] = [root];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (item.kind === 'console') continue;
    if (item.parentTransaction !== undefined) parentTransactions.push(item.parentTransaction);
    if (item.kind !== 'call') continue;
    remarks.push(...(item.remarks ?? []));
    for (let index = item.items.length - 1; index >= 0; index--) {
      const inner = item.items[index];
      if (inner !== undefined) left.push(inner);
    }
  }
  return {
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(parentTransactions.length === 0 ? {} : { parentTransactions }),
  };
}
