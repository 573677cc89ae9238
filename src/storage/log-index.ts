import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { ByteRows } from '../primitives/off-heap.ts';
import { type Block, logCountOf } from '../protocol/block.ts';
import { BLOOM_SIZE, logsOf } from '../protocol/receipt.ts';
import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { LogMarks } from './block-index-store.ts';
import { type BloomTest, keysOf, type LogCriteria } from './log-criteria.ts';

/** Each section of a level is as many sections of the level below; of blocks, in the lowest one. */
const SECTION = 16;
const LEVELS = 2;

/** Gives the number behind the section around a block that a search can leave out; the block's own number where it cannot. */
export type SectionSkip = (number: number) => number;

/** Sets the bits of a bloom in another one. */
function addBits(target: Uint8Array, bloom: Uint8Array): void {
  for (let index = 0; index < BLOOM_SIZE; index++) target[index] = (target[index] ?? 0) | (bloom[index] ?? 0);
}

/**
 * One bloom for all the blocks of each whole section of a chain, and for sections of sections, whose blocks are counted from 0: by
 * these a search leaves out most of a long chain. They take a fifteenth of what the blooms of all blocks would.
 */
export class BloomSections {
  /** The blooms of the whole sections of each level, from the lowest on; each level is made with its first section. */
  readonly #levels: ByteRows[] = [];
  readonly #bloomOf: (number: number) => Uint8Array | null;

  /** `bloomOf` gives the bloom of a block; `null` when it has no logs. */
  constructor(bloomOf: (number: number) => Uint8Array | null) {
    this.#bloomOf = bloomOf;
  }

  /**
   * Takes in that there are so many blocks, of which the last one is new. Blooms are joined with the last block of a section, so that
   * the blocks that a test appends and takes back cost nothing here.
   */
  push(length: number): void {
    if (length % SECTION !== 0) return;
    const bits = new Uint8Array(BLOOM_SIZE);
    for (let number = length - SECTION; number < length; number++) {
      const bloom = this.#bloomOf(number);
      if (bloom !== null) addBits(bits, bloom);
    }
    this.#complete(0, bits);
  }

  #complete(level: number, bits: Uint8Array): void {
    const rows = this.#levels[level] ?? new ByteRows(BLOOM_SIZE);
    this.#levels[level] = rows;
    rows.push(bits);
    if (level === LEVELS - 1 || rows.length % SECTION !== 0) return;
    const above = new Uint8Array(BLOOM_SIZE);
    for (let row = rows.length - SECTION; row < rows.length; row++)
      rows.read(row, (bloom) => addBits(above, bloom));
    this.#complete(level + 1, above);
  }

  /** Removes the blocks from that number on. */
  truncate(length: number): void {
    let size = 1;
    for (const rows of this.#levels) {
      size *= SECTION;
      rows.truncate(Math.floor(length / size));
    }
  }

  /** Returns what leaves out the sections that the test rules out; it tests each section once. */
  skip(mayMatch: BloomTest): SectionSkip {
    const passed = new Array<number>(LEVELS).fill(-1);
    return (number) => {
      for (let level = LEVELS - 1; level >= 0; level--) {
        const size = SECTION ** (level + 1);
        const section = Math.floor(number / size);
        const rows = this.#levels[level];
        if (rows === undefined || section >= rows.length || passed[level] === section) continue;
        if (!rows.read(section, mayMatch)) return (section + 1) * size;
        passed[level] = section;
      }
      return number;
    };
  }
}

/** Returns the first index, from `start` on, whose number is not below `value`; the length when there is none. */
export function lowerBound(ascending: readonly number[], value: number, start = 0): number {
  let low = start;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? value) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the numbers that are in both lists, ascending. */
export function intersection(left: readonly number[], right: readonly number[]): number[] {
  const shared: number[] = [];
  let place = 0;
  for (const value of left) {
    while (place < right.length && (right[place] ?? value) < value) place++;
    if (right[place] === value) shared.push(value);
  }
  return shared;
}

/** The ascending places of logs for each value of one property (emitter or topic). */
class Postings {
  readonly #places = new Map<string, number[]>();
  /** The value that was added last and its places, since one log is often like the one before it. */
  #last: { readonly value: Uint8Array; readonly places: number[] } | undefined;

