import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeTemplate, fitOf } from '../../src/artifacts/code-template.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { contractNamed, projectPath, readFolders, readProject, write } from './artifact-reader.ts';

describe('hostile artifact files', () => {
  it('cause at most one warning each, and no error', async () => {
    const files = fc.dictionary(
      fc.constantFrom(
        'A.json',
        'A.dbg.json',
        'build-info/a.json',
        'build-info/a.output.json',
        'deployed_addresses.json',
        'output.json',
        'input.json',
        '__proto__.json',
        'constructor/constructor.json',
      ),
      fc.oneof(
        fc.uint8Array({ maxLength: 50 }),
        fc.json(),
        fc
          .record(
            {
              abi: fc.array(fc.jsonValue(), { maxLength: 3 }),
              bytecode: fc.oneof(
                fc.jsonValue(),
                fc.constant(`0x6${'__$'.repeat(30)}`),
                fc.constant('0x6001'),
              ),
              deployedBytecode: fc.oneof(
                fc.jsonValue(),
                fc.constant('0x6001'),
                fc.record({ object: fc.string() }),
              ),
              buildInfoId: fc.oneof(fc.string(), fc.constantFrom('a', '..', '../a')),
              buildInfo: fc.constantFrom('build-info/a.json', '../../etc/passwd', '/etc/passwd'),
              metadata: fc.oneof(fc.string(), fc.jsonValue()),
              id: fc.oneof(fc.nat(), fc.string()),
              contracts: fc.jsonValue(),
              output: fc.jsonValue(),
              networks: fc.jsonValue(),
              ast: fc.jsonValue(),
            },
            { requiredKeys: [] },
          )
          .map((value) => JSON.stringify(value)),
      ),
    );
    const isHarmless = fc.asyncProperty(files, async (content) => {
      const root = await temporaryDirectory();
      for (const [name, text] of Object.entries(content)) await write(join(root, name), text);
      const { artifacts, warnings } = await readFolders(root);
      expect(warnings.length).toBeLessThanOrEqual(Object.keys(content).length);
      for (const warning of warnings) expect(warning).toContain(root);
      await artifacts.find('deployed', new Uint8Array([0x60, 1]));
      artifacts.deployedAt(33, '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0');
      for (const contract of artifacts.contracts) {
        // Callers expect an error of these two functions if a file has changed.
        await contract.load();
        await contract.sources().catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      }
      artifacts.close();
    });
    await fc.assert(isHarmless, { numRuns: 150 });
  });

  it('cannot read files outside of the project', async () => {
    const folder = await temporaryDirectory();
    const secret = join(folder, 'secret.sol');
    await write(secret, 'secret');
    const project = join(folder, 'project');
    await write(join(project, 'foundry.toml'), '');
    await write(join(project, '.env'), 'secret');
    await symlink(secret, join(project, 'Link.sol'));
    const names = [
      secret,
      '../secret.sol',
      'Link.sol',
      '.env',
      'foundry.toml',
      'src/../../secret.sol',
      'src/A.sol',
    ];
    await write(join(project, 'src/A.sol'), 'contract A {}');
    const sources = Object.fromEntries(names.map((name) => [name, {}]));
    const metadata = { settings: { compilationTarget: { 'src/A.sol': 'A' } }, sources };
    await write(join(project, 'out/A.sol/A.json'), {
      abi: [],
      bytecode: { object: '0x6001' },
      deployedBytecode: { object: '0x6001' },
      metadata,
      id: 0,
    });
    const read = await readFolders(join(project, 'out'));
    const found = await contractNamed(read, 'A').sources();
    for (const name of names.slice(0, -1)) expect([name, await found?.content(name)]).toEqual([name, null]);
    expect(await found?.content('src/A.sol')).toBe('contract A {}');
    read.artifacts.close();
  });

  it('cannot refer to the build info of another project', async () => {
    const folder = await temporaryDirectory();
    await cp(projectPath('hardhat-2/artifacts/build-info'), join(folder, 'other/build-info'), {
      recursive: true,
    });
    const [info = ''] = Object.values(
      readProject<{ buildInfo: string }>('hardhat-2/artifacts/contracts/Checks.sol/Checks.dbg.json'),
    ).slice(-1);
    const root = join(folder, 'project/artifacts');
    const artifact = await readFile(projectPath('hardhat-2/artifacts/contracts/Panics.sol/Panics.json'));
    await write(join(root, 'Panics.json'), artifact);
    const name = info.slice(info.lastIndexOf('/') + 1);
    await write(join(root, 'Panics.dbg.json'), { buildInfo: `../../other/build-info/${name}` });
    const read = await readFolders(root);
    expect((await contractNamed(read, 'Panics').load()).deployed?.sourceMap).toBeNull();
    read.artifacts.close();
  });
});

describe('codeTemplate', () => {
  it('accepts placeholders in constants and ignores invalid ranges', () => {
    const inMiddle = codeTemplate({ object: `60${'0'}__$${'a'.repeat(34)}$__${'1'}60` });
    expect(inMiddle?.bytes.length).toBe(23);
    const outside = codeTemplate({
      object: '6001',
      linkReferences: {
        a: {
          b: [
            { start: 1, length: 20 },
            { start: -5, length: 2 },
          ],
        },
      },
      immutableReferences: { 1: [{ start: 0, length: 2 ** 40 }] },
    });
    expect(outside?.holes).toEqual([]);
    expect(codeTemplate({ object: '600' })).toBeNull();
    expect(codeTemplate({ object: 'xyz1' })).toBeNull();
    expect(codeTemplate({ object: '0x' })).toBeNull();
  });

  it('matches a library by the call guard with its address', () => {
    const object = `73${'00'.repeat(20)}3014608060`;
    const template = codeTemplate({ object });
    const code = Buffer.from(object, 'hex').fill(0x55, 1, 21);
    expect(template === null ? null : fitOf(template, code)).toBe('exact');
  });
});
