import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts';
import { type Block, type BlockHeader, HEADER_DEFAULTS } from '../../src/protocol/block.ts';
import { HeaderDecodingError } from '../../src/protocol/errors.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import { decodeBlock, decodeHeader } from '../../src/protocol/header-decoding.ts';
import { encodeBlock, encodeHeader } from '../../src/protocol/header-encoding.ts';
import { blockHeader, signedTransaction } from './arbitraries.ts';

const EMPTY = new Uint8Array(0);

/** The header with only the fields of its encoding. */
function encodable(header: BlockHeader, { encoding }: RuleSet): BlockHeader {
  if (encoding === 'network') {
    const { ethereum } = header;
    return { ...header, ethereum: { ...ethereum, mixHash: new Uint8Array(32) } };
  }
  const mergedMining = { header: EMPTY, coinbaseTransaction: EMPTY, merkleProof: EMPTY };
  const { ethereum } = header;
  const absent = { ...HEADER_DEFAULTS, paidFees: 0n, minimumGasPrice: 0n, uncleCount: 0, mergedMining };
  return { ...header, ...absent, ethereum };
}

/** The header as hashed: without the merged-mining proof and coinbase transaction. */
function hashed(header: BlockHeader): BlockHeader {
  const { header: parentHeader } = header.mergedMining;
  return {
    ...header,
    mergedMining: { header: parentHeader, coinbaseTransaction: EMPTY, merkleProof: EMPTY },
  };
}

describe.each(RULE_SET_NAMES)('header and block decoding under %s', (name) => {
  const ruleSet = ruleSetNamed(name);
  const { encoding } = ruleSet;
  const header = blockHeader(ruleSet).map((fields) => encodable(fields, ruleSet));
  const block: fc.Arbitrary<Pick<Block, 'header' | 'transactions' | 'uncles'>> = fc.record({
    header,
    transactions: fc.array(signedTransaction(ruleSet.transactionTypes), { maxLength: 3 }),
    uncles: fc.array(header, { maxLength: 2 }),
  });

  it('decodes an encoded header', () => {
    const isSame = fc.property(header, (fields) => {
      const raw = encodeHeader(fields, encoding);
      const decoded = decodeHeader(raw, encoding);
      expect(decoded).toEqual(hashed(fields));
      expect(encodeHeader(decoded, encoding)).toEqual(raw);
    });
    fc.assert(isSame, { numRuns: 50 });
  });

  it('decodes an encoded block', () => {
    const isSame = fc.property(block, (parts) => {
      const decoded = decodeBlock(encodeBlock(parts, encoding), encoding);
      expect(decoded.header).toEqual(parts.header);
      expect(decoded.uncles).toEqual(parts.uncles);
      const types = parts.transactions.map(({ type, raw }) => ({ type, raw }));
      expect(decoded.transactions).toEqual(types);
    });
    fc.assert(isSame, { numRuns: 15 });
  });

  it('rejects a header with missing or extra fields', () => {
    const [sample] = fc.sample(header, { numRuns: 1 });
    if (sample === undefined) throw new Error('there is no sample');
    const fields = decodeRlp(encodeHeader(sample, encoding));
    if (fields instanceof Uint8Array) throw new Error('a header is a list');
    const decode = (items: readonly RlpItem[]) => () => decodeHeader(encodeRlp(items), encoding);
    expect(decode(fields.slice(0, 14))).toThrow(HeaderDecodingError);
    expect(decode([...fields, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY])).toThrow(HeaderDecodingError);
  });
});

describe('Rootstock header decoding', () => {
  const ruleSet = ruleSetNamed('rootstock');
  const [sample] = fc.sample(
    blockHeader(ruleSet).map((fields) => ({ ...fields, number: 1, gasUsed: 5n })),
    { numRuns: 1 },
  );
  if (sample === undefined) throw new Error('there is no sample');
  const fields = decodeRlp(encodeHeader(sample, 'network')) as readonly RlpItem[];

  it.each([
    ['a parent hash of 31 bytes', 0, new Uint8Array(31)],
    ['a coinbase of 21 bytes', 2, new Uint8Array(21)],
    ['a bloom of 255 bytes', 6, new Uint8Array(255)],
    ['a list for an integer', 7, []],
    ['a difficulty with leading zeros', 7, Uint8Array.of(0, 1)],
    ['a number above 2^53', 8, new Uint8Array(8).fill(0xff)],
    ['a number with leading zeros', 8, Uint8Array.of(0, 1)],
    ['a gas limit without a sign byte', 9, Uint8Array.of(0x80)],
    ['used gas with leading zeros', 10, Uint8Array.of(0, 5)],
    ['an empty minimum gas price', 14, EMPTY],
    ['a root of merged-mining commitments', 16, new Uint8Array(20)],
  ])('rejects %s', (_, index, item) => {
    expect(() => decodeHeader(encodeRlp(fields.with(index, item)), 'network')).toThrow(HeaderDecodingError);
  });

  it('rejects a header that is no list', () => {
    expect(() => decodeHeader(EMPTY_STRING, 'network')).toThrow(HeaderDecodingError);
  });

  it('rejects a block that is not three lists', () => {
    const block = decodeRlp(encodeBlock({ header: sample, transactions: [], uncles: [] }, 'network'));
    const [header, transactions, uncles] = block as readonly RlpItem[];
    if (header === undefined || transactions === undefined || uncles === undefined)
      throw new Error('no block');
    const decode = (parts: readonly RlpItem[]) => () => decodeBlock(encodeRlp(parts), 'network');
    expect(decode([header, transactions, uncles])).not.toThrow();
    expect(decode([header, transactions])).toThrow(HeaderDecodingError);
    expect(decode([header, EMPTY, uncles])).toThrow(HeaderDecodingError);
    expect(decode([header, transactions, uncles, []])).toThrow(HeaderDecodingError);
    expect(decode([header, [Uint8Array.of(0, 1)], uncles])).toThrow(HeaderDecodingError);
    expect(() => decodeBlock(Uint8Array.of(0xf8), 'network')).toThrow(HeaderDecodingError);
  });
});

const EMPTY_STRING = Uint8Array.of(0x80);
