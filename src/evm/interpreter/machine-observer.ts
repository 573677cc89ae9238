// Reports the events of a machine to an observer.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { GasSchedule } from '../../protocol/hardforks/gas-schedule.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Yielder } from '../../scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import {
  type AccountNow,
  type ExecutionObserver,
  type ExecutionStep,
  type FrameKind,
  reportTransfer,
  type StateNow,
} from '../observer.ts';
import { haltMessage } from './execution-task.ts';
import type { InterpreterEvents } from './interpreter-module.ts';
import type { Machine } from './machine.ts';
import { readLog } from './machine-logs.ts';
import { ACCOUNT, END, EVENT, FLAG, KIND, SLOT } from './protocol.ts';

/** Returns a stack item by its distance from the top. */
type Item = (distance: number) => bigint;

/** The memory that an opcode uses, in bytes, and its other dynamic gas. */
interface MemoryUse {
  readonly offset: bigint;
  readonly length: bigint;
  readonly besides: bigint;
}

function words(bytes: bigint): bigint {
  return (bytes + 31n) / 32n;
}

function memoryUse(opcode: number, item: Item, { size }: GasSchedule): MemoryUse {
  const copied = (length: bigint): bigint => words(length) * BigInt(size.copyWord);
  switch (opcode) {
    case OPCODES.KECCAK256:
      return { offset: item(0), length: item(1), besides: words(item(1)) * BigInt(size.keccakWord) };
    case OPCODES.MLOAD:
    case OPCODES.MSTORE:
      return { offset: item(0), length: 32n, besides: 0n };
    case OPCODES.MSTORE8:
      return { offset: item(0), length: 1n, besides: 0n };
    case OPCODES.EXTCODECOPY:
      return { offset: item(1), length: item(3), besides: copied(item(3)) };
    case OPCODES.MCOPY:
      return { offset: item(0) > item(1) ? item(0) : item(1), length: item(2), besides: copied(item(2)) };
    case OPCODES.CREATE:
    case OPCODES.CREATE2: {
      const hashed = opcode === OPCODES.CREATE2 ? size.keccakWord : 0;
      const besides = words(item(2)) * BigInt(size.initcodeWord + hashed);
      return { offset: item(1), length: item(2), besides };
    }
    case OPCODES.RETURN:
    case OPCODES.REVERT:
      return { offset: item(0), length: item(1), besides: 0n };
    default:
      break;
  }
  const topics = opcode - OPCODES.LOG0;
  if (topics < 0) return { offset: item(0), length: item(2), besides: copied(item(2)) };
  const besides = item(1) * BigInt(size.logByte) + BigInt(topics * size.logTopic);
  return { offset: item(0), length: item(1), besides };
}

/**
 * Cost of an opcode that would expand the memory beyond any gas limit. The interpreter does not compute this
 * cost, but observers receive it, without the surcharge for a cold account. Under rules with a maximum memory
 * size, the cost is the static gas.
 */
function unpayableCost(opcode: number, item: Item, memorySize: number, { opcodes, gas }: RuleSet): bigint {
  const base = BigInt(opcodes[opcode] ?? 0);
  const { word, quadraticDivisor, maximumSize } = gas.memory;
  if (maximumSize !== null) return base;
  const total = (count: bigint): bigint => count * BigInt(word) + (count * count) / BigInt(quadraticDivisor);
  const { offset, length, besides } = memoryUse(opcode, item, gas);
  return base + besides + total(words(offset + length)) - total(BigInt(memorySize / 32));
}

const KINDS: ReadonlyMap<number, FrameKind> = new Map(
  Object.entries(KIND).map(([name, kind]) => [kind, name as FrameKind]),
);

/** The interpreter's cost for an opcode that no gas limit can pay. */
const UNPAYABLE = 2n ** 63n - 1n;

/** A step that reads the memory of the machine on demand. */
class MachineStep implements ExecutionStep {
  constructor(
    readonly machine: Machine,
    readonly pc: number,
    readonly opcode: number,
    readonly depth: number,
    readonly stackPointer: number,
  ) {}

