import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeTemplate } from '../../src/artifacts/artifact.ts';
import { Artifacts } from '../../src/artifacts/artifacts.ts';
import type { IndexedContract } from '../../src/artifacts/contract-index.ts';
import { createFakeTime, type FakeTime } from '../support/fake-time.ts';

const projects = new URL('../../fixtures/projects/', import.meta.url);

export function projectPath(path: string): string {
  return fileURLToPath(new URL(path, projects));
}

export function readProject<Content>(path: string): Content {
  return JSON.parse(readFileSync(projectPath(path), 'utf8')) as Content;
}

/** Artifacts under test with their warnings and their clock. */
export interface ReadArtifacts {
  readonly artifacts: Artifacts;
  readonly warnings: string[];
  readonly time: FakeTime;
}

/** Reads folders of artifacts. */
export async function readFolders(...folders: readonly string[]): Promise<ReadArtifacts> {
  const warnings: string[] = [];
  const time = createFakeTime(0);
  const artifacts = new Artifacts({ timers: time.timers, onWarning: (text) => void warnings.push(text) });
  for (const folder of folders) artifacts.addFolder(folder);
  await artifacts.ready();
  return { artifacts, warnings, time };
}

export function contractNamed({ artifacts }: ReadArtifacts, name: string): IndexedContract {
  const contract = [...artifacts.contracts].find((each) => each.name === name);
  if (contract === undefined) throw new Error(`no contract is named ${name}`);
  return contract;
}

/** The code with filled holes: addresses and values with 0x11, metadata with 0x22. */
export function filledCode({ bytes, holes }: CodeTemplate, tail: Uint8Array = new Uint8Array()): Uint8Array {
  const code = Buffer.concat([bytes, tail]);
  for (const { start, length, kind } of holes)
    code.fill(kind === 'metadata' ? 0x22 : 0x11, start, start + length);
  return code;
}

/** Writes text and bytes unchanged, and other values as JSON. */
export async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  );
}

/** Number of folders per batch of `mkdir` calls. */
const FOLDERS_AT_ONCE = 500;

export async function makeFolders(root: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += FOLDERS_AT_ONCE) {
    const length = Math.min(FOLDERS_AT_ONCE, count - start);
    await Promise.all(Array.from({ length }, (_, at) => mkdir(join(root, `f${start + at}`))));
  }
}
