import { describe, expect, it } from 'vitest';
import { functionsIn, meantFunction } from '../../src/cli/trace/written-call.ts';

const fn = (name: string, ...types: readonly string[]) => ({
  type: 'function' as const,
  name,
  inputs: types.map((type) => ({ name: '', type })),
});

const FUNCTIONS = [fn('mint', 'uint256'), fn('mint', 'address'), fn('mint', 'address', 'uint8'), fn('burn')];

describe('a function that is named alone', () => {
  it('is the one with that many arguments', () => {
    expect(meantFunction('mint', 2, FUNCTIONS)).toBe(FUNCTIONS[2]);
    expect(meantFunction('burn', 0, FUNCTIONS)).toBe(FUNCTIONS[3]);
  });

  it.each([
    [
      'melt',
      0,
      'the contract has no function melt; it has mint(uint256), mint(address), mint(address,uint8), burn()',
    ],
    ['burn', 1, 'the contract has burn(), which does not take 1 argument'],
    ['mint', 0, 'none of mint(uint256), mint(address), mint(address,uint8) takes 0 arguments'],
    [
      'mint',
      1,
      'mint with 1 argument is one of mint(uint256), mint(address); write the one that is meant in quotes',
    ],
  ])('is refused where it is none or several: %s with %i', (name, count, message) => {
    expect(() => meantFunction(name, count, FUNCTIONS)).toThrow(message);
  });

  it('is found behind a proxy first, and once', () => {
    const source = {
      contract: { abi: [fn('upgrade', 'address'), fn('burn')] },
      implementation: {
        contract: { abi: [fn('burn'), fn('mint', 'uint256'), { type: 'event', name: 'Minted' }] },
      },
    };
    expect(functionsIn(source).map(({ name }) => name)).toEqual(['burn', 'mint', 'upgrade']);
    expect(functionsIn(null)).toEqual([]);
  });

  it('is listed with the first ten where there are many', () => {
    const many = Array.from({ length: 12 }, (_, index) => fn(`f${index}`));
    expect(() => meantFunction('g', 0, many)).toThrow(/f9\(\) and 2 more$/);
  });
});
