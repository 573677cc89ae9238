import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { ByteRows } from '../primitives/off-heap.ts';
import { ITEMS_PER_STEP, type Steps } from '../primitives/steps.ts';
import { type Block, logCountOf, logsIn, type SealedBlock } from '../protocol/block.ts';
import { BLOOM_SIZE, logsOf } from '../protocol/receipt.ts';
import type { LogMarks } from './block-index-store.ts';
import { type BloomTest, keysOf, type LogCriteria } from './log-criteria.ts';

/** The size of a section: this number of blocks at the lowest level, or of sections of the level below. */
const SECTION = 16;
const LEVELS = 2;

/** Returns the first block after the section that a search can skip, or `number` itself. */
export type SectionSkip = (number: number) => number;

/** The bytes must not be kept, because rows are overwritten. */
type BloomReader = (bloom: Uint8Array) => void;

const BLOOM_WORDS = BLOOM_SIZE / 4;

/** Adds a bloom whose offset in its buffer is a multiple of its size, as in {@link ByteRows}. */
function addBits(target: Uint32Array, { buffer, byteOffset }: Uint8Array): void {
  const bloom = new Uint32Array(buffer, byteOffset, BLOOM_WORDS);
  for (let index = 0; index < BLOOM_WORDS; index++)
    target[index] = (target[index] ?? 0) | (bloom[index] ?? 0);
}

/**
 * One bloom per section of blocks, and per section of sections. Blocks are counted from 0. Searches skip most
 * of a long chain by them. They take 1/15 of the memory of all block blooms.
 */
export class BloomSections {
  /** The blooms of complete sections, lowest level first. A level is created with its first section. */
  readonly #levels: ByteRows[] = [];
  readonly #readBloom: (number: number, read: BloomReader) => void;

  /** `readBloom` calls `read` with a view of a block's bloom, unless the block has no logs. */
  constructor(readBloom: (number: number, read: BloomReader) => void) {
    this.#readBloom = readBloom;
  }

  /**
   * Called after each appended block with the number of blocks. Blooms are joined at the end of a section, so
   * appending and reverting single blocks costs nothing.
   */
  push(length: number): void {
    if (length % SECTION !== 0) return;
    const bits = new Uint32Array(BLOOM_WORDS);
    const add: BloomReader = (bloom) => addBits(bits, bloom);
    for (let number = length - SECTION; number < length; number++) this.#readBloom(number, add);
    this.#complete(0, bits);
  }

  #complete(level: number, bits: Uint32Array): void {
    const rows = this.#levels[level] ?? new ByteRows(BLOOM_SIZE);
    this.#levels[level] = rows;
    rows.push(new Uint8Array(bits.buffer));
    if (level === LEVELS - 1 || rows.length % SECTION !== 0) return;
    const above = new Uint32Array(BLOOM_WORDS);
    for (let row = rows.length - SECTION; row < rows.length; row++)
      rows.read(row, (bloom) => addBits(above, bloom));
    this.#complete(level + 1, above);
  }

  /** Removes the blocks from this number. */
  truncate(length: number): void {
    let size = 1;
    for (const rows of this.#levels) {
      size *= SECTION;
      rows.truncate(Math.floor(length / size));
    }
  }

  /** Returns a filter that skips sections whose bloom does not match. Each section is tested once. */
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

/** Returns the first index from `start` whose number is at least `value`, or the length. */
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

/** Both lists and the result are ascending. */
export function intersection(left: readonly number[], right: readonly number[]): number[] {
  const shared: number[] = [];
  let place = 0;
  for (const value of left) {
    while (place < right.length && (right[place] ?? value) < value) place++;
    if (right[place] === value) shared.push(value);
  }
  return shared;
}

/** The ascending places of logs by one property (emitter or first topic). */
class Postings {
  readonly #places = new Map<string, number[]>();
  /** The last added value and its places. Consecutive logs often have the same value. */
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

  /** Removes the places from `end` under this key. */
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

