/** The contracts that calls give, which stay in memory with their sources, within a budget: the oldest compilations are dropped first. */

import { namesOf } from '../primitives/json/json-writer.ts';
import type { Task } from '../primitives/task.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import type { IndexedContract } from './contract-index.ts';

/** Bytes that a member of an object or an item of an array takes besides its characters. */
const MEMBER_BYTES = 24;
/** Units of work for a member, and for a contract that comes or goes. */
const MEMBER_WORK = 8;
const CONTRACT_WORK = 256;

/** Returns about how many bytes values of JSON take in memory, counted in pieces. */
export function* memoryOf(values: readonly unknown[], pieces: WorkPieces): Task<number> {
  let bytes = 0;
  const open: unknown[] = [...values];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') bytes += value.length;
    if (typeof value !== 'object' || value === null) continue;
    for (const child of childrenOf(value)) {
      bytes += MEMBER_BYTES;
      if (typeof child === 'string') bytes += child.length;
      else if (typeof child === 'object' && child !== null) open.push(child);
      const turn = pieces.spend(MEMBER_WORK);
      if (turn !== undefined) yield turn;
    }
  }
  return bytes;
}

function* childrenOf(value: object): Generator<unknown, void, undefined> {
  if (Array.isArray(value)) yield* value;
  else for (const name of namesOf(value)) yield Reflect.get(value, name);
}

/** The contracts of one run of a compiler. */
interface GivenCompilation {
  readonly contracts: readonly IndexedContract[];
  /** About how many bytes its input and output take in memory. */
  readonly bytes: number;
}

/** The callbacks for contracts that come and go. */
export interface GivenEvents {
  add(contract: IndexedContract): void;
  remove(contract: IndexedContract): void;
}

/** Contracts by file and name: a later one replaces an earlier one. */
export class GivenContracts {
  readonly #budget: number;
  readonly #events: GivenEvents;
  readonly #byName = new Map<string, IndexedContract>();
  /** The oldest first. One whose contracts are replaced counts too: codes on the chain may still be named by it. */
  readonly #compilations: GivenCompilation[] = [];
  #bytes = 0;

  /** `budget` is in bytes. */
  constructor(budget: number, events: GivenEvents) {
    this.#budget = budget;
    this.#events = events;
  }

  /** True for a contract that a call gave. */
  has(contract: IndexedContract): boolean {
    return this.#byName.get(keyOf(contract)) === contract;
  }

  /**
   * Adds the contracts of a run of a compiler, and drops the oldest runs while all exceed the budget; the new one always stays. Returns the
   * contracts that were dropped.
   */
  *add(contracts: readonly IndexedContract[], bytes: number, pieces: WorkPieces): Task<Set<IndexedContract>> {
    const dropped = new Set<IndexedContract>();
    this.#compilations.push({ contracts, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#budget && this.#compilations.length > 1) {
      const oldest = this.#compilations.shift();
      this.#bytes -= oldest?.bytes ?? 0;
      for (const contract of oldest?.contracts ?? []) {
        dropped.add(contract);
        this.#events.remove(contract);
        const key = keyOf(contract);
        if (this.#byName.get(key) === contract) this.#byName.delete(key);
        const turn = pieces.spend(CONTRACT_WORK);
        if (turn !== undefined) yield turn;
      }
    }
    for (const contract of contracts) {
      const key = keyOf(contract);
      const before = this.#byName.get(key);
      if (before !== undefined) this.#events.remove(before);
      this.#byName.set(key, contract);
      this.#events.add(contract);
      const turn = pieces.spend(CONTRACT_WORK);
      if (turn !== undefined) yield turn;
    }
    return dropped;
  }
}

function keyOf({ sourceName, name }: IndexedContract): string {
  return `${sourceName}:${name}`;
}
