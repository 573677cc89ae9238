/** Series of blocks: a few blocks with the pool's transactions, or long runs of reserved empty blocks. */

import type { Awaitable } from '../../primitives/awaitable.ts';
import { nextBaseFee } from '../../protocol/fees.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import { runTask, type Task, waitFor } from '../../scheduling/task.ts';
import type { EmptyBlockRange } from '../../storage/empty-block-range.ts';
import type { ChainCore } from '../chain-core.ts';
import { SeriesTooLongError } from '../errors.ts';
import { setNextTimestamp } from '../mining-controls.ts';
import type { Bundle } from '../pool/bundles.ts';
import { hasSettledLimits } from '../settings/block-settings.ts';
import type { ChainClock } from '../settings/chain-clock.ts';
import type { BuiltBlock } from './block-builder.ts';
import type { BlockProducer } from './block-producer.ts';
import { headContext, reserveAbove } from './parent-context.ts';

/** The time between the blocks of a series. */
export interface MineInterval {
  readonly seconds: number;
  /** True to move the clock before the first block too. False lets the first block follow the clock. */
  readonly movesFirst: boolean;
}

/** The number of blocks to mine, and their timestamps. */
export interface MineOptions {
  readonly count?: number;
  /** The timestamp of the first block, in seconds since 1970. */
  readonly timestamp?: number;
  /** By default each block follows the clock. After an interval, time continues from the last block. */
  readonly interval?: MineInterval;
  /** True to mine further blocks until the transactions that were in the pool are mined. */
  readonly drainsPool?: boolean;
  /** Called between blocks. It can throw to end the series; blocks mined so far remain. */
  readonly requireClient?: () => void;
}

/** Sets the clock for the next block of a series. `parentTimestamp` is in seconds since 1970. */
function spaceOut(
  clock: ChainClock,
  interval: MineInterval | undefined,
  parentTimestamp: number,
  isFirst: boolean,
): void {
  if (interval === undefined) return;
  if (interval.movesFirst) clock.increase(interval.seconds, parentTimestamp);
  else if (!isFirst && interval.seconds > 0) clock.setNextTimestamp(parentTimestamp + interval.seconds);
}

/** Mines the next block of a series, with as many of the pool's transactions as fit. */
function mineNext(
  { blockchain, clock }: ChainCore,
  producer: BlockProducer,
  interval: MineInterval | undefined,
  isFirst: boolean,
): Awaitable<BuiltBlock> {
  spaceOut(clock, interval, blockchain.head.block.header.timestamp, isFirst);
  return producer.mine();
}

/**
 * Mines blocks with as many of the pool's transactions as fit. `kept` maps each block immediately, so that
 * states and outputs of earlier blocks can be freed. Throws {@link TimestampTooLowError} if the timestamp is
 * not after the head's.
 */
export function mineSeries<Kept>(
  core: ChainCore,
  producer: BlockProducer,
  options: MineOptions,
  kept: (built: BuiltBlock) => Kept,
): Awaitable<Kept[]> {
  return runTask(
    producer.inTurn(() => seriesOf(core, producer, options, kept)),
    producer.timeSlice(),
  );
}

function* seriesOf<Kept>(
  core: ChainCore,
  producer: BlockProducer,
  options: MineOptions,
  kept: (built: BuiltBlock) => Kept,
): Task<Kept[]> {
  const { count = 1, timestamp, interval, drainsPool = false, requireClient } = options;
  const { arrivals } = core.pool;
  if (timestamp !== undefined && count > 0) setNextTimestamp(timestamp)(core);
  const made: Kept[] = [];
  while (made.length < count) {
    if (made.length > 0) requireClient?.();
    made.push(kept(yield* waitFor(mineNext(core, producer, interval, made.length === 0))));
    // Each block can take long if every block has many transactions.
    const isHeld = made.length < count && core.yielder.blockedFor() >= SLICE_MILLISECONDS;
    if (isHeld) yield* waitFor(core.yielder.wait());
    if (core.changes.held !== undefined) yield* waitFor(core.changes.held);
  }
  if (drainsPool && count > 0) {
    for (;;) {
      const built = yield* producer.mineRest(arrivals);
      if (built === null) break;
      made.push(kept(built));
      requireClient?.();
    }
  }
  return made;
}

/** Minimum number of empty blocks to reserve. Fewer blocks are mined one by one, fast enough. */
const MIN_RESERVED = 128;
/**
 * Maximum blocks of a series that are mined for a bundle that fails. The state changes in none of them, so the
 * bundle would probably fail in each block of a long series.
 */
const TRIES_LIMIT = 128;
/** The highest block number that storage supports. */
const HIGHEST_NUMBER = 2 ** 48 - 1;

/**
 * Mines blocks as `mineSeries` does, in a time independent of their number. The pool's transactions go into
 * the first blocks. After that, all blocks except the last are reserved, without events. Throws
 * `TimestampTooLowError`. Throws {@link SeriesTooLongError} for unsafe block numbers or timestamps.
 */
export function mineBulk(core: ChainCore, producer: BlockProducer, options: MineOptions): Awaitable<void> {
  return runTask(
    producer.inTurn(() => bulkOf(core, producer, options)),
    producer.timeSlice(),
  );
}

