// The accounts and slots that an execution touches, for tracers that show the state around it.

import { bigIntToFixedBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { AccountView } from '../../state/overlay.ts';
import { delegateOf } from '../delegation.ts';
import type { ExecutionObserver, ExecutionStep, FrameStart } from '../observer.ts';
import { authorityOf } from './authority.ts';
import type { TraceSubject } from './tracer.ts';

const { BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SLOAD, SSTORE } = OPCODES;
const ACCOUNT_OPCODES: ReadonlySet<number> = new Set<number>([
  BALANCE,
  EXTCODESIZE,
  EXTCODECOPY,
  EXTCODEHASH,
]);

/** A touched account and its touched slots. */
export interface TouchedAccount {
  readonly address: Uint8Array;
  /** 32 bytes each, keyed by their digits. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
}

interface GrowingAccount extends TouchedAccount {
  readonly slots: Map<string, Uint8Array>;
}

/** Records which accounts and slots an execution touches; what an opcode would have touched that failed does not count. */
export class TouchedState implements ExecutionObserver {
  readonly wantedSteps: ReadonlySet<number> = new Set([SLOAD, SSTORE, ...ACCOUNT_OPCODES]);
  readonly #subject: TraceSubject;
  readonly #touched = new Map<string, GrowingAccount>();
  /** The slot or account that the last step is about to touch, unless it violates a rule. */
  #pending: { readonly address: Uint8Array; readonly slot: Uint8Array | null } | null = null;

  constructor(subject: TraceSubject) {
    this.#subject = subject;
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
    const target = delegateOf(this.#subject.before.account(to)?.code.bytes ?? EMPTY_BYTES);
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

  /** Returns what was touched, in the order of the first touches; must be called after the execution. */
  accounts(): Iterable<TouchedAccount> {
    this.#settle();
    return this.#touched.values();
  }

  #settle(): void {
    if (this.#pending === null) return;
    const { address, slot } = this.#pending;
    this.#pending = null;
    const { slots } = this.#touch(address);
    if (slot !== null) slots.set(hexKey(slot), slot);
  }

  #touch(address: Uint8Array): GrowingAccount {
    const key = hexKey(address);
    const known = this.#touched.get(key);
    if (known !== undefined) return known;
    const touched: GrowingAccount = { address, slots: new Map() };
    this.#touched.set(key, touched);
    return touched;
  }
}

/** True for an account that is not empty (EIP-161). */
export function exists(view: AccountView | undefined): view is AccountView {
  return view !== undefined && (view.nonce > 0n || view.balance > 0n || view.code.bytes.length > 0);
}
