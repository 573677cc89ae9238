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

/** Maximum accounts and slots of a condition, as on OP Stack chains. */
export const CONDITION_LIMIT = 1_000;

const storageRoot: Codec<CountedState> = refined(word32, (root) => ({
  value: { state: { ...NOTHING_KNOWN, storageRoot: root }, cost: 1 },
}));

/** Code, or an empty string for an account without code. */
const code: Codec<Uint8Array> = chosenBy<Uint8Array>((value) => (value === '' ? noCode : data), [data]);

const noCode: Codec<Uint8Array> = leaf('an empty string', { type: 'string' }, () => EMPTY_BYTES);

const anything = leaf<unknown>('a value', {}, (value) => value);

/** Reads one entry of an account, and adds it to the known state. */
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

/** The state of an account, and the number of its entries. */
interface CountedState {
  readonly state: AccountState;
  readonly cost: number;
}

/** Entries above the limit are only counted, because the method rejects them. */
const accountEntries: Codec<CountedState> = refined(
  recordOf(
    text,
    anything,
    'an object with slots, balance, nonce or code',
    (name, value) => [name, value] as const,
  ),
  (entries) => {
    let state = NOTHING_KNOWN;
    const cost = Math.max(1, entries.length);
    if (cost > CONDITION_LIMIT) return { value: { state, cost } };
    for (const [name, value] of entries) {
      const reading = readEntry(state, name, value);
      if (!('value' in reading)) return complaintBelow(name, reading);
      state = reading.value;
    }
    return { value: { state, cost } };
  },
);

const accountState: Codec<CountedState> = chosenBy(
  (value) => (typeof value === 'string' ? storageRoot : accountEntries),
  [storageRoot, accountEntries],
);

const knownAccounts = recordOf(
  address,
  accountState,
  'an object with the storage root or the slots by address',
  (account, { state, cost }) => ({ known: { address: account, ...state }, cost }),
);

/** A condition, and the number of its accounts and slots. */
export interface CountedCondition {
  readonly condition: TransactionCondition;
  readonly cost: number;
}

/** Conditions. An unknown condition is rejected, because the transaction could be mined in a wrong block. */
export const transactionCondition: Codec<CountedCondition> = refined(
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
  ({ knownAccounts: accounts, ...limits }) => {
    const cost = (accounts ?? []).reduce((sum, account) => sum + account.cost, 0);
    const known = cost > CONDITION_LIMIT ? [] : (accounts ?? []).map((account) => account.known);
    return { value: { condition: { knownAccounts: known, ...limits }, cost } };
  },
);
