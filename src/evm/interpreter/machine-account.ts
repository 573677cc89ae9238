import { PrecompileError } from '../precompiles/errors.ts';
import type { NativeAccount } from '../precompiles/native-account.ts';
import type { InterpreterEvents } from './interpreter-module.ts';
import type { MachineRecords } from './machine-records.ts';
import { SLOT } from './protocol.ts';

/** The account of a contract of the network, in the memory of a machine. What is written there is taken back with the frame. */
export class MachineAccount implements NativeAccount {
  readonly #machine: MachineRecords;
  readonly #record: number;
  readonly #observer: InterpreterEvents | null;

  constructor(machine: MachineRecords, record: number, observer: InterpreterEvents | null) {
    this.#machine = machine;
    this.#record = record;
    this.#observer = observer;
  }

  slot(key: Uint8Array): Uint8Array {
    const slot = this.#machine.slot(this.#record, key);
    return this.#machine.memory.wordBytes(slot + SLOT.current, 32);
  }

  setSlot(key: Uint8Array, value: Uint8Array): void {
    const { memory, exports } = this.#machine;
    const slot = this.#machine.slot(this.#record, key);
    const word = exports.SCRATCH.value;
    memory.setWordBytes(word, value);
    exports.writeSlot(slot, word);
    memory.refresh();
  }

  send(to: Uint8Array, value: bigint): void {
    const machine = this.#machine;
    const balance = machine.balance(this.#record);
    if (balance < value) throw new PrecompileError('The contract has not so many coins');
    const recipient = machine.account(to);
    machine.setAccount(this.#record, balance - value, machine.nonce(this.#record));
    machine.setAccount(recipient, machine.balance(recipient) + value, machine.nonce(recipient));
  }

  log(topics: readonly Uint8Array[], data: Uint8Array): void {
    const { memory, exports } = this.#machine;
    // The output is put there later, so there is room for the data until then.
    const source = exports.reserveReturnData(data.length);
    memory.refresh();
    memory.set(source, data);
    const first = exports.SCRATCH.value + 32 * (topics.length - 1);
    topics.forEach((topic, index) => {
      memory.setWordBytes(first - 32 * index, topic);
    });
    const log = exports.addLog(this.#record, topics.length, first, source, data.length);
    memory.refresh();
    this.#observer?.log(log);
  }
}
