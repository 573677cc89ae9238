// Parity's traces of transactions (trace_*), and the tracer of its trace_call* and trace_replay* methods, whose answer has the parts that
// were asked for.

import { JsonMembers } from '../../json/json-members.ts';
import { EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../../scheduling/task.ts';
import { hexInPieces, type WorkPieces } from '../../scheduling/work-pieces.ts';
import type { AccountView, Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';
import { CallTree } from './call-tree.ts';
import { parityError } from './error-words.ts';
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

// The changes of the state that an execution makes, in Parity's format.

/** A value before and after: `=` where it is the same, `+` where it was not there before, `-` where it is not afterwards. */
type Difference =
  | '='
  | { readonly '+': string }
  | { readonly '-': string }
  | { readonly '*': { readonly from: string; readonly to: string } };

/** The changes of an account, in Parity's format; slots without a change are left out. */
interface AccountDifference {
  readonly balance: Difference;
  readonly code: Difference;
  readonly nonce: Difference;
  readonly storage: Readonly<Record<string, Difference>>;
}

/** The changes of a state by address, in Parity's format; accounts without a change are left out. */
type StateDiff = Readonly<Record<string, AccountDifference>>;

/** Characters of JSON for a changed slot, and about as many for an account without code and slots. */
const SLOT_SIZE = 250;

/** An account before and after; `undefined` where it is not there. */
interface AccountPair {
  readonly before: AccountView | undefined;
  readonly after: AccountView | undefined;
}

function isSameAccount(before: AccountView, after: AccountView): boolean {
  const isSameCode = equalBytes(before.code.bytes, after.code.bytes);
  return before.balance === after.balance && before.nonce === after.nonce && isSameCode;
}

/** Returns the difference of two texts; `undefined` for what is not there. */
function difference(from: string | undefined, to: string | undefined): Difference {
  if (from === undefined) return to === undefined ? '=' : { '+': to };
  if (to === undefined) return { '-': from };
  return from === to ? '=' : { '*': { from, to } };
}

/** Returns the difference of a number that the account has whenever it is there. */
function quantityDifference({ before, after }: AccountPair, of: (view: AccountView) => bigint): Difference {
  const spelled = (view: AccountView | undefined): string | undefined =>
    view === undefined ? undefined : toQuantity(of(view));
  return difference(spelled(before), spelled(after));
}

function wordHex(value: Uint8Array): string {
  return toHex(padLeft(value, 32));
}

/**
 * The changes that an execution makes to accounts and their storage (the `stateDiff` of Parity's trace_* methods): only
 * what is other than before. Slots of an account that is there before and after are given with both values, zero for
 * one that is not set. Accounts that are empty (EIP-161) count as absent. Throws `TraceTooLargeError` when the answer
 * grows too large.
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

  result(_execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<StateDiff> {
    return runTask(this.#differences(after, pieces));
  }

  *#differences(after: Overlay, pieces: WorkPieces): Task<StateDiff> {
    const differences = new JsonMembers<AccountDifference>();
    for (const touched of this.#touched.accounts()) {
      const turn = pieces.spend(SLOT_SIZE);
      if (turn !== undefined) yield turn;
      const [before, now] = [this.#subject.before, after].map((state) => state.account(touched.address));
      const pair = { before: exists(before) ? before : undefined, after: exists(now) ? now : undefined };
      const changed = yield* this.#accountDifference(touched, pair, after, pieces);
      if (changed !== null) differences.add(toHex(touched.address), changed);
    }
    return differences.finished();
  }

  /** Returns the changes of an account; `null` when there are none. */
  *#accountDifference(
    touched: TouchedAccount,
    pair: AccountPair,
    after: Overlay,
    pieces: WorkPieces,
  ): Task<AccountDifference | null> {
    const { before, after: now } = pair;
    if (before === undefined && now === undefined) return null;
    const storage = yield* this.#storageDifference(touched, pair, after, pieces);
    const isSame = before !== undefined && now !== undefined && isSameAccount(before, now);
    if (isSame && storage.isEmpty) return null;
    this.#subject.budget.spend(SLOT_SIZE);
    return {
      balance: quantityDifference(pair, ({ balance }) => balance),
      code: yield* this.#codeDifference(pair, pieces),
      nonce: quantityDifference(pair, ({ nonce }) => nonce),
      storage: storage.finished(),
    };
  }

  *#codeDifference({ before, after }: AccountPair, pieces: WorkPieces): Task<Difference> {
    const [from, to] = [before?.code.bytes, after?.code.bytes];
    if (from !== undefined && to !== undefined && equalBytes(from, to)) return '=';
    this.#subject.budget.spend(2 * ((from?.length ?? 0) + (to?.length ?? 0)));
    const fromText = from === undefined ? undefined : yield* hexInPieces(from, pieces);
    const toText = to === undefined ? undefined : yield* hexInPieces(to, pieces);
    return difference(fromText, toText);
  }

  *#storageDifference(
    { address, slots }: TouchedAccount,
    pair: AccountPair,
    after: Overlay,
    pieces: WorkPieces,
  ): Task<JsonMembers<Difference>> {
    const storage = new JsonMembers<Difference>();
    for (const slot of slots.values()) {
      const turn = pieces.spend(SLOT_SIZE);
      if (turn !== undefined) yield turn;
      const from = pair.before === undefined ? EMPTY_BYTES : this.#subject.before.storageAt(address, slot);
      const to = pair.after === undefined ? EMPTY_BYTES : after.storageAt(address, slot);
      if (equalBytes(from, to)) continue;
      this.#subject.budget.spend(SLOT_SIZE);
      storage.add(toHex(slot), difference(pair.before && wordHex(from), pair.after && wordHex(to)));
    }
    return storage;
  }
}

