/** Explains mined transactions and calls that failed in the names and values of the user's contracts, where these are known. */

import type { HeldCall } from '../chain/call-site.ts';
import { type HeldBlock, TraceMismatchError } from '../chain/execution/tracing.ts';
import { type ExecutionResult, hasFailed } from '../evm/engine.ts';
import { changeLines } from '../inspect/change-text.ts';
import type { InspectedCall, InspectedEvent, Inspection } from '../inspect/inspection.ts';
import type { Inspector } from '../inspect/inspector.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import { callText, eventNote, eventText, stackText, treeLines } from '../inspect/tree-text.ts';
import type { NameOfAddress } from '../inspect/value-text.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { type CheckInterrupt, unlessInterrupted } from '../scheduling/interrupt.ts';
import { type Awaitable, isPromise, runTask, type Task, waitFor } from '../scheduling/task.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEntry, ExplainedFacts, FailedCallFacts, TransactionEntry } from './log-entries.ts';

/** Transactions of one block that are explained; a block of thousands would be explained longer than it is read. */
const MOST_EXPLAINED = 100;

/** Gas of the failed transactions of one block that are explained, which are run twice more. */
const MOST_GAS = 200_000_000n;

/** The options of explaining a block. */
export interface ExplainOptions {
  /** True to list all calls of each transaction. */
  readonly isVerbose: boolean;
  /** Throws a coded error when nothing is to be explained any more. */
  readonly checkInterrupt: CheckInterrupt;
}

/**
 * Returns the entry with what the contracts of the user make of it; a promise of it only where something has to be waited for. Throws
 * bugs only: what cannot be explained, or not in time, stays as it is.
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
  { isVerbose, checkInterrupt }: ExplainOptions,
): Task<BlockEntry> {
  const ready = lazy.ready();
  let inspector: Inspector;
  try {
    inspector = yield* waitFor(isPromise(ready) ? unlessInterrupted(ready, checkInterrupt) : ready);
  } catch (error) {
    if (error instanceof CodedError) return entry;
    throw error;
  }
  let gasLeft = MOST_GAS;
  let index = 0;
  const transactions: TransactionEntry[] = [];
  for (const described of entry.transactions) {
    // Entries are in the order of the block, which may have transactions without entry.
    while (index < results.length && !isOf(block.transactions[index], described)) index++;
    const transaction = index < MOST_EXPLAINED ? block.transactions[index] : undefined;
    const result = results[index];
    if (described.kind === 'transfer' || transaction === undefined || result === undefined)
      transactions.push(described);
    else if (!hasFailed(result) && !isVerbose) {
      const names = yield* waitFor(inspector.names(transaction, result, block, state));
      transactions.push({ ...described, ...names });
    } else if (held === null || result.gasUsed > gasLeft) transactions.push(described);
    else {
      gasLeft -= result.gasUsed;
      transactions.push(
        yield* waitFor(explain(inspector, held, index, described, { isVerbose, checkInterrupt })),
      );
    }
  }
  const { hasLabels, labelOf } = inspector.contracts;
  return {
    ...entry,
    transactions: hasLabels ? transactions.map((each) => labelled(each, labelOf)) : transactions,
  };
}

/** Returns the entry with the labels of sender and recipient. */
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

/** A block as it was mined. */
export interface MinedBlock {
  readonly block: Block;
  /** The state that its transactions ran on; `null` where none of them has to run again, since it is costly to hold. */
  readonly held: HeldBlock | null;
  readonly results: readonly ExecutionResult[];
  /** After the block. */
  readonly state: WorldState;
}

/** Runs a transaction again, to say what happened inside it. */
async function explain(
  inspector: Inspector,
  held: HeldBlock,
  index: number,
  entry: TransactionEntry,
  { isVerbose, checkInterrupt }: ExplainOptions,
): Promise<TransactionEntry> {
  try {
    const inspection = await inspector.transaction(held, index, { hasChanges: isVerbose, checkInterrupt });
    const { failure } = inspection;
    return {
      ...entry,
      failure: failure === null ? entry.failure : failure.message,
      // The message has the data of errors that nothing describes.
      ...(failure === null ? {} : { errorArguments: [], errorArgumentCount: 0 }),
      ...explainedFacts(inspection, inspector.contracts.labelOf, isVerbose),
    };
  } catch (error) {
    // Code that looks at the hashes of blocks which have left the chain runs otherwise than it did.
    if (error instanceof CodedError || error instanceof TraceMismatchError) return entry;
    throw error;
  }
}

/**
 * Resolves to what the contracts of the user make of the failure; `null` where none of them is known, or not in time.
 * Rejects with bugs only.
 */
export async function explainCall(
  lazy: LazyInspector,
  held: HeldCall,
  { isVerbose, checkInterrupt }: ExplainOptions,
): Promise<FailedCallFacts | null> {
  try {
    const inspector = await unlessInterrupted(Promise.resolve(lazy.ready()), checkInterrupt);
    const inspection = await inspector.heldCall(held, { hasChanges: false, checkInterrupt });
    const facts = explainedFacts(inspection, inspector.contracts.labelOf, isVerbose);
    const { failure } = inspection;
    const isKnown = facts.subject != null || facts.stackTrace !== undefined || failure?.error != null;
    return isKnown && failure !== null ? { ...facts, failure: failure.message } : null;
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

/** True for a call that was decoded, and for one of a contract that has a name. */
function isNamed({ call, type, to, implementation }: InspectedCall): boolean {
  const isCreation = type === 'CREATE' || type === 'CREATE2';
  return call !== null || (!isCreation && (to.name !== null || (implementation?.name ?? null) !== null));
}

/** Returns the names, the stack trace and the events; with `isVerbose` also the tree of all calls. Addresses have their labels. */
function explainedFacts(
  { call, stackTrace, changes }: Inspection,
  labelOf: NameOfAddress,
  isVerbose: boolean,
): ExplainedFacts {
  const events = eventsOf(call);
  return {
    subject: isNamed(call) ? callText(call, labelOf) : null,
    // A trace of contracts that are not known would name addresses only.
    ...(stackTrace.some(({ source }) => source !== null) ? { stackTrace, stack: stackText(stackTrace) } : {}),
    events: events
      .filter(({ event }) => event !== null)
      .map((event) => `${eventText(event, labelOf)}${eventNote(event)}`),
    tree: isVerbose ? [...treeLines(call, { labelOf }), ...changeLines(changes)] : [],
  };
}

/** The events of a call and of those inside it that were not reverted. */
function eventsOf(item: InspectedCall['items'][number]): InspectedEvent[] {
  if (item.kind === 'event') return [item];
  return item.kind === 'call' && item.outcome === 'success' ? item.items.flatMap(eventsOf) : [];
}
