// The accounts and slots that an execution touches, and the code that it creates, for tracers of state.

import { bigIntToFixedBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { OPCODES, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import { delegateOf } from '../../state/account.ts';
import type { AccountView } from '../../state/overlay.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';
import { isCreation } from '../observer.ts';
import { authorityOf } from '../signers.ts';
import type { TraceSubject } from './tracer.ts';

const { BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SLOAD, SSTORE } = OPCODES;
const ACCOUNT_OPCODES: ReadonlySet<number> = new Set<number>([
  BALANCE,
  EXTCODESIZE,
  EXTCODECOPY,
  EXTCODEHASH,
]);

export interface TouchedAccount {
  readonly address: Uint8Array;
  /** 32 bytes each, keyed by `hexKey`. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
}

interface GrowingAccount {
  readonly address: Uint8Array;
  slots: ReadonlyMap<string, Uint8Array>;
  /** The same map as `slots`; undefined while there are no slots. */
  growing: Map<string, Uint8Array> | undefined;
}

/** Shared by all accounts without touched slots. */
const NO_SLOTS: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * Budget charge per touched account or slot. It also bounds memory for touched state that the response omits.
 * More than a quarter of a million members would make a response object slow to build.
 */
const TOUCHED_SIZE = 512;

/**
 * Returns true if the opcode cannot be executed. It lacks stack items or gas, or it is an SSTORE without a
 * price: in a static call or with too little gas. The check cannot wait for the next step, because that step
 * may not be reported.
 */
function fails({ opcode, gas, gasCost, stackHeight }: ExecutionStep): boolean {
  const { taken } = STACK_USE[opcode] ?? { taken: 0 };
  return gasCost > gas || stackHeight < taken || (opcode === SSTORE && gasCost === 0n);
}

/**
 * Records the accounts and slots that an execution touches. Failed opcodes do not count. Throws
 * `TraceTooLargeError` if there are too many.
 */
export class TouchedState implements ExecutionObserver {
  readonly wantedSteps: ReadonlySet<number> = new Set([SLOAD, SSTORE, ...ACCOUNT_OPCODES]);
  readonly #subject: TraceSubject;
  readonly #touched = new Map<string, GrowingAccount>();
  #state: StateNow | undefined;

  constructor(subject: TraceSubject) {
    this.#subject = subject;
    this.#touch(subject.message.sender);
    this.#touch(subject.environment.feeRecipient ?? subject.environment.coinbase);
    for (const authorization of subject.message.authorizationList) {
      const authority = authorityOf(authorization, subject.impersonatedSigner);
      if (authority !== null) this.#touch(authority);
    }
  }

  begin(state: StateNow): void {
    this.#state = state;
  }

  frameStart({ depth, from, to }: FrameStart): void {
    this.#touch(from);
    this.#touch(to);
    // geth's tracer reads the recipient before it applies the authorizations of the transaction.
    if (depth === 0) this.#touchDelegate(this.#subject.before.account(to)?.code.bytes);
    this.#touchDelegate(this.#state?.code(to));
  }

  /** Touches the delegate if the code is a delegation (EIP-7702). */
  #touchDelegate(code: Uint8Array | undefined): void {
    const target = delegateOf(code ?? EMPTY_BYTES);
    if (target !== null) this.#touch(target);
  }

  step(step: ExecutionStep): void {
    const { opcode } = step;
    const touchesSlot = opcode === SLOAD || opcode === SSTORE;
    if ((!touchesSlot && !ACCOUNT_OPCODES.has(opcode)) || fails(step)) return;
    const operand = step.stackItem(0);
    if (operand === undefined) return;
    if (!touchesSlot) this.#touch(bigIntToFixedBytes(BigInt.asUintN(160, operand), 20));
    else this.#touchSlot(this.#touch(step.address), bigIntToFixedBytes(operand, 32));
  }

  /** Returns the touched accounts in the order of their first touch. */
  accounts(): Iterable<TouchedAccount> {
    return this.#touched.values();
  }

  #touch(address: Uint8Array): GrowingAccount {
    const key = hexKey(address);
    const known = this.#touched.get(key);
    if (known !== undefined) return known;
    this.#subject.budget.spend(TOUCHED_SIZE);
    const touched: GrowingAccount = { address, slots: NO_SLOTS, growing: undefined };
    this.#touched.set(key, touched);
    return touched;
  }

  #touchSlot(account: GrowingAccount, slot: Uint8Array): void {
    const key = hexKey(slot);
    if (account.slots.has(key)) return;
    this.#subject.budget.spend(TOUCHED_SIZE);
    account.growing ??= new Map();
    account.slots = account.growing;
    account.growing.set(key, slot);
  }
}

/** Returns true if the account is not empty (EIP-161). */
export function exists(view: AccountView | undefined): view is AccountView {
  return view !== undefined && (view.nonce > 0n || view.balance > 0n || view.code.bytes.length > 0);
}

/** Code created by the execution, unless it is reverted. */
interface Creation {
  readonly address: string;
  readonly code: Uint8Array;
}

interface OpenFrame {
  readonly start: Pick<FrameStart, 'kind' | 'to'>;
  /** The number of contracts created before the frame. */
  readonly createdBefore: number;
}

/** Records the code of contracts created by the execution. */
export class CreatedCode {
  readonly #open: OpenFrame[] = [];
  readonly #created: Creation[] = [];

  frameStart({ kind, to }: FrameStart): void {
    this.#open.push({ start: { kind, to }, createdBefore: this.#created.length });
  }

  frameEnd({ outcome, output }: FrameEnd): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    if (outcome !== 'success') this.#created.length = frame.createdBefore;
    else if (isCreation(frame.start.kind)) {
      this.#created.push({ address: hexKey(frame.start.to), code: output.slice() });
    }
  }

  /** Returns the code that the execution created at an address (20 bytes); `undefined` if there is none. */
  of(address: Uint8Array): Uint8Array | undefined {
    const key = hexKey(address);
    return this.#created.findLast((creation) => creation.address === key)?.code;
  }
}