  /** Iterates over the smaller set, because few of many keys exist. */
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

/** The distinct addresses and first topics of logs that leave the index. */
export interface RemovedMarks {
  readonly addresses: ReadonlySet<string>;
  readonly firstTopics: ReadonlySet<string>;
}

/** Work units per log. */
const MARK_WORK = 128;
/** Maximum number of logs that a block adds without a yield. */
const LOGS_AT_ONCE = 256;

/** True if the block's logs must be added in advance with yields. */
export function hasManyLogs(block: SealedBlock): boolean {
  return logCountOf(block) > LOGS_AT_ONCE;
}

/** Returns the index keys of the blocks' logs. Yields between logs. */
export function* logMarks(blocks: readonly Block[]): Steps<RemovedMarks> {
  const [addresses, firstTopics] = [new Set<string>(), new Set<string>()];
  let count = 0;
  for (const receipt of blocks.flatMap(({ receipts }) => receipts)) {
    for (const { address, topics } of logsOf(receipt)) {
      addresses.add(hexKey(address));
      if (topics[0] !== undefined) firstTopics.add(hexKey(topics[0]));
      if (++count % ITEMS_PER_STEP === 0) yield MARK_WORK * ITEMS_PER_STEP;
    }
    yield MARK_WORK;
  }
  return { addresses, firstTopics };
}

/** Candidates of one block. */
export interface LogsInBlock {
  readonly number: number;
  /** Indexes in the block, ascending; `null` for all its logs. */
  readonly logIndexes: readonly number[] | null;
}

/**
 * Finds the logs of consecutive blocks by emitter and first topic. Blocks are counted from 0 here. A log's
 * place is the number of logs before it in all blocks. Places are appended and removed at the end only.
 */
export class LogIndex {
  /** By block, the place of its first log. The last item belongs to the next block. */
  readonly #starts: number[] = [0];
  readonly #byAddress = new Postings();
  readonly #byFirstTopic = new Postings();
  /** A block whose logs (all or the first ones) are stored after the last block's. Searches ignore them. */
  #ahead: { readonly block: SealedBlock; end: number; isWhole: boolean } | null = null;

  /**
   * Adds the logs of the next block before it is appended, and yields between logs. Call it if
   * {@link hasManyLogs} is true. Searches ignore them until then. They are removed if another block is
   * appended.
   */
  *addAhead(block: SealedBlock): Steps<void> {
    this.#forgetAhead();
    const ahead = { block, end: this.#end, isWhole: false };
    this.#ahead = ahead;
    for (const { logs } of block.receipts) {
      for (const log of logs) {
        this.#addLog(log, ahead.end++);
        if (ahead.end % ITEMS_PER_STEP === 0) yield MARK_WORK * ITEMS_PER_STEP;
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
    const added = [...logsIn(ahead.block)].slice(0, ahead.end - start);
    for (const { address, topics } of added) {
      this.#byAddress.truncate(hexKey(address), start);
      if (topics[0] !== undefined) this.#byFirstTopic.truncate(hexKey(topics[0]), start);
    }
  }

  /** The place of the next block's first log. */
  get #end(): number {
    return this.#startOf(this.#starts.length - 1);
  }

  append(block: SealedBlock): void {
    const ahead = this.#ahead;
    if (ahead?.isWhole === true && ahead.block === block) {
      this.#ahead = null;
      this.#starts.push(ahead.end);
      return;
    }
    this.#forgetAhead();
    this.#starts.push(this.#add(logsIn(block), this.#end));
  }

  /** Like {@link append}, with all logs of the block. */
  appendLogs(logs: readonly LogMarks[]): void {
    if (logs.length > 0) this.#forgetAhead();
    this.#starts.push(this.#add(logs, this.#end));
  }

  /** Returns the place after the last log. */
  #add(logs: Iterable<LogMarks>, start: number): number {
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
   * Yields the logs of the blocks `from` to `to` (inclusive) that match an emitter and a first topic, by
   * block. Later topics are ignored. Without emitters and first topics, all logs are candidates. Yields
   * `null` for each section that `skip` excludes.
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
      // The log's block is the last one that starts at or before it.
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