  add(value: Uint8Array, place: number): void {
    if (this.#last === undefined || !equalBytes(this.#last.value, value)) {
      const key = hexKey(value);
      const places = this.#places.get(key) ?? [];
      if (places.length === 0) this.#places.set(key, places);
      this.#last = { value, places };
    }
    this.#last.places.push(place);
  }

  /** Removes the places from `end` on under that key. */
  truncate(key: string, end: number): void {
    this.#last = undefined;
    const places = this.#places.get(key);
    if (places === undefined) return;
    places.length = lowerBound(places, end);
    if (places.length === 0) this.#places.delete(key);
  }

  /** Returns the places from `start` (inclusive) to `end` (exclusive) under any of the values. */
  find(values: readonly Uint8Array[], start: number, end: number): number[] {
    const found: number[][] = [];
    for (const places of this.#placesOf(keysOf(values))) {
      const first = lowerBound(places, start);
      found.push(places.slice(first, lowerBound(places, end, first)));
    }
    const [only, ...others] = found;
    if (only === undefined) return [];
    return others.length === 0 ? only : found.flat().sort((left, right) => left - right);
  }

  /** Iterates over the shorter of the two: of many keys hardly any is known. */
  *#placesOf(keys: ReadonlySet<string>): Generator<readonly number[], void, undefined> {
    if (keys.size > this.#places.size) {
      for (const [key, places] of this.#places) if (keys.has(key)) yield places;
      return;
    }
    for (const key of keys) {
      const places = this.#places.get(key);
      if (places !== undefined) yield places;
    }
  }
}

/** The addresses and first topics of logs that leave the index, each once. */
export interface RemovedMarks {
  readonly addresses: ReadonlySet<string>;
  readonly firstTopics: ReadonlySet<string>;
}

/** Units of work for the marks of a log. */
const MARK_WORK = 128;
/** Logs of a block that are added at once. */
const LOGS_AT_ONCE = 256;

/** True for a block whose logs are to be added ahead of it, in pieces. */
export function hasManyLogs(block: Block): boolean {
  return logCountOf(block) > LOGS_AT_ONCE;
}

/** Returns what the logs of the blocks are found by, in pieces when there are many. */
export function* logMarksInPieces(blocks: readonly Block[], pieces: WorkPieces): Task<RemovedMarks> {
  const [addresses, firstTopics] = [new Set<string>(), new Set<string>()];
  for (const receipt of blocks.flatMap(({ receipts }) => receipts)) {
    for (const { address, topics } of logsOf(receipt)) {
      addresses.add(hexKey(address));
      if (topics[0] !== undefined) firstTopics.add(hexKey(topics[0]));
      const turn = pieces.spend(MARK_WORK);
      if (turn !== undefined) yield turn;
    }
    const turn = pieces.spend(MARK_WORK);
    if (turn !== undefined) yield turn;
  }
  return { addresses, firstTopics };
}

/** Candidates of one block. */
export interface LogsInBlock {
  readonly number: number;
  /** Their positions in the block, ascending; `null` for all its logs. */
  readonly logIndexes: readonly number[] | null;
}

/**
 * Finds the logs of consecutive blocks by emitter and by first topic; the blocks are counted from 0 here, whatever
 * their numbers. A log's place is the number of logs before it in all these blocks. Places are only added at the end,
 * and removed there when the chain is rewound.
 */
export class LogIndex {
  /** By block, the place of its first log; one more item for the next block. */
  readonly #starts: number[] = [0];
  readonly #byAddress = new Postings();
  readonly #byFirstTopic = new Postings();
  /** A block whose logs stand behind the last one's already, where no search looks; it may be all of them or the first ones. */
  #ahead: { readonly block: Block; end: number; isWhole: boolean } | null = null;

  /**
   * Adds the logs of the block that is to be appended next, in pieces, where {@link hasManyLogs} says so. No search finds them before
   * it is, and they leave the index when another one is.
   */
  *addAhead(block: Block, pieces: WorkPieces): Task<void> {
    this.#forgetAhead();
    const ahead = { block, end: this.#end, isWhole: false };
    this.#ahead = ahead;
    for (const { logs } of block.receipts) {
      for (const log of logs) {
        this.#addLog(log, ahead.end++);
        const turn = pieces.spend(MARK_WORK);
        if (turn !== undefined) yield turn;
      }
    }
    ahead.isWhole = true;
  }

  /** Removes the logs of a block that was not appended. */
  #forgetAhead(): void {
    const ahead = this.#ahead;
    if (ahead === null) return;
    this.#ahead = null;
    const start = this.#end;
    const added = ahead.block.receipts.flatMap(({ logs }) => logs).slice(0, ahead.end - start);
    for (const { address, topics } of added) {
      this.#byAddress.truncate(hexKey(address), start);
      if (topics[0] !== undefined) this.#byFirstTopic.truncate(hexKey(topics[0]), start);
    }
  }

