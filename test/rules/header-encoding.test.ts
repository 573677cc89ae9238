import { createBlock, createBlockHeader, type HeaderData } from '@ethereumjs/block';
import { createTxFromRLP } from '@ethereumjs/tx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts';
import type { BlockHeader } from '../../src/rules/block.ts';
import { createGenesis } from '../../src/rules/genesis.ts';
import {
  encodeBlock,
  encodeHeader,
  hashForMergedMining,
  headerHash,
  unclesHash,
} from '../../src/rules/header-encoding.ts';
import { ruleSetNamed } from '../../src/rules/rule-set.ts';
import { blockHeader, SEED, signedTransaction } from './arbitraries.ts';
import { ETHEREUM_RULE_SETS, type EthereumRuleSetName, referenceCommon } from './reference-common.ts';

const ROOTSTOCK = ruleSetNamed('rootstock');

function referenceFields(header: BlockHeader): HeaderData {
  const { ethereum } = header;
  const given = <Value>(name: string, value: Value | null) => (value === null ? {} : { [name]: value });
  return {
    parentHash: header.parentHash,
    uncleHash: header.unclesHash,
    coinbase: toHex(header.coinbase),
    stateRoot: header.stateRoot,
    transactionsTrie: header.transactionsRoot,
    receiptTrie: header.receiptsRoot,
    logsBloom: header.logsBloom,
    difficulty: header.difficulty,
    number: header.number,
    gasLimit: header.gasLimit,
    gasUsed: header.gasUsed,
    timestamp: header.timestamp,
    extraData: header.extraData,
    mixHash: ethereum.mixHash,
    ...given('baseFeePerGas', ethereum.baseFeePerGas),
    ...given('withdrawalsRoot', ethereum.withdrawalsRoot),
    ...given('blobGasUsed', ethereum.blobGasUsed),
    ...given('excessBlobGas', ethereum.excessBlobGas),
    ...given('parentBeaconBlockRoot', ethereum.parentBeaconBlockRoot),
    ...given('requestsHash', ethereum.requestsHash),
  };
}

function referenceOptions(name: EthereumRuleSetName) {
  return { common: referenceCommon(name), skipConsensusFormatValidation: true };
}

describe.each(ETHEREUM_RULE_SETS)('a header under %s', (name) => {
  const ruleSet = ruleSetNamed(name);

  it('has the encoding and the hash of @ethereumjs/block', () => {
    const isSame = fc.property(blockHeader(ruleSet), (header) => {
      const expected = createBlockHeader(referenceFields(header), referenceOptions(name));
      expect(encodeHeader(header, 'ethereum')).toEqual(expected.serialize());
      expect(headerHash(header, 'ethereum')).toEqual(expected.hash());
    });
    fc.assert(isSame, { seed: SEED, numRuns: 25 });
  });

  it('stands in a block that is encoded as @ethereumjs/block encodes it', () => {
    const transactions = fc.array(signedTransaction(ruleSet.transactionTypes), { maxLength: 3 });
    const isSame = fc.property(blockHeader(ruleSet), transactions, (header, list) => {
      const { common, ...rest } = referenceOptions(name);
      const expected = createBlock(
        {
          header: referenceFields(header),
          transactions: list.map(({ raw }) => createTxFromRLP(raw, { common })),
          ...(ruleSet.hasWithdrawals ? { withdrawals: [] } : {}),
        },
        { common, ...rest },
      );
      const encoded = encodeBlock({ header, transactions: list, uncles: [] }, 'ethereum');
      expect(encoded).toEqual(expected.serialize());
    });
    fc.assert(isSame, { seed: SEED, numRuns: 10 });
  });
});

/** The fields of a list, in order. */
function fieldsOf(raw: Uint8Array): readonly RlpItem[] {
  const items = decodeRlp(raw);
  if (items instanceof Uint8Array) throw new Error('expected a list');
  return items;
}

const GENESIS = createGenesis({
  ruleSet: ROOTSTOCK,
  timestamp: 0,
  gasLimit: 10_000_000n,
  minimumGasPrice: 0n,
  allocation: [],
}).block.header;

const SECOND: BlockHeader = {
  ...GENESIS,
  parentHash: new Uint8Array(32).fill(1),
  unclesHash: new Uint8Array(32).fill(2),
  coinbase: new Uint8Array(20).fill(3),
  stateRoot: new Uint8Array(32).fill(4),
  transactionsRoot: new Uint8Array(32).fill(5),
  receiptsRoot: new Uint8Array(32).fill(6),
  logsBloom: new Uint8Array(256).fill(7),
  difficulty: 8n,
  number: 1,
  gasLimit: 9_990_235n,
  gasUsed: 11n,
  timestamp: 12,
  extraData: Uint8Array.of(13, 13),
  paidFees: 14n,
  minimumGasPrice: 15n,
  uncleCount: 2,
  mergedMining: {
    header: new Uint8Array(80).fill(17),
    merkleProof: new Uint8Array(32).fill(18),
    coinbaseTransaction: new Uint8Array(90).fill(19),
  },
};

