import { blockSelector } from './codecs/block-selector.ts';
import { arrayOf, type Decoded, leaf, objectOf } from './codecs/codec.ts';
import { address } from './codecs/data.ts';
import { readQuantity } from './codecs/quantity.ts';

/** A count that may be negative, since the filter says itself what it makes of that. */
const wholeNumber = leaf('a whole number', { type: 'integer' }, (value) => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  const read = readQuantity(value);
  return read === undefined ? undefined : Number(read);
});

const addresses = arrayOf(address, 'an array of addresses');

/** The filter of trace_filter: `null` for what is absent. */
export const traceFilter = objectOf(
  {
    fromBlock: blockSelector,
    toBlock: blockSelector,
    fromAddress: addresses,
    toAddress: addresses,
    after: wholeNumber,
    count: wholeNumber,
  },
  'a filter object with fromBlock, toBlock, fromAddress, toAddress, after and count',
);

/** A decoded filter of trace_filter. */
export type TraceFilter = Decoded<typeof traceFilter>;
