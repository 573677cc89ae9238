import { type Task, waitFor } from '../../scheduling/task.ts';
import type { ChainCore } from '../chain-core.ts';

/** Lets the mining tasks of a chain run one after another. */
export class MiningTurns {
  readonly #core: Pick<ChainCore, 'identity' | 'changes'>;
  /** True while a task mines blocks. */
  #isTaken = false;
  /** Start functions of the waiting tasks, in order of arrival. */
  readonly #waiting: (() => void)[] = [];

  constructor(core: Pick<ChainCore, 'identity' | 'changes'>) {
    this.#core = core;
  }

  /**
   * Runs a mining task after all earlier ones. During a search for a proof of work other changes run. If
   * these mine blocks too, they wait here, in order of arrival. Call it inside a change, which yields while
   * it waits. Throws `ChainResetError` if the chain is reset during the wait.
   */
  *run<Result>(work: () => Task<Result>): Task<Result> {
    const { identity } = this.#core;
    const { life } = identity;
    yield* this.#takeTurn();
    try {
      identity.requireLife(life);
      return yield* work();
    } finally {
      this.#passTurn();
    }
  }

  /** Waits, inside a change, until no mining task runs. */
  *untilIdle(): Task<void> {
    yield* this.#takeTurn();
    this.#passTurn();
  }

  *#takeTurn(): Task<void> {
    if (this.#isTaken) yield* this.#waitForTurn();
    this.#isTaken = true;
  }

  *#waitForTurn(): Task<void> {
    let isMine = false;
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = () => {
        isMine = true;
        resolve();
      };
    });
    this.#waiting.push(begin);
    try {
      yield* waitFor(this.#core.changes.yieldTo(turn));
    } catch (error) {
      if (isMine) this.#passTurn();
      else this.#waiting.splice(this.#waiting.indexOf(begin), 1);
      throw error;
    }
  }

  /** The lock stays taken while tasks wait, so that no later task overtakes them. */
  #passTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
