import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/protocol/block.ts';
import { selectUncles } from '../../../src/protocol/fork-choice.ts';
import { headerHash } from '../../../src/protocol/header-encoding.ts';
import { blockOf } from '../../storage/samples.ts';

function childOf(parent: Block, time: number): Block {
  const block = blockOf(parent.header.number + 1, { time });
  const header = { ...block.header, parentHash: parent.hash };
  return { ...block, header, hash: headerHash(header, 'network') };
}

/** A chain of blocks 0 to 20. */
const CHAIN: readonly Block[] = Array.from({ length: 20 }).reduce<Block[]>(
  (blocks) => [...blocks, childOf(blocks.at(-1) ?? blockOf(0), blocks.length)],
  [blockOf(0)],
);

function at(number: number, chain: readonly Block[] = CHAIN): Block {
  const block = chain[number];
  if (block === undefined) throw new RangeError(`block ${number} does not exist`);
  return block;
}

/** A side block of the block with the given number. */
function sibling(number: number, time = 1_000): Block {
  return childOf(at(number - 1), time);
}

function hashesOf(candidates: readonly Block[], number: number, chain = CHAIN): Uint8Array[] {
  const uncles = selectUncles(candidates, number, (height) => at(height, chain));
  return uncles.map((uncle) => headerHash(uncle, 'network'));
}

describe('selectUncles', () => {
  it('selects side blocks up to seven generations below', () => {
    for (let number = 1; number <= 20; number++) {
      const lost = sibling(number);
      const included = Array.from({ length: 20 }, (_, index) => index + 1).filter(
        (height) => hashesOf([lost], height).length === 1,
      );
      const first = number + 1;
      expect(included).toEqual(
        [0, 1, 2, 3, 4, 5, 6].map((age) => first + age).filter((height) => height <= 20),
      );
    }
  });

  it('excludes ancestors of the block', () => {
    expect(hashesOf([at(9), at(8)], 10)).toEqual([]);
  });

  it('requires a parent among the ancestors', () => {
    const lost = sibling(8);
    expect(hashesOf([lost, childOf(lost, 1)], 11)).toEqual([lost.hash]);
  });

  it('excludes uncles of an ancestor', () => {
    const lost = sibling(8);
    const chain = CHAIN.with(10, { ...at(10), uncles: [lost.header] });
    expect(hashesOf([lost], 11, chain)).toEqual([]);
    expect(hashesOf([lost], 10, chain)).toEqual([lost.hash]);
  });

  it('selects at most ten uncles, oldest first, in any order of arrival', () => {
    const lost = [7, 8, 9].flatMap((number) => [1, 2, 3, 4].map((time) => sibling(number, 1_000 + time)));
    const chosen = hashesOf(lost, 10);
    expect(chosen).toHaveLength(10);
    for (const { header, hash } of lost.slice(0, 8)) {
      expect(chosen.slice(0, 8), String(header.number)).toContainEqual(hash);
    }
    const isSame = fc.property(fc.shuffledSubarray(lost, { minLength: lost.length }), (shuffled) => {
      expect(hashesOf(shuffled, 10)).toEqual(chosen);
    });
    fc.assert(isSame, { numRuns: 20 });
  });

  it('does not read the chain without candidates', () => {
    const never = () => {
      throw new RangeError('nobody asked');
    };
    expect(selectUncles([], 10, never)).toEqual([]);
    expect(selectUncles([sibling(1)], 20, never)).toEqual([]);
  });
});
