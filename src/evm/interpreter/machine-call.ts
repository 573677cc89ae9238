// The context of a precompile called by a machine.

import type { Turns } from '../../primitives/scheduler.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { Purpose } from '../admission.ts';
import type { ConsoleRecorder } from '../console/console-record.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import type { NativeCall, PrecompileContext } from '../precompiles/precompiled-contract.ts';
import { signedMessageOf } from '../signers.ts';
import type { InterpreterEvents } from './interpreter-module.ts';
import { MachineAccount, type MachineRecords } from './machine-account.ts';
import { KIND } from './protocol.ts';

/** The context in which a machine executes a message. */
export interface ExecutionContext {
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly observer: InterpreterEvents | null;
  readonly console: ConsoleRecorder;
  /** Measures how long the message has held the event loop. */
  readonly turns: Turns;
}

/** The machine's position at a call of a precompile. */
export interface CallPlace {
  /** The record of the precompile's account. */
  readonly account: number;
  /** One of `KIND`. */
  readonly kind: number;
  /** The pointer to the word with the value of the call. */
  readonly sent: number;
}

/** A call of a precompile by a machine. Everything is read on access, because most precompiles read nothing. */
export class MachineCall implements PrecompileContext {
  readonly #machine: MachineRecords;
  readonly #scene: ExecutionContext;
  readonly #place: CallPlace;
  #call: NativeCall | undefined;

  constructor(machine: MachineRecords, scene: ExecutionContext, place: CallPlace) {
    this.#machine = machine;
    this.#scene = scene;
    this.#place = place;
  }

  get environment(): BlockEnvironment {
    return this.#scene.environment;
  }

  get depth(): number {
    return this.#machine.exports.depth.value;
  }

  call(): NativeCall {
    this.#call ??= this.#read();
    return this.#call;
  }

  #read(): NativeCall {
    const machine = this.#machine;
    const { message, purpose, observer } = this.#scene;
    const { account, kind, sent } = this.#place;
    return {
      caller: machine.addressOf(machine.exports.self.value),
      value: machine.memory.word(sent),
      isStatic: kind === KIND.STATICCALL || machine.exports.isStatic.value !== 0,
      isBorrowed: kind === KIND.DELEGATECALL || kind === KIND.CALLCODE,
      isReadOnlyCall: purpose === 'call',
      transaction: purpose === 'call' ? undefined : signedMessageOf(message),
      account: new MachineAccount(machine, account, observer),
    };
  }
}
