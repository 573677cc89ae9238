// The accounts and slots that an execution touches, and the code that it gives to accounts, for tracers that show state.

import { bigIntToFixedBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { OPCODES, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import { delegateOf } from '../../state/account.ts';
import type { AccountView } from '../../state/overlay.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';
import { authorityOf } from '../signers.ts';
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

interface GrowingAccount {
  readonly address: Uint8Array;
  slots: ReadonlyMap<string, Uint8Array>;
  /** The same slots, once there are any. */
  growing: Map<string, Uint8Array> | undefined;
}

/** The slots of each account of which none was touched. */
const NO_SLOTS: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * The size that an account or slot takes of the trace's budget when it is touched, since each is held in memory, and many may be touched
 * that the answer leaves out. More than a quarter of a million would also make one object of the answer too large to grow quickly.
 */
const TOUCHED_SIZE = 512;

/**
 * True for a step whose opcode cannot be executed: it lacks items or gas, or is an SSTORE without a price, which a static call or too
 * little gas forbids. That is known at once, since the steps of what comes next may not be reported.
 */
function fails({ opcode, gas, gasCost, stackHeight }: ExecutionStep): boolean {
  const { taken } = STACK_USE[opcode] ?? { taken: 0 };
  return gasCost > gas || stackHeight < taken || (opcode === SSTORE && gasCost === 0n);
}

/**
 * Records which accounts and slots an execution touches; what an opcode would have touched that failed does not count. Throws
 * `TraceTooLargeError` when they are very many.
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
    // Geth's tracer looks at the recipient before the authorizations of the transaction are applied.
    if (depth === 0) this.#touchDelegate(this.#subject.before.account(to)?.code.bytes);
    this.#touchDelegate(this.#state?.code(to));
  }

  /** Touches the account whose code an account runs, if its own code delegates (EIP-7702). */
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

  /** Returns what was touched, in the order of the first touches. */
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

/** True for an account that is not empty (EIP-161). */
export function exists(view: AccountView | undefined): view is AccountView {
  return view !== undefined && (view.nonce > 0n || view.balance > 0n || view.code.bytes.length > 0);
}

/** Code that an account has from that point of the execution on, unless a revert takes it back. */
interface Creation {
  readonly address: string;
  readonly code: Uint8Array;
}

interface OpenFrame {
  readonly start: Pick<FrameStart, 'kind' | 'to'>;
  /** The number of contracts that had been created before it. */
  readonly createdBefore: number;
}

/** True for a frame that creates a contract. */
export function isCreation({ kind }: Pick<FrameStart, 'kind'>): boolean {
  return kind === 'CREATE' || kind === 'CREATE2';
}

/** Follows which code an execution has given to accounts so far. */
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
    else if (isCreation(frame.start)) {
      this.#created.push({ address: hexKey(frame.start.to), code: output.slice() });
    }
  }

  /** Returns the code that the execution has given to the account (20 bytes) so far; `undefined` for none. */
  of(address: Uint8Array): Uint8Array | undefined {
    const key = hexKey(address);
    return this.#created.findLast((creation) => creation.address === key)?.code;
  }
}
