import { describe, expect, it } from 'vitest';
import { duration, flag } from '../../../src/rpc/codecs/basic.ts';
import { blockNumberSelector, blockSelector } from '../../../src/rpc/codecs/block-selector.ts';
import { authorization, callObject } from '../../../src/rpc/codecs/call-object.ts';
import { blockOverrides } from '../../../src/rpc/codecs/call-overrides.ts';
import type { Codec } from '../../../src/rpc/codecs/codec.ts';
import { subscriptionOptions } from '../../../src/rpc/codecs/filter-object.ts';
import {
  keyStart,
  quantity,
  rawKey,
  requestedSlot,
  seconds,
  storageSlot,
  unlockDuration,
} from '../../../src/rpc/codecs/hex-values.ts';
import {
  accountNonce,
  blockCount,
  blockGasLimit,
  blockTimeOf,
  chainId,
  checkpointName,
  depth,
  extraData,
  forkBlockNumber,
  intervalAmount,
  pointInTime,
  storageValue,
  upstreamUrl,
  wholeSecondsInMilliseconds,
} from '../../../src/rpc/codecs/settings.ts';
import { sentOperation } from '../../../src/rpc/codecs/user-operation.ts';
import {
  bitcoinHeader,
  hashList,
  hashrate,
  ignoredHash,
  transactionCount,
  workNonce,
} from '../../../src/rpc/codecs/work.ts';
import { decodeWith, refusalOf } from './decode.ts';

const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const BELOW_ORDER = `${ORDER.slice(0, -1)}0`;
const address = `0x${'12'.repeat(20)}`;
const word = `0x${'34'.repeat(32)}`;

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function word32(end: string): Uint8Array {
  return bytes(end.padStart(64, '0'));
}

/** A user operation with the fields required for sending. */
function operation(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const gas = { callGasLimit: 1, verificationGasLimit: 1, preVerificationGas: 1 };
  const fees = { maxFeePerGas: 1, maxPriorityFeePerGas: 1 };
  return { sender: address, nonce: 0, callData: '0x', signature: '0x', ...gas, ...fees, ...members };
}

/** An authorization with the fields of a signed one. */
function permission(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { chainId: 0, address, nonce: 0, r: 1, s: 2, ...members };
}

/** Placeholder for any decoded value. */
const ANYTHING: unknown = expect.anything();

