import { describe, expect, it } from 'vitest';
import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import type { CodedError } from '../../src/primitives/coded-error.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts';
import {
  InvalidChainIdError,
  InvalidTransactionError,
  TransactionTypeError,
} from '../../src/protocol/errors.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { TransactionRequest, TransactionType } from '../../src/protocol/transaction.ts';
import { decodeTransaction } from '../../src/protocol/transaction-decoding.ts';
import { CHAIN_ID, signedWith } from './arbitraries.ts';

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const KEY = new Uint8Array(32).fill(1);

function requestOf(type: TransactionType, fields: Partial<TransactionRequest> = {}): TransactionRequest {
  return {
    type,
    chainId: BigInt(CHAIN_ID),
    nonce: 7n,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: type >= 2 ? 3n : 10n,
    gasLimit: 100_000n,
    to: new Uint8Array(20).fill(2),
    value: 5n,
    data: Uint8Array.of(1, 2),
    accessList:
      type === 0 ? [] : [{ address: new Uint8Array(20).fill(3), storageKeys: [new Uint8Array(32)] }],
    authorizationList:
      type === 4
        ? [{ chainId: 33n, address: new Uint8Array(20).fill(4), nonce: 1n, yParity: 0n, r: 1n, s: 1n }]
        : [],
    maxFeePerBlobGas: type === 3 ? 2n : 0n,
    blobVersionedHashes: type === 3 ? [new Uint8Array(32).fill(1)] : [],
    ...fields,
  };
}

/** The encoding of a valid transaction with one replaced field. */
function rawWith(type: TransactionType, position: number, field: RlpItem): Uint8Array {
  const { raw } = signedWith(KEY, requestOf(type));
  const items = decodeRlp(type === 0 ? raw : raw.subarray(1));
  if (items instanceof Uint8Array) throw new Error('a transaction is a list');
  const list = encodeRlp(items.with(position, field));
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list);
}

function refusalOf(raw: Uint8Array, ruleSetName: RuleSetName = 'prague'): CodedError {
  try {
    decodeTransaction(raw, ruleSetNamed(ruleSetName), CHAIN_ID);
  } catch (error) {
    if (
      error instanceof InvalidTransactionError ||
      error instanceof InvalidChainIdError ||
      error instanceof TransactionTypeError
    ) {
      return error;
    }
    throw error;
  }
  throw new Error('the transaction was taken');
}

const LEGACY = { nonce: 0, gasPrice: 1, gasLimit: 2, to: 3, value: 4, data: 5, v: 6, r: 7, s: 8 };
const FEE_MARKET = { to: 5, value: 6, data: 7, accessList: 8, yParity: 9, r: 10, s: 11 };
const SET_CODE = { to: 5, authorizationList: 9 };
const ADDRESS = new Uint8Array(20).fill(9);
const AUTHORIZATION: readonly RlpItem[] = [
  Uint8Array.of(33),
  ADDRESS,
  EMPTY_BYTES,
  Uint8Array.of(1),
  ADDRESS,
  ADDRESS,
];

