import fileSystem, { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ContractArtifact } from '../../src/artifacts/artifact.ts';
import type { JsonObject } from '../../src/artifacts/formats/contract-json.ts';
import { SourceFiles } from '../../src/artifacts/source-files.ts';

/** Has the next reading of a folder fail. */
function failNextReading(error: Error): void {
  const spy = vi.spyOn(fileSystem, 'readdir').mockRejectedValueOnce(error);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

const PROJECTS = 'fixtures/projects';

it.each([
  ['truffle', 'build/contracts/Thirds.json', 'contracts/Thirds.sol'],
  ['foundry', 'out/Panics.sol/Panics.json', 'src/Panics.sol'],
])(
  'a folder of %s that could not be read once is read for the next contract',
  async (tool, artifact, sourceName) => {
    const root = await mkdtemp(join(tmpdir(), 'sources-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await cp(join(PROJECTS, tool), root, { recursive: true });
    const path = join(root, artifact);
    const members = JSON.parse(await readFile(path, 'utf8')) as JsonObject;
    const described = { sourceName } as ContractArtifact;
    const files = new SourceFiles(root, () => undefined);
    const sources = () => files.sourcesOf(path, members, described);
    const refused = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    failNextReading(refused);
    await expect(sources()).rejects.toBe(refused);
    expect((await sources())?.names.size).toBeGreaterThan(0);
  },
);
