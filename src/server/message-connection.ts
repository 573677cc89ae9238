// A connection with backpressure over a WebSocket or an IPC socket.

import { isLongJson, jsonParts } from '../json/json-writer.ts';
import { LinkedQueue } from '../primitives/linked-queue.ts';
import type { Connection, DisconnectCause } from '../rpc/connection.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { keyOfTarget } from './access-control.ts';
import type { Answer } from './message.ts';

/** Answers one message; `undefined` if there is no response. */
export type MessageAnswerer = (text: string, connection: Connection) => Promise<Answer | undefined>;

/** Maximum waiting messages before reading pauses. */
const WAITING_LIMIT = 1_000;

/** Work units of a message without its text. An invalid message has no other work that yields. */
const MESSAGE_WORK = 2_000;

/** Maximum unread bytes to serve the next message or to send the next notification. */
const UNREAD_ANSWERS_LIMIT = 1024 * 1024;

/** Maximum bytes of unread data, including notifications, before a client is dropped. */
const UNREAD_LIMIT = 64 * 1024 * 1024;

/** Maximum characters of waiting notifications of all clients. Above it, clients with many are dropped. */
const UNREAD_IN_ALL_LIMIT = 4 * UNREAD_LIMIT;

/** Characters of notifications that may always wait for one client. */
const HELD_ALWAYS_LIMIT = 64 * 1024;

/** The unread data of all connections of a server. */
export interface UnreadData {
  /** Characters of the notifications that wait for clients to read. */
  held: number;
}

/** Assumed bytes of a notification that is not yet written. */
const UNWRITTEN_LENGTH = 64 * 1024;

/** Status codes of the WebSocket protocol (RFC 6455, section 7.4.1, and IANA's registry). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** Otherwise, bytes would be sent as a binary message. */
const AS_TEXT = { binary: false };

/** The code and the reason of closing a connection. */
interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

const SHUTTING_DOWN: CloseReason = { code: GOING_AWAY, reason: 'the node is shutting down' };
const BANNED: CloseReason = { code: POLICY_VIOLATION, reason: 'the address of the client is banned' };

/** Maximum characters of a key in a close reason, which has at most 123 bytes (RFC 6455, section 5.5). */
const NAMED_KEY_LENGTH = 60;

function laneDropped(key = ''): CloseReason {
  const name = key.length > NAMED_KEY_LENGTH ? `${key.slice(0, NAMED_KEY_LENGTH)}…` : key;
  return { code: GOING_AWAY, reason: `lane ${name} was dropped; connect again for a new lane` };
}

/** A queued response or notification. */
interface Outgoing {
  readonly data: Answer;
  /** Characters of a notification; 0 for a response. */
  readonly heldLength: number;
  /** Called after it is written. */
  readonly written?: () => void;
}

