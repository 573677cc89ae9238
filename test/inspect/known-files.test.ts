import { describe, expect, it } from 'vitest';
import { KnownFiles } from '../../src/inspect/known-files.ts';

const SOURCE = 'contract AContractWithALongName { function aFunctionWithALongName() external {} }';

describe('KnownFiles', () => {
  it('parses a file once for all contracts compiled with it', async () => {
    const files = new KnownFiles();
    const file = await files.of('A.sol', SOURCE);
    expect(file.outline.definitions.map(({ name }) => name)).toEqual([
      'AContractWithALongName',
      'aFunctionWithALongName',
    ]);
    expect(await files.of('A.sol', SOURCE)).toBe(file);
    expect(await files.of('B.sol', SOURCE)).not.toBe(file);
    expect(await files.of('A.sol', `${SOURCE}\n`)).not.toBe(file);
  });

  it('parses a file again after it was evicted', async () => {
    const files = new KnownFiles();
    const long = `// ${'a'.repeat(5 * 1024 * 1024)}\n`;
    const [first, second] = [await files.of('1.sol', long), await files.of('2.sol', long)];
    await files.of('3.sol', long);
    expect(await files.of('1.sol', long)).toBe(first);
    await files.of('4.sol', long);
    expect(await files.of('1.sol', long)).toBe(first);
    expect(await files.of('2.sol', long)).not.toBe(second);
  });
});
