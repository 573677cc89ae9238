import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Compilation } from '../../src/artifacts/compilation.ts';
import { MemoryDocument } from '../../src/artifacts/json-document.ts';
import { solcVariables } from '../../src/artifacts/layout/solc-layout.ts';
import type { StorageType, StorageVariable } from '../../src/artifacts/layout/storage-type.ts';
import { definitionsOf } from '../../src/artifacts/layout/syntax-definitions.ts';
import { namespaceSlot, treeLayout } from '../../src/artifacts/layout/tree-layout.ts';
import { vyperDefinitions, vyperVariables } from '../../src/artifacts/layout/vyper-layout.ts';
import { finish } from '../../src/primitives/steps.ts';
import { randomContracts } from './random-contracts.ts';

const projects = new URL('../../fixtures/projects/', import.meta.url);
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly sources: Readonly<Record<string, { readonly ast?: unknown }>>;
  readonly contracts: Readonly<
    Record<
      string,
      Record<string, { readonly storageLayout?: unknown; readonly transientStorageLayout?: unknown }>
    >
  >;
}

/** A short form of a type, without recursion into mappings and dynamic arrays. */
function shapeOf(type: StorageType, depth = 0): unknown {
  if (depth > 4) return type.label;
  const inner = (each: StorageType): unknown => shapeOf(each, depth + 1);
  switch (type.kind) {
    case 'struct':
      return [type.label, type.slots, type.members.map((member) => variableShape(member, depth + 1))];
    case 'fixedArray':
      return [type.label, type.slots, type.count, inner(type.item)];
    case 'dynamicArray':
      return [type.label, inner(type.item())];
    case 'mapping':
      return [type.label, inner(type.key), inner(type.value())];
    case 'value':
      return [type.label, type.bytes, type.value, type.names];
    default:
      return [type.kind, type.label];
  }
}

function variableShape({ name, slot, offset, type }: StorageVariable, depth = 0): unknown {
  return [name.split('.').at(-1), slot, offset, shapeOf(type, depth)];
}

/** Compares the compiler layout of each contract with the syntax tree layout. */
async function expectSameLayouts(input: unknown, output: Output): Promise<number> {
  const sources = await new Compilation(new MemoryDocument(input), new MemoryDocument(output)).sources();
  let compared = 0;
  for (const [file, contracts] of Object.entries(output.contracts)) {
    for (const [name, { storageLayout, transientStorageLayout }] of Object.entries(contracts)) {
      const defined = await definitionsOf(sources, file, name);
      if (defined === null) throw new Error(`no tree of ${name}`);
      const given = solcVariables(storageLayout, defined.definitions);
      const transient = solcVariables(transientStorageLayout, defined.definitions);
      const computed = treeLayout(defined);
      if (given === null || computed === null) throw new Error(`no layout of ${name}`);
      const shapes = (variables: readonly StorageVariable[]): unknown =>
        variables.map((variable) => variableShape(variable));
      expect(shapes(computed.variables), name).toEqual(shapes(given));
      if (transient !== null) expect(shapes(computed.transient), name).toEqual(shapes(transient));
      compared += computed.variables.length;
    }
  }
  return compared;
}

describe('treeLayout', () => {
  const runs = readdirSync(new URL('solc/', projects)).filter((run) => {
    const output = JSON.parse(readFileSync(new URL(`solc/${run}/output.json`, projects), 'utf8')) as Output;
    const [contracts] = Object.values(output.contracts);
    const hasLayout = Object.values(contracts ?? {}).some(({ storageLayout }) => storageLayout !== undefined);
    return hasLayout && Object.values(output.sources).some(({ ast }) => ast !== undefined);
  });

  it.each(runs)('matches the compiler layout for the contracts of solc %s', async (run) => {
    const [input, output] = ['input', 'output'].map((each) =>
      JSON.parse(readFileSync(new URL(`solc/${run}/${each}.json`, projects), 'utf8')),
    );
    expect(await expectSameLayouts(input, output as Output)).toBeGreaterThan(0);
  });

  it.each([1, 2, 3])('matches the compiler layout for random contracts with seed %i', async (seed) => {
    const content = randomContracts(seed, 40);
    const outputSelection = { '*': { '*': ['storageLayout', 'transientStorageLayout'], '': ['ast'] } };
    const input = {
      language: 'Solidity',
      sources: { 'Random.sol': { content } },
      settings: { outputSelection },
    };
    const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
    const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
    expect(errors.map(({ formattedMessage }) => formattedMessage)).toEqual([]);
    expect(await expectSameLayouts(input, output)).toBeGreaterThan(100);
  });

  it('supports custom layout slots and ERC-7201 namespaces', async () => {
    const content = `pragma solidity ^0.8.29;
      struct Far { uint256 x; }
      abstract contract Base {
        /// @custom:storage-location erc7201:example.main
        struct MainStorage { uint256 x; mapping(address => uint256) y; }
      }
      contract Positioned is Base layout at 0x1000 { uint8 first; uint256 second; }
      contract Computed layout at 2**20 + 1 { uint8 first; }`;
    const outputSelection = { '*': { '*': ['storageLayout'], '': ['ast'] } };
    const input = { language: 'Solidity', sources: { 'A.sol': { content } }, settings: { outputSelection } };
    const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
    expect(output.errors?.filter(({ severity }) => severity === 'error') ?? []).toEqual([]);
    await expectSameLayouts(input, output);
    const sources = await new Compilation(new MemoryDocument(input), new MemoryDocument(output)).sources();
    const defined = await definitionsOf(sources, 'A.sol', 'Positioned');
    const layout = defined === null ? null : treeLayout(defined);
    // ERC-7201 lists this slot in its example.
    expect(layout?.namespaces.map(({ id, slot }) => [id, slot])).toEqual([
      ['example.main', 0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500n],
    ]);
    expect(namespaceSlot('example.main')).toBe(layout?.namespaces[0]?.slot);
  });

  it('returns null if files of different compilations are mixed', async () => {
    const compile = (content: string): { input: unknown; output: Output } => {
      const outputSelection = { '*': { '': ['ast'] } };
      const input = {
        language: 'Solidity',
        sources: { 'A.sol': { content } },
        settings: { outputSelection },
      };
      return { input, output: JSON.parse(solc.compile(JSON.stringify(input))) as Output };
    };
    const { input, output } = compile('contract Base { uint256 x; } contract Token is Base { uint256 y; }');
    const other = compile('contract Other { uint256 x; } contract Third { uint256 y; }');
    const node = JSON.parse(JSON.stringify(output)) as {
      sources: { 'A.sol': { ast: { nodes: unknown[] } } };
    };
    const strange = JSON.parse(JSON.stringify(other.output)) as typeof node;
    node.sources['A.sol'].ast.nodes.splice(0, 1, strange.sources['A.sol'].ast.nodes[0]);
    const sources = await new Compilation(new MemoryDocument(input), new MemoryDocument(node)).sources();
    const defined = await definitionsOf(sources, 'A.sol', 'Token');
    expect(defined === null ? null : treeLayout(defined)).toBe(null);
  });
});

