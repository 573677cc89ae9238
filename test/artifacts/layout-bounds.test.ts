// Layouts with small descriptions of many variables, and the limits of their readers.

import { describe, expect, it } from 'vitest';
import { ArtifactBoundError } from '../../src/artifacts/artifact-bound.ts';
import { LayoutBoundError } from '../../src/artifacts/layout/layout-bound.ts';
import { solcVariables } from '../../src/artifacts/layout/solc-layout.ts';
import { type DefinedContract, SyntaxDefinitions } from '../../src/artifacts/layout/syntax-definitions.ts';
import { treeLayout } from '../../src/artifacts/layout/tree-layout.ts';
import { vyperDefinitions, vyperVariables } from '../../src/artifacts/layout/vyper-layout.ts';
import { finish } from '../../src/primitives/steps.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readFolders, write } from './artifact-reader.ts';
import { chainOfStructs, selfContaining, wideLayout } from './hostile-layouts.ts';

const UINT = 't_uint256';

describe('a solc layout', () => {
  it('is rejected if a struct contains itself twice', () => {
    expect(() => solcVariables(selfContaining(), null)).toThrow(
      new LayoutBoundError('struct Node contains itself'),
    );
  });

  it('is rejected if 41 structs each use the next one twice', () => {
    expect(() => solcVariables(chainOfStructs(41), null)).toThrow(LayoutBoundError);
  });

  it('is rejected if a mapping contains nested structs above the limit', () => {
    const { types } = chainOfStructs(41);
    const mapping = {
      encoding: 'mapping',
      label: 'mapping(uint256 => struct S0)',
      key: UINT,
      value: 't_struct(S0)',
    };
    const storage = [{ label: 'all', slot: '0', offset: 0, type: 't_mapping' }];
    const layout = { storage, types: { ...types, t_mapping: mapping } };
    expect(() => solcVariables(layout, null)).toThrow(LayoutBoundError);
  });

  it('is rejected for more than 20,000 variables and for names above the length limit', () => {
    expect(solcVariables(wideLayout(20_000), null)).toHaveLength(20_000);
    expect(() => solcVariables(wideLayout(20_001), null)).toThrow(LayoutBoundError);
    expect(() => solcVariables(wideLayout(1_000, 'n'.repeat(10_000)), null)).toThrow(LayoutBoundError);
  });

  it('is read if a struct contains itself through a mapping and an array', () => {
    const members = [
      { label: 'children', slot: '0', offset: 0, type: 't_array(t_struct(Node))dyn_storage' },
      { label: 'byKey', slot: '1', offset: 0, type: 't_mapping' },
    ];
    const layout = {
      storage: [{ label: 'root', slot: '0', offset: 0, type: 't_struct(Node)' }],
      types: {
        [UINT]: { encoding: 'inplace', label: 'uint256', numberOfBytes: '32' },
        't_struct(Node)': { encoding: 'inplace', label: 'struct Node', numberOfBytes: '64', members },
        't_array(t_struct(Node))dyn_storage': {
          encoding: 'dynamic_array',
          label: 'struct Node[]',
          numberOfBytes: '32',
          base: 't_struct(Node)',
        },
        t_mapping: {
          encoding: 'mapping',
          label: 'mapping(uint256 => struct Node)',
          key: UINT,
          value: 't_struct(Node)',
        },
      },
    };
    const [root] = solcVariables(layout, null) ?? [];
    const byKey = root?.type.kind === 'struct' ? root.type.members[1]?.type : undefined;
    expect(byKey?.kind === 'mapping' ? byKey.value() : null).toBe(root?.type);
  });
});

describe('a Vyper layout', () => {
  function layoutOf(text: string) {
    const definitions = finish(vyperDefinitions(text));
    return vyperVariables({ all: { slot: 0, type: 'S0' } }, definitions);
  }

  it('is rejected if 30 structs each use the next one twice', () => {
    const structs = Array.from(
      { length: 30 },
      (_, at) => `struct S${at}:\n    a: S${at + 1}\n    b: S${at + 1}\n`,
    );
    expect(() => layoutOf(`${structs.join('')}struct S30:\n    a: uint256\n`)).toThrow(LayoutBoundError);
  });

  it('has an opaque type if a struct contains itself twice', () => {
    expect(layoutOf('struct S0:\n    a: S0\n    b: S0\n')).toMatchObject([
      { name: 'all', type: { kind: 'opaque' } },
    ]);
  });
});

