import type { Steps } from '../primitives/steps.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import type { WorldState } from '../state/world-state.ts';

/** The states after consecutive blocks. The first state has index 0. */
export interface StateHistory {
  /** Appends a state. */
  push(state: WorldState): void;
  /** Returns the state at an index. Throws a `RangeError` for a missing state. */
  at(index: number): WorldState;
  /** Drops the states from this index. States that {@link at} returned stay readable. */
  drop(index: number): void;
  /** Replaces the state at an index, which must have one. */
  replace(index: number, state: WorldState): void;
  /** True if the state is known to equal the state below. */
  isUnchanged(index: number): boolean;
  /** Returns a walk upwards along the states. The history must not change during the walk. */
  walk(): StateWalk;
}

/** Reads consecutive states, and the changes between them. */
export interface StateWalk {
  /**
   * Returns the accounts that differ from the state below, as `WorldState.differencesFrom` does. Returns
   * `null` if the caller must compare the two states.
   */
  changes(index: number): Steps<readonly AccountDifference[] | null>;
  /** Returns the state at an index. */
  state(index: number): Steps<WorldState>;
}
