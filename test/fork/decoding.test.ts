import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ForkPointError } from '../../src/fork/errors.ts';
import { splitForkUrl } from '../../src/fork/fork-options.ts';
import {
  blockOfUpstream,
  isClosingTransaction,
  ruleSetOfBlock,
  transactionOfUpstream,
} from '../../src/fork/upstream-block.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { upstreamView } from '../../src/rpc/fork/answer-on-fork.ts';
import { tolerantData, tolerantFixedData, tolerantQuantity, tolerantWord } from '../../src/wire/tolerant.ts';

describe('tolerant decoding of upstream values', () => {
  it.each([
    ['0x0', 0n],
    ['0x', 0n],
    ['0x000a', 10n],
    ['0X0A', 10n],
    ['12', 12n],
    [12, 12n],
    [null, undefined],
    [undefined, undefined],
    ['ten', undefined],
    ['0x1g', undefined],
    [-1, undefined],
    [1.5, undefined],
  ])('reads %s as the quantity %s', (value, expected) => {
    expect(tolerantQuantity(value)).toBe(expected);
  });

  it('reads quantities with any number of leading zeros', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n), fc.nat(70), (value, zeros) => {
        expect(tolerantQuantity(`0x${'0'.repeat(zeros)}${value.toString(16)}`)).toBe(value);
      }),
    );
  });

  it('reads data with an odd length, without a prefix or with missing bytes', () => {
    expect(tolerantData('0x')).toEqual(new Uint8Array(0));
    expect(tolerantData('0x1')).toEqual(Uint8Array.of(1));
    expect(tolerantData('ABCD')).toEqual(Uint8Array.of(0xab, 0xcd));
    expect(tolerantData('0xzz')).toBeUndefined();
    expect(tolerantFixedData('0x1', 2)).toEqual(Uint8Array.of(0, 1));
    expect(tolerantFixedData('0x010203', 2)).toBeUndefined();
    expect(tolerantWord('0x0000')).toEqual(new Uint8Array(0));
    expect(tolerantWord(`0x${'0'.repeat(63)}7`)).toEqual(Uint8Array.of(7));
    expect(tolerantWord(`0x${'1'.repeat(66)}`)).toBeUndefined();
  });
});

/** A block as Rootstock nodes return it. */
const NETWORK_BLOCK = {
  number: '0x5a',
  hash: `0x${'AB'.repeat(32)}`,
  parentHash: `0x${'01'.repeat(32)}`,
  miner: `0x${'22'.repeat(20)}`,
  difficulty: '0x0001',
  totalDifficulty: '0x5b',
  cumulativeDifficulty: '0x2',
  extraData: '0x',
  gasLimit: '0x067c280',
  gasUsed: '0x0',
  timestamp: '0x65',
  minimumGasPrice: '0x03938700',
  paidFees: '0x',
  bitcoinMergedMiningHeader: '0x00',
  uncles: [],
  transactions: [],
  rskPteEdges: [1],
  baseEvent: null,
};

