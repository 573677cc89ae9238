import type { AccountOverride, BlockOverrides, SlotOverride } from '../../chain/execution/state-overrides.ts';
import { stripLeadingZeros } from '../../primitives/bytes.ts';
import { emptyArray, recordOf } from './basic.ts';
import { type Codec, exactObjectOf, leaf, refined } from './codec.ts';
import {
  address,
  data,
  QUANTITY_JSON_SCHEMA,
  quantity,
  randomWord,
  readQuantity,
  seconds,
  storageSlot,
  word32,
} from './hex-values.ts';
import { blockGasLimit, overriddenNonce } from './settings.ts';

const slots: Codec<SlotOverride[]> = recordOf(
  storageSlot,
  word32,
  'an object whose keys are storage slots and whose values are 32-byte values',
  (slot, value) => ({ slot, value: stripLeadingZeros(value) }),
);

const account = refined(
  exactObjectOf(
    {
      balance: quantity,
      nonce: overriddenNonce,
      code: data,
      state: slots,
      stateDiff: slots,
      movePrecompileToAddress: address,
    },
    'an object with balance, nonce, code, state, stateDiff or movePrecompileToAddress',
  ),
  (fields) =>
    fields.state !== null && fields.stateDiff !== null
      ? { path: ['stateDiff'], expected: 'only one of state and stateDiff' }
      : { value: fields },
);

/** State overrides of one call, by address (geth). */
export const stateOverrides: Codec<AccountOverride[]> = recordOf(
  address,
  account,
  'an object whose keys are addresses and whose values are account overrides',
  (of, { balance, nonce, code, state, stateDiff, movePrecompileToAddress }) => ({
    address: of,
    balance,
    nonce,
    code,
    storage: state,
    slots: stateDiff ?? [],
    movePrecompileTo: movePrecompileToAddress,
  }),
);

const blockNumber = leaf('a block number below 2^53', QUANTITY_JSON_SCHEMA, (value) => {
  const number = readQuantity(value);
  return number === undefined || number > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(number);
});

const blockHashes: Codec<(readonly [number, Uint8Array])[]> = recordOf(
  blockNumber,
  word32,
  'an object whose keys are block numbers and whose values are block hashes',
  (number, hash) => [number, hash] as const,
);

export const noWithdrawals = emptyArray('an empty array, because this chain has no withdrawals');

/** The block fields with two names. */
const NAME_PAIRS = [
  ['number', 'blockNumber'],
  ['time', 'timestamp'],
  ['feeRecipient', 'coinbase'],
  ['prevRandao', 'random'],
  ['baseFeePerGas', 'baseFee'],
] as const;

/** Block overrides of one call (geth), including geth's former names and Erigon's names. */
export const blockOverrides: Codec<BlockOverrides> = refined(
  exactObjectOf(
    {
      number: blockNumber,
      blockNumber,
      time: seconds,
      timestamp: seconds,
      gasLimit: blockGasLimit,
      difficulty: quantity,
      feeRecipient: address,
      coinbase: address,
      prevRandao: randomWord,
      random: randomWord,
      baseFeePerGas: quantity,
      baseFee: quantity,
      beaconRoot: word32,
      blobBaseFee: quantity,
      blockHash: blockHashes,
      withdrawals: noWithdrawals,
    },
    'an object with number, time, gasLimit, difficulty, feeRecipient, prevRandao, baseFeePerGas, blobBaseFee or beaconRoot',
  ),
  (fields) => {
    for (const [name, otherName] of NAME_PAIRS) {
      if (fields[name] === null || fields[otherName] === null) continue;
      return { path: [otherName], expected: `only one of ${name} and ${otherName}` };
    }
    const { gasLimit, difficulty, beaconRoot, blobBaseFee, blockHash } = fields;
    const number = fields.number ?? fields.blockNumber;
    const timestamp = fields.time ?? fields.timestamp;
    const coinbase = fields.feeRecipient ?? fields.coinbase;
    const prevRandao = fields.prevRandao ?? fields.random;
    const baseFeePerGas = fields.baseFeePerGas ?? fields.baseFee;
    return {
      value: {
        ...(number === null ? {} : { number }),
        ...(timestamp === null ? {} : { timestamp }),
        ...(gasLimit === null ? {} : { gasLimit }),
        ...(difficulty === null ? {} : { difficulty }),
        ...(coinbase === null ? {} : { coinbase }),
        ...(prevRandao === null ? {} : { prevRandao }),
        ...(baseFeePerGas === null ? {} : { baseFeePerGas }),
        ...(beaconRoot === null ? {} : { parentBeaconBlockRoot: beaconRoot }),
        ...(blobBaseFee === null ? {} : { blobBaseFee }),
        ...(blockHash === null ? {} : { blockHashes: new Map(blockHash) }),
      },
    };
  },
);
