import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { hashForMergedMining, headerHash } from '../../../src/protocol/header-encoding.ts';
import { type BlockViewOptions, blockView, headView, uncleView } from '../../../src/wire/block.ts';
import { fixtureBlock, fixtureHeader } from './fixture-block.ts';

const options: BlockViewOptions = {
  full: false,
  isPending: false,
  fieldNames: 'service',
  rules: { encoding: 'network' },
};

const byte = (length: number, digits: string) => `0x${digits.repeat(length)}`;

describe('blockView', () => {
  it('contains every field of the service document in its encoding', () => {
    const block = fixtureBlock();
    expect(blockView(block, options)).toEqual({
      number: '0x10',
      hash: byte(32, 'bb'),
      parentHash: byte(32, '01'),
      nonce: '0x0000000000000000',
      sha3Uncles: byte(32, '02'),
      logsBloom: byte(256, '07'),
      transactionsRoot: byte(32, '05'),
      stateRoot: byte(32, '04'),
      receiptsRoot: byte(32, '06'),
      miner: byte(20, '03'),
      difficulty: '0x3',
      cumulativeDifficulty: '0x3',
      totalDifficulty: '0x30',
      extraData: byte(5, '08'),
      size: '0x2bc',
      gasLimit: '0x1c9c380',
      gasUsed: '0xa410',
      timestamp: '0x6553f100',
      transactions: [byte(32, '33'), byte(32, '34')],
      uncles: [],
      minimumGasPrice: '0x7',
      parentchainMergedMiningHeader: byte(80, '0a'),
      parentchainMergedMiningCoinbaseTransaction: '0x0b0b0b',
      parentchainMergedMiningMerkleProof: '0x',
      hashForMergedMining: toHex(hashForMergedMining(block.header)),
      paidFees: '0x63',
      mixHash: byte(32, '00'),
    });
  });

  it("uses Rootstock's field names on request", () => {
    const view = blockView(fixtureBlock(), { ...options, fieldNames: 'native' });
    expect(view).toMatchObject({
      bitcoinMergedMiningHeader: byte(80, '0a'),
      bitcoinMergedMiningCoinbaseTransaction: '0x0b0b0b',
      bitcoinMergedMiningMerkleProof: '0x',
    });
    expect(Object.keys(view).filter((name) => name.startsWith('parentchain'))).toEqual([]);
  });

  it('contains full transactions with their indexes', () => {
    expect(blockView(fixtureBlock(), { ...options, full: true }).transactions).toMatchObject([
      { transactionIndex: '0x0', blockHash: byte(32, 'bb'), blockNumber: '0x10' },
      { transactionIndex: '0x1', to: null },
    ]);
  });

  it('sets the fields of a pending block that mining determines to null', () => {
    const view = blockView(fixtureBlock(), { ...options, isPending: true, full: true });
    expect(view).toMatchObject({ number: '0x10', hash: null, nonce: null, logsBloom: null });
    expect(view.transactions).toMatchObject([
      { blockHash: null, blockNumber: null, transactionIndex: null },
      { blockHash: null, blockNumber: null, transactionIndex: null },
    ]);
  });

  it('includes uncles in the cumulative difficulty and lists their hashes', () => {
    const uncle = fixtureHeader({ difficulty: 10n });
    expect(blockView(fixtureBlock({ uncles: [uncle] }), options)).toMatchObject({
      cumulativeDifficulty: '0xd',
      uncles: [toHex(headerHash(uncle, 'network'))],
    });
  });

  it('contains Ethereum fields only if the header has them', () => {
    const { ethereum } = fixtureHeader();
    const header = fixtureHeader({
      ethereum: { ...ethereum, baseFeePerGas: 1n, withdrawalsRoot: new Uint8Array(32), blobGasUsed: 0n },
    });
    const view = blockView(fixtureBlock({ header }), options);
    expect(view).toMatchObject({ baseFeePerGas: '0x1', withdrawals: [], blobGasUsed: '0x0' });
    expect(view).not.toHaveProperty('requestsHash');
    expect(blockView(fixtureBlock(), options)).not.toHaveProperty('baseFeePerGas');
  });
});

describe('headView', () => {
  it('contains only header fields', () => {
    const view = headView(fixtureBlock());
    expect(view).toMatchObject({ number: '0x10', hash: byte(32, 'bb'), logsBloom: byte(256, '07') });
    for (const name of ['transactions', 'uncles', 'size']) expect(view).not.toHaveProperty(name);
  });
});

describe('uncleView', () => {
  it('contains a block without transactions', () => {
    const uncle = fixtureHeader({ number: 15 });
    const options = { encoding: 'network', parentDifficulty: 0n, fieldNames: 'service' } as const;
    const view = uncleView(uncle, options);
    expect(view).toMatchObject({ number: '0xf', hash: toHex(headerHash(uncle, 'network')), uncles: [] });
    expect(view).not.toHaveProperty('transactions');
  });

  it('includes its own uncles in the total difficulty', () => {
    const uncle = fixtureHeader({ number: 15, difficulty: 3n, uncleCount: 2 });
    const options = { encoding: 'network', parentDifficulty: 40n, fieldNames: 'service' } as const;
    expect(uncleView(uncle, options)).toMatchObject({
      difficulty: '0x3',
      cumulativeDifficulty: '0x9',
      totalDifficulty: '0x31',
    });
  });
});