describe('a damaged solc layout', () => {
  it.each([
    ['bytes of no width', { encoding: 'inplace', label: 'uint8', numberOfBytes: '0' }, 'opaque'],
    ['a value wider than a slot', { encoding: 'inplace', label: 'uint264', numberOfBytes: '33' }, 'opaque'],
    ['a value as wide as a slot', { encoding: 'inplace', label: 'uint256', numberOfBytes: '32' }, 'value'],
    ['a mapping without a key', { encoding: 'mapping', label: 'mapping', value: 't' }, 'opaque'],
    ['an array without items', { encoding: 'dynamic_array', label: 'uint8[]' }, 'opaque'],
    ['an unknown encoding', { encoding: 'sideways', label: 'uint8', numberOfBytes: '1' }, 'opaque'],
  ])('has the expected type kind for %s', (_, entry, kind) => {
    const variable = { label: 'x', slot: '0', offset: 0, type: 't' };
    const variables = solcVariables({ storage: [variable], types: { t: entry } }, null);
    expect(variables?.map(({ type }) => type.kind)).toEqual([kind]);
  });

  it('omits variables with an invalid slot or offset', () => {
    const places = [
      { slot: '0', offset: 31 },
      { slot: '0', offset: 32 },
      { slot: '-1', offset: 0 },
      { slot: '1', offset: null },
    ];
    const storage = places.map((place) => ({ label: 'x', type: 't', ...place }));
    expect(solcVariables({ storage, types: {} }, null)).toMatchObject([{ slot: 0n, offset: 31 }]);
  });
});

describe('vyperVariables', () => {
  it('reads structs, flags, interfaces, arrays and mappings', () => {
    const text = `
struct Pair:
    amount: uint96  # in wei
    owner: address
    label: String[40]

flag Role:
    ADMIN
    USER

interface Token:
    def totalSupply() -> uint256: view
`;
    const layout = {
      pair: { type: 'Pair', n_slots: 5, slot: 0 },
      old: { type: 'Pair declaration object', n_slots: 5, slot: 5 },
      pairs: { type: 'DynArray[Pair, 2]', n_slots: 11, slot: 10 },
      roles: { type: 'HashMap[address, Role]', n_slots: 1, slot: 21 },
      token: { type: 'Token', n_slots: 1, slot: 22 },
      matrix: { type: 'uint256[2][3]', n_slots: 6, slot: 23 },
      strange: { type: 'Missing', n_slots: 4, slot: 29 },
      lib: { supply: { type: 'uint256', n_slots: 1, slot: 33 } },
      byName: { type: 'HashMap[String[10], HashMap[bytes4, decimal]]', n_slots: 1, slot: 34 },
    };
    const variables = vyperVariables(layout, finish(vyperDefinitions(text))) ?? [];
    expect(variables.map(({ name, slot, type }) => [name, slot, type.kind])).toEqual([
      ['pair', 0n, 'struct'],
      ['old', 5n, 'struct'],
      ['pairs', 10n, 'boundedArray'],
      ['roles', 21n, 'mapping'],
      ['token', 22n, 'value'],
      ['matrix', 23n, 'fixedArray'],
      ['strange', 29n, 'opaque'],
      ['lib.supply', 33n, 'value'],
      ['byName', 34n, 'mapping'],
    ]);
  });
});
