import type { ForkTarget } from '../../fork/fork-options.ts';
import { type Decoded, leaf, objectOf, type Reading, refined } from './codec.ts';
import { upstreamUrl } from './settings.ts';

const blockNumber = leaf('a block number', { oneOf: [{ type: 'integer' }, { type: 'string' }] }, (value) => {
  const isNumber =
    typeof value === 'number' || (typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value));
  const number = isNumber ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
});

const forking = refined(
  objectOf({ jsonRpcUrl: upstreamUrl, blockNumber }, 'an object with jsonRpcUrl and blockNumber'),
  ({ jsonRpcUrl, blockNumber: number }): Reading<ForkTarget | null> => ({
    // Clients that ask for no fork send a URL and a number that are null.
    value: jsonRpcUrl === null && number === null ? null : { url: jsonRpcUrl, blockNumber: number },
  }),
);

/** What a reset is to begin with: another fork, or what the chain was at its start for `null`. */
export const resetOptions = refined(
  objectOf({ forking }, 'an object with forking, or nothing'),
  ({ forking: target }): Reading<ForkTarget | null> => ({ value: target }),
);

/** Decoded options of a reset. */
export type ResetOptions = Decoded<typeof resetOptions>;