  #number(field: number): bigint {
    return this.machine.memory.signed(this.machine.event + field);
  }

  get gas(): bigint {
    return this.#number(EVENT.gas);
  }

  get gasCost(): bigint {
    const cost = this.#number(EVENT.cost);
    return cost === UNPAYABLE ? this.#unpayableCost() : cost;
  }

  get refund(): bigint {
    return this.#number(EVENT.refund);
  }

  get address(): Uint8Array {
    return this.machine.addressOf(this.machine.exports.self.value);
  }

  get stackHeight(): number {
    return (this.stackPointer - this.machine.exports.stackBase.value) >> 5;
  }

  #unpayableCost(): bigint {
    const { exports, ruleSet } = this.machine;
    const item = (distance: number): bigint => this.stackItem(distance) ?? 0n;
    const surcharge = this.opcode === OPCODES.EXTCODECOPY ? this.#number(EVENT.surcharge) : 0n;
    return surcharge + unpayableCost(this.opcode, item, exports.frameMemorySize(), ruleSet);
  }

  stack(): bigint[] {
    const { memory, exports } = this.machine;
    const base = exports.stackBase.value;
    const items: bigint[] = [];
    for (let item = base + 32; item <= this.stackPointer; item += 32) items.push(memory.word(item));
    return items;
  }

  stackItem(distance: number): bigint | undefined {
    const item = this.stackPointer - 32 * distance;
    return item > this.machine.exports.stackBase.value ? this.machine.memory.word(item) : undefined;
  }

  copyStack(target: Uint8Array): void {
    const length = 32 * Math.min(this.stackHeight, target.length >> 5);
    const end = this.stackPointer + 32;
    target.set(this.machine.memory.bytes.subarray(end - length, end), target.length - length);
  }

  memory(): Uint8Array {
    const { memory, exports } = this.machine;
    const start = exports.memoryBase.value;
    return memory.bytes.subarray(start, start + exports.frameMemorySize());
  }

  storageAt(slot: Uint8Array): Uint8Array {
    const { machine } = this;
    return machine.memory.shortWordBytes(machine.slot(machine.exports.self.value, slot) + SLOT.current);
  }

  returnData(): Uint8Array {
    const { memory, exports } = this.machine;
    const start = exports.returnData();
    return memory.bytes.subarray(start, start + exports.returnLength.value);
  }
}

/** The state of a machine between two opcodes. */
class MachineState implements StateNow {
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  account(address: Uint8Array): AccountNow | undefined {
    const machine = this.#machine;
    const account = machine.account(address);
    if (!machine.hasFlag(account, FLAG.exists)) return undefined;
    return { nonce: machine.nonce(account), balance: machine.balance(account) };
  }

  code(address: Uint8Array): Uint8Array {
    const machine = this.#machine;
    const account = machine.account(address);
    const length = machine.memory.number(account + ACCOUNT.codeLength);
    if (length === 0) return EMPTY_BYTES;
    const raw = machine.exports.rawCodeOf(account);
    machine.memory.refresh();
    if (raw === 0) throw machine.awaited;
    return machine.memory.copy(raw, length);
  }

  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const machine = this.#machine;
    return machine.memory.shortWordBytes(machine.slot(machine.account(address), slot) + SLOT.current);
  }
}

interface OpenFrame {
  readonly gas: bigint;
  readonly isPrecompile: boolean;
}

/** Frames to report between two reads of the clock. */
const UNMEASURED_FRAMES = 64;

/** Translates the events of a machine for an observer. */
export class MachineObserver implements InterpreterEvents {
  readonly #machine: Machine;
  readonly #observer: ExecutionObserver;
  readonly #open: OpenFrame[] = [];
  /** Addresses by account record, so that recordings of many calls share one copy of each address. */
  readonly #addresses = new Map<number, Uint8Array>();

  readonly #yielder: Pick<Yielder, 'blockedFor'>;
  /** Frames that ended since the last read of the clock. */
  #unmeasuredFrames = 0;

  /** `ended`: contracts (20 bytes) destroyed earlier in the block whose addresses are reserved. */
  constructor(
    machine: Machine,
    observer: ExecutionObserver,
    ended: readonly Uint8Array[],
    yielder: Pick<Yielder, 'blockedFor'>,
  ) {
    this.#yielder = yielder;
    this.#machine = machine;
    this.#observer = observer;
    observer.begin?.(new MachineState(machine), ended);
  }

