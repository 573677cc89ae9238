/** The messages of an agent, and the deadlines after their end. */

import { PassThrough } from 'node:stream';
import { EXIT_CODES } from '../command.ts';
import type { Host } from '../host.ts';
import type { Session } from './session.ts';

/** Bytes of messages that are buffered while the node starts. */
const MAX_KEPT = 2 ** 22;
/** Milliseconds for pending responses after the end of the input. */
const ANSWERING = 400;
/** Milliseconds from the end of the input to the end of the process. */
const MAX_END_TIME = 900;

/** The input of the process. It is read from the start, so that its end is noticed while the node starts. */
export class AgentInput {
  readonly messages = new PassThrough({ highWaterMark: MAX_KEPT });
  /** Resolves at the end of the input. */
  readonly ended: Promise<void>;
  readonly isTerminal: boolean;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    const input = host.openInput();
    this.isTerminal = input.isTTY === true;
    this.ended = new Promise((resolve) => {
      for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
    });
    input.pipe(this.messages);
    void this.ended.then(() => this.messages.end());
  }

  /** Settles like `answered`, or resolves after {@link ANSWERING} milliseconds. */
  async answering(answered: Promise<void>): Promise<void> {
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      const timer = this.#host.timers.after(ANSWERING, resolve);
      cancel = () => timer.cancel();
    });
    await Promise.race([answered, late]).finally(cancel);
  }

  /** Ends the process soon after the input, unless the node still has files to write. */
  endsProcess(session: Session): void {
    void this.ended.then(() => {
      this.#host.timers.after(MAX_END_TIME, () => {
        if (!session.hasFiles) this.#host.exit(EXIT_CODES.success);
      });
    });
  }
}
