import { Machine, type MachineOptions } from './machine.ts';

/** A machine without a message, and the stamp of the state that its accounts and slots belong to. */
interface IdleMachine {
  readonly machine: Machine;
  readonly stamp: object;
}

/** The maximum memory for accounts and slots that is kept from one message to the next. */
const KEPT_RECORD_BYTES = 24 << 20;
/** A machine whose memory has grown beyond this is dropped after its message, because memory never shrinks. */
const KEPT_MEMORY_BYTES = 96 << 20;
const MOST_IDLE = 2;

/**
 * Machines between messages. Each keeps the accounts and slots it has loaded, with the stamp of their state, so that
 * the next message on that state finds them. A waiting message keeps its machine; others take another one.
 */
export class MachinePool {
  readonly #options: MachineOptions;
  /** The most recently used one is the last. */
  #idle: IdleMachine[] = [];

  constructor(options: MachineOptions) {
    this.#options = options;
  }

  /** Returns a machine without data of any other state than the one with the stamp. */
  take(stamp: object): Machine {
    const found = this.#idle.findLastIndex((idle) => idle.stamp === stamp);
    if (found >= 0) {
      const [idle] = this.#idle.splice(found, 1);
      if (idle !== undefined) return idle.machine;
    }
    const oldest = this.#idle.length < MOST_IDLE ? undefined : this.#idle.shift();
    if (oldest === undefined) return new Machine(this.#options);
    oldest.machine.exports.forgetState();
    return oldest.machine;
  }

  /** Takes back a machine whose accounts and slots are those of the state with the stamp. */
  giveBack(machine: Machine, stamp: object): void {
    machine.close();
    if (machine.exports.memoryTop() > KEPT_MEMORY_BYTES) return;
    const isLarge = machine.exports.recordBytes() > KEPT_RECORD_BYTES;
    if (isLarge) machine.exports.forgetState();
    this.#idle.push({ machine, stamp: isLarge ? {} : stamp });
    if (this.#idle.length > MOST_IDLE) this.#idle.shift();
  }
}
