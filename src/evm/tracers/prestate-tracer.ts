// The tracer of the state that an execution touches.

import { JsonMembers } from '../../json/json-members.ts';
import { equalBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import type { AccountView, Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep, FrameStart, StateNow } from '../observer.ts';
import { exists, type TouchedAccount, TouchedState } from './touched-state.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

export interface PrestateTracerOptions {
  /** Reports changes (before and after) instead of all touched state. */
  readonly diffMode: boolean;
  readonly disableCode: boolean;
  readonly disableStorage: boolean;
}

type AccountJson = { balance?: string; code?: string; nonce?: number; storage?: Record<string, string> };

/** Characters of JSON for a slot with its value, and approximately for an account without code and slots. */
const SLOT_SIZE = 140;

function wordHex(value: Uint8Array): string {
  return toHex(padLeft(value, 32));
}

/**
 * The touched accounts and slots before the execution (geth's prestateTracer). In `diffMode`, only the
 * changes, before and after. Accounts that did not exist are omitted. Throws `TraceTooLargeError` if the
 * trace exceeds the budget.
 */
export class PrestateTracer implements Tracer {
  readonly wantedSteps: ReadonlySet<number>;
  readonly #subject: TraceSubject;
  readonly #options: PrestateTracerOptions;
  readonly #touched: TouchedState;

  constructor(subject: TraceSubject, options: PrestateTracerOptions) {
    this.#subject = subject;
    this.#options = options;
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

  result(_execution: ExecutionResult, after: Overlay): Steps<unknown> {
    return this.#options.diffMode ? this.#changes(after) : this.#allBefore();
  }

  *#allBefore(): Steps<Readonly<Record<string, AccountJson>>> {
    const accounts = new JsonMembers<AccountJson>();
    for (const touched of this.#touched.accounts()) {
      yield SLOT_SIZE;
      const view = this.#subject.before.account(touched.address);
      if (!exists(view)) continue;
      accounts.add(toHex(touched.address), yield* this.#accountBefore(touched, view, () => true));
    }
    return accounts.finished();
  }

  /** Deleted accounts are absent from `post`, and created accounts from `pre`. */
  *#changes(after: Overlay): Steps<{ readonly post: object; readonly pre: object }> {
    const [post, pre] = [new JsonMembers<AccountJson>(), new JsonMembers<AccountJson>()];
    for (const touched of this.#touched.accounts()) {
      yield SLOT_SIZE;
      const { address } = touched;
      const viewBefore = this.#subject.before.account(address);
      const viewAfter = after.account(address);
      const changed = exists(viewAfter)
        ? yield* this.#changesOf(touched, viewBefore, viewAfter, after)
        : null;
      const isDeleted = exists(viewBefore) && !exists(viewAfter);
      if (changed !== null) post.add(toHex(address), changed);
      if (!exists(viewBefore) || (changed === null && !isDeleted)) continue;
      const isWanted = (slot: Uint8Array, value: Uint8Array): boolean =>
        value.length > 0 && !equalBytes(value, after.storageAt(address, slot));
      pre.add(toHex(address), yield* this.#accountBefore(touched, viewBefore, isWanted));
    }
    return { post: post.finished(), pre: pre.finished() };
  }

  /** Returns the changes of an account; `null` if it is unchanged. A cleared slot is only in `pre`. */
  *#changesOf(
    { address, slots }: TouchedAccount,
    before: AccountView | undefined,
    view: AccountView,
    after: Overlay,
  ): Steps<AccountJson | null> {
    const changed: AccountJson = {};
    if (view.balance !== (before?.balance ?? 0n)) changed.balance = toQuantity(view.balance);
    const codeBefore = before?.code.bytes ?? new Uint8Array(0);
    if (!this.#options.disableCode && !equalBytes(view.code.bytes, codeBefore)) {
      changed.code = yield* this.#codeText(view);
    }
    if (view.nonce !== (before?.nonce ?? 0n)) changed.nonce = Number(view.nonce);
    if (this.#options.disableStorage) return Object.keys(changed).length === 0 ? null : changed;
    const storage = new JsonMembers<string>();
    let hasChangedSlots = false;
    for (const slot of slots.values()) {
      yield SLOT_SIZE;
      const value = after.storageAt(address, slot);
      if (equalBytes(value, this.#subject.before.storageAt(address, slot))) continue;
      hasChangedSlots = true;
      if (value.length > 0) storage.add(toHex(slot), this.#slotText(value));
    }
    if (!storage.isEmpty) changed.storage = storage.finished();
    return !hasChangedSlots && Object.keys(changed).length === 0 ? null : changed;
  }

  /** Returns an account before the execution, with the touched slots that `isWanted` selects. */
  *#accountBefore(
    { address, slots }: TouchedAccount,
    view: AccountView,
    isWanted: (slot: Uint8Array, value: Uint8Array) => boolean,
  ): Steps<AccountJson> {
    const account: AccountJson = { balance: toQuantity(view.balance) };
    if (!this.#options.disableCode && view.code.bytes.length > 0) account.code = yield* this.#codeText(view);
    if (view.nonce > 0n) account.nonce = Number(view.nonce);
    if (this.#options.disableStorage) return account;
    const storage = new JsonMembers<string>();
    for (const slot of slots.values()) {
      yield SLOT_SIZE;
      const value = this.#subject.before.storageAt(address, slot);
      if (isWanted(slot, value)) storage.add(toHex(slot), this.#slotText(value));
    }
    if (!storage.isEmpty) account.storage = storage.finished();
    return account;
  }

  *#codeText({ code }: AccountView): Steps<string> {
    this.#subject.budget.spend(2 * code.bytes.length);
    return yield* hexInSteps(code.bytes);
  }

  #slotText(value: Uint8Array): string {
    this.#subject.budget.spend(SLOT_SIZE);
    return wordHex(value);
  }
}
