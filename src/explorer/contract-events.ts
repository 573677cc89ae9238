/** The events of one contract, read backwards from the newest block. */

import { numberOf } from './format.ts';
import { type FoundLog, forkBlock, logsInParts } from './log-search.ts';

export interface ContractEvents {
  /** The newest first. */
  readonly logs: readonly FoundLog[];
  /** The oldest block that was looked through. */
  readonly first: number;
}

/** Blocks of a first question, and of the largest: the node looks through so many however many events are in them. */
const FEWEST_BLOCKS = 100;
const MOST_BLOCKS = 2_000;
/** Events that one reading is for, and questions until it ends without them. */
const ENOUGH = 50;
const MOST_QUESTIONS = 25;
/** Events that are kept. */
const MOST_LOGS = 5_000;

/** Reads what is new, and what is older when it is asked for. */
export class EventReader {
  readonly #address: string;
  #logs: FoundLog[] = [];
  #branch = -1;
  #first = 0;
  #last = -1;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(address: string) {
    this.#address = address;
  }

  /**
   * Resolves to the events up to the block `last`: at first to some of the newest, then to those and new ones. `branch` is another one
   * after blocks have left the chain. Rejects as the node does.
   */
  read(branch: number, last: number): Promise<ContractEvents> {
    return this.#next(async () => {
      if (branch !== this.#branch || last < this.#last) {
        this.#branch = branch;
        this.#logs = [];
        this.#last = last;
        this.#first = last + 1;
        await this.#readOlder(await forkBlock());
      }
      for (let from = this.#last + 1; from <= last; from = this.#last + 1) {
        const to = Math.min(last, from + MOST_BLOCKS - 1);
        this.#logs.unshift(...(await this.#between(from, to)));
        this.#last = to;
      }
      this.#forget();
      return this.#found();
    });
  }

  /** Resolves to the events with some older ones. Rejects as the node does. */
  older(): Promise<ContractEvents> {
    return this.#next(async () => {
      await this.#readOlder(0);
      return this.#found();
    });
  }

  /** One after the other: each goes on where the last one stopped. */
  #next<Result>(read: () => Promise<Result>): Promise<Result> {
    const reading = this.#turn.then(read);
    this.#turn = reading.catch(() => undefined);
    return reading;
  }

  #found(): ContractEvents {
    return { logs: [...this.#logs], first: this.#first };
  }

  /** Reads backwards until there are enough, but not beyond the block `floor`. */
  async #readOlder(floor: number): Promise<void> {
    const wanted = this.#logs.length + ENOUGH;
    let blocks = FEWEST_BLOCKS;
    for (let question = 0; question < MOST_QUESTIONS; question++) {
      if (this.#first <= floor || this.#logs.length >= wanted) return;
      const from = Math.max(floor, this.#first - blocks);
      this.#logs.push(...(await this.#between(from, this.#first - 1)));
      this.#first = from;
      blocks = Math.min(2 * blocks, MOST_BLOCKS);
    }
  }

  async #between(from: number, to: number): Promise<FoundLog[]> {
    return (await logsInParts({ address: this.#address }, from, to)).reverse();
  }

  /** Forgets the oldest blocks with events beyond the limit; {@link older} reads them again. */
  #forget(): void {
    const beyond = this.#logs[MOST_LOGS];
    if (beyond === undefined) return;
    const block = numberOf(beyond.blockNumber);
    this.#logs = this.#logs.filter(({ blockNumber }) => numberOf(blockNumber) > block);
    this.#first = block + 1;
  }
}