/** A socket that sends and receives whole messages. */
export interface MessageSocket {
  /** {@link OPEN} until the socket closes. */
  readonly readyState: number;
  readonly OPEN: number;
  /** Bytes that the client has not read. */
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
  /** Sends a message. Calls `written` when the message is written, or when the socket closes. */
  send(data: Answer, options: { readonly binary: boolean }, written?: () => void): void;
  close(code: number, reason: string): void;
  on(event: 'message', listener: (data: { toString(): string }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** The properties of a client. For a WebSocket, they come from its upgrade request. */
export interface MessageClient {
  readonly transport: 'websocket' | 'ipc';
  readonly remoteAddress: string;
  /** The request target: the path with the key. */
  readonly target: string | undefined;
  readonly userAgent: string | undefined;
  /** True to omit its calls from the log. */
  readonly isQuiet: boolean;
  /** True for a client on this machine, without a proxy. */
  readonly isLocal: boolean;
}

/**
 * A socket as a connection of the RPC service. Messages are answered one after another, in order.
 * Notifications that arise during a message are sent after its response.
 */
export class MessageConnection implements Connection {
  readonly transport: 'websocket' | 'ipc';
  readonly remoteAddress: string;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  readonly isQuiet: boolean;
  readonly isLocal: boolean;
  readonly #socket: MessageSocket;
  readonly #answer: MessageAnswerer;
  readonly #unread: UnreadData;
  readonly #waiting: string[] = [];
  /** Responses and notifications that wait for a slow client, in order. */
  readonly #outgoing = new LinkedQueue<Outgoing>();
  /** Notifications that arose during a message. They follow its response. */
  readonly #behindAnswer = new LinkedQueue<Outgoing>();
  /** Characters of the notifications in both queues. */
  #heldLength = 0;
  /** True while the client has not read the last sent message. */
  #isDraining = false;
  #isAnswering = false;
  /** Present while a long notification is being written. Later ones wait for it. */
  #writing: Promise<void> | undefined;
  #unwritten = 0;
  #closeReason: CloseReason | undefined;
  #isClosed = false;
  #closeActions = new Set<() => void>();

  constructor(
    socket: MessageSocket,
    { transport, remoteAddress, target, userAgent, isQuiet, isLocal }: MessageClient,
    answer: MessageAnswerer,
    unread: UnreadData,
  ) {
    this.#socket = socket;
    this.transport = transport;
    this.remoteAddress = remoteAddress;
    this.key = keyOfTarget(target);
    this.userAgent = userAgent;
    this.isQuiet = isQuiet;
    this.isLocal = isLocal;
    this.#answer = answer;
    this.#unread = unread;
    // The default binaryType delivers every message as a Buffer, whose toString decodes UTF-8.
    socket.on('message', (data) => this.#receive(data.toString()));
    socket.on('close', () => this.#afterClose());
  }

  readonly notify = (method: string, params: unknown): void => {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const notification = { jsonrpc: '2.0', method, params };
    if (this.#writing === undefined && !isLongJson(notification)) {
      this.#sendNotification(JSON.stringify(notification));
      return;
    }
    this.#unwritten++;
    if (this.#isTooMuchUnread()) {
      this.#drop();
      return;
    }
    const writing = this.#writeBehind(this.#writing, notification).then(() => {
      this.#unwritten--;
      if (this.#writing === writing) this.#writing = undefined;
    });
    this.#writing = writing;
  };

  #isTooMuchUnread(): boolean {
    const waiting = this.#heldLength + this.#unwritten * UNWRITTEN_LENGTH;
    const own = this.#socket.bufferedAmount + waiting;
    const isSlow = waiting > HELD_ALWAYS_LIMIT && this.#unread.held > UNREAD_IN_ALL_LIMIT;
    return own > UNREAD_LIMIT || isSlow;
  }

  /** Counts waiting characters; `length` is negative for sent ones. */
  #countHeld(length: number): void {
    this.#heldLength += length;
    this.#unread.held += length;
  }

  /** Writes a long notification in time slices, and sends it after earlier ones. */
  async #writeBehind(before: Promise<void> | undefined, notification: object): Promise<void> {
    await before;
    if (this.#isClosed) return;
    const texts = await runTask(
      jsonParts(notification, () => undefined),
      new TimeSlice(),
    );
    this.#sendNotification(texts.join(''));
  }

  #sendNotification(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    (this.#isAnswering ? this.#behindAnswer : this.#outgoing).push({ data: text, heldLength: text.length });
    this.#countHeld(text.length);
    if (!this.#isAnswering) this.#sendOutgoing();
    if (this.#isTooMuchUnread()) this.#drop();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(action: () => void): () => void {
    if (this.#isClosed) action();
    else this.#closeActions.add(action);
    return () => this.#closeActions.delete(action);
  }

  /** Stops reading, answers the received messages, and closes the connection. */
  leave(): void {
    this.#finish(SHUTTING_DOWN);
  }

  /** Finishes the current response, drops waiting messages, and closes the connection. */
  disconnect(why: DisconnectCause): void {
    this.#waiting.length = 0;
    this.#finish(why === 'banned' ? BANNED : laneDropped(this.key));
  }

  #finish(reason: CloseReason): void {
    this.#closeReason = reason;
    if (!this.#isAnswering) this.#close(reason);
  }

  #receive(text: string): void {
    if (this.#closeReason) return;
    this.#waiting.push(text);
    if (this.#waiting.length >= WAITING_LIMIT) this.#socket.pause();
    if (!this.#isAnswering) void this.#answerWaiting();
  }

  async #answerWaiting(): Promise<void> {
    this.#isAnswering = true;
    const slice = new TimeSlice();
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      const answer = await this.#answer(text, this);
      if (answer !== undefined) await this.#send(answer);
      await slice.spend(MESSAGE_WORK + text.length);
      this.#outgoing.takeAll(this.#behindAnswer);
      this.#sendOutgoing();
      if (this.#socket.isPaused && this.#waiting.length < WAITING_LIMIT) this.#socket.resume();
    }
    this.#isAnswering = false;
    if (this.#closeReason) this.#close(this.#closeReason);
  }

  /** Sends a response after earlier notifications. Returns a promise only if the client is slow. */
  #send(answer: Answer): Promise<void> | undefined {
    const isRead = this.#outgoing.isEmpty && !this.#isDraining;
    if (isRead && this.#socket.bufferedAmount + answer.length <= UNREAD_ANSWERS_LIMIT) {
      this.#socket.send(answer, AS_TEXT);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#outgoing.push({ data: answer, heldLength: 0, written: resolve });
      this.#sendOutgoing();
    });
  }

  /** Sends queued messages while the client reads. A socket would buffer them without limit. */
  #sendOutgoing(): void {
    while (!this.#isDraining) {
      const next = this.#outgoing.shift();
      if (next === undefined) return;
      this.#countHeld(-next.heldLength);
      if (this.#socket.bufferedAmount <= UNREAD_ANSWERS_LIMIT) {
        this.#socket.send(next.data, AS_TEXT, next.written);
        continue;
      }
      this.#isDraining = true;
      this.#socket.send(next.data, AS_TEXT, () => {
        this.#isDraining = false;
        next.written?.();
        if (!this.#isClosed) this.#sendOutgoing();
      });
    }
  }

  #dropHeld(): void {
    for (const queue of [this.#outgoing, this.#behindAnswer]) {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) next.written?.();
    }
    this.#countHeld(-this.#heldLength);
  }

  #drop(): void {
    this.#dropHeld();
    this.#socket.close(TRY_AGAIN_LATER, 'the client does not read its notifications');
  }

  /** Closes the connection after all queued messages. */
  #close({ code, reason }: CloseReason): void {
    for (let next = this.#outgoing.shift(); next !== undefined; next = this.#outgoing.shift()) {
      this.#countHeld(-next.heldLength);
      this.#socket.send(next.data, AS_TEXT, next.written);
    }
    this.#socket.close(code, reason);
  }

  #afterClose(): void {
    this.#isClosed = true;
    this.#dropHeld();
    const actions = this.#closeActions;
    this.#closeActions = new Set();
    for (const action of actions) action();
  }
}
