// The conditions of eth_sendRawTransactionConditional (ERC-7796).

import type { KnownAccount, TransactionCondition } from '../../chain/pool/condition.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { recordOf, text } from './basic.ts';
import { blockNumber } from './block-selector.ts';
import {
  type Codec,
  chosenBy,
  complaintBelow,
  exactObjectOf,
  leaf,
  type Reading,
  readSync,
  refined,
} from './codec.ts';
import { address, data, quantity, storageSlot, storageWord, word32 } from './hex-values.ts';

type AccountState = Omit<KnownAccount, 'address'>;

const NOTHING_KNOWN: AccountState = { storageRoot: null, slots: [], nonce: null, balance: null, code: null };

const storageRoot: Codec<AccountState> = refined(word32, (root) => ({
  value: { ...NOTHING_KNOWN, storageRoot: root },
}));

/** Code, or an empty string for an account without code. */
const code: Codec<Uint8Array> = chosenBy<Uint8Array>((value) => (value === '' ? noCode : data), [data]);

const noCode: Codec<Uint8Array> = leaf('an empty string', { type: 'string' }, () => EMPTY_BYTES);

const anything = leaf<unknown>('a value', {}, (value) => value);

/** A codec of one entry of an account: returns what is known with this entry in addition. */
function readEntry(known: AccountState, name: string, value: unknown): Reading<AccountState> {
  if (name === 'balance') return readAs(quantity, value, (balance) => ({ ...known, balance }));
  if (name === 'nonce') return readAs(quantity, value, (nonce) => ({ ...known, nonce }));
  if (name === 'code') return readAs(code, value, (bytes) => ({ ...known, code: bytes }));
  const slot = readSync(storageSlot, name);
  if (!('value' in slot))
    return { path: [], expected: 'the entries of an account to be slots, balance, nonce or code' };
  return readAs(storageWord, value, (word) => ({
    ...known,
    slots: [...known.slots, { slot: slot.value, value: word }],
  }));
}

function readAs<T>(codec: Codec<T>, value: unknown, add: (read: T) => AccountState): Reading<AccountState> {
  const reading = readSync(codec, value);
  return 'value' in reading ? { value: add(reading.value) } : reading;
}

const accountEntries: Codec<AccountState> = refined(
  recordOf(
    text,
    anything,
    'an object with slots, balance, nonce or code',
    (name, value) => [name, value] as const,
  ),
  (entries) => {
    let known = NOTHING_KNOWN;
    for (const [name, value] of entries) {
      const reading = readEntry(known, name, value);
      if (!('value' in reading)) return complaintBelow(name, reading);
      known = reading.value;
    }
    return { value: known };
  },
);

const accountState: Codec<AccountState> = chosenBy(
  (value) => (typeof value === 'string' ? storageRoot : accountEntries),
  [storageRoot, accountEntries],
);

const knownAccounts: Codec<KnownAccount[]> = recordOf(
  address,
  accountState,
  'an object with the storage root or the slots by address',
  (account, state) => ({ address: account, ...state }),
);

/** Conditions. An unknown condition is rejected, because the transaction could be mined in a wrong block. */
export const transactionCondition: Codec<TransactionCondition> = refined(
  exactObjectOf(
    {
      knownAccounts,
      blockNumberMin: blockNumber,
      blockNumberMax: blockNumber,
      timestampMin: quantity,
      timestampMax: quantity,
    },
    'an object with knownAccounts, blockNumberMin, blockNumberMax, timestampMin and timestampMax',
  ),
  ({ knownAccounts: accounts, ...limits }) => ({ value: { knownAccounts: accounts ?? [], ...limits } }),
);