  frameStart(
    kind: number,
    depth: number,
    from: number,
    to: number,
    input: number,
    length: number,
    value: number,
    isPrecompile: number,
  ): number {
    const machine = this.#machine;
    this.trail();
    const gas = machine.memory.signed(machine.event + EVENT.gas);
    this.#open.push({ gas, isPrecompile: isPrecompile !== 0 });
    this.#observer.frameStart?.({
      kind: KINDS.get(kind) ?? 'CALL',
      depth,
      from: this.#addressOf(from),
      to: this.#addressOf(to),
      input: length === 0 ? EMPTY_BYTES : machine.memory.bytes.subarray(input, input + length),
      gas,
      value: value === 0 ? null : machine.memory.word(value),
      isPrecompile: isPrecompile !== 0,
    });
    return this.#observer.skipsFrame === true ? 0 : 1;
  }

  #addressOf(account: number): Uint8Array {
    const known = this.#addresses.get(account);
    if (known !== undefined) return known;
    const address = this.#machine.addressOf(account);
    this.#addresses.set(account, address);
    return address;
  }

  frameEnd(end: number, output: number, length: number): void {
    const machine = this.#machine;
    this.trail();
    const frame = this.#open.pop();
    const failure = frame?.isPrecompile === true ? machine.precompileFailure : undefined;
    const outcome = end === END.success ? 'success' : end === END.revert ? 'revert' : 'halt';
    const hasOutput = outcome !== 'halt' && length > 0;
    this.#observer.frameEnd?.({
      outcome,
      haltReason: outcome === 'halt' ? haltMessage(machine, end) : null,
      output: hasOutput ? machine.memory.bytes.subarray(output, output + length) : EMPTY_BYTES,
      gasUsed: machine.memory.signed(machine.event + EVENT.gas),
      ...(failure === undefined ? {} : { precompileFailure: failure }),
    });
    this.#measure();
  }

  /** Ends the slice if its time is up, because gas does not measure the recording of frames. */
  #measure(): void {
    if (++this.#unmeasuredFrames < UNMEASURED_FRAMES) return;
    this.#unmeasuredFrames = 0;
    this.#endSliceInTime();
  }

  #endSliceInTime(): void {
    if (this.#yielder.blockedFor() >= SLICE_MILLISECONDS) this.#machine.endSlice();
  }

  /** Call it before the machine is discarded. Reports that all open frames halt and use up their gas. */
  giveUp(haltReason: string): void {
    this.trail();
    this.#observer.fault?.(haltReason);
    for (let frame = this.#open.pop(); frame !== undefined; frame = this.#open.pop()) {
      this.#observer.frameEnd?.({ outcome: 'halt', haltReason, output: EMPTY_BYTES, gasUsed: frame.gas });
    }
  }

  step(pc: number, opcode: number, depth: number, stackPointer: number): void {
    this.trail();
    if (this.#observer.step === undefined) return;
    this.#observer.step(new MachineStep(this.#machine, pc, opcode, depth, stackPointer));
    // A single step may take long, because an observer may copy megabytes of memory.
    this.#endSliceInTime();
  }

  /** Reports the program counters that the machine buffered. */
  trail(): void {
    if (this.#observer.trail === undefined) return;
    const { exports, memory } = this.#machine;
    const length = exports.takeTrail();
    if (length === 0) return;
    memory.refresh();
    this.#observer.trail(new Uint32Array(memory.bytes.buffer, exports.TRAIL.value, length));
  }

  fault(end: number): void {
    this.trail();
    this.#observer.fault?.(haltMessage(this.#machine, end));
  }

  log(log: number): void {
    this.trail();
    this.#observer.log?.(readLog(this.#machine.memory, log));
  }

  remark(text: string): void {
    this.#observer.remark?.(text);
  }

  transfer(from: number, to: number, value: bigint): void {
    const depth = this.#open.length;
    reportTransfer(this.#observer, { depth, from: this.#addressOf(from), to: this.#addressOf(to), value });
  }
}
