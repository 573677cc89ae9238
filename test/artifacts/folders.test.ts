import { watch, writeFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FileDocument } from '../../src/artifacts/json-document.ts';
import { projectFolders } from '../../src/artifacts/project.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { projectPath, readFolders, write } from './artifact-reader.ts';

function artifactOf(name: string, deployedBytecode: string): object {
  return {
    contractName: name,
    sourceName: `contracts/${name}.sol`,
    abi: [],
    bytecode: `0x6001${deployedBytecode.slice(2)}`,
    deployedBytecode,
    linkReferences: {},
    deployedLinkReferences: {},
  };
}

const namesOf = (artifacts: { readonly contracts: Iterable<{ readonly name: string }> }): string[] =>
  [...artifacts.contracts].map(({ name }) => name).sort();

describe('a changing artifact folder', () => {
  it('is read again after new, changed, incomplete and deleted files', async () => {
    const root = await temporaryDirectory();
    const path = join(root, 'contracts', 'A.json');
    await write(path, artifactOf('A', '0x6001'));
    const { artifacts, warnings, time } = await readFolders(root);
    const passes = async (): Promise<void> => {
      await time.advance(2_000, () => artifacts.refresh());
    };
    expect(namesOf(artifacts)).toEqual(['A']);
    const before = artifacts.version;
    await write(join(root, 'contracts', 'B.json'), artifactOf('B', '0x6002'));
    await artifacts.refresh();
    expect(namesOf(artifacts)).toEqual(['A', 'B']);
    expect(artifacts.version).toBeGreaterThan(before);
    await write(path, JSON.stringify(artifactOf('A', '0x600303')).slice(0, -5));
    await artifacts.refresh();
    await artifacts.refresh();
    expect(namesOf(artifacts)).toEqual(['A', 'B']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(path);
    await write(path, artifactOf('A2', '0x600303'));
    await passes();
    expect(namesOf(artifacts)).toEqual(['A2', 'B']);
    expect(await artifacts.find('deployed', new Uint8Array([0x60, 1]))).toEqual([]);
    expect(await artifacts.find('deployed', new Uint8Array([0x60, 3, 3]))).toHaveLength(1);
    await rm(join(root, 'contracts'), { recursive: true });
    await passes();
    expect(namesOf(artifacts)).toEqual([]);
    expect(warnings).toHaveLength(1);
    artifacts.close();
  });

  it('is found after its creation and after its replacement', async () => {
    const root = join(await temporaryDirectory(), 'artifacts');
    const { artifacts, warnings } = await readFolders(root);
    expect(namesOf(artifacts)).toEqual([]);
    await write(join(root, 'A.json'), artifactOf('A', '0x6001'));
    await artifacts.refresh();
    expect(namesOf(artifacts)).toEqual(['A']);
    await write(join(`${root}-new`, 'B.json'), artifactOf('B', '0x6001'));
    await rename(root, `${root}-old`);
    await rename(`${root}-new`, root);
    await artifacts.refresh();
    expect(namesOf(artifacts)).toEqual(['B']);
    await rm(root, { recursive: true });
    await artifacts.refresh();
    expect(namesOf(artifacts)).toEqual([]);
    expect(warnings).toEqual([]);
    artifacts.close();
  });

  it('reports an incomplete file only if it stays incomplete', async () => {
    const root = await temporaryDirectory();
    const { artifacts, warnings } = await readFolders(root);
    for (let number = 10; number < 60; number++)
      await write(join(root, `A${number}.json`), artifactOf(`A${number}`, `0x60${number}`));
    const last = join(root, 'B.json');
    await write(last, '{"abi": [');
    const reading = artifacts.refresh();
    while (artifacts.isEmpty) await nextIteration();
    writeFileSync(last, '{"abi": [1, ');
    await reading;
    expect(warnings).toEqual([]);
    expect(namesOf(artifacts)).toHaveLength(50);
    await artifacts.refresh();
    expect(warnings).toEqual([expect.stringContaining(last)]);
    artifacts.close();
  });

  it('is read soon after its creation together with its parent folders', async () => {
    const project = await temporaryDirectory();
    const { artifacts, time } = await readFolders(join(project, 'build', 'contracts'));
    const appeared = new Promise<void>((resolve) => {
      const watcher = watch(project, () => {
        watcher.close();
        resolve();
      });
    });
    await write(join(project, 'build', 'contracts', 'A.json'), artifactOf('A', '0x6001'));
    await appeared;
    // This is less than the interval of the regular check.
    await time.advance(300, async () => {
      for (let turn = 0; turn < 100_000 && artifacts.isEmpty; turn++) await nextIteration();
    });
    expect(namesOf(artifacts)).toEqual(['A']);
    artifacts.close();
  });

  it('is checked regularly until it is closed', async () => {
    const root = await temporaryDirectory();
    const { artifacts, time } = await readFolders(root);
    await write(join(root, 'A.json'), artifactOf('A', '0x6001'));
    // The test awaits no event of the file system: the regular check finds the file.
    await time.advance(10_000, async () => {
      for (let turn = 0; turn < 1_000_000 && artifacts.isEmpty; turn++) await nextIteration();
    });
    expect(namesOf(artifacts)).toEqual(['A']);
    artifacts.close();
    await write(join(root, 'B.json'), artifactOf('B', '0x6001'));
    await artifacts.refresh();
    expect(namesOf(artifacts)).toEqual(['A']);
  });

  it('returns both contracts for a shared code', async () => {
    const root = await temporaryDirectory();
    await write(join(root, 'A.json'), artifactOf('A', '0x6001'));
    await write(join(root, 'B.json'), artifactOf('B', '0x6001'));
    const { artifacts } = await readFolders(root);
    const found = await artifacts.find('deployed', new Uint8Array([0x60, 1]));
    expect(found.map(({ contract }) => contract.name).sort()).toEqual(['A', 'B']);
    artifacts.close();
  });

  it('contains the deployment addresses of Truffle', async () => {
    const root = await temporaryDirectory();
    const address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
    const networks = { 33: { address }, 34: { address: 'nowhere' }, development: { address } };
    await write(join(root, 'A.json'), { ...artifactOf('A', '0x6001'), networks });
    const { artifacts } = await readFolders(root);
    expect(artifacts.deployedAt(33, address.toLowerCase()).map(({ name }) => name)).toEqual(['A']);
    expect(artifacts.deployedAt(34, address.toLowerCase())).toEqual([]);
    artifacts.close();
  });

  it.each([
    ['.chainId', '33'],
    ['.chain', '{"chainId":"33","genesisHash":"0x01"}'],
  ])('contains the deployments of hardhat-deploy with the chain id in %s', async (file, text) => {
    const root = await temporaryDirectory();
    const address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
    const metadata = JSON.stringify({ settings: { compilationTarget: { 'contracts/A.sol': 'A' } } });
    const deployment = {
      address,
      abi: [],
      bytecode: '0x6001',
      deployedBytecode: '0x6001',
      transactionHash: '0x01',
    };
    await write(join(root, 'localhost', file), text);
    await write(join(root, 'localhost', 'Main.json'), { ...deployment, metadata });
    await write(join(root, 'localhost', 'B_Implementation.json'), deployment);
    await write(join(root, 'other', 'C.json'), deployment);
    const { artifacts, warnings } = await readFolders(root);
    const told = artifacts.deployedAt(33, address.toLowerCase());
    expect(told.map(({ name, sourceName }) => [name, sourceName]).sort()).toEqual([
      ['A', 'contracts/A.sol'],
      ['B', 'B.sol'],
    ]);
    expect(artifacts.deployedAt(34, address.toLowerCase())).toEqual([]);
    expect(warnings).toEqual([]);
    artifacts.close();
  });

  it('contains the last deployments of a forge script', async () => {
    const root = await temporaryDirectory();
    const [own, inner, copy] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}`);
    const created = { transactionType: 'CREATE2', contractName: 'Inner', address: inner, initCode: '0x' };
    const run = {
      transactions: [
        {
          transactionType: 'CREATE',
          contractName: 'A',
          contractAddress: own,
          additionalContracts: [created],
        },
        { transactionType: 'CREATE', contractName: 'src/B.sol:B', contractAddress: copy },
        { transactionType: 'CALL', contractName: 'Called', contractAddress: own },
        { transactionType: 'CREATE', contractName: null, contractAddress: own },
        'nothing',
      ],
      receipts: [],
      chain: 33,
    };
    const folder = join(root, 'Deploy.s.sol', '33');
    await write(join(folder, 'run-latest.json'), run);
    const earlier = {
      transactions: [{ transactionType: 'CREATE', contractName: 'Earlier', contractAddress: own }],
      chain: 33,
    };
    await write(join(folder, 'run-1795660300305.json'), earlier);
    await write(join(folder, 'dry-run', 'run-latest.json'), earlier);
    await write(join(root, 'run-latest.json'), artifactOf('Named', '0x6001'));
    const { artifacts, warnings } = await readFolders(root);
    expect(artifacts.deployedAt(33, `${own}`)).toMatchObject([{ name: 'A', sourceName: null }]);
    expect(artifacts.deployedAt(33, `${inner}`)).toMatchObject([{ name: 'Inner', sourceName: null }]);
    expect(artifacts.deployedAt(33, `${copy}`)).toMatchObject([{ name: 'B', sourceName: 'src/B.sol' }]);
    expect(artifacts.deployedAt(34, `${own}`)).toEqual([]);
    expect(namesOf(artifacts)).toEqual(['Named']);
    await write(join(folder, 'run-latest.json'), '{"transactions": [');
    await artifacts.refresh();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(join(folder, 'run-latest.json'));
    expect(artifacts.deployedAt(33, `${own}`)).toHaveLength(1);
    artifacts.close();
  });

  it('contains the chain id of an Ignition deployment with a custom name', async () => {
    const root = await temporaryDirectory();
    await cp(projectPath('ignition/ignition/deployments/chain-31337'), join(root, 'mine'), {
      recursive: true,
    });
    const { artifacts } = await readFolders(root);
    const address = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
    expect(artifacts.deployedAt(31_337, address).map(({ name }) => name)).toEqual(['Linked']);
    artifacts.close();
  });
});

describe('compilations added over RPC', () => {
  it('replace contracts with the same file and name', async () => {
    const { artifacts } = await readFolders();
    const outputOf = (object: string): object => ({
      contracts: { 'A.sol': { A: { abi: [], evm: { deployedBytecode: { object } } } } },
    });
    await artifacts.addCompilation({}, outputOf('6001'));
    const before = artifacts.version;
    await artifacts.addCompilation({}, outputOf('6002'));
    expect(artifacts.version).toBeGreaterThan(before);
    expect(namesOf(artifacts)).toEqual(['A']);
    expect(await artifacts.find('deployed', new Uint8Array([0x60, 1]))).toEqual([]);
    expect(await artifacts.find('deployed', new Uint8Array([0x60, 2]))).toHaveLength(1);
  });

  it('are accepted or rejected without a crash for any input', async () => {
    const hostile = fc.record(
      {
        contracts: fc.dictionary(
          fc.constantFrom('A.sol', '__proto__'),
          fc.oneof(
            fc.jsonValue(),
            fc.dictionary(
              fc.constantFrom('A', '__proto__', 'constructor'),
              fc.record({
                abi: fc.jsonValue(),
                metadata: fc.jsonValue(),
                evm: fc.record({
                  bytecode: fc.record({ object: fc.oneof(fc.jsonValue(), fc.constant('0x6001__$1')) }),
                  deployedBytecode: fc.record({
                    object: fc.oneof(fc.constant('7f'.repeat(40)), fc.string()),
                    sourceMap: fc.oneof(
                      fc.jsonValue(),
                      fc.record({ pc_pos_map: fc.jsonValue(), pc_ast_map: fc.jsonValue() }),
                    ),
                    immutableReferences: fc.oneof(
                      fc.jsonValue(),
                      fc.record({
                        __proto__: fc.array(fc.record({ start: fc.integer(), length: fc.integer() })),
                      }),
                    ),
                    linkReferences: fc.jsonValue(),
                  }),
                }),
              }),
            ),
          ),
        ),
        sources: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const isTaken = fc.asyncProperty(
      fc.oneof(hostile, fc.jsonValue()),
      fc.jsonValue(),
      async (output, input) => {
        const { artifacts } = await readFolders();
        await artifacts.addCompilation(input, output);
        for (const contract of artifacts.contracts) {
          const { deployed } = await contract.load();
          await contract.sources();
          if (deployed !== null) await artifacts.find('deployed', deployed.bytes);
        }
      },
    );
    await fc.assert(isTaken, { numRuns: 300 });
  });
});

describe('detection of projects', () => {
  it('finds a project by the configuration file of its tool', async () => {
    const root = await temporaryDirectory();
    await write(
      join(root, 'foundry.toml'),
      '[profile.default]\nout = "build/out"\n[profile.other]\nout = "elsewhere"\nbroadcast = "sent"\n',
    );
    await mkdir(join(root, 'test/deep'), { recursive: true });
    expect(projectFolders(join(root, 'test/deep'))).toEqual([
      { tool: 'Foundry', path: join(root, 'build/out') },
      { tool: 'Foundry', path: join(root, 'sent') },
    ]);
    await write(join(root, 'hardhat.config.ts'), '');
    expect(projectFolders(root).map(({ path }) => path)).toEqual([
      join(root, 'artifacts'),
      join(root, 'ignition/deployments'),
      join(root, 'deployments'),
      join(root, 'build/out'),
      join(root, 'sent'),
    ]);
  });
});

describe('the Hardhat configuration', () => {
  it.each([
    ["module.exports = { paths: { sources: './src', artifacts: './build/out' } };", 'build/out'],
    ['export default { "paths": {\n  "artifacts": "made",\n} }', 'made'],
    ["export default { /* paths: { artifacts: 'old' } */ paths: { artifacts: `new` } }", 'new'],
    [
      "// paths: { artifacts: 'old' }\nexport default { url: 'http://a', paths: { artifacts: 'new' } }",
      'new',
    ],
    ['export default { paths: { artifacts: process.env.OUT } }', 'artifacts'],
    ['export default { paths: { artifacts: root + "/out" } }', 'artifacts'],
    ["export default { paths: { sources: 'x' }, other: { artifacts: 'y' } }", 'artifacts'],
    ['export default {}', 'artifacts'],
  ])('of %s returns the artifact folder %s without execution', async (text, folder) => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'hardhat.config.ts'), text);
    expect(projectFolders(root).map(({ path }) => path)).toEqual([
      join(root, folder),
      join(root, 'ignition', 'deployments'),
      join(root, 'deployments'),
    ]);
  });
});

describe('build info', () => {
  const FILES = 40;
  const named = (index: number): string => `contracts/C${index}.sol`;
  const compiled = (index: number): object => ({
    input: { language: 'Solidity', sources: { [named(index)]: { content: '' } } },
    output: {
      sources: { [named(index)]: { id: index } },
      contracts: { [named(index)]: { [`C${index}`]: { abi: [] } } },
    },
  });
  const tools: Record<string, (root: string, index: number) => Promise<void>> = {
    'Hardhat 2': async (root, index) => {
      await write(join(root, named(index), `C${index}.json`), artifactOf(`C${index}`, '0x6001'));
      const buildInfo = `../../build-info/${index}.json`;
      await write(join(root, named(index), `C${index}.dbg.json`), { buildInfo });
      await write(join(root, `build-info/${index}.json`), compiled(index));
    },
    'Hardhat 3': async (root, index) => {
      const artifact = { ...artifactOf(`C${index}`, '0x6001'), buildInfoId: `${index}` };
      await write(join(root, named(index), `C${index}.json`), artifact);
      const { input, output } = compiled(index) as { readonly input: object; readonly output: object };
      await write(join(root, `build-info/${index}.json`), { input });
      await write(join(root, `build-info/${index}.output.json`), { output });
    },
    Foundry: async (root, index) => {
      const metadata = { settings: { compilationTarget: { [named(index)]: `C${index}` } } };
      await write(join(root, `C${index}.sol/C${index}.json`), { abi: [], id: index, metadata });
      const names = { [index]: named(index) };
      await write(join(root, `build-info/${index}.json`), { source_id_to_path: names, ...compiled(index) });
    },
  };

  it.each(Object.entries(tools))(
    'of %s is scanned once for all contracts, independent of its number of files',
    async (tool, add) => {
      const root = await temporaryDirectory();
      for (let index = 0; index < FILES; index++) await add(root, index);
      const { artifacts, warnings } = await readFolders(root);
      const scans = vi.spyOn(FileDocument, 'open');
      try {
        for (let times = 0; times < 2; times++) {
          for (const contract of artifacts.contracts) {
            const sources = await contract.sources();
            const index = Number(contract.name.slice(1));
            expect([...(sources?.names ?? [])]).toEqual([[index, named(index)]]);
          }
        }
        expect(scans).toHaveBeenCalledTimes(tool === 'Hardhat 3' ? 2 * FILES : FILES);
      } finally {
        scans.mockRestore();
        artifacts.close();
      }
      expect(warnings).toEqual([]);
    },
  );
});

describe('damaged build info', () => {
  it('causes one warning with its path when a contract needs it', async () => {
    const root = await temporaryDirectory();
    await cp(projectPath('hardhat-2/artifacts'), root, { recursive: true });
    const [name = ''] = await readdir(join(root, 'build-info'));
    const path = join(root, 'build-info', name);
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 1_000));
    const { artifacts, warnings } = await readFolders(root);
    const { deployedBytecode } = JSON.parse(
      await readFile(join(root, 'contracts', 'Panics.sol', 'Panics.json'), 'utf8'),
    );
    for (let times = 0; times < 2; times++) {
      const found = await artifacts.find('deployed', Buffer.from(deployedBytecode.slice(2), 'hex'));
      expect(found.map(({ contract }) => contract.name)).toEqual(['Panics']);
      expect(await found[0]?.contract.sources().catch(() => null)).toBeNull();
    }
    expect(warnings).toEqual([expect.stringMatching(/^cannot read \S+ as build info: /)]);
    expect(warnings[0]).toContain(path);
    artifacts.close();
  });
});
