import { payments, Transaction } from 'bitcoinjs-lib';
import { encodeRlp, SigningKey, toBeArray, toBeHex } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { parseTransaction, transactionId } from '../../../src/rootstock/bitcoin/transaction.ts';
import { decodeOutpointValues, encodeOutpointValues } from '../../../src/rootstock/peg/pegout-events.ts';
import {
  confirmationOrder,
  decodeUnconfirmed,
  decodeUnsigned,
  encodeUnconfirmed,
  encodeUnsigned,
  nextConfirmed,
  type UnconfirmedPegout,
} from '../../../src/rootstock/peg/pegouts-waiting.ts';
import { testCall } from './pegout-call.ts';
import { numberHash } from './test-federations.ts';

const COIN = 100_000_000n;

function payTo(number: number): Uint8Array {
  const pubkey = fromHex(SigningKey.computePublicKey(toBeHex(number, 32), true));
  return payments.p2pkh({ pubkey }).output ?? new Uint8Array(0);
}

/** The transaction of rskj's test: it spends the only output of a transaction without inputs. */
function pegout(to: number, value: bigint, blockNumber: bigint): UnconfirmedPegout {
  const spent = new Transaction();
  spent.version = 1;
  spent.addOutput(payTo(123_456), 50n * COIN);
  const transaction = new Transaction();
  transaction.version = 1;
  transaction.addInput(spent.getHash(), 0);
  transaction.addOutput(payTo(to), value);
  return { raw: transaction.toBuffer(), blockNumber, creationHash: numberHash(to) };
}

const PEGOUTS: readonly UnconfirmedPegout[] = [
  pegout(2, 150n, 32n),
  pegout(5, COIN, 100n),
  pegout(4, 50n * COIN, 7n),
  pegout(3, COIN / 1_000n, 10n),
  pegout(8, COIN / 20n, 5n),
  pegout(11, COIN / 1_000n, 5n),
  pegout(12, COIN / 1_000n, 5n),
  pegout(13, COIN / 1_000n, 5n),
];

const idOf = (raw: Uint8Array): Uint8Array => transactionId(parseTransaction(raw));

function nextId(blockNumber: bigint, isOrdered: boolean): string | undefined {
  const moment = { blockNumber, confirmations: 5, isOrdered };
  const next = nextConfirmed(PEGOUTS, PEGOUTS.length, moment, idOf);
  return next && toHex(idOf(next.raw)).slice(2);
}

describe('the next confirmed pegout', () => {
  it.each([false, true])('is none before the confirmations (ordered: %s)', (isOrdered) => {
    expect(nextId(9n, isOrdered)).toBeUndefined();
  });

  it("is the first one in the order of rskj's hash set", () => {
    expect(nextId(10n, false)).toBe('53efc6f78eb9d159cfee76ec45bcffb08fd11f85c762e1eacf54e5c014da219d');
  });

  it('is the lowest transaction with RSKIP-559', () => {
    expect(nextId(10n, true)).toBe('fdd781c46b5ad7993b3f133e3af94b2e3cbcc8d19e443dfc6b555a1b0bac1527');
  });
});

/** The order of 20 transactions on Java 17, from rskj's test (branch `santi/rskip559`). */
const ORDER_ON_JAVA_17 = [
  '4c34f81d9c9457cb1d395ae10f88511fb3584d881a3b9e7b8797396ea459ac2b',
  'b0ecfeddcc2ee5f40f58c0abeabc40f859aed5e8639dd0007f313e690002b514',
  '8af5a2bffa8b359b4d3435231a447412513789bc41b2ec3566793b9c20ef7ee2',
  '0cf28a426732b021d20ae36a34626e846e6f85a9c76f847b1e369a14705219f2',
  '2cdc2ebb2f388ab1d4479f696703cccb542a7c615e2782000f60f7a3a2dd90f4',
  'edac23065ab1ebb61f52ce58b3bb9cdd3340409eab63a0f5237cdbeaef1a02fa',
  '0358b772c57699952c872e59c457e73b384ced5c4c11f77d050d53ca4e7ddbd5',
  '356c2824ce2f08ba4be11d8bda0b93a6d6538c5904051ba4d1c4d4ed4c2308b4',
  '93bd066c67f9c364c76866e583368da5300b791b6f566b4146be1f57d35de435',
  '43392d1a44c3612dc3c26a59005a99ff79637aa6361d7415e71fd698358cae00',
  'b6c9d511bc475a7f6e7038cef2e84924c29f3e43b6e1378e567b12e62d470cf1',
  '0ea1cb058fe39af2ff4a288837355d7ca380accc3e1dc7efa1b5312276dd22de',
  '741513d232d76898009645a2fdd26f48266e8daecee7a49b3b86ea6439e4d75f',
  '3f479267e4830e42d1f51b9b1310054ee42390eb79c615ca60a06e8a0b4046ec',
  'a7eb503aed07d066cf61fb56085c1e8fd330f2e74f455b049086ec037b2e1de0',
  '8fe7ee429e03e66d81950dbed40d2767f4c251f9566b280e03665de83d15cef3',
  'b25c1f7fe98d5f67b937eacae92f2057bcca7013a1d6a4ce1a5a4c57ab8613e1',
  'eeb3b9601e6ce787d9e300035739e71663a70d3a7ccbd5da8c61c8da648ad5d1',
  '25ee51c7ee37f585d8c748a757afe86e927bda29a1043a3c1b9293f5988017e8',
  '697be80f3d26a42f8baa63579a3ba385967e8995421058cdb8a8ad0eee25c8fa',
];

