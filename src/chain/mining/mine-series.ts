/** Series of blocks: some at once, each with as many of the pool's transactions as fit, or so many that most are reserved. */

import { nextBaseFee } from '../../protocol/fees.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/scheduler.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../../scheduling/task.ts';
import type { ReservedRange } from '../../storage/reserved-range.ts';
import type { ChainCore } from '../chain-core.ts';
import { setNextTimestamp } from '../controls.ts';
import { SeriesTooLongError } from '../errors.ts';
import { hasSettledLimits } from '../settings/block-settings.ts';
import type { ChainClock } from '../settings/chain-clock.ts';
import type { BuiltBlock } from './block-builder.ts';
import type { BlockProducer } from './block-producer.ts';
import { headContext, reserveAbove } from './parent-context.ts';

/** The distance between blocks that are made in a series. */
export interface MineInterval {
  readonly seconds: number;
  /** True to move the clock by it before the first block too, false to let the first follow the clock. */
  readonly movesFirst: boolean;
}

/** The number of blocks to make, and their timestamps. */
export interface MineOptions {
  readonly count?: number;
  /** The timestamp of the first block, in seconds since 1970. */
  readonly timestamp?: number;
  /** By default each block follows the clock. Time goes on from the last block of an interval. */
  readonly interval?: MineInterval;
  /** True to make more blocks than `count` if transactions that were in the pool did not fit. */
  readonly drainsPool?: boolean;
  /** Called between blocks; throws to end the series after the blocks that are made. Absent for a series that always goes to its end. */
  readonly requireClient?: () => void;
}

/**
 * Prepares the clock for a block of a series, on top of one made at `parentTimestamp` (seconds since 1970).
 */
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

/** Makes the next block of a series, with as many of the pool's transactions as fit. */
function mineNext(
  { blockchain, clock }: ChainCore,
  producer: BlockProducer,
  interval: MineInterval | undefined,
  isFirst: boolean,
): Awaitable<BuiltBlock> {
  spaceOut(clock, interval, blockchain.head.header.timestamp, isFirst);
  return producer.mine();
}

/**
 * Makes blocks with as many of the pool's transactions as fit. Returns what `kept` gives for each of them as soon as it is made:
 * nothing else of a block, such as its state and outputs, is held until the last one is made. Throws
 * {@link TimestampTooLowError} when the timestamp is not after the head's.
 */
export function mineSeries<Kept>(
  core: ChainCore,
  producer: BlockProducer,
  options: MineOptions,
  kept: (built: BuiltBlock) => Kept,
): Awaitable<Kept[]> {
  return runTask(producer.inTurn(() => seriesOf(core, producer, options, kept)));
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
    // A block takes long by itself where many get it.
    const isHeld = made.length < count && core.turns.held() >= SLICE_MILLISECONDS;
    if (isHeld) yield* waitFor(core.turns.wait());
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

/** Fewer empty blocks are made in a time that no caller notices, each with the hash of its header. */
const SHORTEST_RESERVED = 128;
/** The highest number that storage can keep, and with it any block's number. */
const HIGHEST_NUMBER = 2 ** 48 - 1;

/**
 * Makes blocks as `mineSeries` does, in a time that does not grow with their number: the pool's transactions go into the
 * first ones, and when none is left that can be mined, all further ones but the last are reserved. Listeners hear of the
 * others alone. Throws `TimestampTooLowError`, or {@link SeriesTooLongError} when block numbers or timestamps
 * would not stay exact.
 */
export function mineBulk(core: ChainCore, producer: BlockProducer, options: MineOptions): Awaitable<void> {
  return runTask(producer.inTurn(() => bulkOf(core, producer, options)));
}

function* bulkOf(core: ChainCore, producer: BlockProducer, options: MineOptions): Task<void> {
  const { count = 1, timestamp, interval, drainsPool = false, requireClient } = options;
  if (count === 0) return;
  const { arrivals } = core.pool;
  checkLength(core, producer.nextTimestamp(), options, count);
  if (timestamp !== undefined) setNextTimestamp(timestamp)(core);
  let isDrained = false;
  for (let made = 0; made < count; made++) {
    if (made > 0) requireClient?.();
    if (isDrained && count - made >= SHORTEST_RESERVED) {
      return yield* reserve(core, producer, interval, count - made);
    }
    const built = yield* waitFor(mineNext(core, producer, interval, made === 0));
    isDrained = leavesNothing(core, built);
    if (core.turns.held() >= SLICE_MILLISECONDS) yield* waitFor(core.turns.wait());
  }
  while (drainsPool && (yield* producer.mineRest(arrivals)) !== null) requireClient?.();
}

function checkLength(
  { blockchain, clock }: ChainCore,
  nextTimestamp: number,
  { timestamp = nextTimestamp, interval }: MineOptions,
  count: number,
): void {
  const lastNumber = blockchain.head.header.number + count;
  if (lastNumber > HIGHEST_NUMBER) throw new SeriesTooLongError('number', HIGHEST_NUMBER);
  const lastTimestamp = timestamp + count * Math.max(distance(clock, interval), interval?.seconds ?? 0);
  if (lastTimestamp > Number.MAX_SAFE_INTEGER) {
    throw new SeriesTooLongError('timestamp', Number.MAX_SAFE_INTEGER);
  }
}

/** Seconds from one block of a series to the next. */
function distance(clock: ChainClock, interval: MineInterval | undefined): number {
  const setForAll = clock.setting.interval;
  if (interval !== undefined && !interval.movesFirst && interval.seconds > 0) return interval.seconds;
  return Math.max(1, setForAll ?? (interval?.movesFirst === true ? interval.seconds : 1));
}

/**
 * Returns true when the block is empty and those above will be too, and like it: what is in the pool does not wait for a lower
 * base fee, and no limit is on its way to a target.
 */
function leavesNothing({ pool, settings }: ChainCore, { block }: BuiltBlock): boolean {
  if (block.transactions.length > 0 || !hasSettledLimits(block, settings.current)) return false;
  const { baseFeePerGas, excessBlobGas } = block.header.ethereum;
  // The fall of the excess depends on both base fees (EIP-7918), so that the blocks until then are made one by one.
  if ((excessBlobGas ?? 0n) > 0n) return false;
  const hasSettled = baseFeePerGas === null || nextBaseFee(block.header) === baseFeePerGas;
  return hasSettled || pool.pending().length === 0;
}

/** Puts empty blocks on top of the head: the last is sealed, those below it are reserved. */
function* reserve(
  core: ChainCore,
  producer: BlockProducer,
  interval: MineInterval | undefined,
  count: number,
): Task<void> {
  let hasMoved = false;
  const reserveOnHead = (): ReservedRange => {
    const range = rangeOnHead(core, interval, count);
    const { clock } = core;
    if (interval?.movesFirst === true) {
      // The clock moves once, however often the search begins anew.
      if (hasMoved) return range;
      hasMoved = true;
      clock.increase(interval.seconds * (count - 1), core.blockchain.head.header.timestamp);
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
): ReservedRange {
  const { number, timestamp } = blockchain.head.header;
  const step = distance(clock, interval);
  return reserveAbove(headContext(blockchain), ruleSet, settings.current, {
    firstTimestamp: timestamp + step,
    interval: step,
    last: number + count - 1,
  });
}
