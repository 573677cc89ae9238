import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import type { Block } from '../../src/protocol/block.ts';
import { localPrevRandao } from '../../src/protocol/genesis.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { encodeBlock } from '../../src/protocol/header-encoding.ts';
import {
  decodeRangeRecord,
  EmptyBlockRange,
  encodeRangeRecord,
} from '../../src/storage/empty-block-range.ts';
import { BlockRecordError } from '../../src/storage/errors.ts';
import { GENESIS, RULE_SET, rangeOf, stateOf } from './samples.ts';

function blocksOf(range: EmptyBlockRange): Block[] {
  return Array.from({ length: range.last - range.first + 1 }, (_, index) => range.block(range.first + index));
}

describe.each(RULE_SET_NAMES)('reserved blocks under %s', (name) => {
  const ruleSet = ruleSetNamed(name);
  const state = stateOf(3);
  const range = rangeOf(5, 400, { state, ruleSet });
  const blocks = blocksOf(range);

  it('blocks have consistent numbers, parents, timestamps, difficulties, base fees and PREVRANDAO', () => {
    expect(blocks[0]?.header).toMatchObject({ number: 5, parentHash: GENESIS.block.hash, timestamp: 1_005 });
    expect(blocks[0]?.totalDifficulty).toBe(5n + (blocks[0]?.header.difficulty ?? -1n));
    for (const [index, { header, hash, totalDifficulty }] of blocks.entries()) {
      expect(hash).toEqual(range.hashOf(header.number));
      expect(range.isHashOf(hash, header.number)).toBe(true);
      expect(header.timestamp).toBe(range.timestampOf(header.number));
      if (ruleSet.isProofOfStake) {
        expect(header.ethereum.mixHash).toEqual(localPrevRandao(ruleSet, header.parentHash));
      }
      const parent = blocks[index - 1];
      if (parent === undefined) continue;
      expect(header.number).toBe(parent.header.number + 1);
      expect(header.parentHash).toEqual(parent.hash);
      expect(header.timestamp).toBe(parent.header.timestamp + 10);
      expect(totalDifficulty).toBe(parent.totalDifficulty + header.difficulty);
      expect(header.ethereum.baseFeePerGas).toBe(ruleSet.fees.nextBaseFee(parent.header));
    }
  });

  it('blocks are empty, with the state of the block below, according to the template', () => {
    for (const block of blocks) {
      expect(block).toMatchObject({ transactions: [], receipts: [], uncles: [] });
      const { coinbase, gasLimit, minimumGasPrice, extraData } = range.template;
      expect(block.header).toMatchObject({
        stateRoot: state.root,
        coinbase,
        gasLimit,
        minimumGasPrice,
        extraData,
      });
      expect(block.size).toBe(encodeBlock(block, ruleSet.encoding).length);
    }
  });

  it('the top has all fields that the next block depends on, but no size and no proof of work', () => {
    const { size: _size, ...last } = range.block(400);
    const { mergedMining: _proof, ...header } = last.header;
    expect(range.top).toMatchObject({ ...last, header });
    expect(range.until(7).top.hash).toEqual(range.hashOf(7));
  });

  it('blocks can be decoded from their record', () => {
    const read = decodeRangeRecord(encodeRangeRecord(range), () => state, ruleSet);
    expect(read).toMatchObject({ template: range.template, last: 400, seed: range.seed });
    expect(read.state).toBe(state);
    expect(blocksOf(read)).toEqual(blocks);
  });
});

describe('range of reserved blocks', () => {
  it('the hashes differ with another parent, state, interval or hardfork', () => {
    const { template } = rangeOf(1, 9);
    const others = [
      rangeOf(1, 9, { below: new Uint8Array(32) }),
      rangeOf(1, 9, { state: stateOf(1) }),
      EmptyBlockRange.create({ ...template, interval: 11 }, stateOf(0), 9, RULE_SET),
      EmptyBlockRange.create(template, stateOf(0), 9, ruleSetNamed('osaka')),
    ];
    for (const other of others) expect(other.hashOf(5)).not.toEqual(rangeOf(1, 9).hashOf(5));
    expect(others[2]?.block(1).header).toEqual(rangeOf(1, 9).block(1).header);
  });

  it('the blocks are the same for any length of the range', () => {
    const range = rangeOf(1, 1_000);
    expect(rangeOf(1, 20).block(9)).toEqual(range.block(9));
    const cut = range.until(12);
    expect(cut.last).toBe(12);
    expect(cut.block(12)).toEqual(range.block(12));
    expect(cut.includes(12) && !cut.includes(13)).toBe(true);
  });

  it('a range accepts no other hash for one of its blocks', () => {
    const range = rangeOf(1, 9);
    expect(range.isHashOf(range.hashOf(4), 5)).toBe(false);
    expect(range.isHashOf(rangeOf(1, 9, { state: stateOf(1) }).hashOf(4), 4)).toBe(false);
    expect(range.until(3).isHashOf(range.hashOf(4), 4)).toBe(false);
  });

  it('a range keeps the hashes of its record even if their formula changes', () => {
    const { template, last } = rangeOf(1, 9);
    const seed = new Uint8Array(32).fill(3);
    const restored = EmptyBlockRange.restore({ template, last, seed }, stateOf(0), RULE_SET);
    const read = decodeRangeRecord(encodeRangeRecord(restored), () => stateOf(0), RULE_SET);
    expect(read.hashOf(5)).toEqual(restored.hashOf(5));
    expect(read.hashOf(5)).not.toEqual(rangeOf(1, 9).hashOf(5));
  });

  it('a range cannot be decoded from other bytes', () => {
    const items = [encodeRlp([]), encodeRlp(Uint8Array.of(1, 2)), encodeRlp([[], [], []])];
    for (const bytes of items) {
      expect(() => decodeRangeRecord(bytes, () => stateOf(0), RULE_SET)).toThrow(BlockRecordError);
    }
  });

  it('a range has exact numbers and timestamps for very large numbers', () => {
    const isExact = fc.property(fc.integer({ min: 1, max: 2 ** 47 }), fc.nat(), (first, length) => {
      const range = rangeOf(first, first + length);
      const { header } = range.block(first + length);
      expect(header.number).toBe(first + length);
      expect(header.timestamp).toBe(1_000 + first + 10 * length);
    });
    fc.assert(isExact, { numRuns: 25 });
  });
});
