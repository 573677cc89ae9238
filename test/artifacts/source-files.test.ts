import fileSystem, { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ContractArtifact } from '../../src/artifacts/artifact.ts';
import type { JsonObject } from '../../src/artifacts/formats/contract-json.ts';
import { SourceFiles } from '../../src/artifacts/source-files.ts';

function failNextReading(error: Error): void {
  const spy = vi.spyOn(fileSystem, 'readdir').mockRejectedValueOnce(error);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

const PROJECTS = 'fixtures/projects';

/** A copy of a project with the sources of one artifact. Each call reads the sources again. */
async function copyOf(tool: string, artifact: string, sourceName: string) {
  const root = await mkdtemp(join(tmpdir(), 'sources-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await cp(join(PROJECTS, tool), root, { recursive: true });
  const path = join(root, artifact);
  const members = JSON.parse(await readFile(path, 'utf8')) as JsonObject;
  const described = { sourceName } as ContractArtifact;
  const files = new SourceFiles(root, () => undefined);
  return { root, sources: () => files.sourcesOf(path, members, described) };
}

it.each([
  ['truffle', 'build/contracts/Thirds.json', 'contracts/Thirds.sol'],
  ['foundry', 'out/Panics.sol/Panics.json', 'src/Panics.sol'],
])('a folder of %s is read again after a failed read', async (tool, artifact, sourceName) => {
  const { sources } = await copyOf(tool, artifact, sourceName);
  const refused = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  failNextReading(refused);
  await expect(sources()).rejects.toBe(refused);
  expect((await sources())?.names.size).toBeGreaterThan(0);
});

it('build info of Foundry without sources returns the files of the run from disk', async () => {
  const { root, sources } = await copyOf('foundry', 'out/Panics.sol/Panics.json', 'src/Panics.sol');
  const folder = join(root, 'out/build-info');
  const names = { 0: 'src/Checks.sol', 1: 'src/Linked.sol', 2: 'src/Panics.sol', 3: 'src/notes.txt' };
  for (const file of await readdir(folder)) {
    const text = JSON.stringify({
      id: basename(file, '.json'),
      source_id_to_path: names,
      language: 'Solidity',
    });
    await writeFile(join(folder, file), text);
  }
  for (const name of [names[3], 'src/Unnamed.sol']) await writeFile(join(root, name), 'contract A {}');
  const found = await sources();
  expect(Object.fromEntries(found?.names ?? [])).toEqual(names);
  for (const name of [names[0], names[1], names[2]])
    expect(await found?.content(name)).toBe(await readFile(join(root, name), 'utf8'));
  for (const name of [names[3], 'src/Unnamed.sol']) expect(await found?.content(name)).toBeNull();
});
