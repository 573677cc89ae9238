// Artifacts with layouts that are too large: they are rejected or ignored, and other methods still work.

import { describe, expect, it } from 'vitest';
import { chainOfStructs, selfContaining } from '../../artifacts/hostile-layouts.ts';
import { createRpcHarness } from '../rpc-harness.ts';

/** Returns 0. The creation code copies it. */
const CODE = '60005f5260205ff3';
const CREATION = `67${CODE}5f5260086018f3`;

function outputWith(members: object, ast: unknown = null): object {
  const contract = {
    abi: [],
    evm: { bytecode: { object: CREATION }, deployedBytecode: { object: CODE } },
    ...members,
  };
  return { contracts: { 'A.sol': { A: contract } }, sources: { 'A.sol': { id: 0, ast } } };
}

/** The tree of a contract with a struct variable, and structs that each use the next one twice. */
function treeOfStructs(count: number): object {
  const typeName = (at: number): object =>
    at === count
      ? { nodeType: 'ElementaryTypeName', typeDescriptions: { typeString: 'uint256' } }
      : {
          nodeType: 'UserDefinedTypeName',
          referencedDeclaration: 10 + at,
          typeDescriptions: { typeString: `struct S${at}` },
        };
  const structs = Array.from({ length: count }, (_, at) => ({
    nodeType: 'StructDefinition',
    id: 10 + at,
    name: `S${at}`,
    canonicalName: `S${at}`,
    members: ['a', 'b'].map((name) => ({ name, typeName: typeName(at + 1) })),
  }));
  const variable = { nodeType: 'VariableDeclaration', id: 2, name: 'all', typeName: typeName(0) };
  const contract = {
    nodeType: 'ContractDefinition',
    id: 1,
    name: 'A',
    linearizedBaseContracts: [1],
    baseContracts: [],
    nodes: [...structs, variable],
  };
  return { nodeType: 'SourceUnit', nodes: [contract] };
}

describe.each([
  ['inspect_addArtifacts', (output: object) => [{}, output]],
  ['hardhat_addCompilationResult', (output: object) => ['0.8.28', {}, output]],
] as const)('hostile artifacts in %s', (method, params) => {
  it.each([
    [
      'a struct that contains itself twice',
      { storageLayout: selfContaining() },
      'storageLayout',
      'struct Node contains itself',
    ],
    [
      '41 structs that use the next one twice',
      { transientStorageLayout: chainOfStructs(41) },
      'transientStorageLayout',
      'at most 20000',
    ],
    [
      'an ABI of 100,001 entries',
      { abi: Array.from({ length: 100_001 }, () => ({ type: 'receive' })) },
      'abi',
      'an ABI of at most 100000',
    ],
    [
      'references that cover the code many times',
      {
        evm: {
          deployedBytecode: {
            object: CODE,
            immutableReferences: { 1: Array.from({ length: 100 }, () => ({ start: 0, length: 8 })) },
          },
        },
      },
      'linkReferences and immutableReferences',
      "at most 20000 ranges with a total length of at most twice the code's size",
    ],
    [
      'more than 20,000 references',
      {
        evm: {
          deployedBytecode: {
            object: '00'.repeat(20_001),
            immutableReferences: { 1: Array.from({ length: 20_001 }, (_, start) => ({ start, length: 1 })) },
          },
        },
      },
      'linkReferences and immutableReferences',
      '20001 ranges with a total length of 20001 bytes',
    ],
  ])('the node rejects %s, and adds nothing', async (_, members, member, reason) => {
    const { call } = await createRpcHarness();
    const path = `output.contracts["A.sol"]["A"].${member}`;
    await expect(call(method, [...params(outputWith(members))])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(path),
    });
    await expect(call(method, [...params(outputWith(members))])).rejects.toThrow(reason);
    expect(await call('inspect_contracts')).toEqual([]);
  });
});

describe('inspect_storage', () => {
  it('inspect_storage ignores the layout of a syntax tree with 2^41 members', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    expect(await call('inspect_addArtifacts', [{}, outputWith({}, treeOfStructs(41))])).toBe(1);
    const [from] = (await call('eth_accounts')) as string[];
    const hash = await call('eth_sendTransaction', [{ from, data: `0x${CREATION}`, gas: '0x4c4b40' }]);
    const { contractAddress } = (await call('eth_getTransactionReceipt', [hash])) as {
      contractAddress: string;
    };
    expect(await call('inspect_storage', [contractAddress])).toMatchObject({
      contract: 'A',
      origin: null,
      variables: [],
      unnamedCount: 0,
    });
    expect(await call('inspect_addArtifacts', [{}, outputWith({}, treeOfStructs(5))])).toBe(1);
    expect(await call('inspect_storage', [contractAddress])).toMatchObject({
      origin: 'syntaxTree',
      variables: [{ name: 'all' }],
    });
  });
});
