import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex, toQuantity } from '../../../src/primitives/hex.ts';
import { blockNumberSelector, blockSelector } from '../../../src/rpc/codecs/block-selector.ts';
import { decodeWith, refusalOf } from './decode.ts';

const hash = new Uint8Array(32).fill(0xab);

describe('blockSelector', () => {
  it.each(['latest', 'earliest', 'pending', 'safe', 'finalized'])('reads the tag %s', (tag) => {
    expect(decodeWith(blockSelector, 'block', tag)).toEqual({ tag });
    expect(decodeWith(blockNumberSelector, 'block', tag)).toEqual({ tag });
  });

  it('reads numbers in every form', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number) => {
        for (const form of [toQuantity(number), number.toString(), { blockNumber: toQuantity(number) }]) {
          expect(decodeWith(blockSelector, 'block', form)).toEqual({ number });
        }
      }),
    );
    expect(decodeWith(blockSelector, 'block', 7)).toEqual({ number: 7n });
  });

  it('reads a hash as a string or in an object, with requireCanonical as boolean or string', () => {
    expect(decodeWith(blockSelector, 'block', toHex(hash))).toEqual({ hash });
    const given = (requireCanonical: unknown) => ({ blockHash: toHex(hash), requireCanonical });
    expect(decodeWith(blockSelector, 'block', given(true))).toEqual({ hash, requireCanonical: true });
    expect(decodeWith(blockSelector, 'block', given('true'))).toEqual({ hash, requireCanonical: true });
    expect(decodeWith(blockSelector, 'block', given(undefined))).toEqual({ hash, requireCanonical: false });
  });

  it.each([
    ['another word', 'newest', 'params: block:'],
    ['a tag in capitals', 'LATEST', 'params: block:'],
    ['a short hash', `0x${'ab'.repeat(33)}`, 'params: block:'],
    ['an empty object', {}, 'params: block:'],
    ['both keys', { blockHash: toHex(hash), blockNumber: '0x1' }, 'params: block:'],
    ['a wrong hash', { blockHash: '0x12' }, 'params: block.blockHash:'],
    ['a wrong number', { blockNumber: 'latest' }, 'params: block.blockNumber:'],
    ['a wrong flag', { blockHash: toHex(hash), requireCanonical: 1 }, 'params: block.requireCanonical:'],
    ['a number that no chain reaches', 2n ** 64n, 'params: block:'],
    ['such a number in an object', { blockNumber: '0x10000000000000000' }, 'params: block.blockNumber:'],
    ['an array', ['latest'], 'params: block:'],
    ['a boolean', false, 'params: block:'],
    ['prototype keys', JSON.parse(`{"__proto__":{"blockNumber":"0x1"}}`), 'params: block'],
  ])('rejects %s', (_case, value, place) => {
    expect(refusalOf(blockSelector, 'block', value)).toContain(place);
  });

  it('blockNumberSelector rejects hashes and objects', () => {
    for (const form of [toHex(hash), { blockHash: toHex(hash) }, { blockNumber: '0x1' }]) {
      expect(refusalOf(blockNumberSelector, 'block', form)).toContain('a block number below 2^64, or latest');
    }
  });
});