function* bulkOf(core: ChainCore, producer: BlockProducer, options: MineOptions): Task<void> {
  const { count = 1, timestamp, interval, drainsPool = false, requireClient } = options;
  if (count === 0) return;
  const { arrivals } = core.pool;
  checkLength(core, producer.nextTimestamp(), options, count);
  if (timestamp !== undefined) setNextTimestamp(timestamp)(core);
  let isDrained = false;
  const tries = new Map<Bundle, number>();
  for (let made = 0; made < count; made++) {
    if (made > 0) requireClient?.();
    const idle = isDrained ? idleBlocks(core, interval, count - made, tries) : 0;
    if (idle >= MIN_RESERVED) {
      yield* reserve(core, producer, interval, idle);
      if (idle === count - made) return;
      made += idle - 1;
      continue;
    }
    const built = yield* waitFor(mineNext(core, producer, interval, made === 0));
    isDrained = leavesNothing(core, built);
    if (isDrained) countTries(core, built, tries);
    if (core.yielder.blockedFor() >= SLICE_MILLISECONDS) yield* waitFor(core.yielder.wait());
  }
  while (drainsPool && (yield* producer.mineRest(arrivals)) !== null) requireClient?.();
}

function checkLength(
  { blockchain, clock }: ChainCore,
  nextTimestamp: number,
  { timestamp = nextTimestamp, interval }: MineOptions,
  count: number,
): void {
  const lastNumber = blockchain.head.block.header.number + count;
  if (lastNumber > HIGHEST_NUMBER) throw new SeriesTooLongError('number', HIGHEST_NUMBER);
  const lastTimestamp = timestamp + count * Math.max(distance(clock, interval), interval?.seconds ?? 0);
  if (lastTimestamp > Number.MAX_SAFE_INTEGER) {
    throw new SeriesTooLongError('timestamp', Number.MAX_SAFE_INTEGER);
  }
}

/** Seconds between two blocks of a series. */
function distance(clock: ChainClock, interval: MineInterval | undefined): number {
  const setForAll = clock.setting.interval;
  if (interval !== undefined && !interval.movesFirst && interval.seconds > 0) return interval.seconds;
  return Math.max(1, setForAll ?? (interval?.movesFirst === true ? interval.seconds : 1));
}

/**
 * Returns true if the block is empty and later blocks will be identical. Then no pool transaction waits for a
 * lower base fee, and no limit moves to a target.
 */
function leavesNothing({ pool, settings }: ChainCore, { block }: BuiltBlock): boolean {
  if (block.transactions.length > 0 || !hasSettledLimits(block, settings.current)) return false;
  const { baseFeePerGas, excessBlobGas } = block.header.ethereum;
  // The decrease of the excess depends on both base fees (EIP-7918), so these blocks are mined one by one.
  if ((excessBlobGas ?? 0n) > 0n) return false;
  const hasSettled = baseFeePerGas === null || nextBaseFee(block.header) === baseFeePerGas;
  return hasSettled || pool.executable().length === 0;
}

/** Counts the bundles that the empty block tried. */
function countTries({ pool }: ChainCore, { block }: BuiltBlock, tries: Map<Bundle, number>): void {
  const { number, timestamp } = block.header;
  for (const bundle of pool.bundles.due(number, timestamp)) tries.set(bundle, (tries.get(bundle) ?? 0) + 1);
}

/**
 * Returns the number of the next blocks, at most `count`, before the first block that can include a bundle with
 * fewer than {@link TRIES_LIMIT} tries.
 */
function idleBlocks(
  { pool, blockchain, clock }: ChainCore,
  interval: MineInterval | undefined,
  count: number,
  tries: ReadonlyMap<Bundle, number>,
): number {
  if (pool.bundles.size === 0) return count;
  const { number, timestamp } = blockchain.head.block.header;
  const step = distance(clock, interval);
  const next = { number: number + 1, timestamp: timestamp + step, interval: step };
  const hasTriesLeft = (bundle: Bundle): boolean => (tries.get(bundle) ?? 0) < TRIES_LIMIT;
  return Math.min(count, pool.bundles.firstDue(next, hasTriesLeft) - next.number);
}

/** Appends empty blocks: the last one is sealed, the others are reserved. */
function* reserve(
  core: ChainCore,
  producer: BlockProducer,
  interval: MineInterval | undefined,
  count: number,
): Task<void> {
  let hasMoved = false;
  const reserveOnHead = (): EmptyBlockRange => {
    const range = rangeOnHead(core, interval, count);
    const { clock } = core;
    if (interval?.movesFirst === true) {
      // Moves the clock once, even if the search restarts.
      if (hasMoved) return range;
      hasMoved = true;
      clock.increase(interval.seconds * (count - 1), core.blockchain.head.block.header.timestamp);
    }
    spaceOut(clock, interval, range.timestampOf(range.last), false);
    return range;
  };
  yield* waitFor(producer.mineAbove(reserveOnHead));
}

function rangeOnHead(
  { blockchain, clock, settings, ruleSet }: ChainCore,
  interval: MineInterval | undefined,
  count: number,
): EmptyBlockRange {
  const { number, timestamp } = blockchain.head.block.header;
  const step = distance(clock, interval);
  return reserveAbove(headContext(blockchain), ruleSet, settings.current, {
    firstTimestamp: timestamp + step,
    interval: step,
    last: number + count - 1,
  });
}
