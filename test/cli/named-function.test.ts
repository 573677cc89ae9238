import { describe, expect, it } from 'vitest';
import { functionsIn, selectedFunction } from '../../src/cli/trace/written-call.ts';

const fn = (name: string, ...types: readonly string[]) => ({
  type: 'function' as const,
  name,
  inputs: types.map((type) => ({ name: '', type })),
});

const FUNCTIONS = [fn('mint', 'uint256'), fn('mint', 'address'), fn('mint', 'address', 'uint8'), fn('burn')];

describe('selectedFunction', () => {
  it('returns the function with this number of arguments', () => {
    expect(selectedFunction('mint', 2, FUNCTIONS)).toBe(FUNCTIONS[2]);
    expect(selectedFunction('burn', 0, FUNCTIONS)).toBe(FUNCTIONS[3]);
  });

  it.each([
    [
      'melt',
      0,
      'unknown function melt; expected one of mint(uint256), mint(address), mint(address,uint8), burn()',
    ],
    ['burn', 1, 'burn(): expected 0 arguments, got 1'],
    [
      'mint',
      0,
      'no overload of mint takes 0 arguments; expected one of mint(uint256), mint(address), mint(address,uint8)',
    ],
    ['mint', 1, 'mint with 1 argument is ambiguous; write one of mint(uint256), mint(address) in quotes'],
  ])('rejects unknown and ambiguous functions: %s with %i', (name, count, message) => {
    expect(() => selectedFunction(name, count, FUNCTIONS)).toThrow(message);
  });

  it('functionsIn lists functions of the implementation first, without duplicates', () => {
    const source = {
      contract: { abi: [fn('upgrade', 'address'), fn('burn')] },
      implementation: {
        contract: { abi: [fn('burn'), fn('mint', 'uint256'), { type: 'event', name: 'Minted' }] },
      },
    };
    expect(functionsIn(source).map(({ name }) => name)).toEqual(['burn', 'mint', 'upgrade']);
    expect(functionsIn(null)).toEqual([]);
  });

  it('lists at most ten functions in the error', () => {
    const many = Array.from({ length: 12 }, (_, index) => fn(`f${index}`));
    expect(() => selectedFunction('g', 0, many)).toThrow(/f9\(\) and 2 more$/);
  });
});
