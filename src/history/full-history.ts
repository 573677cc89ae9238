import { ready } from '../primitives/steps.ts';
import type { WorldState } from '../state/world-state.ts';
import type { StateHistory, StateWalk } from './state-history.ts';

/**
 * Keeps the root of every state. States share their unchanged nodes. A chain with a data directory uses this
 * history, because its nodes are on disk.
 */
export class FullHistory implements StateHistory {
  readonly #states: WorldState[] = [];

  push(state: WorldState): void {
    this.#states.push(state);
  }

  at(index: number): WorldState {
    const state = this.#states[index];
    if (state === undefined) throw new RangeError(`there is no state at ${index}`);
    return state;
  }

  drop(index: number): void {
    this.#states.length = Math.min(index, this.#states.length);
  }

  replace(index: number, state: WorldState): void {
    this.#states[index] = state;
  }

  isUnchanged(index: number): boolean {
    return index > 0 && this.#states[index - 1] === this.#states[index];
  }

  walk(): StateWalk {
    return { changes: () => ready(null), state: (index) => ready(this.at(index)) };
  }
}