const REFUSED: readonly (readonly [what: string, raw: Uint8Array, reason: string])[] = [
  ['no bytes', EMPTY_BYTES, 'Empty transaction data'],
  ['a byte string', Uint8Array.of(0x83, 1, 2, 3), 'the transaction is neither a list nor a typed envelope'],
  [
    'a truncated list',
    Uint8Array.of(0xc3, 1, 2),
    'the transaction is not valid RLP: the data ends inside an item',
  ],
  [
    'bytes after the list',
    concatBytes(signedWith(KEY, requestOf(0)).raw, Uint8Array.of(1)),
    'the transaction is not valid RLP: unexpected bytes after the item: 1',
  ],
  [
    'a length that is not in its shortest form',
    concatBytes(Uint8Array.of(0xf8, 1), Uint8Array.of(1)),
    'the transaction is not valid RLP: a length is not in its shortest form',
  ],
  [
    'a typed envelope without content',
    Uint8Array.of(2),
    'the transaction is not valid RLP: the data ends inside an item',
  ],
  ['a typed envelope around a byte string', Uint8Array.of(2, 0x80), 'a transaction of type 2 is not a list'],
  [
    'a legacy list of eight',
    encodeRlp(new Array(8).fill(EMPTY_BYTES)),
    'a legacy transaction has 8 fields, expected 9',
  ],
  [
    'an access list transaction of twelve fields',
    concatBytes(Uint8Array.of(1), encodeRlp(new Array(12).fill(EMPTY_BYTES))),
    'a transaction of type 1 has 12 fields, expected 11',
  ],
  ['a list as the nonce', rawWith(0, LEGACY.nonce, []), 'nonce is a list'],
  ['a nonce with leading zeros', rawWith(0, LEGACY.nonce, Uint8Array.of(0, 7)), 'nonce has leading zeros'],
  [
    'the highest 64-bit nonce',
    rawWith(0, LEGACY.nonce, new Uint8Array(8).fill(0xff)),
    'nonce 18446744073709551615 is above the maximum of 2^64 - 2 (nonce too high, EIP-2681)',
  ],
  [
    'a nonce of nine bytes',
    rawWith(0, LEGACY.nonce, new Uint8Array(9).fill(1)),
    'nonce is longer than 8 bytes',
  ],
  [
    'a gas price with leading zeros',
    rawWith(0, LEGACY.gasPrice, Uint8Array.of(0, 0)),
    'gasPrice has leading zeros',
  ],
  [
    'a gas limit of nine bytes',
    rawWith(0, LEGACY.gasLimit, new Uint8Array(9).fill(1)),
    'gasLimit is longer than 8 bytes',
  ],
  [
    'a value of 33 bytes',
    rawWith(0, LEGACY.value, new Uint8Array(33).fill(1)),
    'value is longer than 32 bytes',
  ],
  ['a recipient of 19 bytes', rawWith(0, LEGACY.to, new Uint8Array(19)), 'to has 19 bytes, expected 20'],
  ['an r with leading zeros', rawWith(0, LEGACY.r, Uint8Array.of(0, 1)), 'r has leading zeros'],
  [
    'a v between the two forms',
    rawWith(0, LEGACY.v, Uint8Array.of(29)),
    'v is 29, expected 27, 28 or 35 + 2 * chain id + parity (EIP-155)',
  ],
  [
    'an empty v',
    rawWith(0, LEGACY.v, EMPTY_BYTES),
    'v is 0, expected 27, 28 or 35 + 2 * chain id + parity (EIP-155)',
  ],
  ['an r of zero', rawWith(0, LEGACY.r, EMPTY_BYTES), 'the signature values are out of range (EIP-2)'],
  [
    'an r of the curve order',
    rawWith(0, LEGACY.r, bigIntToBytes(CURVE_ORDER)),
    'the signature values are out of range (EIP-2)',
  ],
  ['an s of zero', rawWith(0, LEGACY.s, EMPTY_BYTES), 'the signature values are out of range (EIP-2)'],
  // No point of the curve has x = 5.
  [
    'an r without a curve point',
    rawWith(0, LEGACY.r, Uint8Array.of(5)),
    'no public key can be recovered from the signature',
  ],
  ['a yParity of 2', rawWith(2, FEE_MARKET.yParity, Uint8Array.of(2)), 'yParity is 2, expected 0 or 1'],
  [
    'a yParity of two bytes',
    rawWith(2, FEE_MARKET.yParity, Uint8Array.of(1, 1)),
    'yParity is longer than 1 bytes',
  ],
  ['bytes as the access list', rawWith(2, FEE_MARKET.accessList, EMPTY_BYTES), 'accessList is not a list'],
  [
    'an access list entry of one field',
    rawWith(2, FEE_MARKET.accessList, [[ADDRESS]]),
    'an access list entry has 1 fields, expected 2',
  ],
  [
    'an access list address of 19 bytes',
    rawWith(2, FEE_MARKET.accessList, [[new Uint8Array(19), []]]),
    'access list address has 19 bytes, expected 20',
  ],
  [
    'a storage key of 31 bytes',
    rawWith(2, FEE_MARKET.accessList, [[ADDRESS, [new Uint8Array(31)]]]),
    'an access list storage key is not 32 bytes',
  ],
  [
    'a set-code transaction without recipient',
    rawWith(4, SET_CODE.to, EMPTY_BYTES),
    'a transaction of type 4 cannot create a contract',
  ],
  [
    'a set-code transaction without authorization',
    rawWith(4, SET_CODE.authorizationList, []),
    'a transaction of type 4 needs at least one authorization (EIP-7702)',
  ],
  [
    'an authorization of five fields',
    rawWith(4, SET_CODE.authorizationList, [AUTHORIZATION.slice(1)]),
    'an authorization has 5 fields, expected 6',
  ],
  [
    'an authorization nonce of nine bytes',
    rawWith(4, SET_CODE.authorizationList, [AUTHORIZATION.with(2, new Uint8Array(9).fill(1))]),
    'authorization nonce is longer than 8 bytes',
  ],
  [
    'an authorization address of 19 bytes',
    rawWith(4, SET_CODE.authorizationList, [AUTHORIZATION.with(1, new Uint8Array(19))]),
    'authorization address has 19 bytes, expected 20',
  ],
  [
    'a priority fee above the fee',
    signedWith(KEY, requestOf(2, { maxPriorityFeePerGas: 11n })).raw,
    'max priority fee per gas higher than max fee per gas (11 > 10)',
  ],
];

