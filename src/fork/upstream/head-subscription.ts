import type { Timer, Timers } from '../../primitives/clock.ts';
import { asObject } from '../../wire/tolerant.ts';
import { idOf } from './rpc-answer.ts';
import type { OpenUpstreamSocket, SocketTarget, UpstreamSocket } from './upstream-socket.ts';

/** The external dependencies of watching an upstream. */
export interface HeadDependencies {
  /** These timers must not keep the process alive. */
  readonly timers: Timers;
  readonly openSocket: OpenUpstreamSocket;
}

/** Receives the events of a subscription. */
export interface HeadEvents {
  /** The upstream has accepted the subscription. */
  subscribed(): void;
  /** The upstream has a new block. */
  newHead(): void;
  /** The upstream rejected the subscription, or the connection ended. Called once; not after `stop`. */
  ended(): void;
}

const ID = 1;
const REQUEST = JSON.stringify({ jsonrpc: '2.0', id: ID, method: 'eth_subscribe', params: ['newHeads'] });

/** Milliseconds until the upstream must have accepted the subscription. */
const RESPONSE_TIMEOUT = 10_000;

/** Milliseconds between two pings. A connection without any sign of life for this time has ended. */
const PING_INTERVAL = 30_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A subscription to `newHeads` on its own WebSocket connection. */
export class HeadSubscription {
  readonly #timers: Timers;
  readonly #events: HeadEvents;
  #timer: Timer;
  #socket: UpstreamSocket | null = null;
  #isSubscribed = false;
  #isAlive = true;
  #isOver = false;

  constructor(target: SocketTarget, { timers, openSocket }: HeadDependencies, events: HeadEvents) {
    this.#timers = timers;
    this.#events = events;
    this.#timer = timers.after(RESPONSE_TIMEOUT, () => this.#end());
    const handlers = {
      received: (text: string) => this.#receive(text),
      ponged: () => {
        this.#isAlive = true;
      },
      ended: () => this.#end(),
    };
    // An error ends the subscription. Polling then reports errors of the upstream.
    openSocket(target, handlers).then(
      (socket) => this.#use(socket),
      () => this.#end(),
    );
  }

  #use(socket: UpstreamSocket): void {
    this.#socket = socket;
    if (this.#isOver) this.#close();
    else socket.send(REQUEST);
  }

  #receive(text: string): void {
    if (this.#isOver) return;
    this.#isAlive = true;
    const message = asObject(parsed(text));
    if (message?.method === 'eth_subscription') this.#events.newHead();
    else if (idOf(message) === ID && !this.#isSubscribed) this.#answered(message?.result);
  }

  /** `result` is the id of the subscription; `undefined` for an error. */
  #answered(result: unknown): void {
    if (result === undefined || result === null) {
      this.#end();
      return;
    }
    this.#isSubscribed = true;
    this.#timer.cancel();
    this.#pingLater();
    this.#events.subscribed();
  }

  /** Without pings, a connection can end unnoticed. */
  #pingLater(): void {
    this.#timer = this.#timers.after(PING_INTERVAL, () => {
      if (!this.#isAlive) {
        this.#end();
        return;
      }
      this.#isAlive = false;
      this.#socket?.ping();
      this.#pingLater();
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.stop();
    this.#events.ended();
  }

  /** Closes the connection. No events follow. */
  stop(): void {
    this.#isOver = true;
    this.#timer.cancel();
    this.#close();
  }

  #close(): void {
    this.#socket?.end(new Error('the subscription has ended'));
  }
}
