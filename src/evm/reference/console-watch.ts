import type { EVM, Message as LibraryMessage } from '@ethereumjs/evm';
import { equalBytes } from '../../primitives/bytes.ts';
import { CONSOLE_ADDRESS } from '../console/console-address.ts';
import { type ConsoleRecord, ConsoleRecorder } from '../console/console-record.ts';

/** Takes down the calls of the console that virtual machines of the library make, without slowing them. */
export class ConsoleWatch {
  #recorder = new ConsoleRecorder();

  /** Listens to the machine's messages, which it tells of anyway. */
  attach(evm: EVM): void {
    evm.events.on('beforeMessage', (message) => this.#hear(message));
  }

  /** Begins the record of another execution. */
  begin(): void {
    this.#recorder = new ConsoleRecorder();
  }

  /** What the execution told the console so far; `undefined` for nothing. */
  get record(): ConsoleRecord | undefined {
    return this.#recorder.record;
  }

  #hear(message: LibraryMessage): void {
    const { to, caller, delegatecall, data } = message;
    if (to === undefined || !equalBytes(message.codeAddress.bytes, CONSOLE_ADDRESS)) return;
    // The library keeps the caller of the frame around it as the caller of a DELEGATECALL.
    this.#recorder.add((delegatecall ? to : caller).bytes, data);
  }
}
