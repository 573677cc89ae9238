// Steps and console calls, read from the interpreter of ethereumjs.

import type { EVM, getOpcodesForHF, Message as LibraryMessage } from '@ethereumjs/evm';
import { CONSOLE_ADDRESS, type ConsoleRecord, ConsoleRecorder } from '../evm/console.ts';
import type { ExecutionStep } from '../evm/observer.ts';
import { bigIntToFixedBytes, equalBytes } from '../primitives/bytes.ts';
import type { Overlay } from '../state/overlay.ts';

/** An opcode of ethereumjs with its price and implementation. */
export type LibraryOpcode = ReturnType<typeof getOpcodesForHF>['opcodeMap'][number];

/** A running frame of ethereumjs. */
export type RunState = Parameters<LibraryOpcode['opHandler']>[0];

/** A step that reads the running frame on demand. */
export class ReferenceStep implements ExecutionStep {
  readonly gas: bigint;
  readonly gasCost: bigint;
  readonly #runState: RunState;
  readonly #memorySize: number;
  readonly #state: Overlay;
  readonly #refundBefore: bigint;

  /**
   * `refundBefore` is the gas refund that ethereumjs has not counted yet. `before` is the gas and the memory
   * size (bytes) before the opcode was priced, because pricing may change both.
   */
  constructor(
    runState: RunState,
    gasCost: bigint,
    before: { readonly gas: bigint; readonly memorySize: number },
    state: Overlay,
    refundBefore: bigint,
  ) {
    const { gas, memorySize } = before;
    this.gas = gas;
    this.gasCost = gasCost;
    this.#runState = runState;
    this.#memorySize = memorySize;
    this.#state = state;
    this.#refundBefore = refundBefore;
  }

  get pc(): number {
    return this.#runState.programCounter;
  }

  get opcode(): number {
    return this.#runState.opCode;
  }

  get depth(): number {
    return this.#runState.env.depth;
  }

  get refund(): bigint {
    return this.#refundBefore + this.#runState.gasRefund;
  }

  get address(): Uint8Array {
    return this.#runState.env.address.bytes;
  }

  get stackHeight(): number {
    return this.#runState.stack.length;
  }

  stack(): bigint[] {
    return this.#runState.stack.getStack();
  }

  stackItem(distance: number): bigint | undefined {
    const { stack } = this.#runState;
    return distance < stack.length ? stack.peek(distance + 1)[distance] : undefined;
  }

  copyStack(target: Uint8Array): void {
    const most = Math.min(this.stackHeight, target.length >> 5);
    for (let distance = 0; distance < most; distance++) {
      const item = bigIntToFixedBytes(this.stackItem(distance) ?? 0n, 32).reverse();
      target.set(item, target.length - 32 * (distance + 1));
    }
  }

  memory(): Uint8Array {
    return this.#runState.memory.read(0, this.#memorySize, true);
  }

  storageAt(slot: Uint8Array): Uint8Array {
    return this.#state.storageAt(this.address, slot);
  }

  returnData(): Uint8Array {
    return this.#runState.returnBytes;
  }
}

/** Records the console calls of ethereumjs' virtual machines without slowing them. */
export class ConsoleWatch {
  #recorder = new ConsoleRecorder();

  /** Listens to the message events of the machine. */
  attach(evm: EVM): void {
    evm.events.on('beforeMessage', (message) => this.#hear(message));
  }

  /** Starts the record of an execution. */
  begin(): void {
    this.#recorder = new ConsoleRecorder();
  }

  /** The console calls so far; undefined if there are none. */
  get record(): ConsoleRecord | undefined {
    return this.#recorder.record;
  }

  #hear(message: LibraryMessage): void {
    const { to, caller, delegatecall, data } = message;
    if (to === undefined || !equalBytes(message.codeAddress.bytes, CONSOLE_ADDRESS)) return;
    // For a DELEGATECALL, ethereumjs sets the caller of the enclosing frame.
    this.#recorder.add((delegatecall ? to : caller).bytes, data);
  }
}