  /** The place of the next block's first log. */
  get #end(): number {
    return this.#startOf(this.#starts.length - 1);
  }

  /** Appends the logs of the next block. */
  append(block: Block): void {
    const ahead = this.#ahead;
    if (ahead?.isWhole === true && ahead.block === block) {
      this.#ahead = null;
      this.#starts.push(ahead.end);
      return;
    }
    this.#forgetAhead();
    let place = this.#end;
    for (const { logs } of block.receipts) place = this.#add(logs, place);
    this.#starts.push(place);
  }

  /** Same as {@link append}, with all logs of the block. */
  appendLogs(logs: readonly LogMarks[]): void {
    if (logs.length > 0) this.#forgetAhead();
    this.#starts.push(this.#add(logs, this.#end));
  }

  /** Returns the place after the last of the logs. */
  #add(logs: readonly LogMarks[], start: number): number {
    let place = start;
    for (const log of logs) this.#addLog(log, place++);
    return place;
  }

  #addLog({ address, topics }: LogMarks, place: number): void {
    this.#byAddress.add(address, place);
    if (topics[0] !== undefined) this.#byFirstTopic.add(topics[0], place);
  }

  /** Removes the highest `count` blocks, whose logs have these marks. */
  remove(count: number, { addresses, firstTopics }: RemovedMarks): void {
    this.#forgetAhead();
    const height = this.#starts.length - 1 - count;
    const end = this.#startOf(height);
    for (const address of addresses) this.#byAddress.truncate(address, end);
    for (const topic of firstTopics) this.#byFirstTopic.truncate(topic, end);
    this.#starts.length = height + 1;
  }

  #startOf(number: number): number {
    const start = this.#starts[number];
    if (start === undefined) throw new RangeError(`there is no block ${number}`);
    return start;
  }

  /**
   * Yields the logs of the blocks `from` to `to` (both included, both in the chain) that have one of the emitters and
   * one of the first topics, block by block; later topics are ignored. When neither emitters nor first topics are given, all
   * logs are candidates. Yields `null` for each section of blocks that `skip` leaves out.
   */
  find(
    { addresses, topics }: LogCriteria,
    from: number,
    to: number,
    skip: SectionSkip,
  ): Iterable<LogsInBlock | null> {
    const firstTopics = topics[0] ?? [];
    const start = this.#startOf(from);
    const end = this.#startOf(to + 1);
    const emitted = addresses.length === 0 ? null : this.#byAddress.find(addresses, start, end);
    const named = firstTopics.length === 0 ? null : this.#byFirstTopic.find(firstTopics, start, end);
    if (emitted === null && named === null) return this.#everyBlock(from, to, skip);
    const places =
      emitted === null || named === null ? (emitted ?? named ?? []) : intersection(emitted, named);
    return this.#byBlock(places, from, skip);
  }

  *#everyBlock(from: number, to: number, skip: SectionSkip): Generator<LogsInBlock | null, void, undefined> {
    for (let number = from; number <= to; number++) {
      const next = skip(number);
      if (next === number) yield { number, logIndexes: null };
      else {
        yield null;
        number = next - 1;
      }
    }
  }

  *#byBlock(
    places: readonly number[],
    from: number,
    skip: SectionSkip,
  ): Generator<LogsInBlock | null, void, undefined> {
    let number = from;
    for (let index = 0; index < places.length; ) {
      // The block is the last one that does not start behind the log.
      number = lowerBound(this.#starts, (places[index] ?? 0) + 1, number) - 1;
      const next = skip(number);
      const isLeftOut = next !== number;
      const start = this.#startOf(number);
      const end = this.#startOf(isLeftOut ? Math.min(next, this.#starts.length - 1) : number + 1);
      const logIndexes: number[] = [];
      for (; index < places.length && (places[index] ?? end) < end; index++) {
        if (!isLeftOut) logIndexes.push((places[index] ?? start) - start);
      }
      yield isLeftOut ? null : { number, logIndexes };
    }
  }
}
