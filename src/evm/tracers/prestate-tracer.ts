// The tracer of the state that an execution touches.

import { bigIntToFixedBytes, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../../primitives/hex.ts';
import { type Awaitable, runTask, type Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { AccountView, Overlay } from '../../state/overlay.ts';
import { delegateOf } from '../delegation.ts';
import type { ExecutionResult } from '../engine.ts';
import type { ExecutionStep, FrameStart } from '../observer.ts';
import { authorityOf } from './authority.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

export interface PrestateTracerOptions {
  /** True to show the changes, before and after, instead of everything touched. */
  readonly diffMode: boolean;
  readonly disableCode: boolean;
  readonly disableStorage: boolean;
}

type AccountJson = { balance?: string; code?: string; nonce?: number; storage?: Record<string, string> };

const { BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SLOAD, SSTORE } = OPCODES;
const ACCOUNT_OPCODES: ReadonlySet<number> = new Set<number>([
  BALANCE,
  EXTCODESIZE,
  EXTCODECOPY,
  EXTCODEHASH,
]);

/** Characters of JSON for a slot with its value, and about as many for an account without code and slots. */
const SLOT_SIZE = 140;

function wordHex(value: Uint8Array): string {
  return toHex(padLeft(value, 32));
}

/** A touched account and its touched slots. */
interface Touched {
  readonly address: Uint8Array;
  /** 32 bytes each, keyed by their digits. */
  readonly slots: Map<string, Uint8Array>;
}

/**
 * The state that an execution needs: every account and slot that it touched, as they were before (geth's
 * prestateTracer); with `diffMode` only the changes, before and after. Accounts that did not exist are omitted. Throws
 * `TraceTooLargeError` when that grows too large.
 */
export class PrestateTracer implements Tracer {
  readonly wantedSteps: ReadonlySet<number> = new Set([SLOAD, SSTORE, ...ACCOUNT_OPCODES]);
  readonly #subject: TraceSubject;
  readonly #options: PrestateTracerOptions;
  readonly #touched = new Map<string, Touched>();
  /** The slots and accounts that the last step is about to touch, unless it violates a rule. */
  #pending: { readonly address: Uint8Array; readonly slot: Uint8Array | null } | null = null;

  constructor(subject: TraceSubject, options: PrestateTracerOptions) {
    this.#subject = subject;
    this.#options = options;
    this.#touch(subject.message.sender);
    this.#touch(subject.environment.feeRecipient ?? subject.environment.coinbase);
    for (const authorization of subject.message.authorizationList) {
      const authority = authorityOf(authorization, subject.impersonatedSigner);
      if (authority !== null) this.#touch(authority);
    }
  }

  frameStart({ from, to }: FrameStart): void {
    this.#settle();
    this.#touch(from);
    this.#touch(to);
    const target = delegateOf(this.#subject.before.account(to)?.code.bytes ?? new Uint8Array(0));
    if (target !== null) this.#touch(target);
  }

  step(step: ExecutionStep): void {
    this.#settle();
    const { opcode } = step;
    const touchesSlot = opcode === SLOAD || opcode === SSTORE;
    if (!touchesSlot && !ACCOUNT_OPCODES.has(opcode)) return;
    const operand = step.stackItem(0);
    if (operand === undefined) return;
    this.#pending = touchesSlot
      ? { address: step.address, slot: bigIntToFixedBytes(operand, 32) }
      : { address: bigIntToFixedBytes(BigInt.asUintN(160, operand), 20), slot: null };
  }

  fault(): void {
    this.#pending = null;
  }

  #settle(): void {
    if (this.#pending === null) return;
    const { address, slot } = this.#pending;
    this.#pending = null;
    const { slots } = this.#touch(address);
    if (slot !== null) slots.set(hexKey(slot), slot);
  }

  #touch(address: Uint8Array): Touched {
    const key = hexKey(address);
    const known = this.#touched.get(key);
    if (known !== undefined) return known;
    const touched: Touched = { address, slots: new Map() };
    this.#touched.set(key, touched);
    return touched;
  }

  result(_execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<unknown> {
    this.#settle();
    return this.#options.diffMode ? runTask(this.#changes(after, pieces)) : runTask(this.#allBefore(pieces));
  }

  *#allBefore(pieces: WorkPieces): Task<Readonly<Record<string, AccountJson>>> {
    const accounts: Record<string, AccountJson> = {};
    for (const touched of this.#touched.values()) {
      const turn = pieces.spend(SLOT_SIZE);
      if (turn !== undefined) yield turn;
      const view = this.#subject.before.account(touched.address);
      if (!exists(view)) continue;
      accounts[toHex(touched.address)] = yield* this.#accountBefore(touched, view, () => true, pieces);
    }
    return accounts;
  }

  /** Deleted accounts do not occur in `post`, created ones not in `pre`. */
  *#changes(after: Overlay, pieces: WorkPieces): Task<{ readonly post: object; readonly pre: object }> {
    const post: Record<string, AccountJson> = {};
    const pre: Record<string, AccountJson> = {};
    for (const touched of this.#touched.values()) {
      const turn = pieces.spend(SLOT_SIZE);
      if (turn !== undefined) yield turn;
      const { address } = touched;
      const viewBefore = this.#subject.before.account(address);
      const viewAfter = after.account(address);
      const changed = exists(viewAfter)
        ? yield* this.#changesOf(touched, viewBefore, viewAfter, after, pieces)
        : null;
      const isDeleted = exists(viewBefore) && !exists(viewAfter);
      if (changed !== null) post[toHex(address)] = changed;
      if (!exists(viewBefore) || (changed === null && !isDeleted)) continue;
      pre[toHex(address)] = yield* this.#accountBefore(
        touched,
        viewBefore,
        (slot, value) => value.length > 0 && !equalBytes(value, after.storageAt(address, slot)),
        pieces,
      );
    }
    return { post, pre };
  }

  /** Returns the changes of an account; `null` when there are none. A cleared slot occurs in `pre` only. */
  *#changesOf(
    { address, slots }: Touched,
    before: AccountView | undefined,
    view: AccountView,
    after: Overlay,
    pieces: WorkPieces,
  ): Task<AccountJson | null> {
    const changed: AccountJson = {};
    if (view.balance !== (before?.balance ?? 0n)) changed.balance = toQuantity(view.balance);
    const codeBefore = before?.code.bytes ?? new Uint8Array(0);
    if (!this.#options.disableCode && !equalBytes(view.code.bytes, codeBefore)) {
      changed.code = this.#codeText(view);
    }
    if (view.nonce !== (before?.nonce ?? 0n)) changed.nonce = Number(view.nonce);
    if (this.#options.disableStorage) return Object.keys(changed).length === 0 ? null : changed;
    const storage: Record<string, string> = {};
    let hasChangedSlots = false;
    for (const slot of slots.values()) {
      const turn = pieces.spend(SLOT_SIZE);
      if (turn !== undefined) yield turn;
      const value = after.storageAt(address, slot);
      if (equalBytes(value, this.#subject.before.storageAt(address, slot))) continue;
      hasChangedSlots = true;
      if (value.length > 0) storage[toHex(slot)] = this.#slotText(value);
    }
    if (Object.keys(storage).length > 0) changed.storage = storage;
    return !hasChangedSlots && Object.keys(changed).length === 0 ? null : changed;
  }

  /** Returns an account as it was, with the wanted ones of the touched slots. */
  *#accountBefore(
    { address, slots }: Touched,
    view: AccountView,
    isWanted: (slot: Uint8Array, value: Uint8Array) => boolean,
    pieces: WorkPieces,
  ): Task<AccountJson> {
    const account: AccountJson = { balance: toQuantity(view.balance) };
    if (!this.#options.disableCode && view.code.bytes.length > 0) account.code = this.#codeText(view);
    if (view.nonce > 0n) account.nonce = Number(view.nonce);
    if (this.#options.disableStorage) return account;
    const storage: Record<string, string> = {};
    for (const slot of slots.values()) {
      const turn = pieces.spend(SLOT_SIZE);
      if (turn !== undefined) yield turn;
      const value = this.#subject.before.storageAt(address, slot);
      if (isWanted(slot, value)) storage[toHex(slot)] = this.#slotText(value);
    }
    if (Object.keys(storage).length > 0) account.storage = storage;
    return account;
  }

  #codeText({ code }: AccountView): string {
    this.#subject.budget.spend(2 * code.bytes.length);
    return toHex(code.bytes);
  }

  #slotText(value: Uint8Array): string {
    this.#subject.budget.spend(SLOT_SIZE);
    return wordHex(value);
  }
}

/** True for an account that is not empty (EIP-161). */
function exists(view: AccountView | undefined): view is AccountView {
  return view !== undefined && (view.nonce > 0n || view.balance > 0n || view.code.bytes.length > 0);
}