/** Syntax trees of a contract with one variable of the struct `S0`. */
function definedWith(
  structs: readonly (readonly string[])[],
  bases: readonly number[] = [1],
): DefinedContract {
  const typeName = (name: string): object => ({
    nodeType: 'UserDefinedTypeName',
    referencedDeclaration: 10 + Number(name.slice(1)),
    typeDescriptions: { typeString: `struct ${name} storage ref` },
  });
  const number = { nodeType: 'ElementaryTypeName', typeDescriptions: { typeString: 'uint256' } };
  const contract = {
    nodeType: 'ContractDefinition',
    id: 1,
    name: 'C',
    linearizedBaseContracts: bases,
    baseContracts: [],
    nodes: [
      ...structs.map((members, at) => ({
        nodeType: 'StructDefinition',
        id: 10 + at,
        name: `S${at}`,
        canonicalName: `S${at}`,
        members: members.map((type, index) => ({
          name: `m${index}`,
          typeName: type === 'uint256' ? number : typeName(type),
        })),
      })),
      {
        nodeType: 'VariableDeclaration',
        id: 2,
        name: 'all',
        mutability: 'mutable',
        typeName: typeName('S0'),
      },
    ],
  };
  const definitions = new SyntaxDefinitions();
  definitions.add({ nodes: [contract] });
  const found = definitions.definition(1, 'ContractDefinition');
  if (found === null) throw new Error('the contract is not defined');
  return { definitions, contract: found };
}

describe('a syntax tree layout', () => {
  it('is rejected if a struct contains itself twice', () => {
    expect(() => treeLayout(definedWith([['S0', 'S0']]))).toThrow(
      new LayoutBoundError('struct S0 contains itself'),
    );
  });

  it('is rejected if 41 structs each use the next one twice', () => {
    const structs = Array.from({ length: 41 }, (_, at) =>
      at === 40 ? ['uint256'] : [`S${at + 1}`, `S${at + 1}`],
    );
    expect(() => treeLayout(definedWith(structs))).toThrow(LayoutBoundError);
  });

  it('is undefined if a contract inherits itself many times', () => {
    expect(
      treeLayout(
        definedWith(
          [['uint256']],
          Array.from({ length: 100_000 }, () => 1),
        ),
      ),
    ).toBeNull();
    expect(treeLayout(definedWith([['uint256']]))?.variables).toHaveLength(1);
  });
});

describe('an artifact folder with an oversized layout', () => {
  it('is read with one warning for the artifact', async () => {
    const root = await temporaryDirectory();
    const code = { abi: [], bytecode: '0x6001', deployedBytecode: '0x6001' };
    await write(`${root}/Bad.json`, { ...code, contractName: 'Bad', storageLayout: chainOfStructs(41) });
    await write(`${root}/Good.json`, { ...code, contractName: 'Good', storageLayout: chainOfStructs(5) });
    const { artifacts, warnings } = await readFolders(root);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['Good']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(
      `cannot read ${root}/Bad.json as an artifact: storageLayout: expected a layout of at most 20000`,
    );
    artifacts.close();
  });
});

describe('addCompilation with an oversized layout', () => {
  it('rejects all contracts of the compilation', async () => {
    const { artifacts } = await readFolders();
    const code = { abi: [], evm: { bytecode: { object: '6001' }, deployedBytecode: { object: '6001' } } };
    const contracts = { 'A.sol': { Good: code, Bad: { ...code, storageLayout: selfContaining() } } };
    await expect(artifacts.addCompilation({}, { contracts })).rejects.toThrow(ArtifactBoundError);
    expect(artifacts.isEmpty).toBe(true);
    artifacts.close();
  });
});
