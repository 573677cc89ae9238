import { recordOf } from './basic.ts';
import { arrayOf, refined } from './codec.ts';
import { address, storageSlot } from './data.ts';

const MOST_SLOTS = 1024;

/** The slots of `eth_getStorageValues` by account: up to 1024 in all. */
export const storageRequests = refined(
  recordOf(
    address,
    arrayOf(storageSlot, 'an array of storage positions'),
    'an object of storage positions under addresses',
    (of, slots) => [of, slots] as const,
  ),
  (entries) => {
    const slots = entries.reduce((sum, [, ofAccount]) => sum + ofAccount.length, 0);
    return slots > MOST_SLOTS
      ? { path: [], expected: `at most ${MOST_SLOTS} storage positions in all` }
      : { value: entries };
  },
);
