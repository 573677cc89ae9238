import { arrayOf, type Codec, leaf, refined } from './codec.ts';

const MOST_PERCENTILES = 100;

const percentile = leaf(
  'a percentage from 0 to 100',
  { type: 'number', minimum: 0, maximum: 100 },
  (value) => (typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined),
  (value) => typeof value === 'number',
);

/** The percentiles of `eth_feeHistory`: percentages that rise. */
export const percentiles: Codec<number[]> = refined(
  arrayOf(percentile, `an array of at most ${MOST_PERCENTILES} percentages`, MOST_PERCENTILES),
  (values) => {
    const isRising = values.every((value, position) => value >= (values[position - 1] ?? 0));
    return isRising ? { value: values } : { path: [], expected: 'percentages that rise', isOutOfRange: true };
  },
);
