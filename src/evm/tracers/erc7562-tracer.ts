// The tracer of the opcodes, accesses and calls of a user operation that ERC-7562 restricts.

import { JsonMembers } from '../../json/json-members.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { type Steps, sortInSteps } from '../../primitives/steps.ts';
import { OPCODES, opcodeRange } from '../../protocol/hardforks/opcodes.ts';
import type { Log } from '../../protocol/receipt.ts';
import { isDelegation } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import { HALT_REASONS } from '../halt-reasons.ts';
import type { ExecutionStep, FrameEnd, FrameStart } from '../observer.ts';
import { CallTracer, type CallTracerOptions } from './call-tracer.ts';
import { CreatedCode } from './touched-state.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

export interface Erc7562TracerOptions extends Pick<CallTracerOptions, 'withLog' | 'describeRevert'> {
  /** Opcodes that are not counted; `null` for {@link IGNORED_OPCODES}. */
  readonly ignoredOpcodes: ReadonlySet<number> | null;
}

const { EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, CALL, CALLCODE, DELEGATECALL, STATICCALL } = OPCODES;
const { SLOAD, SSTORE, TLOAD, TSTORE, GAS, ISZERO, KECCAK256, RETURN, REVERT } = OPCODES;
const CODE_OPCODES: ReadonlySet<number> = new Set<number>([EXTCODESIZE, EXTCODECOPY, EXTCODEHASH]);
const CALL_OPCODES: ReadonlySet<number> = new Set<number>([CALL, CALLCODE, DELEGATECALL, STATICCALL]);

/** Opcodes without restrictions that are not counted, as in geth. */
const IGNORED_OPCODES: ReadonlySet<number> = new Set<number>([
  ...[...opcodeRange('PUSH0', 'PUSH32'), ...opcodeRange('DUP1', 'DUP16'), ...opcodeRange('SWAP1', 'SWAP16')],
  ...[OPCODES.POP, OPCODES.ADD, OPCODES.SUB, OPCODES.MUL, OPCODES.DIV, OPCODES.EQ, OPCODES.LT, OPCODES.GT],
  ...[OPCODES.SLT, OPCODES.SGT, OPCODES.SHL, OPCODES.SHR, OPCODES.AND, OPCODES.OR, OPCODES.NOT, ISZERO],
]);

/** A contract whose size or code an opcode read. */
interface SeenContract {
  readonly address: Uint8Array;
  readonly opcode: number;
  /** The code created earlier in the execution; `undefined` if the contract existed before. */
  readonly created: Uint8Array | undefined;
}

/** The restricted actions of a frame, without nested frames. */
class FrameUse {
  /** By slot: its value before the first read, unless the slot was written first. */
  readonly reads = new Map<string, readonly string[]>();
  readonly writes = new Map<string, number>();
  readonly transientReads = new Map<string, number>();
  readonly transientWrites = new Map<string, number>();
  readonly codeAccesses: string[] = [];
  readonly opcodes = new Map<string, number>();
  readonly contracts = new Map<string, SeenContract>();
  isOutOfGas = false;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns the entries as an object. Yields between time slices. */
function* membersOf<Value>(
  entries: ReadonlyMap<string, Value>,
  view: (value: Value) => unknown = (value) => value,
): Steps<Record<string, unknown>> {
  const members = new JsonMembers<unknown>();
  for (const [name, value] of entries) {
    members.add(name, view(value));
    yield ENTRY_SIZE;
  }
  return members.finished();
}

function addressOf(item: bigint): Uint8Array {
  return bigIntToFixedBytes(BigInt.asUintN(160, item), 20);
}

/** Characters of JSON for a slot or a contract, and for a frame without them. */
const ENTRY_SIZE = 150;
const FRAME_SIZE = 250;

/**
 * The frames of {@link CallTracer} with the data that the validation rules of ERC-7562 need (geth's
 * erc7562Tracer). Each frame has its slots, opcodes, code accesses, contract sizes and an out-of-gas flag.
 * The outermost frame also has the preimages of all hashes. Throws `TraceTooLargeError` if the trace exceeds
 * the budget.
 */
export class Erc7562Tracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #ignored: ReadonlySet<number>;
  readonly #calls: CallTracer;
  readonly #created = new CreatedCode();
  readonly #uses: FrameUse[] = [];
  readonly #open: FrameUse[] = [];
  readonly #preimages = new Set<string>();
  #after: Overlay | null = null;
  /** The fields of each frame, in the order of {@link #uses}. */
  readonly #views: Readonly<Record<string, unknown>>[] = [];
  /** The last opcode, with the top of the stack before it. */
  #last: { readonly opcode: number; readonly top: bigint } | null = null;

  constructor(subject: TraceSubject, { ignoredOpcodes, withLog, describeRevert }: Erc7562TracerOptions) {
    this.#subject = subject;
    this.#ignored = ignoredOpcodes ?? IGNORED_OPCODES;
    const extra = (order: number): Readonly<Record<string, unknown>> => this.#views[order] ?? {};
    this.#calls = new CallTracer(subject, { onlyTopCall: false, withLog, describeRevert, extra });
  }

  frameStart(start: FrameStart): void {
    this.#subject.budget.spend(FRAME_SIZE);
    this.#calls.frameStart(start);
    this.#created.frameStart(start);
    const use = new FrameUse();
    this.#uses.push(use);
    this.#open.push(use);
  }

