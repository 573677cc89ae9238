import { createBlock, createBlockHeader, type HeaderData } from '@ethereumjs/block';
import { createTxFromRLP } from '@ethereumjs/tx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts';
import type { BlockHeader } from '../../src/protocol/block.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { decodeBlock, decodeHeader } from '../../src/protocol/header-decoding.ts';
import {
  encodeBlock,
  encodeHeader,
  hashForMergedMining,
  headerHash,
  unclesHash,
} from '../../src/protocol/header-encoding.ts';
import { emptyGenesis } from '../support/empty-genesis.ts';
import { blockHeader, signedTransaction } from './arbitraries.ts';
import { ETHEREUM_RULE_SETS, type EthereumRuleSetName, referenceCommon } from './reference-common.ts';

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
    ...given('blockAccessListHash', ethereum.blockAccessListHash),
    ...given('slotNumber', ethereum.slotNumber),
  };
}

function referenceOptions(name: EthereumRuleSetName) {
  return { common: referenceCommon(name), skipConsensusFormatValidation: true };
}

describe.each(ETHEREUM_RULE_SETS)('encodeHeader under %s', (name) => {
  const ruleSet = ruleSetNamed(name);

  it('encodes and hashes a header as @ethereumjs/block does', () => {
    const isSame = fc.property(blockHeader(ruleSet), (header) => {
      const expected = createBlockHeader(referenceFields(header), referenceOptions(name));
      expect(encodeHeader(header, 'ethereum')).toEqual(expected.serialize());
      expect(headerHash(header, 'ethereum')).toEqual(expected.hash());
    });
    fc.assert(isSame, { numRuns: 25 });
  });

  it('encodes a block as @ethereumjs/block does', () => {
    const transactions = fc.array(signedTransaction(ruleSet.transactionTypes), { maxLength: 3 });
    const { maximumTransactionGas } = ruleSet;
    const isSame = fc.property(blockHeader(ruleSet), transactions, (header, drawn) => {
      // The library rejects transactions that the rules reject.
      const list = drawn.filter(({ gasLimit }) => gasLimit <= (maximumTransactionGas ?? gasLimit));
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
    fc.assert(isSame, { numRuns: 10 });
  });
});

function fieldsOf(raw: Uint8Array): readonly RlpItem[] {
  const items = decodeRlp(raw);
  if (items instanceof Uint8Array) throw new Error('expected a list');
  return items;
}

const GENESIS = emptyGenesis().header;

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

describe('Rootstock header', () => {
  it('encodes its fields in the order of Rootstock, with the Bitcoin header last', () => {
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
  ])(
    'encodes a gas limit of %s with a leading zero byte only if its top bit is set',
    (gasLimit, expected) => {
      expect(fieldsOf(encodeHeader({ ...SECOND, gasLimit }, 'network'))[9]).toEqual(fromHex(expected));
    },
  );

  it.each([
    [0n, '0x00'],
    [1n, '0x01'],
    [0x7fn, '0x7f'],
    [0x80n, '0x0080'],
    [59_240_000n, '0x0387ee40'],
  ])(
    'encodes a minimum gas price of %s as a signed integer, with one byte for zero',
    (minimumGasPrice, expected) => {
      const raw = encodeHeader({ ...SECOND, minimumGasPrice }, 'network');
      expect(fieldsOf(raw)[14]).toEqual(fromHex(expected));
    },
  );

  it('encodes zeros of other fields as empty bytes', () => {
    const raw = encodeHeader(
      { ...SECOND, gasUsed: 0n, paidFees: 0n, uncleCount: 0, timestamp: 0 },
      'network',
    );
    const fields = fieldsOf(raw);
    for (const position of [10, 11, 13, 15]) expect(fields[position]).toEqual(EMPTY_BYTES);
  });

  it('omits the root of merged-mining commitments from the genesis header', () => {
    expect(fieldsOf(encodeHeader(GENESIS, 'network'))).toHaveLength(17);
    expect(fieldsOf(encodeHeader(SECOND, 'network'))).toHaveLength(18);
  });

  it('excludes the Bitcoin header from the hash for merged mining only', () => {
    const raw = encodeHeader(SECOND, 'network');
    expect(headerHash(SECOND, 'network')).toEqual(keccak256(raw));
    expect(hashForMergedMining(SECOND)).toEqual(keccak256(encodeRlp(fieldsOf(raw).slice(0, -1))));
    const { mergedMining, ...rest } = SECOND;
    const remined = { ...rest, mergedMining: { ...mergedMining, header: new Uint8Array(80).fill(99) } };
    expect(hashForMergedMining(remined)).toEqual(hashForMergedMining(SECOND));
    expect(headerHash(remined, 'network')).not.toEqual(headerHash(SECOND, 'network'));
  });

  it('includes the merged-mining proof and coinbase transaction inside a block', () => {
    const block = fieldsOf(encodeBlock({ header: SECOND, transactions: [], uncles: [SECOND] }, 'network'));
    const full = [
      ...fieldsOf(encodeHeader(SECOND, 'network')),
      SECOND.mergedMining.merkleProof,
      SECOND.mergedMining.coinbaseTransaction,
    ];
    expect(block).toEqual([full, [], [full]]);
    expect(unclesHash([SECOND], 'network')).toEqual(keccak256(encodeRlp([full])));
  });

  it('has the same hash of an empty uncle list as Ethereum', () => {
    const none = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
    expect(toHex(unclesHash([], 'network'))).toBe(none);
    expect(toHex(unclesHash([], 'ethereum'))).toBe(none);
  });
});

/** Genesis blocks of Rootstock networks, from their genesis files and the output of rskj. */
const GENESIS_BLOCKS = {
  main: {
    stateRoot: '0x9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01',
    difficulty: 0x100000n,
    gasLimit: 0x67c280n,
    timestamp: 0x5a4af5b0,
    extraData:
      '0x486170707920426974636f696e20446179212030332f4a616e2f32303138202d2052534b20746563686e6f6c6f6779206174207468652073657276696365206f6620736f6369657479',
    minimumGasPrice: 0x0ae85bc0n,
    hash: '0xf88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0',
  },
  test: {
    stateRoot: '0x45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641',
    difficulty: 0x100000n,
    gasLimit: 0x4c4b40n,
    timestamp: 0,
    extraData: '0x434d272841',
    minimumGasPrice: 0n,
    hash: '0xcabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42',
  },
  local: {
    stateRoot: '0x9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f',
    difficulty: 1n,
    gasLimit: 10_000_000n,
    timestamp: 0,
    extraData: '0x686f727365',
    minimumGasPrice: 0n,
    hash: '0x8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe',
  },
} as const;

function genesisHeader(chain: keyof typeof GENESIS_BLOCKS): BlockHeader {
  const { stateRoot, extraData, difficulty, gasLimit, timestamp, minimumGasPrice } = GENESIS_BLOCKS[chain];
  const integers = { difficulty, gasLimit, timestamp, minimumGasPrice };
  return { ...GENESIS, ...integers, stateRoot: fromHex(stateRoot), extraData: fromHex(extraData) };
}

describe('Rootstock genesis block', () => {
  it.each(['test', 'local'] as const)(
    'the genesis block has the published hash on the %s network',
    (chain) => {
      const header = genesisHeader(chain);
      expect(toHex(headerHash(header, 'network'))).toBe(GENESIS_BLOCKS[chain].hash);
      expect(decodeHeader(encodeHeader(header, 'network'), 'network')).toMatchObject({
        stateRoot: header.stateRoot,
        difficulty: header.difficulty,
        extraData: header.extraData,
        minimumGasPrice: header.minimumGasPrice,
      });
    },
  );

  // RSKIP-92 removes these fields from the hash. The main network activated it later.
  it('the genesis block has the published hash on the main network with merged-mining fields', () => {
    const header = genesisHeader('main');
    const [full] = fieldsOf(encodeBlock({ header, transactions: [], uncles: [] }, 'network'));
    if (full === undefined) throw new Error('there is no header');
    expect(toHex(keccak256(encodeRlp(full)))).toBe(GENESIS_BLOCKS.main.hash);
  });

  it('the genesis block has the published merged-mining hash and size on the local network', () => {
    const header = genesisHeader('local');
    expect(toHex(hashForMergedMining(header))).toBe(
      '0x4fa9456fe381dd454e8e78348f29c80c53711d0fd634849bafc2e4fc8a84d8e1',
    );
    expect(encodeBlock({ header, transactions: [], uncles: [] }, 'network')).toHaveLength(478);
  });

  it('the genesis block encodes and decodes as in rskj on the test network', () => {
    const root = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
    const published = [
      `0xf901dbf901d6a0${'00'.repeat(32)}`,
      'a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      `94${'33'.repeat(20)}`,
      'a045bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641',
      `a0${root}a0${root}b90100${'00'.repeat(256)}`,
      '85000010000080834c4b40808085434d272841800080000000c0c0',
    ].join('');
    const header = genesisHeader('test');
    expect(toHex(encodeBlock({ header, transactions: [], uncles: [] }, 'network'))).toBe(published);
    expect(decodeBlock(fromHex(published), 'network')).toEqual({ header, transactions: [], uncles: [] });
  });

  it('the genesis block keeps a difficulty of more than five bytes', () => {
    const header = { ...GENESIS, difficulty: 2n ** 60n };
    expect(decodeHeader(encodeHeader(header, 'network'), 'network').difficulty).toBe(2n ** 60n);
  });
});
