import type { BlockTime } from '../../chain/mining/miner.ts';
import type { JsonSchema } from '../codecs/codec.ts';

/** A distance between blocks, the bounds of one that is drawn, or `null` for none. */
export const INTERVAL_JSON_SCHEMA: JsonSchema = {
  oneOf: [
    { type: 'number' },
    { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    { type: 'null' },
  ],
};

type BlockTimeView = number | readonly [least: number, most: number] | null;

function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** The block time in milliseconds, as are its bounds. */
export function blockTimeInMilliseconds(blockTime: BlockTime | null): BlockTimeView {
  if (blockTime === null) return null;
  if (typeof blockTime === 'number') return inMilliseconds(blockTime);
  return [inMilliseconds(blockTime.least), inMilliseconds(blockTime.most)];
}

/** The block time in seconds, its bounds in milliseconds, as they are set. */
export function blockTimeInSeconds(blockTime: BlockTime | null): BlockTimeView {
  return typeof blockTime === 'number' ? blockTime : blockTimeInMilliseconds(blockTime);
}
