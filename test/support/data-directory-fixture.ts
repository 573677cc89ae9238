import { readFileSync } from 'node:fs';
import { ClassicLevel } from 'classic-level';
import type { LocalNodeOptions } from '../../src/index.ts';

/** A call and its result. */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** A data directory of a format version: its records as base64, and the replies of its chain. */
export interface DataDirectoryFixture {
  readonly options: LocalNodeOptions;
  readonly records: Readonly<Record<string, string>>;
  readonly questions: readonly Question[];
}

/** Returns the fixture of a format version. Throws if absent, because each version needs a fixture. */
export function dataDirectoryFixture(version: number): DataDirectoryFixture {
  const path = new URL(`../../fixtures/data-directories/version-${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Writes the directory of the fixture. */
export async function writeDataDirectory(
  directory: string,
  { records }: Pick<DataDirectoryFixture, 'records'>,
): Promise<void> {
  const level = new ClassicLevel<string, Uint8Array>(directory, { valueEncoding: 'view' });
  const entries = Object.entries(records);
  await level.batch(
    entries.map(([key, value]) => ({ type: 'put', key, value: Buffer.from(value, 'base64') })),
  );
  await level.close();
}
