import { type Steps, settled } from '../../primitives/steps.ts';
import type { SerialQueue } from '../serial-queue.ts';
import type { ChainIdentity } from '../settings/chain-identity.ts';

/** What turns are taken with; all of it belongs to one chain. */
export interface MiningTurnParts {
  readonly changes: SerialQueue;
  readonly identity: ChainIdentity;
}

/**
 * Whose turn it is to make blocks. A search for a proof of work lets other changes happen meanwhile, and those among them
 * that make blocks too wait here for the end of it, in the order in which they came.
 */
export class MiningTurns {
  readonly #parts: MiningTurnParts;
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: MiningTurnParts) {
    this.#parts = parts;
  }

  /**
   * Does the work, which makes blocks, when nobody else does; to be called inside of a change, which gives way until
   * then. Throws `ChainResetError` when the chain starts anew while it waits.
   */
  *inTurn<Result>(work: () => Steps<Result>): Steps<Result> {
    const { identity } = this.#parts;
    const { life } = identity;
    yield* this.#take();
    try {
      identity.requireLife(life);
      return yield* work();
    } finally {
      this.#pass();
    }
  }

  /** Waits for the end of all work before; to be called inside of a change, which gives way until then. */
  *untilIdle(): Steps<void> {
    yield* this.#take();
    this.#pass();
  }

  *#take(): Steps<void> {
    if (this.#isTaken) yield* this.#wait();
    this.#isTaken = true;
  }

  *#wait(): Steps<void> {
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
      yield* settled(this.#parts.changes.giveWay(turn));
    } catch (error) {
      if (isMine) this.#pass();
      else this.#waiting.splice(this.#waiting.indexOf(begin), 1);
      throw error;
    }
  }

  /** What is taken stays so when somebody waits for it: nobody gets in between. */
  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
