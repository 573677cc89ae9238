// Large folders that are read in time slices, and files with a byte order mark.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileDocument } from '../../src/artifacts/json-document.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { countTurns } from '../support/turns.ts';
import { contractNamed, readFolders, write } from './artifact-reader.ts';

const KEPT = 40;
/** Bytes that the scanner reads in one time slice. */
const PIECE = 256 * 1024;
const MARK = '\ufeff';

function artifactOf(name: string): object {
  const code = `0x60${name.slice(1).padStart(2, '0')}`;
  return { contractName: name, sourceName: `${name}.sol`, abi: [], bytecode: code, deployedBytecode: code };
}

/** Build info with one source, padded to the length. */
function buildInfoOf(name: string, content: string, length: number): string {
  const contract = {
    abi: [],
    evm: { bytecode: { object: '6001' }, deployedBytecode: { object: '6001' }, assembly: 'x'.repeat(length) },
  };
  const file = `${name}.sol`;
  return JSON.stringify({
    input: { language: 'Solidity', sources: { [file]: { content } }, settings: {} },
    output: { sources: { [file]: { id: 0 } }, contracts: { [file]: { [name]: contract } } },
  });
}

describe('reading a large folder', () => {
  it('yields after each file', async () => {
    const root = await temporaryDirectory();
    for (let index = 0; index < KEPT; index++) {
      await write(join(root, `A${index}.sol`, `A${index}.json`), artifactOf(`A${index}`));
    }
    const { result, turns } = await countTurns(() => readFolders(root));
    expect([...result.artifacts.contracts]).toHaveLength(KEPT);
    result.artifacts.close();
    expect(turns).toBeGreaterThanOrEqual(KEPT);
  });

  it('yields after each chunk of build info', async () => {
    const path = join(await temporaryDirectory(), 'large.json');
    await write(path, buildInfoOf('A', 'contract A {}', 20 * PIECE));
    const { result, turns } = await countTurns(() => FileDocument.open(path));
    expect(result.members(['output', 'contracts'])).toEqual(['A.sol']);
    expect(turns).toBeGreaterThan(20);
  });
});

describe('a byte order mark', () => {
  it('is ignored in artifacts, build info and references to build info', async () => {
    const root = await temporaryDirectory();
    const folder = join(root, 'A.sol');
    const artifact = { ...artifactOf('A1'), contractName: 'A', sourceName: 'A.sol' };
    await write(join(root, 'build-info', 'one.json'), MARK + buildInfoOf('A', 'contract A {}\r\n', 0));
    await write(join(folder, 'A.json'), MARK + JSON.stringify(artifact));
    await write(join(folder, 'A.dbg.json'), MARK + JSON.stringify({ buildInfo: '../build-info/one.json' }));
    const read = await readFolders(root);
    expect(read.warnings).toEqual([]);
    const sources = await contractNamed(read, 'A').sources();
    expect(await sources?.content('A.sol')).toBe('contract A {}\r\n');
    read.artifacts.close();
  });

  it('is ignored in compiler output', async () => {
    const root = await temporaryDirectory();
    await write(join(root, 'output.json'), MARK + buildInfoOf('A', 'contract A {}', 0));
    const read = await readFolders(root);
    expect([...read.artifacts.contracts].map(({ name }) => name)).toEqual(['A']);
    read.artifacts.close();
  });
});
