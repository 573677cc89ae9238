import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/protocol/block.ts';
import { prefersNewcomer } from '../../../src/protocol/fork-choice.ts';
import { blockOf } from '../../storage/samples.ts';

function blockWith(totalDifficulty: bigint, paidFees: bigint, hash: number): Block {
  const block = blockOf(5);
  const header = { ...block.header, paidFees };
  return { ...block, header, totalDifficulty, hash: new Uint8Array(32).fill(hash) };
}

const anyBlock = fc
  .tuple(fc.bigInt({ min: 1n, max: 3n }), fc.bigInt({ min: 0n, max: 9n }), fc.nat(255))
  .map(([totalDifficulty, fees, hash]) => blockWith(totalDifficulty, fees, hash));

describe('prefersNewcomer', () => {
  it.each([
    ['more difficulty but lower fees and a higher hash', blockWith(8n, 0n, 9), blockWith(7n, 100n, 1), true],
    ['less difficulty', blockWith(6n, 100n, 1), blockWith(7n, 0n, 9), false],
    ['more than twice the fees', blockWith(7n, 21n, 9), blockWith(7n, 10n, 1), true],
    ['twice the fees and the higher hash', blockWith(7n, 20n, 9), blockWith(7n, 10n, 1), false],
    ['less than half the fees', blockWith(7n, 10n, 1), blockWith(7n, 21n, 9), false],
    ['half the fees and the lower hash', blockWith(7n, 10n, 1), blockWith(7n, 20n, 9), false],
    ['more than half the fees and the lower hash', blockWith(7n, 11n, 1), blockWith(7n, 20n, 9), true],
    ['equal fees and the lower hash', blockWith(7n, 10n, 1), blockWith(7n, 10n, 9), true],
    ['equal fees and the higher hash', blockWith(7n, 10n, 9), blockWith(7n, 10n, 1), false],
    ['no fees and the lower hash', blockWith(7n, 0n, 1), blockWith(7n, 0n, 9), false],
    ['no fees and the higher hash', blockWith(7n, 0n, 9), blockWith(7n, 0n, 1), false],
  ])('compares a newcomer with %s to the head', (_, newcomer, head, expected) => {
    expect(prefersNewcomer(newcomer, head)).toBe(expected);
  });

  it('never prefers each of two blocks over the other', () => {
    const isSettled = fc.property(anyBlock, anyBlock, (left, right) => {
      expect(prefersNewcomer(left, right) && prefersNewcomer(right, left)).toBe(false);
    });
    fc.assert(isSettled);
  });
});
