import { type Awaitable, perform, type Steps, settled } from '../../primitives/steps.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { TimestampTooLowError } from '../errors.ts';
import type { ChainClock } from '../settings/chain-clock.ts';
import type { BuiltBlock } from './block-builder.ts';
import type { BlockProducer } from './block-producer.ts';

/** How far apart blocks are that are made in a series. */
export interface MineInterval {
  readonly seconds: number;
  /** True to move the clock by it before the first block too, false to let the first follow the clock. */
  readonly movesFirst: boolean;
}

/** How many blocks to make, and when they say that they were made. */
export interface MineOptions {
  readonly count?: number;
  /** Seconds since 1970 that the first block tells. */
  readonly timestamp?: number;
  /** By default each block follows the clock. Time goes on from the last block of an interval. */
  readonly interval?: MineInterval;
}

/** What a series is made with; all of it belongs to one chain. */
export interface MineParts {
  readonly blockchain: Blockchain;
  readonly clock: ChainClock;
  readonly producer: BlockProducer;
}

/**
 * Sets the timestamp of the next block, once (seconds since 1970). Throws {@link TimestampTooLowError} when it is not
 * after the head's, or before it where blocks may have the same.
 */
export function setNextTimestamp(
  { blockchain, clock }: Pick<MineParts, 'blockchain' | 'clock'>,
  timestamp: number,
): void {
  const headTimestamp = blockchain.head.header.timestamp;
  const earliest = clock.earliestAfter(headTimestamp);
  if (timestamp < earliest) throw new TimestampTooLowError(timestamp, headTimestamp, earliest);
  clock.setNextTimestamp(timestamp);
}

/**
 * Prepares the clock for a block of a series, on top of one made at `parentTimestamp` (seconds since 1970).
 */
export function spaceOut(
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
export function mineNext(
  { blockchain, clock, producer }: MineParts,
  interval: MineInterval | undefined,
  isFirst: boolean,
): Awaitable<BuiltBlock> {
  spaceOut(clock, interval, blockchain.head.header.timestamp, isFirst);
  return producer.mine();
}

/**
 * Makes blocks with as many of the pool's transactions as fit. Throws {@link TimestampTooLowError} when the
 * timestamp is not after the head's.
 */
export function mineSeries(parts: MineParts, options: MineOptions): Awaitable<BuiltBlock[]> {
  return perform(parts.producer.inTurn(() => seriesOf(parts, options)));
}

function* seriesOf(parts: MineParts, options: MineOptions): Steps<BuiltBlock[]> {
  const { count = 1, timestamp, interval } = options;
  if (timestamp !== undefined && count > 0) setNextTimestamp(parts, timestamp);
  const made: BuiltBlock[] = [];
  while (made.length < count) {
    made.push(yield* settled(mineNext(parts, interval, made.length === 0)));
  }
  return made;
}
