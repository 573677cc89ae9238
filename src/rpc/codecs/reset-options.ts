import { leaf, objectOf, type Refinement, refined } from './codec.ts';
import { text } from './plain.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from './quantity.ts';

const blockNumber = leaf('a block number', QUANTITY_JSON_SCHEMA, readQuantity);

const NO_FORK = 'nothing: this node cannot fork another chain; leave it out for a plain reset';

const forking = refined(
  objectOf({ jsonRpcUrl: text, blockNumber }, 'an object with jsonRpcUrl and blockNumber'),
  ({ jsonRpcUrl, blockNumber: number }): Refinement<null> => {
    if (jsonRpcUrl !== null) return { path: ['jsonRpcUrl'], expected: NO_FORK };
    // Clients that ask for no fork send a number that is null.
    return number === null ? { value: null } : { path: ['blockNumber'], expected: NO_FORK };
  },
);

/** What a reset is to begin with: in all its forms the first block of this chain. */
export const resetOptions = refined(
  objectOf({ forking }, 'an object with forking, or nothing'),
  (): Refinement<null> => ({ value: null }),
);
