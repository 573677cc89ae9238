import type { BlockTime, BlockTimeRange } from '../../chain/settings/miner.ts';
import { arrayOf, chosenBy, leaf, refined } from './codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

/** Seconds since 1970 of the year 33658, or milliseconds of the year 2001: what is larger is in milliseconds. */
const LARGEST_SECONDS = 10n ** 12n;
const TIME_END = 10n ** 15n;

/** A point in time in seconds since 1970, or in milliseconds when it is larger than 10^12. Gives seconds. */
export const pointInTime = leaf(
  'seconds since 1970, or milliseconds (above 10^12), below 10^15',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    if (read === undefined || read >= TIME_END) return undefined;
    return Number(read > LARGEST_SECONDS ? read / 1000n : read);
  },
);

/** A whole number of seconds that is told in milliseconds. Gives seconds. */
export const wholeSecondsInMilliseconds = leaf(
  'milliseconds that are whole seconds, below 10^15',
  QUANTITY_JSON_SCHEMA,
  (value) => {
    const read = readQuantity(value);
    return read === undefined || read % 1000n !== 0n || read >= TIME_END ? undefined : Number(read / 1000n);
  },
);

/** The time between blocks as a caller gives it: an amount in a unit that depends on the method, or bounds. */
export type IntervalAmount = number | BlockTimeRange;

const INTERVAL_END = 2n ** 48n;

const amount = leaf<IntervalAmount>(
  'the time between blocks, 0 for no timer, or an array of its bounds in milliseconds',
  QUANTITY_JSON_SCHEMA,
  readAmount,
);

const milliseconds = leaf('milliseconds below 2^48', QUANTITY_JSON_SCHEMA, readAmount);

function readAmount(value: unknown): number | undefined {
  const read = readQuantity(value);
  return read === undefined || read >= INTERVAL_END ? undefined : Number(read);
}

const RANGE_WORDS =
  'the least and the most milliseconds between blocks, the most above 0 and not below the least';

const range = refined<number[], IntervalAmount>(arrayOf(milliseconds, RANGE_WORDS, 2), ([least, most]) =>
  least === undefined || most === undefined || most < least || most === 0
    ? { path: [], expected: RANGE_WORDS }
    : { value: { least: least / 1000, most: most / 1000 } },
);

/** The time between blocks: an amount, or bounds, which are always in milliseconds. */
export const intervalAmount = chosenBy<IntervalAmount>(
  (value) => (Array.isArray(value) ? range : amount),
  [amount, range],
);

/** The block time that an amount in a unit (in seconds) stands for; `null` for none. */
export function blockTimeOf(interval: IntervalAmount, unit: number): BlockTime | null {
  if (typeof interval !== 'number') return interval;
  return interval === 0 ? null : interval * unit;
}
