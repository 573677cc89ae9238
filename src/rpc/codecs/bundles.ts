// The bundles of Flashbots' and MEV-Share's methods.

import { boolean, jsonObject, textUpTo } from './basic.ts';
import { blockNumber } from './block-selector.ts';
import { arrayOf, leaf, objectOf } from './codec.ts';
import { data, index, seconds, word32 } from './hex-values.ts';

/** Maximum transactions of a bundle, as on Flashbots' relay. */
export const MAX_TRANSACTIONS = 100;

const MAX_ID_LENGTH = 100;

/** Signed transactions of a bundle. */
export const signedTransactions = arrayOf(
  data,
  `an array of at most ${MAX_TRANSACTIONS} signed transactions`,
  MAX_TRANSACTIONS,
);

const transactionHashes = arrayOf(
  word32,
  `an array of at most ${MAX_TRANSACTIONS} transaction hashes`,
  MAX_TRANSACTIONS,
);

export const replacementId = textUpTo(MAX_ID_LENGTH, 'a UUID, or another string', 1);

/** The bundle of eth_sendBundle. `uuid` is another name of `replacementUuid`. */
export const sentBundle = objectOf(
  {
    txs: signedTransactions,
    blockNumber,
    maxBlock: blockNumber,
    minTimestamp: seconds,
    maxTimestamp: seconds,
    revertingTxHashes: transactionHashes,
    droppingTxHashes: transactionHashes,
    replacementUuid: replacementId,
    uuid: replacementId,
  },
  'an object with txs and blockNumber, and optionally maxBlock, minTimestamp, maxTimestamp, revertingTxHashes, droppingTxHashes and replacementUuid',
);

const mevInclusion = objectOf(
  { block: blockNumber, maxBlock: blockNumber },
  'an object with block and maxBlock',
);

const REVERT_MODES = ['fail', 'allow', 'drop'] as const;

const revertMode = leaf<(typeof REVERT_MODES)[number]>(
  `one of ${REVERT_MODES.join(', ')}`,
  { type: 'string', enum: REVERT_MODES },
  (value) => REVERT_MODES.find((mode) => mode === value),
);

/** `revertMode` takes precedence over `canRevert`. */
export const mevItem = objectOf(
  { hash: word32, tx: data, canRevert: boolean, revertMode, bundle: jsonObject },
  'an object with tx and canRevert or revertMode, with hash, or with bundle',
);

/** The facts about a transaction that a bundle can share on the event stream. `special_logs` is another name of `default_logs`. */
export const HINTS = [
  'hash',
  'tx_hash',
  'contract_address',
  'function_selector',
  'calldata',
  'logs',
  'default_logs',
  'special_logs',
] as const;

export type Hint = (typeof HINTS)[number];

const hint = leaf<Hint>(`one of ${HINTS.join(', ')}`, { type: 'string', enum: HINTS }, (value) =>
  HINTS.find((known) => known === value),
);

/** The facts that a bundle shares. `builders` has no effect. */
const bundlePrivacy = objectOf(
  { hints: arrayOf(hint, 'an array of hints', HINTS.length) },
  'an object with hints',
);

export const privatePreferences = objectOf({ privacy: bundlePrivacy }, 'an object with privacy');

/** The bundle of MEV-Share's methods. Other fields, such as metadata, have no effect. */
export const mevBundle = objectOf(
  {
    inclusion: mevInclusion,
    body: arrayOf(mevItem, `an array of at most ${MAX_TRANSACTIONS} items`, MAX_TRANSACTIONS),
    replacementUuid: replacementId,
    privacy: bundlePrivacy,
    validity: objectOf(
      {
        refund: arrayOf(
          objectOf({ bodyIdx: index }, 'an object with bodyIdx and percent'),
          'an array of refunds',
          MAX_TRANSACTIONS,
        ),
      },
      'an object with refund and refundConfig',
    ),
  },
  'an object with inclusion and body, and optionally replacementUuid, privacy and validity',
);