describe('a header of the network', () => {
  it('has the fields in the order of the network, the header of the parent chain last', () => {
    expect(fieldsOf(encodeHeader(SECOND, 'network'))).toEqual([
      SECOND.parentHash,
      SECOND.unclesHash,
      SECOND.coinbase,
      SECOND.stateRoot,
      SECOND.transactionsRoot,
      SECOND.receiptsRoot,
      SECOND.logsBloom,
      Uint8Array.of(8),
      Uint8Array.of(1),
      fromHex('0x0098705b'),
      Uint8Array.of(11),
      Uint8Array.of(12),
      Uint8Array.of(13, 13),
      Uint8Array.of(14),
      Uint8Array.of(15),
      Uint8Array.of(2),
      EMPTY_BYTES,
      SECOND.mergedMining.header,
    ]);
  });

  it.each([
    [9_990_235n, '0x0098705b'],
    [0x7fn, '0x7f'],
    [0x80n, '0x0080'],
    [0xffffn, '0x00ffff'],
    [7_500_000n, '0x7270e0'],
  ])('has a zero byte before a gas limit of %s only when its top bit is set', (gasLimit, expected) => {
    expect(fieldsOf(encodeHeader({ ...SECOND, gasLimit }, 'network'))[9]).toEqual(fromHex(expected));
  });

  it.each([
    [0n, '0x00'],
    [1n, '0x01'],
    [0x7fn, '0x7f'],
    [0x80n, '0x0080'],
    [59_240_000n, '0x0387ee40'],
  ])('has the minimum gas price %s in signed bytes, one zero byte for zero', (minimumGasPrice, expected) => {
    const raw = encodeHeader({ ...SECOND, minimumGasPrice }, 'network');
    expect(fieldsOf(raw)[14]).toEqual(fromHex(expected));
  });

  it('encodes other zeros as empty', () => {
    const raw = encodeHeader(
      { ...SECOND, gasUsed: 0n, paidFees: 0n, uncleCount: 0, timestamp: 0 },
      'network',
    );
    const fields = fieldsOf(raw);
    for (const position of [10, 11, 13, 15]) expect(fields[position]).toEqual(EMPTY_BYTES);
  });

  it('lacks in the first block the field for the root of merged-mining commitments', () => {
    expect(fieldsOf(encodeHeader(GENESIS, 'network'))).toHaveLength(17);
    expect(fieldsOf(encodeHeader(SECOND, 'network'))).toHaveLength(18);
  });

  it('has the Keccak of its raw form as hash, and without the parent chain that for merged mining', () => {
    const raw = encodeHeader(SECOND, 'network');
    expect(headerHash(SECOND, 'network')).toEqual(keccak256(raw));
    expect(hashForMergedMining(SECOND)).toEqual(keccak256(encodeRlp(fieldsOf(raw).slice(0, -1))));
    const { mergedMining, ...rest } = SECOND;
    const remined = { ...rest, mergedMining: { ...mergedMining, header: new Uint8Array(80).fill(99) } };
    expect(hashForMergedMining(remined)).toEqual(hashForMergedMining(SECOND));
    expect(headerHash(remined, 'network')).not.toEqual(headerHash(SECOND, 'network'));
  });

  it('stands in full in a block: with proof and coinbase transaction of the parent chain', () => {
    const block = fieldsOf(encodeBlock({ header: SECOND, transactions: [], uncles: [SECOND] }, 'network'));
    const full = [
      ...fieldsOf(encodeHeader(SECOND, 'network')),
      SECOND.mergedMining.merkleProof,
      SECOND.mergedMining.coinbaseTransaction,
    ];
    expect(block).toEqual([full, [], [full]]);
    expect(unclesHash([SECOND], 'network')).toEqual(keccak256(encodeRlp([full])));
  });

  it('has the hash of no uncles that every chain has', () => {
    const none = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
    expect(toHex(unclesHash([], 'network'))).toBe(none);
    expect(toHex(unclesHash([], 'ethereum'))).toBe(none);
  });
});

describe('the first block of the network', () => {
  const header = {
    ...GENESIS,
    stateRoot: fromHex('0x9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f'),
  };
  // It stands there as the genesis file spells it: with zeros in front.
  const difficulty = fromHex('0x0000000001');
  const fields = fieldsOf(encodeHeader(header, 'network')).with(7, difficulty);

  it('has the published hash', () => {
    expect(toHex(keccak256(encodeRlp(fields)))).toBe(
      '0x8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe',
    );
  });

  it('has the published hash for merged mining', () => {
    expect(toHex(keccak256(encodeRlp(fields.slice(0, -1))))).toBe(
      '0x4fa9456fe381dd454e8e78348f29c80c53711d0fd634849bafc2e4fc8a84d8e1',
    );
  });

  it('has the published size', () => {
    const block = fieldsOf(encodeBlock({ header, transactions: [], uncles: [] }, 'network'));
    const full = [...fields, header.mergedMining.merkleProof, header.mergedMining.coinbaseTransaction];
    expect(encodeRlp(block.with(0, full))).toHaveLength(478);
  });
});
