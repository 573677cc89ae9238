import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EVM_VERSIONS, readArtifact } from './artifacts.ts';

describe('the contract artifacts', () => {
  it('equal the compiler output of the sources', () => {
    const script = fileURLToPath(new URL('../../fixtures/compile.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each(EVM_VERSIONS)('contain the ABI and code of each contract for %s', (evmVersion) => {
    const { contractName, abi, bytecode, deployedBytecode } = readArtifact(evmVersion, 'Counter');
    expect(contractName).toBe('Counter');
    expect(abi.map((item) => ('name' in item ? item.name : item.type))).toEqual([
      'Increased',
      'count',
      'increase',
      'increment',
    ]);
    expect(bytecode.endsWith(deployedBytecode.slice(2))).toBe(true);
  });
});
