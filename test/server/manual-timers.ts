import type { Timer, Timers } from '../../src/primitives/clock.ts';

/** Timers that fire when the test advances the time. */
export class ManualTimers implements Timers {
  #now = 0;
  #pending: { readonly due: number; readonly action: () => void }[] = [];

  get pendingCount(): number {
    return this.#pending.length;
  }

  after(milliseconds: number, action: () => void): Timer {
    const entry = { due: this.#now + milliseconds, action };
    this.#pending.push(entry);
    return { cancel: () => this.#remove(entry) };
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const entry of this.#pending.filter(({ due }) => due <= this.#now)) {
      this.#remove(entry);
      entry.action();
    }
  }

  #remove(entry: { readonly due: number }): void {
    this.#pending = this.#pending.filter((other) => other !== entry);
  }
}
