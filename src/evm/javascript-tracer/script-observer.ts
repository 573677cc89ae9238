// Sends the events of an execution to a tracer in its sandbox.

import { bigIntToBytes, bigIntToFixedBytes, EMPTY_BYTES, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import { OPCODES, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import { HALT_REASONS } from '../halt-reasons.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';
import { isCreation, opcodeName } from '../observer.ts';
import { gethError, gethReason } from '../tracers/error-messages.ts';
import type { AnswerSandbox, Sandbox, TracerFunctions } from './sandbox.ts';
import { type HostQuestion, SANDBOX_LAYOUT } from './sandbox-layout.ts';

const { number: NUMBER, ask: ASK } = SANDBOX_LAYOUT;
const STACK_END = SANDBOX_LAYOUT.stack + 32 * SANDBOX_LAYOUT.stackItems;
const MAX_ITEMS = 1024;
/** Maximum number of zero bytes beyond the end of the memory in a tracer's request. */
const MAX_PADDING = 2 ** 20;

/** An open frame, for `log.contract`. */
interface OpenFrame {
  readonly number: number;
  readonly caller: Uint8Array;
  /** 20 bytes: the account whose storage the code uses. */
  readonly address: Uint8Array;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly isPrecompile: boolean;
}

const CALLS: ReadonlySet<number> = new Set([
  OPCODES.CALL,
  OPCODES.CALLCODE,
  OPCODES.DELEGATECALL,
  OPCODES.STATICCALL,
]);

/** Returns the error that geth reports with the step instead of a fault; `null` if none. */
function reasonBeforehand({ opcode, stackHeight, gasCost, gas }: ExecutionStep): string | null {
  const use = STACK_USE[opcode];
  if (use === undefined) return null;
  if (stackHeight < use.taken) return HALT_REASONS.stackUnderflow;
  if (stackHeight - use.taken + use.left > MAX_ITEMS) return HALT_REASONS.stackOverflow;
  // Engines report no gas cost for a call that the gas cannot pay.
  const isUnpayable = gasCost > gas || (gasCost === 0n && CALLS.has(opcode));
  return isUnpayable ? HALT_REASONS.outOfGas : null;
}

/** Validates an index, because a tracer may have replaced the argument checks of its sandbox. */
function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The observer that a JavaScript tracer follows. */
export class ScriptObserver implements ExecutionObserver {
  readonly step?: (step: ExecutionStep) => void;
  readonly fault?: (reason: string) => void;
  readonly #sandbox: Sandbox;
  readonly #functions: TracerFunctions;
  readonly #isPrecompile: (address: Uint8Array) => boolean;
  readonly #frames: OpenFrame[] = [];
  #frameCount = 0;
  #state: StateNow | null = null;
  #step: ExecutionStep | null = null;
  #error: string | null = null;
  /** True if the last step was reported with the error that ends its frame. */
  #isToldOfError = false;
  #kind = '';
  #input: Uint8Array = EMPTY_BYTES;
  #output: Uint8Array = EMPTY_BYTES;
  outermost: FrameStart | null = null;
  outermostEnd: FrameEnd | null = null;

  constructor(sandbox: Sandbox, functions: TracerFunctions, isPrecompile: (address: Uint8Array) => boolean) {
    this.#sandbox = sandbox;
    this.#functions = functions;
    this.#isPrecompile = isPrecompile;
    if (functions.hasStep) this.step = (step) => this.#onStep(step);
    this.fault = (reason) => this.#onFault(reason);
  }

  begin(state: StateNow): void {
    this.#state = state;
  }

  /** Sets the state after the execution. */
  end(state: StateNow): void {
    this.#state = state;
    this.#step = null;
  }

  frameStart(start: FrameStart): void {
    const input = start.input.slice();
    const kept = { ...start, input };
    if (start.depth === 0 && this.outermost === null) this.outermost = kept;
    this.#frames.push(this.#opened(kept));
    if (start.depth === 0 || !this.#functions.hasFrames) return;
    this.#kind = start.kind;
    this.#input = input;
    const { numbers, bytes } = this.#sandbox;
    numbers[NUMBER.frameGas] = Number(start.gas);
    numbers[NUMBER.hasValue] = start.value === null ? 0 : 1;
    bytes.set(start.from, SANDBOX_LAYOUT.from);
    bytes.set(start.to, SANDBOX_LAYOUT.to);
    bytes.set(bigIntToFixedBytes(start.value ?? 0n, 32).reverse(), SANDBOX_LAYOUT.value);
    this.#sandbox.hook('enter');
  }

  frameEnd(end: FrameEnd): void {
    const output = end.output.slice();
    // geth also reports REVERT as a fault.
    if (end.outcome === 'revert' && this.#frames.at(-1)?.isPrecompile === false)
      this.#tellOfFault(gethError(end));
    this.#frames.pop();
    if (this.#frames.length === 0) {
      this.outermostEnd = { ...end, output };
      return;
    }
    if (!this.#functions.hasFrames) return;
    this.#output = output;
    this.#setError(gethError(end));
    this.#sandbox.numbers[NUMBER.frameGas] = Number(end.gasUsed);
    this.#sandbox.hook('exit');
  }

  #opened({ kind, from, to, value, input, isPrecompile }: FrameStart): OpenFrame {
    const enclosing = this.#frames.at(-1);
    const number = ++this.#frameCount;
    const code = isCreation(kind) ? EMPTY_BYTES : input;
    const opened = { number, caller: from, value: value ?? 0n, input: code, isPrecompile };
    // CALLCODE and DELEGATECALL run the code on the storage of the calling contract. DELEGATECALL also keeps
    // its caller.
    if (kind === 'DELEGATECALL' && enclosing !== undefined)
      return { ...opened, caller: enclosing.caller, address: enclosing.address };
    return { ...opened, address: kind === 'CALLCODE' ? from : to };
  }

  #onStep(step: ExecutionStep): void {
    this.#step = step;
    const reason = reasonBeforehand(step);
    this.#isToldOfError = reason !== null;
    this.#setError(reason === null ? null : gethReason(reason));
    const { numbers, bytes } = this.#sandbox;
    numbers[NUMBER.pc] = step.pc;
    numbers[NUMBER.opcode] = step.opcode;
    numbers[NUMBER.gas] = Number(step.gas);
    numbers[NUMBER.cost] = Number(step.gasCost);
    numbers[NUMBER.depth] = step.depth + 1;
    numbers[NUMBER.refund] = Number(step.refund);
    numbers[NUMBER.stackHeight] = step.stackHeight;
    numbers[NUMBER.memorySize] = step.memory().length;
    numbers[NUMBER.frame] = this.#frames.at(-1)?.number ?? 0;
    step.copyStack(bytes.subarray(SANDBOX_LAYOUT.stack, STACK_END));
    this.#sandbox.hook('step');
  }

  #onFault(reason: string): void {
    if (this.#isToldOfError) return;
    const isBeyondReturnData =
      reason === HALT_REASONS.outOfGas && this.#step?.opcode === OPCODES.RETURNDATACOPY;
    this.#tellOfFault(isBeyondReturnData ? 'return data out of bounds' : gethReason(reason));
  }

  #tellOfFault(error: string | null): void {
    this.#setError(error);
    this.#sandbox.hook('fault');
  }

  #setError(error: string | null): void {
    this.#error = error;
    this.#sandbox.numbers[NUMBER.hasError] = error === null ? 0 : 1;
  }

  /** Handles the requests of the sandbox. */
  readonly answer: AnswerSandbox = (question, given) => {
    switch (question) {
      case ASK.opcodeName:
        return opcodeName(this.#number(NUMBER.opcode));
      case ASK.error:
        return this.#error ?? '';
      case ASK.frameKind:
        return this.#kind;
      case ASK.frameInput:
        return this.#input;
      case ASK.frameOutput:
        return this.#output;
      case ASK.input:
        return this.outermost?.input ?? EMPTY_BYTES;
      case ASK.output:
        return this.outermostEnd?.output ?? EMPTY_BYTES;
      case ASK.contract:
        return this.#contract();
      case ASK.memory:
        return this.#memoryPart();
      case ASK.stackItem:
        return this.#giveWord(this.#stackItem());
      default:
        return this.#answerOfAddress(question, given);
    }
  };

  #answerOfAddress(question: HostQuestion, given: Uint8Array | undefined): Uint8Array | undefined {
    const address = this.#bytesAt(SANDBOX_LAYOUT.address, 20);
    const slot = this.#bytesAt(SANDBOX_LAYOUT.slot, 32);
    switch (question) {
      case ASK.balance:
        return this.#giveWord(this.#state?.account(address)?.balance ?? 0n);
      case ASK.nonce:
        return this.#giveNumber(Number(this.#state?.account(address)?.nonce ?? 0n));
      case ASK.exists:
        return this.#giveNumber(this.#state?.account(address) === undefined ? 0 : 1);
      case ASK.code:
        return this.#state?.code(address) ?? EMPTY_BYTES;
      case ASK.storage:
        return this.#giveBytes(padLeft(this.#state?.storageAt(address, slot) ?? EMPTY_BYTES, 32));
      case ASK.isPrecompile:
        return this.#giveNumber(this.#isPrecompile(address) ? 1 : 0);
      case ASK.contractAddress: {
        const nonce = this.#number(NUMBER.argument);
        const counted = Number.isSafeInteger(nonce) && nonce > 0 ? BigInt(nonce) : 0n;
        const encoded = encodeRlp([address, bigIntToBytes(counted)]);
        return this.#giveAddress(keccak256(encoded));
      }
      default: {
        const hashed = new Uint8Array(85);
        hashed[0] = 0xff;
        hashed.set(address, 1);
        hashed.set(slot, 21);
        hashed.set(keccak256(given ?? EMPTY_BYTES), 53);
        return this.#giveAddress(keccak256(hashed));
      }
    }
  }

  #contract(): Uint8Array {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return new Uint8Array(72);
    const { caller, address, value, input } = frame;
    const bytes = new Uint8Array(72 + input.length);
    bytes.set(caller, 0);
    bytes.set(address, 20);
    bytes.set(bigIntToFixedBytes(value, 32), 40);
    bytes.set(input, 72);
    return bytes;
  }

  /** Returns the requested part of the memory, padded with zeros. */
  #memoryPart(): Uint8Array {
    const [begin, end] = [this.#number(NUMBER.argument), this.#number(NUMBER.secondArgument)];
    const memory = this.#step?.memory() ?? EMPTY_BYTES;
    const isValid = isIndex(begin) && isIndex(end) && end >= begin && end <= memory.length + MAX_PADDING;
    if (!isValid) return EMPTY_BYTES;
    const part = new Uint8Array(end - begin);
    part.set(memory.subarray(begin, end));
    return part;
  }

  /** Returns the requested stack item; zero if absent. */
  #stackItem(): bigint {
    const distance = this.#number(NUMBER.argument);
    return isIndex(distance) ? (this.#step?.stackItem(distance) ?? 0n) : 0n;
  }

  #number(index: number): number {
    return this.#sandbox.numbers[index] ?? 0;
  }

  #bytesAt(offset: number, length: number): Uint8Array {
    return this.#sandbox.bytes.slice(offset, offset + length);
  }

  #giveNumber(value: number): undefined {
    this.#sandbox.numbers[NUMBER.argument] = value;
  }

  #giveWord(value: bigint): undefined {
    this.#giveBytes(bigIntToFixedBytes(value, 32));
  }

  #giveBytes(word: Uint8Array): undefined {
    this.#sandbox.bytes.set(Uint8Array.from(word).reverse(), SANDBOX_LAYOUT.word);
  }

  #giveAddress(hash: Uint8Array): undefined {
    this.#sandbox.bytes.set(hash.subarray(12), SANDBOX_LAYOUT.address);
  }
}