/** A trace of the trace_* methods. */
export type TransactionTrace = Readonly<Record<string, unknown>>;

/**
 * The traces of a transaction for the trace_* methods: Parity's format, in which gas does not include the intrinsic
 * cost and a failed frame has `null` for its result. Unlike on the network, inner frames show their own input and
 * output, and failed creations are listed.
 */
export class TransactionTracer implements Tracer<readonly TransactionTrace[]> {
  readonly #subject: TraceSubject;
  readonly #isPlaced: boolean;
  readonly #tree: CallTree;

  /** Without `isPlaced` the traces do not say where in the chain they stand. */
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

  result(
    _execution: ExecutionResult,
    _after: Overlay,
    pieces: WorkPieces,
  ): Awaitable<readonly TransactionTrace[]> {
    const position = this.#isPlaced ? flatPosition(this.#subject) : {};
    const view = function* ({ node, traceAddress, subtraces }: FlatFrame): Task<TransactionTrace> {
      const { start, end } = node;
      const error = parityError(end);
      return {
        action: yield* flatAction(start, start.gas, pieces),
        ...position,
        type: flatType(start),
        subtraces,
        traceAddress,
        result: error === null ? yield* flatResult(node, end.gasUsed, pieces) : null,
        ...(error === null ? {} : { error }),
      };
    };
    return runTask(flatViews(this.#tree.root, false, this.#subject, pieces, view));
  }
}

/** The parts of a replay, by their names in Parity's methods. */
const PARTS = {
  trace: (subject: TraceSubject): Tracer => new TransactionTracer(subject, false),
  vmTrace: (subject: TraceSubject): Tracer => new VmTracer(subject),
  stateDiff: (subject: TraceSubject): Tracer => new StateDiffTracer(subject),
} as const;

/** A part of a replay: its frames, its steps, or the changes of the state. */
export type ReplayPart = keyof typeof PARTS;

/** The names of the parts. */
export const REPLAY_PARTS = Object.keys(PARTS) as readonly ReplayPart[];

/** The answer for one execution, in Parity's format. Parts that were not asked for are `null`, the frames empty. */
export interface Replay {
  /** The output of the execution: DATA; of a creation the new contract's code, of a revert its data. */
  readonly output: string;
  readonly stateDiff: StateDiff | null;
  readonly trace: readonly TransactionTrace[];
  readonly vmTrace: VmTrace | null;
}

class ReplayTracer extends MuxTracer implements Tracer<Replay> {
  override result(execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<Replay> {
    return runTask(this.#replay(execution, super.result(execution, after, pieces), pieces));
  }

  *#replay({ returnData }: ExecutionResult, parts: Awaitable<unknown>, pieces: WorkPieces): Task<Replay> {
    // The tracers of the parts above make them.
    const made = (yield* waitFor(parts)) as Partial<Replay>;
    const { stateDiff = null, trace = [], vmTrace = null } = made;
    return { output: yield* hexInPieces(returnData, pieces), stateDiff, trace, vmTrace };
  }
}

/** Returns the factory of the tracer that makes these parts of a replay. */
export function replayTracer(parts: Iterable<ReplayPart>): TracerFactory<Replay> {
  const wanted = [...new Set(parts)];
  return (subject) => new ReplayTracer(new Map(wanted.map((part) => [part, PARTS[part](subject)] as const)));
}