describe('blockOfUpstream', () => {
  it('reads a block without the fields that Rootstock omits, and with its extra fields', () => {
    const { header, hash } = blockOfUpstream(NETWORK_BLOCK, ruleSetNamed('rootstock'));
    expect(toHex(hash)).toBe(`0x${'ab'.repeat(32)}`);
    expect(header).toMatchObject({
      number: 90,
      timestamp: 101,
      gasLimit: 6_800_000n,
      minimumGasPrice: 60_000_000n,
      paidFees: 0n,
      difficulty: 1n,
    });
    expect(header.ethereum.baseFeePerGas).toBeNull();
    expect(header.logsBloom).toHaveLength(256);
  });

  it('adds a base fee if the rules have one', () => {
    const withFee = { ...NETWORK_BLOCK, baseFeePerGas: '0x7' };
    const fee = (block: unknown) =>
      blockOfUpstream(block, ruleSetNamed('london')).header.ethereum.baseFeePerGas;
    expect(fee(withFee)).toBe(7n);
    expect(fee(NETWORK_BLOCK)).toBe(1_000_000_000n);
    expect(ruleSetOfBlock(NETWORK_BLOCK, 33)).toBe('rootstock');
    expect(ruleSetOfBlock(withFee, 42_161)).toBe('prague');
    expect(ruleSetOfBlock(withFee, 30)).toBe('rootstock');
  });

  it.each([
    [1, 12_964_999, 1_628_166_820, 'berlin'],
    [1, 12_965_000, 1_628_166_822, 'london'],
    [1, 17_034_869, 1_681_338_443, 'paris'],
    [1, 17_034_870, 1_681_338_455, 'shanghai'],
    [1, 23_935_693, 1_764_798_539, 'prague'],
    [1, 23_935_694, 1_764_798_551, 'osaka'],
    [11_155_111, 9_000_000, 1_760_427_360, 'osaka'],
    [11_155_111, 11_000_000, 1_791_294_815, 'bpo2'],
    [11_155_111, 11_000_001, 1_791_294_816, 'amsterdam'],
    [17_000, 100, 1_695_902_100, 'paris'],
    [560_048, 0, 1_742_212_800, 'cancun'],
    [100, 25_349_536, 1_670_505_530, 'london'],
    [100, 25_349_537, 1_670_505_535, 'paris'],
    [100, 40_000_000, 1_746_021_820, 'prague'],
    [100, 45_000_000, 1_776_168_380, 'osaka'],
    [10, 105_235_062, 1_686_068_902, 'berlin'],
    [10, 105_235_063, 1_686_068_903, 'paris'],
    [10, 153_000_000, 1_783_526_400, 'prague'],
    [10, 153_000_001, 1_783_526_401, 'osaka'],
    [8_453, 9_101_526, 1_704_992_399, 'paris'],
    [8_453, 9_101_527, 1_704_992_401, 'shanghai'],
    [8_453, 30_000_000, 1_746_806_401, 'prague'],
    [8_453, 46_600_000, 1_779_991_199, 'prague'],
    [8_453, 46_600_001, 1_779_991_200, 'osaka'],
  ])(
    'ruleSetOfBlock returns the hardfork of chain %i at block %i',
    (chainId, number, timestamp, expected) => {
      const fields = { number: `0x${number.toString(16)}`, timestamp: `0x${timestamp.toString(16)}` };
      expect(ruleSetOfBlock({ ...NETWORK_BLOCK, baseFeePerGas: '0x7', ...fields }, chainId)).toBe(expected);
    },
  );

  it('rejects a block without required fields', () => {
    expect(() => blockOfUpstream(null, ruleSetNamed('rootstock'))).toThrow(ForkPointError);
    expect(() => blockOfUpstream({ ...NETWORK_BLOCK, hash: 7 }, ruleSetNamed('rootstock'))).toThrow(
      'invalid response from the fork URL: hash of its fork block is a number',
    );
  });

  it('upstreamView formats quantities and field names, and keeps all other values', () => {
    expect(upstreamView('blockOfNumber', NETWORK_BLOCK, 'service')).toMatchObject({
      gasLimit: '0x67c280',
      difficulty: '0x1',
      paidFees: '0x0',
      parentchainMergedMiningHeader: '0x00',
      rskPteEdges: [1],
      baseEvent: null,
      extraData: '0x',
    });
    expect(upstreamView('blockOfNumber', NETWORK_BLOCK, 'native')).toHaveProperty(
      'bitcoinMergedMiningHeader',
    );
    expect(upstreamView('quantity', '0x007', 'service')).toBe('0x7');
    expect(upstreamView('word', '0x7', 'service')).toBe(`0x${'0'.repeat(63)}7`);
    expect(upstreamView('anything', { gas: '0x07' }, 'service')).toEqual({ gas: '0x07' });
  });
});

describe('transactionOfUpstream', () => {
  const legacy = {
    from: `0x${'11'.repeat(20)}`,
    to: `0x${'22'.repeat(20)}`,
    nonce: '0x01',
    gas: '0x5208',
    gasPrice: '0x0',
    value: '0x5',
    input: '0x',
    v: '0x66',
    r: '0x1',
    s: '0x2',
    type: '0x0',
  };

  it('reads the sender, chain id and fees', () => {
    expect(transactionOfUpstream(legacy)).toMatchObject({
      type: 0,
      chainId: 33n,
      nonce: 1n,
      value: 5n,
      v: 0x66n,
    });
    const typed = {
      ...legacy,
      type: '0x2',
      chainId: '0x1',
      maxFeePerGas: '0x9',
      maxPriorityFeePerGas: '0x3',
      yParity: '0x1',
    };
    expect(transactionOfUpstream(typed)).toMatchObject({ type: 2, chainId: 1n, maxFeePerGas: 9n, v: 1n });
    expect(transactionOfUpstream({ ...legacy, to: null }).to).toBeNull();
    expect(() => transactionOfUpstream({ ...legacy, type: '0x7f' })).toThrow(ForkPointError);
    expect(() => transactionOfUpstream({ ...legacy, type: '0x7e' })).toThrow(
      'a replayed transaction of its block has the unsupported type 0x7e (a deposit of an OP Stack chain)',
    );
  });

  it('isClosingTransaction recognises the REMASC transaction at the end of a block', () => {
    expect(isClosingTransaction(legacy)).toBe(false);
    expect(isClosingTransaction({ ...legacy, from: `0x${'0'.repeat(40)}`, r: '0x0', s: '0x0' })).toBe(true);
  });
});

describe('splitForkUrl', () => {
  it.each([
    ['https://host', 'https://host', null],
    ['https://host/path@12', 'https://host/path', 12],
    ['https://user:pass@host', 'https://user:pass@host', null],
    ['https://user:pass@host:80/@3', 'https://user:pass@host:80/', 3],
  ])('splits the block number from %s', (text, url, blockNumber) => {
    expect(splitForkUrl(text)).toEqual({ url, blockNumber });
  });
});