describe('decodeTransaction', () => {
  it('accepts a valid transaction of every type', () => {
    for (const type of [0, 1, 2, 3, 4] as const) {
      const { raw } = signedWith(KEY, requestOf(type));
      expect(decodeTransaction(raw, ruleSetNamed('prague'), CHAIN_ID).type).toBe(type);
    }
  });

  it.each(REFUSED)('rejects %s', (_, raw, reason) => {
    const error = refusalOf(raw);
    expect(error).toBeInstanceOf(InvalidTransactionError);
    expect(error.message).toBe(`Invalid input: ${reason}`);
    expect(error.code).toBe(-32602);
  });

  it('rejects a valid signature with s in the upper half of the order', () => {
    const { raw, v, s } = signedWith(KEY, requestOf(2));
    const items = decodeRlp(raw.subarray(1));
    if (items instanceof Uint8Array) throw new Error('a transaction is a list');
    const flipped = items
      .with(FEE_MARKET.yParity, bigIntToBytes(1n - v))
      .with(FEE_MARKET.s, bigIntToBytes(CURVE_ORDER - s));
    const error = refusalOf(concatBytes(Uint8Array.of(2), encodeRlp(flipped)));
    expect(error.message).toBe('Invalid input: the signature values are out of range (EIP-2)');
  });

  it('rejects the largest valid s plus one', () => {
    const half = CURVE_ORDER / 2n;
    const withS = (s: bigint) => rawWith(0, LEGACY.s, bigIntToBytes(s));
    const { s } = decodeTransaction(withS(half), ruleSetNamed('prague'), CHAIN_ID);
    expect(s).toBe(half);
    expect(refusalOf(withS(half + 1n)).message).toContain('out of range (EIP-2)');
  });

  it.each([0, 1, 2, 4] as const)('rejects a transaction of type %i for another chain id', (type) => {
    const error = refusalOf(signedWith(KEY, requestOf(type, { chainId: 30n })).raw);
    expect(error).toBeInstanceOf(InvalidChainIdError);
    expect(error.message).toBe('Invalid chainId: 30, expected 33');
    expect(error.code).toBe(-32602);
  });

  it.each([
    ['rootstock', [1, 2, 3, 4]],
    ['istanbul', [1, 2, 3, 4]],
    ['berlin', [2, 3, 4]],
    ['london', [3, 4]],
    ['paris', [3, 4]],
    ['shanghai', [3, 4]],
    ['cancun', [4]],
  ] as const)('under %s rejects the types %j', (name, types) => {
    for (const type of [0, 1, 2, 3, 4] as const) {
      const { raw } = signedWith(KEY, requestOf(type));
      if (types.some((refused) => refused === type)) {
        const error = refusalOf(raw, name);
        expect(error).toBeInstanceOf(TransactionTypeError);
        expect(error.message).toContain(`transaction type not valid: type ${type} does not exist`);
        expect(error.message).toContain(`hardfork ${name};`);
        expect(error.code).toBe(-32000);
      } else {
        expect(decodeTransaction(raw, ruleSetNamed(name), CHAIN_ID).type).toBe(type);
      }
    }
  });

  it.each([
    ['rootstock', 2, 'send a legacy transaction, or choose another --hardfork'],
    ['rootstock', 3, 'send a legacy transaction, or choose another --hardfork'],
    ['rootstock', 5, 'send a legacy transaction'],
    ['berlin', 4, 'send one of type 0 or 1, or choose another --hardfork'],
    ['prague', 5, 'send one of type 0, 1, 2, 3 or 4'],
  ] as const)('under %s rejects type %i with a hint: %s', (name, type, hint) => {
    const raw = Uint8Array.of(type, ...signedWith(KEY, requestOf(0)).raw);
    expect(refusalOf(raw, name).message).toBe(
      `transaction type not valid: type ${type} does not exist in hardfork ${name}; ${hint}`,
    );
  });

  it.each(['rootstock', 'prague'] as const)(
    'reports under %s that a legacy transaction is a list',
    (name) => {
      for (const raw of [
        Uint8Array.of(0),
        concatBytes(Uint8Array.of(0), signedWith(KEY, requestOf(0)).raw),
      ]) {
        const error = refusalOf(raw, name);
        expect(error).toBeInstanceOf(TransactionTypeError);
        expect(error.message).toBe(
          'transaction type not valid: the first byte is 0x00; a legacy transaction (type 0) is an RLP list without a type byte',
        );
      }
    },
  );

  it('names a deposit of an OP Stack chain in the error', () => {
    const { raw } = signedWith(KEY, requestOf(0));
    expect(refusalOf(concatBytes(Uint8Array.of(0x7e), raw), 'prague').message).toContain(
      'type 0x7e (a deposit of an OP Stack chain) does not exist in hardfork prague; send one of type',
    );
  });

  it.each([0, 5, 0x7f])('rejects the unknown type %i', (type) => {
    const { raw } = signedWith(KEY, requestOf(0));
    expect(refusalOf(concatBytes(Uint8Array.of(type), raw))).toBeInstanceOf(TransactionTypeError);
  });
});
