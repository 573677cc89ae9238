// Parity's traces: the `trace_*` methods of transactions, and the parts of `trace_call*` and `trace_replay*`.

import { JsonMembers } from '../../json/json-members.ts';
import { EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import type { Task } from '../../scheduling/task.ts';
import type { AccountView, Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';
import { CallTree } from './call-tree.ts';
import { parityError } from './error-messages.ts';
import {
  type FlatFrame,
  flatAction,
  flatPosition,
  flatResult,
  flatType,
  flatViews,
} from './flat-call-tracer.ts';
import { MuxTracer } from './mux-tracer.ts';
import { exists, type TouchedAccount, TouchedState } from './touched-state.ts';
import type { Tracer, TracerFactory, TraceSubject } from './tracer.ts';
import { type VmTrace, VmTracer } from './vm-tracer.ts';

// State diff

/** A value before and after: `=` unchanged, `+` created, `-` deleted, `*` changed. */
type Difference =
  | '='
  | { readonly '+': string }
  | { readonly '-': string }
  | { readonly '*': { readonly from: string; readonly to: string } };

/** The changes of an account in Parity's format. Unchanged slots are omitted. */
interface AccountDifference {
  readonly balance: Difference;
  readonly code: Difference;
  readonly nonce: Difference;
  readonly storage: Readonly<Record<string, Difference>>;
}

/** The changes by address in Parity's format. Unchanged accounts are omitted. */
type StateDiff = Readonly<Record<string, AccountDifference>>;

/** Characters of JSON for a changed slot, and approximately for an account without code and slots. */
const SLOT_SIZE = 250;

/** An account before and after; `undefined` if absent. */
interface AccountPair {
  readonly before: AccountView | undefined;
  readonly after: AccountView | undefined;
}

function isSameAccount(before: AccountView, after: AccountView): boolean {
  const isSameCode = equalBytes(before.code.bytes, after.code.bytes);
  return before.balance === after.balance && before.nonce === after.nonce && isSameCode;
}

/** Compares two values; `undefined` means absent. */
function difference(from: string | undefined, to: string | undefined): Difference {
  if (from === undefined) return to === undefined ? '=' : { '+': to };
  if (to === undefined) return { '-': from };
  return from === to ? '=' : { '*': { from, to } };
}

/** Compares a number that every existing account has. */
function quantityDifference({ before, after }: AccountPair, of: (view: AccountView) => bigint): Difference {
  const spelled = (view: AccountView | undefined): string | undefined =>
    view === undefined ? undefined : toQuantity(of(view));
  return difference(spelled(before), spelled(after));
}

function wordHex(value: Uint8Array): string {
  return toHex(padLeft(value, 32));
}

/**
 * The changed accounts and slots (the `stateDiff` of Parity's `trace_*` methods). A changed slot of an
 * account that exists before and after has both values. An unset slot is zero. Empty accounts (EIP-161) count
 * as absent. Throws `TraceTooLargeError` if the diff exceeds the budget.
 */
class StateDiffTracer implements Tracer<StateDiff> {
  readonly wantedSteps: ReadonlySet<number>;
  readonly #subject: TraceSubject;
  readonly #touched: TouchedState;

  constructor(subject: TraceSubject) {
    this.#subject = subject;
    this.#touched = new TouchedState(subject);
    this.wantedSteps = this.#touched.wantedSteps;
  }

  begin(state: StateNow): void {
    this.#touched.begin(state);
  }

  frameStart(start: FrameStart): void {
    this.#touched.frameStart(start);
  }

  step(step: ExecutionStep): void {
    this.#touched.step(step);
  }

  *result(_execution: ExecutionResult, after: Overlay): Steps<StateDiff> {
    const differences = new JsonMembers<AccountDifference>();
    for (const touched of this.#touched.accounts()) {
      yield SLOT_SIZE;
      const [before, now] = [this.#subject.before, after].map((state) => state.account(touched.address));
      const pair = { before: exists(before) ? before : undefined, after: exists(now) ? now : undefined };
      const changed = yield* this.#accountDifference(touched, pair, after);
      if (changed !== null) differences.add(toHex(touched.address), changed);
    }
    return differences.finished();
  }

  /** Returns the changes of an account; `null` if it is unchanged. */
  *#accountDifference(
    touched: TouchedAccount,
    pair: AccountPair,
    after: Overlay,
  ): Steps<AccountDifference | null> {
    const { before, after: now } = pair;
    if (before === undefined && now === undefined) return null;
    const storage = yield* this.#storageDifference(touched, pair, after);
    const isSame = before !== undefined && now !== undefined && isSameAccount(before, now);
    if (isSame && storage.isEmpty) return null;
    this.#subject.budget.spend(SLOT_SIZE);
    return {
      balance: quantityDifference(pair, ({ balance }) => balance),
      code: yield* this.#codeDifference(pair),
      nonce: quantityDifference(pair, ({ nonce }) => nonce),
      storage: storage.finished(),
    };
  }

  *#codeDifference({ before, after }: AccountPair): Steps<Difference> {
    const [from, to] = [before?.code.bytes, after?.code.bytes];
    if (from !== undefined && to !== undefined && equalBytes(from, to)) return '=';
    this.#subject.budget.spend(2 * ((from?.length ?? 0) + (to?.length ?? 0)));
    const fromText = from === undefined ? undefined : yield* hexInSteps(from);
    const toText = to === undefined ? undefined : yield* hexInSteps(to);
    return difference(fromText, toText);
  }

  *#storageDifference(
    { address, slots }: TouchedAccount,
    pair: AccountPair,
    after: Overlay,
  ): Steps<JsonMembers<Difference>> {
    const storage = new JsonMembers<Difference>();
    for (const slot of slots.values()) {
      yield SLOT_SIZE;
      const from = pair.before === undefined ? EMPTY_BYTES : this.#subject.before.storageAt(address, slot);
      const to = pair.after === undefined ? EMPTY_BYTES : after.storageAt(address, slot);
      if (equalBytes(from, to)) continue;
      this.#subject.budget.spend(SLOT_SIZE);
      storage.add(toHex(slot), difference(pair.before && wordHex(from), pair.after && wordHex(to)));
    }
    return storage;
  }
}

