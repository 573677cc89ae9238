import type { Timer, Timers } from '../primitives/clock.ts';

/** Milliseconds after which the first of what comes after a pause is sent, together with what comes right behind it. */
const GATHERING = 10;

/** Sends at most once in each pause, for a subscriber that does not want to be told of everything by itself. */
export class Pace {
  readonly #timers: Timers;
  /** Milliseconds. */
  readonly #pause: number;
  readonly #send: () => void;
  #timer: Timer | null = null;
  #hasNews = false;
  #isStopped = false;

  /** `send` is called when something new is to be sent. */
  constructor(timers: Timers, pause: number, send: () => void) {
    this.#timers = timers;
    this.#pause = pause;
    this.#send = send;
  }

  /** Called when there is something new. */
  wake(): void {
    if (this.#isStopped) return;
    this.#hasNews = true;
    this.#timer ??= this.#timers.after(Math.min(GATHERING, this.#pause), () => this.#fire());
  }

  #fire(): void {
    this.#timer = null;
    if (!this.#hasNews) return;
    this.#hasNews = false;
    this.#timer = this.#timers.after(this.#pause, () => this.#fire());
    this.#send();
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }
}
