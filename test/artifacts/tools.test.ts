import { describe, expect, it } from 'vitest';
import type { CodeTemplate } from '../../src/artifacts/artifact.ts';
import type { IndexedContract } from '../../src/artifacts/contract-index.ts';
import {
  contractNamed,
  filledCode,
  projectPath,
  type ReadArtifacts,
  readFolders,
  readProject,
} from './artifact-reader.ts';

/** Expected facts about a contract, taken from the sources and settings of the project. */
interface Expected {
  readonly name: string;
  readonly sourceName: string;
  readonly functions: readonly string[];
  readonly version: string;
  readonly optimizer: boolean;
  readonly libraries: readonly string[];
  readonly immutables: number;
  readonly hasLayout: boolean;
  /** File names by index. */
  readonly sources: readonly (readonly [number, string])[];
  /** A line of the file of the contract. */
  readonly text: string;
}

const LINKED = {
  name: 'Linked',
  functions: ['add', 'limit'],
  version: '0.8.28',
  optimizer: false,
  immutables: 1,
  text: 'contract Linked',
} as const;

const TOOLS: readonly (readonly [tool: string, folder: string, expected: Expected])[] = [
  [
    'Hardhat 2',
    'hardhat-2/artifacts',
    {
      ...LINKED,
      sourceName: 'contracts/Linked.sol',
      libraries: ['contracts/Checks.sol:Checks'],
      hasLayout: false,
      sources: [
        [0, 'contracts/Checks.sol'],
        [1, 'contracts/Linked.sol'],
        [2, 'contracts/Panics.sol'],
      ],
    },
  ],
  [
    'Hardhat 3',
    'hardhat-3/artifacts',
    {
      name: 'Reverts',
      sourceName: 'contracts/Reverts.sol',
      functions: [],
      version: '0.8.28',
      optimizer: true,
      libraries: ['project/contracts/Checks.sol:Checks'],
      immutables: 0,
      hasLayout: false,
      sources: [
        [0, 'contracts/Checks.sol'],
        [1, 'contracts/Layouts.sol'],
        [2, 'contracts/Reverts.sol'],
      ],
      text: 'contract Reverts',
    },
  ],
  [
    'Foundry',
    'foundry/out',
    {
      ...LINKED,
      sourceName: 'src/Linked.sol',
      libraries: ['src/Checks.sol:Checks'],
      hasLayout: true,
      sources: [
        [0, 'src/Checks.sol'],
        [1, 'src/Linked.sol'],
        [2, 'src/Panics.sol'],
      ],
    },
  ],
  [
    'Truffle',
    'truffle/build/contracts',
    {
      name: 'Divider',
      sourceName: 'contracts/Thirds.sol',
      functions: ['number', 'divide'],
      version: '0.5.17',
      optimizer: false,
      libraries: ['Thirds'],
      immutables: 0,
      hasLayout: false,
      sources: [[0, 'contracts/Thirds.sol']],
      text: 'contract Divider',
    },
  ],
  [
    'Ignition',
    'ignition/ignition/deployments',
    {
      ...LINKED,
      sourceName: 'contracts/Linked.sol',
      optimizer: true,
      libraries: ['contracts/Checks.sol:Checks'],
      hasLayout: false,
      sources: [
        [0, 'contracts/Checks.sol'],
        [1, 'contracts/Linked.sol'],
      ],
    },
  ],
];

function holesOf(template: CodeTemplate | null, kind: string): string[] {
  return [...new Set((template?.holes ?? []).filter((hole) => hole.kind === kind).map(({ name }) => name))];
}

async function namesFound(
  { artifacts }: ReadArtifacts,
  side: 'creation' | 'deployed',
  code: Uint8Array,
): Promise<string[]> {
  const matches = await artifacts.find(side, code);
  return matches.map(({ contract, fit }) => `${contract.name} ${fit}`);
}

describe.each(TOOLS)('an artifact folder of %s', (_tool, folder, expected) => {
  it('contains the contract with its compiler settings, libraries and immutables', async () => {
    const read = await readFolders(projectPath(folder));
    const contract = contractNamed(read, expected.name);
    const artifact = await contract.load();
    expect(read.warnings).toEqual([]);
    expect(artifact.sourceName).toBe(expected.sourceName);
    expect(contract.sourceName).toBe(expected.sourceName);
    const functions = artifact.abi.flatMap((entry) => (entry.type === 'function' ? [entry.name] : []));
    expect(functions).toEqual(expect.arrayContaining([...expected.functions]));
    expect(artifact.compiler).toEqual({
      language: 'Solidity',
      version: expected.version,
      optimizer: expected.optimizer,
      viaIR: false,
      runs: artifact.compiler.runs,
      evmVersion: artifact.compiler.evmVersion,
    });
    expect(holesOf(artifact.deployed, 'library')).toEqual(expected.libraries);
    expect(holesOf(artifact.deployed, 'immutable')).toHaveLength(expected.immutables);
    expect(artifact.deployed?.sourceMap).toMatch(/^\d+:\d+:\d/);
    expect(artifact.creation?.sourceMap).toMatch(/^\d+:\d+:\d/);
    expect(artifact.storageLayout !== null).toBe(expected.hasLayout);
    read.artifacts.close();
  });

  it('contains source names, texts and syntax trees', async () => {
    const read = await readFolders(projectPath(folder));
    const contract = contractNamed(read, expected.name);
    const sources = await contract.sources();
    expect([...(sources?.names ?? [])].sort(([left], [right]) => left - right)).toEqual(expected.sources);
    expect(await sources?.content(expected.sourceName)).toContain(expected.text);
    expect(await sources?.ast(expected.sourceName)).toMatchObject({ nodeType: 'SourceUnit' });
    expect(await sources?.content('../../../package.json')).toBeNull();
    read.artifacts.close();
  });

  it('matches deployed and creation code with filled holes', async () => {
    const read = await readFolders(projectPath(folder));
    const { deployed, creation } = await contractNamed(read, expected.name).load();
    if (deployed === null || creation === null) throw new Error('no code');
    const found = await namesFound(read, 'deployed', filledCode(deployed));
    expect(found).toContain(`${expected.name} similar`);
    const withArguments = filledCode(creation, new Uint8Array(64).fill(7));
    expect(await namesFound(read, 'creation', withArguments)).toContain(`${expected.name} similar`);
    const damaged = filledCode(deployed);
    damaged[5] = (damaged[5] ?? 0) ^ 0xff;
    expect(await namesFound(read, 'deployed', damaged)).toEqual([]);
    expect(await namesFound(read, 'deployed', filledCode(deployed).subarray(1))).toEqual([]);
    read.artifacts.close();
  });
});

