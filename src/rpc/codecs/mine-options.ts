import type { MineOptions } from '../../node/mine-series.ts';
import { type Codec, chosenBy, leaf, objectOf, refined } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity, seconds } from './quantity.ts';

const MOST_BLOCKS = 100_000n;

const blockCount = leaf('a number of blocks up to 100000', QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > MOST_BLOCKS ? undefined : Number(count);
});

const timestampOnly: Codec<MineOptions> = refined(seconds, (timestamp) => ({ value: { timestamp } }));

const fields: Codec<MineOptions> = refined(
  objectOf({ timestamp: seconds, blocks: blockCount }, 'a timestamp, or an object with timestamp and blocks'),
  ({ timestamp, blocks }) => ({
    value: { ...(blocks === null ? {} : { count: blocks }), ...(timestamp === null ? {} : { timestamp }) },
  }),
);

/** The options of `evm_mine`: a timestamp alone, or an object with `timestamp` and `blocks`. */
export const mineOptions: Codec<MineOptions> = chosenBy(
  (value) => (typeof value === 'object' && value !== null ? fields : timestampOnly),
  [timestampOnly, fields],
);