  frameEnd(end: FrameEnd): void {
    this.#calls.frameEnd(end);
    this.#created.frameEnd(end);
    const use = this.#open.pop();
    if (use !== undefined) use.isOutOfGas = end.haltReason === HALT_REASONS.outOfGas;
  }

  log(log: Log): void {
    this.#calls.log(log);
  }

  step(step: ExecutionStep): void {
    const use = this.#open.at(-1);
    if (use === undefined) return;
    const { opcode } = step;
    if (opcode === RETURN || opcode === REVERT) this.#last = null;
    if (this.#last !== null) this.#afterLast(use, this.#last, opcode);
    if (opcode !== GAS && !this.#ignored.has(opcode)) count(use.opcodes, opcodeKey(opcode));
    this.#seeContract(use, step);
    this.#useStorage(use, step);
    if (opcode === KECCAK256) this.#keepPreimage(step);
    this.#last = { opcode, top: step.stackItem(0) ?? 0n };
  }

  /**
   * Counts the previous opcode, because its meaning depends on the next one. EXTCODESIZE followed by ISZERO
   * and GAS followed by a call are allowed.
   */
  #afterLast(use: FrameUse, last: { readonly opcode: number; readonly top: bigint }, opcode: number): void {
    if (CODE_OPCODES.has(last.opcode) && !(last.opcode === EXTCODESIZE && opcode === ISZERO)) {
      this.#subject.budget.spend(ENTRY_SIZE);
      use.codeAccesses.push(toHex(addressOf(last.top)));
    }
    if (last.opcode === GAS && !CALL_OPCODES.has(opcode)) count(use.opcodes, opcodeKey(GAS));
  }

  #seeContract(use: FrameUse, step: ExecutionStep): void {
    const { opcode } = step;
    const isCall = CALL_OPCODES.has(opcode);
    if (!isCall && !CODE_OPCODES.has(opcode)) return;
    const item = step.stackItem(isCall ? 1 : 0);
    if (item === undefined) return;
    const address = addressOf(item);
    const key = toHex(address);
    if (use.contracts.has(key)) return;
    this.#subject.budget.spend(ENTRY_SIZE);
    use.contracts.set(key, { address, opcode, created: this.#created.of(address) });
  }

  #useStorage(use: FrameUse, step: ExecutionStep): void {
    const { opcode } = step;
    if (opcode !== SLOAD && opcode !== SSTORE && opcode !== TLOAD && opcode !== TSTORE) return;
    const item = step.stackItem(0);
    if (item === undefined) return;
    const slot = bigIntToFixedBytes(item, 32);
    const key = toHex(slot);
    this.#subject.budget.spend(ENTRY_SIZE);
    if (opcode === SSTORE) count(use.writes, key);
    else if (opcode === TLOAD) count(use.transientReads, key);
    else if (opcode === TSTORE) count(use.transientWrites, key);
    else if (!use.reads.has(key) && !use.writes.has(key)) {
      use.reads.set(key, [toHex(padLeft(step.storageAt(slot), 32))]);
    }
  }

  #keepPreimage(step: ExecutionStep): void {
    const [offset, length] = [step.stackItem(0), step.stackItem(1)];
    // If the gas is not sufficient, the input is not hashed. It may then be too long to copy.
    if (offset === undefined || length === undefined || step.gasCost > step.gas) return;
    const preimage = new Uint8Array(Number(length));
    if (length > 0n) preimage.set(step.memory().subarray(Number(offset), Number(offset + length)));
    const digits = toHex(preimage);
    if (this.#preimages.has(digits)) return;
    this.#subject.budget.spend(digits.length);
    this.#preimages.add(digits);
  }

  result(execution: ExecutionResult, after: Overlay): Steps<unknown> {
    this.#after = after;
    return this.#view(execution, after);
  }

  *#view(execution: ExecutionResult, after: Overlay): Steps<unknown> {
    for (const use of this.#uses) this.#views.push(yield* this.#useView(use));
    const outermost = (yield* this.#calls.result(execution, after)) as object;
    return { ...outermost, keccak: yield* sortInSteps(this.#preimages) };
  }

  *#useView(use: FrameUse): Steps<Readonly<Record<string, unknown>>> {
    const { reads, writes, transientReads, transientWrites, codeAccesses, opcodes, contracts } = use;
    return {
      accessedSlots: {
        reads: yield* membersOf(reads),
        writes: yield* membersOf(writes),
        transientReads: yield* membersOf(transientReads),
        transientWrites: yield* membersOf(transientWrites),
      },
      extCodeAccessInfo: codeAccesses,
      usedOpcodes: Object.fromEntries(opcodes),
      contractSize: yield* membersOf(contracts, (seen) => ({
        contractSize: this.#sizeOf(seen),
        opcode: seen.opcode,
      })),
      outOfGas: use.isOutOfGas,
    };
  }

  /** Returns the code size at the time of the access. Delegations (EIP-7702) are set before any code runs. */
  #sizeOf({ address, created }: SeenContract): number {
    if (created !== undefined) return created.length;
    const before = this.#subject.before.account(address)?.code.bytes ?? new Uint8Array(0);
    const after = this.#after?.code(address) ?? before;
    return isDelegation(before) || isDelegation(after) ? after.length : before.length;
  }
}

function opcodeKey(opcode: number): string {
  return `0x${opcode.toString(16)}`;
}
