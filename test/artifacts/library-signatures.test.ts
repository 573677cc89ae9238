import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withSignatures } from '../../src/artifacts/formats/library-signatures.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { contractNamed, projectPath, readFolders, write } from './artifact-reader.ts';

const SIGNATURE = 'write(uint256[] storage)';
const output = JSON.parse(readFileSync(projectPath('solc/0.8.28/output.json'), 'utf8'));
const tree = output.sources['Checks.sol'].ast;

describe('library functions missing in the ABI', () => {
  it('are read from the syntax tree if the compiler output has no method identifiers', async () => {
    const read = await readFolders(projectPath('solc/0.8.28'));
    expect((await contractNamed(read, 'Checks').load()).signatures).toEqual([SIGNATURE]);
    read.artifacts.close();
  });

  it('are read from the syntax tree in a Truffle artifact', async () => {
    const root = await temporaryDirectory();
    const { abi, evm } = output.contracts['Checks.sol'].Checks;
    await write(join(root, 'contracts/Checks.json'), {
      contractName: 'Checks',
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      deployedBytecode: `0x${evm.deployedBytecode.object}`,
      sourcePath: 'project:/contracts/Checks.sol',
      ast: tree,
    });
    const read = await readFolders(root);
    expect((await contractNamed(read, 'Checks').load()).signatures).toEqual([SIGNATURE]);
    read.artifacts.close();
  });

  it('are listed with canonical types only if the code contains their selector', async () => {
    const read = await readFolders(projectPath('solc/0.8.28'));
    const library = { ...(await contractNamed(read, 'Checks').load()), signatures: [] };
    read.artifacts.close();
    const parameter = (typeString: string, storageLocation: string): object => ({
      typeDescriptions: { typeString },
      storageLocation,
    });
    const made = (...parameters: object[]): unknown => ({
      nodes: [
        {
          nodeType: 'ContractDefinition',
          contractKind: 'library',
          name: 'Checks',
          nodes: [{ nodeType: 'FunctionDefinition', name: 'write', parameters: { parameters } }],
        },
      ],
    });
    const signaturesOf = async (value: unknown): Promise<readonly string[]> =>
      (await withSignatures(library, async () => value)).signatures;
    expect(await signaturesOf(made(parameter('uint256[] storage pointer', 'storage')))).toEqual([SIGNATURE]);
    expect(await signaturesOf(made(parameter('struct A.B storage pointer', 'storage')))).toEqual([]);
    for (const damaged of [null, 7, {}, { nodes: [null, { nodes: 3 }] }, made({})])
      expect(await signaturesOf(damaged)).toEqual([]);
  });
});