describe('deployments of Ignition', () => {
  it('are found by chain id and address', async () => {
    const { artifacts } = await readFolders(projectPath('ignition/ignition/deployments'));
    const names = (address: string, chainId = 31_337): string[] =>
      artifacts.deployedAt(chainId, address.toLowerCase()).map(({ name }) => name);
    expect(names('0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0')).toEqual(['Linked']);
    expect(names('0x5FbDB2315678afecb367f032d93F642f64180aa3')).toEqual(['Checks']);
    expect(names('0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0', 33)).toEqual([]);
    artifacts.close();
  });
});

interface StandardOutput {
  readonly contracts: Readonly<Record<string, Readonly<Record<string, { readonly abi: unknown }>>>>;
}

const RUNS = [
  'solc/0.4.26',
  'solc/0.5.17',
  'solc/0.6.3',
  'solc/0.6.12',
  'solc/0.7.6',
  'solc/0.8.0',
  'solc/0.8.19-optimized',
  'solc/0.8.28',
  'solc/0.8.37-ethdebug',
  'solc/0.8.37-via-ir',
  'vyper/0.3.10',
  'vyper/0.4.3',
] as const;

describe.each(RUNS)('standard JSON of %s', (run) => {
  const [compiler, named = ''] = run.split('/');
  const version = named.split('-')[0];
  const output = readProject<StandardOutput>(`${run}/output.json`);
  const expectedNames = Object.values(output.contracts).flatMap((contracts) => Object.keys(contracts));

  async function allFound(read: ReadArtifacts): Promise<void> {
    for (const contract of read.artifacts.contracts) await expectFound(read, contract);
  }

  async function expectFound(read: ReadArtifacts, contract: IndexedContract): Promise<void> {
    const { deployed, creation, compiler: facts } = await contract.load();
    if (deployed !== null) {
      const tail = facts.language === 'Vyper' ? new Uint8Array(32).fill(1) : undefined;
      const found = await namesFound(read, 'deployed', filledCode(deployed, tail));
      expect(found.map((each) => each.split(' ')[0])).toContain(contract.name);
    }
    if (creation !== null) {
      const found = await namesFound(read, 'creation', filledCode(creation, new Uint8Array(32).fill(9)));
      expect(found.map((each) => each.split(' ')[0])).toContain(contract.name);
    }
  }

  it('is read from an input file and an output file', async () => {
    const read = await readFolders(projectPath(run));
    expect(read.warnings).toEqual([]);
    expect([...read.artifacts.contracts].map(({ name }) => name).sort()).toEqual([...expectedNames].sort());
    await allFound(read);
    for (const contract of read.artifacts.contracts) {
      const { compiler: facts, deployed } = await contract.load();
      expect(facts.language).toBe(compiler === 'vyper' ? 'Vyper' : 'Solidity');
      if (deployed !== null && deployed.bytes.length > 100) {
        // These solc outputs contain the version only at the end of the code.
        const isSaid = compiler === 'vyper' || Buffer.from(deployed.bytes).includes('solcC');
        expect(facts.version).toBe(isSaid ? version : null);
        expect(deployed.sourceMap).toMatch(/^-?\d+:-?\d+:-?\d/);
      }
      const sources = await contract.sources();
      expect(await sources?.content(contract.sourceName)).toContain(
        compiler === 'vyper' ? 'def' : contract.name,
      );
    }
    read.artifacts.close();
  });

  it('is accepted by addCompilation with and without its input', async () => {
    const input = readProject<unknown>(`${run}/input.json`);
    const read = await readFolders();
    expect(await read.artifacts.addCompilation(input, output)).toBe(expectedNames.length);
    await allFound(read);
    const bare = await readFolders();
    expect(await bare.artifacts.addCompilation({}, output)).toBe(expectedNames.length);
    await allFound(bare);
    for (const contract of bare.artifacts.contracts) {
      expect((await contract.load()).compiler.language).toBe(compiler === 'vyper' ? 'Vyper' : 'Solidity');
    }
  });
});