describe('the order of confirmations', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => pegout(2, BigInt(7 * (index + 1) + 1), 5n));
  const idsOf = (pegouts: readonly UnconfirmedPegout[]) =>
    pegouts.map(({ raw }) => toHex(idOf(raw)).slice(2));

  it('of 20 transactions is the same as on Java 17', () => {
    expect(idsOf(confirmationOrder(twenty, 0, false, idOf))).toEqual(ORDER_ON_JAVA_17);
  });

  it('with RSKIP-559 is the order of their bytes, and independent of their insertion', () => {
    const expected = [...twenty].sort((left, right) => Buffer.compare(left.raw, right.raw));
    expect(confirmationOrder(twenty, 0, true, idOf)).toEqual(expected);
    expect(confirmationOrder(twenty.toReversed(), 20, true, idOf)).toEqual(expected);
    expect(idsOf(expected)).not.toEqual(ORDER_ON_JAVA_17);
  });
});

describe('transactions that wait for confirmations', () => {
  it('are encoded in the order of their bytes', () => {
    const sorted = [...PEGOUTS].sort((left, right) => Buffer.compare(left.raw, right.raw));
    const items = sorted.flatMap(({ raw, blockNumber, creationHash }) => [
      toHex(raw),
      toHex(toBeArray(blockNumber)),
      toHex(creationHash),
    ]);
    const encoded = encodeUnconfirmed(PEGOUTS);
    expect(toHex(encoded)).toBe(encodeRlp(items));
    expect(decodeUnconfirmed(encoded)).toEqual(sorted);
  });

  it('are none for no bytes and for an empty list', () => {
    expect(decodeUnconfirmed(new Uint8Array(0))).toEqual([]);
    expect(toHex(encodeUnconfirmed([]))).toBe('0xc0');
    expect(decodeUnconfirmed(fromHex('0xc0'))).toEqual([]);
  });

  it('wait once for each transaction', () => {
    const { state } = testCall().call;
    const first = pegout(42, 42n, 42n);
    for (const blockNumber of [42n, 55n, 66n, 77n]) state.pegouts.addUnconfirmed({ ...first, blockNumber });
    state.pegouts.addUnconfirmed(pegout(64, COIN / 100n, 77n));
    expect(state.pegouts.unconfirmed()).toHaveLength(2);
    expect(state.pegouts.unconfirmed()).toContainEqual(first);
  });
});

describe('transactions that wait for signatures', () => {
  it('are encoded in the order of the last bytes of their keys', () => {
    const key = (first: number, last: number): Uint8Array =>
      Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? first : index === 31 ? last : 7));
    const pegouts = [
      { creationHash: key(1, 200), raw: PEGOUTS[0]?.raw ?? new Uint8Array(0) },
      { creationHash: key(2, 100), raw: PEGOUTS[1]?.raw ?? new Uint8Array(0) },
      { creationHash: key(0, 100), raw: PEGOUTS[2]?.raw ?? new Uint8Array(0) },
    ];
    const sorted = [pegouts[2], pegouts[1], pegouts[0]].flatMap((one) => (one === undefined ? [] : [one]));
    const encoded = encodeUnsigned(pegouts);
    expect(toHex(encoded)).toBe(
      encodeRlp(sorted.flatMap(({ creationHash, raw }) => [toHex(creationHash), toHex(raw)])),
    );
    expect(decodeUnsigned(encoded)).toEqual(sorted);
  });

  it('are an empty list at first', () => {
    expect(testCall().call.state.pegouts.unsigned()).toEqual([]);
    expect(toHex(encodeUnsigned([]))).toBe('0xc0');
  });
});

describe('values of spent outputs', () => {
  const many = 'fcfcbbbbbbfd1934fe9145dc00';
  const manyValues = [252n, 252n, 187n, 187n, 187n, 13_337n, 14_435_729n];
  const highest = 21_000_000n * COIN;

  it.each<[string, readonly bigint[]]>([
    ['', []],
    ['00', [0n]],
    ['01', [1n]],
    ['01'.repeat(10), Array.from({ length: 10 }, () => 1n)],
    ['fc', [252n]],
    [many, manyValues],
    ['ff0040075af0750700', [highest]],
    ['ff0040075af0750700'.repeat(3), [highest, highest, highest]],
    ['ff0140075af0750700', [highest + 1n]],
    ['ffffffffffffffff7f', [2n ** 63n - 1n]],
    [many.repeat(1_000), Array.from({ length: 1_000 }, () => manyValues).flat()],
  ])('are encoded as variable integers (case %#)', (encoded, values) => {
    expect(toHex(encodeOutpointValues(values))).toBe(`0x${encoded}`);
    expect(decodeOutpointValues(fromHex(`0x${encoded}`))).toEqual(values);
  });

  it('are stored per transaction', () => {
    const { pegouts } = testCall().call.state;
    const encoded = encodeOutpointValues(manyValues);
    pegouts.setOutpointValues(numberHash(1), encoded);
    expect(pegouts.outpointValues(numberHash(1))).toEqual(encoded);
    expect(pegouts.outpointValues(numberHash(2))).toEqual(new Uint8Array(0));
  });

  it.each(['fd01', 'fe010203', 'ff01020304050607'])('are malformed if bytes are missing: %s', (encoded) => {
    expect(() => decodeOutpointValues(fromHex(`0x${encoded}`))).toThrow('expected');
  });
});
