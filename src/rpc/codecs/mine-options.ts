import type { MineOptions } from '../../chain/mining/bulk-mining.ts';
import { type Codec, chosenBy, objectOf, refined } from './codec.ts';
import { seconds } from './quantity.ts';
import { blockCount, blockCountUpTo } from './settings.ts';

const timestampOnly: Codec<MineOptions> = refined(seconds, (timestamp) => ({ value: { timestamp } }));

const fieldsWith = (blocks: Codec<number>): Codec<MineOptions> =>
  refined(
    objectOf({ timestamp: seconds, blocks }, 'a timestamp, or an object with timestamp and blocks'),
    (given) => ({
      value: {
        ...(given.blocks === null ? {} : { count: given.blocks }),
        ...(given.timestamp === null ? {} : { timestamp: given.timestamp }),
      },
    }),
  );

const optionsWith = (blocks: Codec<number>): Codec<MineOptions> => {
  const fields = fieldsWith(blocks);
  return chosenBy(
    (value) => (typeof value === 'object' && value !== null ? fields : timestampOnly),
    [timestampOnly, fields],
  );
};

/** The options of `evm_mine`: a timestamp alone, or an object with `timestamp` and `blocks`. */
export const mineOptions = optionsWith(blockCount);

/** The same for blocks that are all answered in full. */
export const detailedMineOptions = optionsWith(blockCountUpTo(100_000));
