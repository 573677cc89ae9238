import type { PoolTimeoutLimits } from '../settings/chain-options.ts';
import type { PoolEntry } from './ordering.ts';

/** The measures of a timeout. */
export interface PoolTimeoutSource {
  /** Returns the number of the head block. */
  headNumber(): number;
  /** Returns the real time in milliseconds since 1970: moving the chain's clock does not age transactions. */
  now(): number;
}

interface Since {
  readonly number: number;
  readonly milliseconds: number;
}

/**
 * Decides which transactions of a pool have expired, like the network's nodes (`transaction.outdated.threshold` and
 * `transaction.outdated.timeout` of its reference node). An entry that is restored with a snapshot keeps its age; one
 * of another pool starts anew.
 */
export class PoolTimeout {
  readonly #limits: PoolTimeoutLimits;
  readonly #source: PoolTimeoutSource;
  readonly #since = new WeakMap<PoolEntry, Since>();
  /** No entry arrived before this number and this time. */
  #earliest: Since = NEVER;

  constructor(limits: PoolTimeoutLimits, source: PoolTimeoutSource) {
    this.#limits = limits;
    this.#source = source;
  }

  /** Records the arrival of the entry, unless it is known already. */
  note(entry: PoolEntry): void {
    const known = this.#since.get(entry);
    const since = known ?? { number: this.#source.headNumber(), milliseconds: this.#source.now() };
    if (known === undefined) this.#since.set(entry, since);
    this.#earliest = {
      number: Math.min(this.#earliest.number, since.number),
      milliseconds: Math.min(this.#earliest.milliseconds, since.milliseconds),
    };
  }

  /** Returns the expired ones of all entries. Costs nothing while there can be none. */
  outdated(entries: Iterable<PoolEntry>): readonly PoolEntry[] {
    if (!this.#isOver(this.#earliest)) return NONE;
    const outdated: PoolEntry[] = [];
    this.#earliest = NEVER;
    for (const entry of entries) {
      this.note(entry);
      if (this.#isOver(this.#since.get(entry) ?? NEVER)) outdated.push(entry);
    }
    return outdated;
  }

  #isOver({ number, milliseconds }: Since): boolean {
    const { blocks, seconds } = this.#limits;
    if (blocks !== null && this.#source.headNumber() - number > blocks) return true;
    return seconds !== null && this.#source.now() - milliseconds >= seconds * 1000;
  }
}

const NEVER: Since = { number: Number.POSITIVE_INFINITY, milliseconds: Number.POSITIVE_INFINITY };
const NONE: readonly PoolEntry[] = [];

/** Returns a timeout with these limits; `null` where there are none. */
export function poolTimeout(limits: PoolTimeoutLimits, source: PoolTimeoutSource): PoolTimeout | null {
  return limits.blocks === null && limits.seconds === null ? null : new PoolTimeout(limits, source);
}
