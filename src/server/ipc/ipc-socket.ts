// An IPC socket that sends and receives whole JSON texts.

import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Timer, Timers } from '../../primitives/clock.ts';
import { answerWithoutId } from '../envelope.ts';
import { InvalidRequestError, RejectedError } from '../errors.ts';
import type { Answer } from '../message.ts';
import type { MessageSocket } from '../message-connection.ts';
import { JsonSplitter } from './json-splitter.ts';

/** Milliseconds without a byte until an incomplete message closes the connection. */
const INCOMPLETE_LIMIT = 60_000;

/** Milliseconds until a closing connection is destroyed, because the client does not read its responses. */
const CLOSING_LIMIT = 30_000;

const OPEN = 1;
const CLOSING = 2;

/**
 * `message`: a JSON text. `rejected`: the client sent a message above the limit. `end`: the client sends no
 * further messages.
 */
interface IpcEvents {
  message: [text: string];
  rejected: [refusal: RejectedError];
  end: [];
  close: [];
}

/** Sends each message as one line. */
export class IpcSocket extends EventEmitter<IpcEvents> implements MessageSocket {
  readonly OPEN = OPEN;
  readyState: number = OPEN;
  readonly #socket: Socket;
  readonly #timers: Timers;
  readonly #splitter: JsonSplitter;
  #incomplete: Timer | undefined;
  #closing: Timer | undefined;

  /** `bodyLimit` is the maximum length of a message in bytes. */
  constructor(socket: Socket, bodyLimit: number, timers: Timers) {
    super();
    this.#socket = socket;
    this.#timers = timers;
    this.#splitter = new JsonSplitter(bodyLimit);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('end', () => this.#receiveEnd());
    // The close event follows.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#afterClose());
  }

  get bufferedAmount(): number {
    return this.#socket.writableLength;
  }

  get isPaused(): boolean {
    return this.#socket.isPaused();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  send(data: Answer, _options: { readonly binary: boolean }, written?: () => void): void {
    if (!this.#socket.writable) {
      written?.();
      return;
    }
    // A corked socket sends both in one system call.
    this.#socket.cork();
    this.#socket.write(data);
    this.#socket.write('\n', () => written?.());
    this.#socket.uncork();
  }

  /** Closes the connection after all written messages. IPC transfers neither a code nor a reason. */
  close(): void {
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSING;
    this.#incomplete?.cancel();
    this.#closing = this.#timers.after(CLOSING_LIMIT, () => this.terminate());
    // Read bytes are ignored. Without reading, the end of the client would remain unknown.
    this.#socket.resume();
    this.#socket.end();
  }

  terminate(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.readyState !== OPEN) return;
    this.#incomplete?.cancel();
    try {
      for (const text of this.#splitter.add(bytes)) this.emit('message', text);
    } catch (error) {
      if (!(error instanceof RejectedError)) throw error;
      this.emit('rejected', error);
      this.#reject(answerWithoutId(error));
      return;
    }
    this.#limitIncomplete();
  }

  #limitIncomplete(): void {
    if (!this.#splitter.isPartial) return;
    this.#incomplete = this.#timers.after(INCOMPLETE_LIMIT, () => {
      if (this.isPaused) this.#limitIncomplete();
      else {
        const reason = `the message is incomplete after ${INCOMPLETE_LIMIT / 1_000} s`;
        this.#reject(answerWithoutId(new InvalidRequestError(reason)));
      }
    });
  }

  #reject(answer: string): void {
    this.send(answer, { binary: false });
    this.close();
  }

  #receiveEnd(): void {
    this.#incomplete?.cancel();
    if (this.readyState !== OPEN) return;
    const rest = this.#splitter.end();
    if (rest !== null) this.emit('message', rest);
    this.emit('end');
  }

  #afterClose(): void {
    this.readyState = CLOSING;
    this.#incomplete?.cancel();
    this.#closing?.cancel();
    this.emit('close');
  }
}