/** For each parameter: the last accepted values with their decoded values, and the first rejected values. */
const BOUNDS: readonly (readonly [
  name: string,
  codec: Codec<unknown>,
  taken: readonly (readonly [given: unknown, read: unknown])[],
  refused: readonly unknown[],
])[] = [
  [
    'quantity',
    quantity,
    [
      [(2n ** 256n - 1n).toString(), 2n ** 256n - 1n],
      [`0x${'0'.repeat(190)}${'f'.repeat(64)}`, 2n ** 256n - 1n],
      [2n ** 256n - 1n, 2n ** 256n - 1n],
      [0n, 0n],
    ],
    [(2n ** 256n).toString(), `0x${'0'.repeat(255)}`, 2n ** 256n, -1n],
  ],
  [
    'seconds',
    seconds,
    [
      [2 ** 48 - 1, 2 ** 48 - 1],
      [0, 0],
    ],
    [2 ** 48],
  ],
  [
    'storage slot',
    storageSlot,
    [
      ['0x', word32('')],
      ['0x1', word32('01')],
      ['0x0102', word32('0102')],
      [`0x${'ab'.repeat(32)}`, bytes('ab'.repeat(32))],
      [(2n ** 256n - 1n).toString(), bytes('ff'.repeat(32))],
      [7, word32('07')],
    ],
    [`0x00${'ab'.repeat(32)}`, `0x0${'ab'.repeat(32)}`, '0xg', null, -1],
  ],
  [
    'storage value',
    storageValue,
    [
      ['0x', bytes('')],
      ['0x00', bytes('')],
      ['0x0001', bytes('01')],
    ],
    [`0x${'ab'.repeat(33)}`],
  ],
  [
    'asked slot',
    requestedSlot,
    [
      ['0x0A', { slot: word32('0a'), asked: '0x0a' }],
      ['10', { slot: word32('0a'), asked: '0xa' }],
      [10, { slot: word32('0a'), asked: '0xa' }],
    ],
    [`0x${'ab'.repeat(33)}`],
  ],
  [
    'beginning of a key',
    keyStart,
    [
      ['0x', new Uint8Array(32)],
      ['0xab', bytes(`ab${'00'.repeat(31)}`)],
      [`0x${'ab'.repeat(32)}`, bytes('ab'.repeat(32))],
    ],
    [`0x${'ab'.repeat(33)}`, '0xa', 'ab', 1],
  ],
  [
    'private key',
    rawKey,
    [
      [BELOW_ORDER, bytes(BELOW_ORDER)],
      [`0x${'1'.padStart(64, '0')}`, word32('01')],
    ],
    [ORDER, `0x${'0'.repeat(64)}`, `0x${'1'.repeat(63)}`, `${'1'.repeat(65)}`, 1],
  ],
  [
    'duration of an unlock',
    unlockDuration,
    [
      ['', null],
      [0, 0],
      [2 ** 48 - 1, 2 ** 48 - 1],
    ],
    [2 ** 48, ' ', null],
  ],
  [
    'gas limit of a block',
    blockGasLimit,
    [
      [1, 1n],
      [(2n ** 63n - 1n).toString(), 2n ** 63n - 1n],
    ],
    [0, (2n ** 63n).toString()],
  ],
  [
    'nonce',
    accountNonce,
    [
      [0, 0n],
      [(2n ** 64n - 2n).toString(), 2n ** 64n - 2n],
    ],
    [(2n ** 64n - 1n).toString()],
  ],
  [
    'chain id',
    chainId,
    [
      [1, 1],
      [2 ** 53 - 1, 2 ** 53 - 1],
    ],
    [0, (2n ** 53n).toString()],
  ],
  [
    'extra data',
    extraData,
    [
      ['0x', bytes('')],
      [`0x${'ab'.repeat(32)}`, bytes('ab'.repeat(32))],
    ],
    [`0x${'ab'.repeat(33)}`],
  ],
  [
    'number of blocks to mine',
    blockCount,
    [
      [0, 0],
      [1e12, 1e12],
    ],
    [1e12 + 1],
  ],
  ['number of blocks to go back', depth, [[2 ** 53 - 1, 2 ** 53 - 1]], [(2n ** 53n).toString()]],
  [
    'URL of an upstream',
    upstreamUrl,
    [[`http://a/${'b'.repeat(8_183)}`, `http://a/${'b'.repeat(8_183)}`]],
    [`http://a/${'b'.repeat(8_184)}`, 'ftp://a', 'a', 1],
  ],
  [
    'name of a checkpoint',
    checkpointName,
    [
      ['a', 'a'],
      ['a'.repeat(100), 'a'.repeat(100)],
      ['Z ~', 'Z ~'],
    ],
    ['a'.repeat(101), '', '1a', 'a\n', 'é', 1],
  ],
  [
    'number of the block to fork at',
    forkBlockNumber,
    [
      [0, 0],
      ['0X1f', 31],
      ['31', 31],
      [2 ** 53 - 1, 2 ** 53 - 1],
    ],
    [-1, 2 ** 53, '9007199254740992', '1.5', 1.5, '0x', '', '-1', true],
  ],
  [
    'point in time',
    pointInTime,
    [
      [1e12, 1e12],
      [1e12 + 999, 1e9],
      [1e12 + 1_000, 1e9 + 1],
      [1e15 - 1, 1e12 - 1],
      [0, 0],
    ],
    [1e15, -1],
  ],
  [
    'whole seconds in milliseconds',
    wholeSecondsInMilliseconds,
    [
      [0, 0],
      [1_000, 1],
      [1e15 - 1_000, 1e12 - 1],
    ],
    [1, 999, 1_001, 1e15],
  ],
  [
    'time between blocks',
    intervalAmount,
    [
      [0, 0],
      [2 ** 48 - 1, 2 ** 48 - 1],
      [[0, 1], { least: 0, most: 0.001 }],
      [[1_500, 1_500], { least: 1.5, most: 1.5 }],
    ],
    [2 ** 48, [], [1], [0, 0], [2, 1], [1, 2, 3], [0, 2 ** 48], null],
  ],
  [
    'time with units',
    duration,
    [
      ['1ns', 1e-6],
      ['2us', 2e-3],
      ['2µs', 2e-3],
      ['3ms', 3],
      ['4s', 4_000],
      ['1.5m', 90_000],
      ['1h1m', 3_660_000],
      ['999999999h', 2 ** 31 - 1],
    ],
    ['', '1', 's', '1d', '1 s', '-1s', '1234567890s', '1.s', 1],
  ],
  [
    'flag',
    flag,
    [
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
    ],
    ['True', '', 0, 1, null],
  ],
  [
    'block by number',
    blockNumberSelector,
    [
      [(2n ** 64n - 1n).toString(), { number: 2n ** 64n - 1n }],
      ['pending', { tag: 'pending' }],
    ],
    [(2n ** 64n).toString(), word, 'newest'],
  ],
  [
    'block',
    blockSelector,
    [
      [word, { hash: bytes('34'.repeat(32)) }],
      [`0x${'1'.padStart(64, '0')}`, { hash: word32('01') }],
      [`0x${'1'.padStart(63, '0')}`, { number: 1n }],
      [{ blockNumber: (2n ** 64n - 1n).toString() }, { number: 2n ** 64n - 1n }],
      [{ blockHash: word }, { hash: bytes('34'.repeat(32)), requireCanonical: false }],
      [
        { blockHash: word, requireCanonical: 'true' },
        { hash: ANYTHING, requireCanonical: true },
      ],
      [
        { blockHash: word, requireCanonical: 'false' },
        { hash: ANYTHING, requireCanonical: false },
      ],
    ],
    [
      {},
      { blockNumber: (2n ** 64n).toString() },
      { blockNumber: 1, blockHash: word },
      { blockHash: word, requireCanonical: 1 },
      { blockHash: word, requireCanonical: 'yes' },
      null,
    ],
  ],
  [
    'authorization',
    authorization,
    [
      [permission({ yParity: 0 }), expect.objectContaining({ yParity: 0n, r: 1n, s: 2n })],
      [permission({ yParity: 1 }), expect.objectContaining({ yParity: 1n })],
      [permission({ v: 0 }), expect.objectContaining({ yParity: 0n })],
      [permission({ v: 1 }), expect.objectContaining({ yParity: 1n })],
      [permission({ v: 27 }), expect.objectContaining({ yParity: 0n })],
      [permission({ v: 28 }), expect.objectContaining({ yParity: 1n })],
      [permission({ yParity: 1, v: 27 }), expect.objectContaining({ yParity: 1n })],
    ],
    [
      permission({}),
      permission({ v: 2 }),
      permission({ v: 26 }),
      permission({ v: 29 }),
      permission({ yParity: 2 }),
      permission({ yParity: 27 }),
      ...['chainId', 'address', 'nonce', 'r', 's'].map((name) => permission({ yParity: 0, [name]: null })),
    ],
  ],
  [
    'blobs of a call',
    callObject,
    [
      [
        { to: address, blobVersionedHashes: [word], maxFeePerBlobGas: 1 },
        expect.objectContaining({ maxFeePerBlobGas: 1n }),
      ],
      [{ blobVersionedHashes: [] }, ANYTHING],
      [{ blobVersionedHashes: [], maxFeePerBlobGas: 1 }, expect.objectContaining({ maxFeePerBlobGas: 1n })],
    ],
    [
      { to: address, blobVersionedHashes: [word], gasPrice: 1 },
      { blobVersionedHashes: [], maxFeePerBlobGas: -1 },
      { to: address, blobs: Array.from({ length: 65 }, () => `0x${'00'.repeat(131_072)}`) },
    ],
  ],
  [
    'block overrides',
    blockOverrides,
    [
      [{ number: 2 ** 53 - 1 }, { number: 2 ** 53 - 1 }],
      [
        { blockNumber: 1, timestamp: 2, coinbase: address },
        { number: 1, timestamp: 2, coinbase: ANYTHING },
      ],
      [
        { prevRandao: 1, baseFee: 2, difficulty: 3 },
        { prevRandao: word32('01'), baseFeePerGas: 2n, difficulty: 3n },
      ],
      [{ blobBaseFee: 4, gasLimit: 5, beaconRoot: word, withdrawals: [] }, ANYTHING],
    ],
    [
      { number: (2n ** 53n).toString() },
      { withdrawals: [{}] },
      { number: 1, blockNumber: 1 },
      { random: 1, prevRandao: 1 },
      { gasLimit: 0 },
    ],
  ],
  [
    'options of a subscription',
    subscriptionOptions,
    [
      [true, expect.objectContaining({ full: true, pace: null })],
      [{}, expect.objectContaining({ full: false, pace: null, transactionHashes: [] })],
      [{ pause: 1 }, expect.objectContaining({ pace: { pause: 1, most: 20, except: new Set() } })],
      [
        { pause: 60_000, most: 1_000, except: ['block', 'request'] },
        expect.objectContaining({
          pace: { pause: 60_000, most: 1_000, except: new Set(['block', 'request']) },
        }),
      ],
      [{ transactionHashes: Array.from({ length: 200 }, () => word) }, ANYTHING],
      [{ topics: [null, [], [word], word] }, ANYTHING],
    ],
    [
      { most: 1 },
      { except: [] },
      { pause: 0 },
      { pause: 60_001 },
      { pause: 1, most: 0 },
      { pause: 1, most: 1_001 },
      { pause: 1, except: ['failure'] },
      { transactionHashes: Array.from({ length: 201 }, () => word) },
      { topics: [null, null, null, null, null] },
    ],
  ],
  [
    'user operation',
    sentOperation,
    [
      [
        operation({ maxFeePerGas: (2n ** 128n - 1n).toString() }),
        expect.objectContaining({ maxFeePerGas: 2n ** 128n - 1n }),
      ],
      [
        operation({ factory: '0x7702' }),
        expect.objectContaining({ factory: bytes(`7702${'00'.repeat(18)}`) }),
      ],
      [operation({ factoryData: '0x' }), expect.objectContaining({ factory: null })],
    ],
    [
      operation({ maxFeePerGas: (2n ** 128n).toString() }),
      operation({ factory: '0x7703' }),
      operation({ factoryData: '0x00' }),
      operation({ callGasLimit: null }),
      operation({ sender: null }),
    ],
  ],
  ['hash rate', hashrate, [[(2n ** 64n - 1n).toString(), 2n ** 64n - 1n]], [(2n ** 64n).toString()]],
  [
    'nonce of work',
    workNonce,
    [['0x0000000100000002', { time: 1, nonce: 2 }]],
    ['0x00000001000002', '0x000000010000000002', 1],
  ],
  [
    'header of the parent chain',
    bitcoinHeader,
    [
      ['ab'.repeat(80), bytes('ab'.repeat(80))],
      [`0x${'ab'.repeat(80)}`, bytes('ab'.repeat(80))],
    ],
    ['ab'.repeat(79), 'ab'.repeat(81), 1, ''],
  ],
  [
    'list of hashes',
    hashList,
    [
      ['', []],
      [`${'ab'.repeat(32)} 0x${'cd'.repeat(32)}`, [bytes('ab'.repeat(32)), bytes('cd'.repeat(32))]],
    ],
    ['ab', 'ab'.repeat(33), `${'ab'.repeat(32)},${'cd'.repeat(32)}`, 1, null],
  ],
  [
    'hash that is ignored',
    ignoredHash,
    [['ab'.repeat(32), 'ab'.repeat(32)]],
    ['ab'.repeat(31), 'ab'.repeat(33), 1],
  ],
  [
    'number of transactions',
    transactionCount,
    [
      ['1', 1],
      ['0xffffffff', 2 ** 32 - 1],
      ['00000010', 16],
    ],
    ['0', '', '0x', '100000000', 1],
  ],
];

describe.each(BOUNDS)('bounds of parameter "%s"', (_name, codec, taken, refused) => {
  it('decodes the last accepted values', () => {
    for (const [given, read] of taken) expect(decodeWith(codec, 'value', given), String(given)).toEqual(read);
  });

  it('rejects the first values out of range, and the message includes the parameter', () => {
    for (const given of refused) expect(refusalOf(codec, 'value', given)).toContain('invalid params: value');
  });
});

describe('blockTimeOf', () => {
  it('converts amounts in the unit of the method, and keeps a range in seconds', () => {
    const bounds = { least: 1, most: 2 };
    expect([blockTimeOf(0, 1), blockTimeOf(3, 1), blockTimeOf(1_500, 0.001), blockTimeOf(bounds, 1)]).toEqual(
      [null, 3, 1.5, bounds],
    );
  });
});