/** A trace of the `trace_*` methods. */
export type TransactionTrace = Readonly<Record<string, unknown>>;

/**
 * The traces of a transaction in Parity's format. Gas excludes the intrinsic gas. A failed frame has the
 * result `null`. Unlike on Rootstock, nested frames report their own input and output, and failed creations
 * are listed.
 */
export class TransactionTracer implements Tracer<readonly TransactionTrace[]> {
  readonly #subject: TraceSubject;
  readonly #isPlaced: boolean;
  readonly #tree: CallTree;

  /** Without `isPlaced`, the traces omit their position in the chain. */
  constructor(subject: TraceSubject, isPlaced = true) {
    this.#subject = subject;
    this.#isPlaced = isPlaced;
    this.#tree = new CallTree(subject.budget);
  }

  frameStart(start: FrameStart): void {
    this.#tree.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#tree.frameEnd(end);
  }

  result(): Steps<readonly TransactionTrace[]> {
    const position = this.#isPlaced ? flatPosition(this.#subject) : {};
    const view = function* ({ node, traceAddress, subtraces }: FlatFrame): Steps<TransactionTrace> {
      const { start, end } = node;
      const error = parityError(end);
      return {
        action: yield* flatAction(start, start.gas),
        ...position,
        type: flatType(start),
        subtraces,
        traceAddress,
        result: error === null ? yield* flatResult(node, end.gasUsed) : null,
        ...(error === null ? {} : { error }),
      };
    };
    return flatViews(this.#tree.root, false, this.#subject, view);
  }
}

/** The parts of a replay, by their names in Parity's methods. */
const PARTS = {
  trace: (subject: TraceSubject): Tracer => new TransactionTracer(subject, false),
  vmTrace: (subject: TraceSubject): Tracer => new VmTracer(subject),
  stateDiff: (subject: TraceSubject): Tracer => new StateDiffTracer(subject),
} as const;

export type ReplayPart = keyof typeof PARTS;

export const REPLAY_PARTS = Object.keys(PARTS) as readonly ReplayPart[];

/** The result of a replay in Parity's format. Parts not requested are `null` (`trace`: empty). */
export interface Replay {
  /** DATA: the output. For a creation it is the code of the new contract, for a revert the revert data. */
  readonly output: string;
  readonly stateDiff: StateDiff | null;
  readonly trace: readonly TransactionTrace[];
  readonly vmTrace: VmTrace | null;
}

class ReplayTracer extends MuxTracer implements Tracer<Replay> {
  override *result(execution: ExecutionResult, after: Overlay): Task<Replay> {
    // The results have the types of the tracers in `PARTS`.
    const made = (yield* super.result(execution, after)) as Partial<Replay>;
    const { stateDiff = null, trace = [], vmTrace = null } = made;
    return { output: yield* hexInSteps(execution.returnData), stateDiff, trace, vmTrace };
  }
}

/** Returns a factory for the tracer of these parts. */
export function replayTracer(parts: Iterable<ReplayPart>): TracerFactory<Replay> {
  const wanted = [...new Set(parts)];
  return (subject) => new ReplayTracer(new Map(wanted.map((part) => [part, PARTS[part](subject)] as const)));
}
