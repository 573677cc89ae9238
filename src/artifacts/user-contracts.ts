/** The contracts that calls add, in memory within a budget. The oldest compilations are dropped first. */

import { namesOf } from '../json/json-writer.ts';
import { ITEMS_PER_STEP, type Steps } from '../primitives/steps.ts';
import type { IndexedContract } from './contract-index.ts';

/** Bytes of memory per object member or array item, without its characters. */
const MEMBER_BYTES = 24;
/** Units of work per member, and per added or removed contract. */
const MEMBER_WORK = 8;
const CONTRACT_WORK = 256;

/** Estimates the memory of JSON values in bytes. Yields between time slices. */
export function* memoryOf(values: readonly unknown[]): Steps<number> {
  let [bytes, members] = [0, 0];
  const open: unknown[] = [...values];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') bytes += value.length;
    if (typeof value !== 'object' || value === null) continue;
    for (const child of childrenOf(value)) {
      bytes += MEMBER_BYTES;
      if (typeof child === 'string') bytes += child.length;
      else if (typeof child === 'object' && child !== null) open.push(child);
      if (++members % ITEMS_PER_STEP === 0) yield MEMBER_WORK * ITEMS_PER_STEP;
    }
  }
  return bytes;
}

function* childrenOf(value: object): Generator<unknown, void, undefined> {
  if (Array.isArray(value)) yield* value;
  else for (const name of namesOf(value)) yield Reflect.get(value, name);
}

interface GivenCompilation {
  readonly contracts: readonly IndexedContract[];
  /** Estimated memory of its input and output, in bytes. */
  readonly bytes: number;
  /** The number of contracts that no later compilation has replaced. */
  current: number;
}

interface GivenContract {
  readonly contract: IndexedContract;
  readonly compilation: GivenCompilation;
}

export interface UserEvents {
  add(contract: IndexedContract): void;
  remove(contract: IndexedContract): void;
}

/** Contracts by file and name: a later one replaces an earlier one. */
export class UserContracts {
  readonly #budget: number;
  readonly #events: UserEvents;
  readonly #byName = new Map<string, GivenContract>();
  /** Oldest first. Replaced compilations count until {@link release}: earlier matches may refer to them. */
  readonly #compilations = new Set<GivenCompilation>();
  /** The compilations without current contracts. */
  readonly #replaced = new Set<GivenCompilation>();
  #bytes = 0;

  /** `budget` is in bytes. */
  constructor(budget: number, events: UserEvents) {
    this.#budget = budget;
    this.#events = events;
  }

  /** The number of compilations that count towards the budget. */
  get compilations(): number {
    return this.#compilations.size;
  }

  /** True if a counted compilation has no current contracts. */
  get hasReplaced(): boolean {
    return this.#replaced.size > 0;
  }

  has(contract: IndexedContract): boolean {
    return this.#byName.get(keyOf(contract))?.contract === contract;
  }

  /**
   * Adds the contracts of a compiler run, and drops the oldest runs until the rest fits the budget. The new
   * run always stays. Returns the dropped contracts.
   */
  *add(contracts: readonly IndexedContract[], bytes: number): Steps<Set<IndexedContract>> {
    const dropped = new Set<IndexedContract>();
    const compilation: GivenCompilation = { contracts, bytes, current: 0 };
    this.#compilations.add(compilation);
    this.#bytes += bytes;
    for (const oldest of this.#compilations) {
      if (this.#bytes <= this.#budget || oldest === compilation) break;
      this.#remove(oldest);
      for (const contract of oldest.contracts) {
        dropped.add(contract);
        this.#events.remove(contract);
        if (this.has(contract)) this.#byName.delete(keyOf(contract));
        yield CONTRACT_WORK;
      }
    }
    for (const contract of contracts) {
      const key = keyOf(contract);
      const before = this.#byName.get(key);
      if (before !== undefined) this.#replace(before);
      this.#byName.set(key, { contract, compilation });
      compilation.current++;
      this.#events.add(contract);
      yield CONTRACT_WORK;
    }
    // A compilation without contracts has no use.
    if (compilation.current === 0 && this.#compilations.has(compilation)) this.#replaced.add(compilation);
    return dropped;
  }

  #replace({ contract, compilation }: GivenContract): void {
    this.#events.remove(contract);
    compilation.current--;
    if (compilation.current === 0 && this.#compilations.has(compilation)) this.#replaced.add(compilation);
  }

  /** Releases the replaced compilations without any of these contracts. Nothing else refers to them. */
  release(named: ReadonlySet<IndexedContract>): void {
    for (const compilation of this.#replaced)
      if (!compilation.contracts.some((contract) => named.has(contract))) this.#remove(compilation);
  }

  #remove(compilation: GivenCompilation): void {
    if (!this.#compilations.delete(compilation)) return;
    this.#replaced.delete(compilation);
    this.#bytes -= compilation.bytes;
  }
}

function keyOf({ sourceName, name }: IndexedContract): string {
  return `${sourceName}:${name}`;
}
