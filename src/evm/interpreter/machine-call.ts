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

/** The message that a machine runs, with its surroundings. */
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

/** The place of a call of a precompile in the memory of a machine. */
export interface CallPlace {
  /** The record of the precompile's account. */
  readonly account: number;
  /** One of `KIND`. */
  readonly kind: number;
  /** The address of the word that holds the value of the call. */
  readonly sent: number;
}

/** A call of a precompile by a machine. Most precompiles ask for nothing of it, so nothing is read before that. */
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
