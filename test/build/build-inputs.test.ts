import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('../../src/build/build-inputs.mjs', import.meta.url));
const { inputsDigest } = (await import(pathToFileURL(script).href)) as { inputsDigest(root: string): string };

/** A folder with one source and one generated file; `write` changes a file of it. */
function createProject() {
  const root = mkdtempSync(join(tmpdir(), 'node-cli-inputs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src', 'generated'), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  write('package.json', '{}');
  write('src/a.ts', 'a');
  write('src/generated/b.ts', 'b');
  return { root, write };
}

it('returns the same digest for the same inputs', () => {
  expect(inputsDigest(createProject().root)).toBe(inputsDigest(createProject().root));
});

it.each([
  ['a source changes', 'src/a.ts'],
  ['a source is added', 'src/c.ts'],
  ['package.json changes', 'package.json'],
  ['the README, which the reference for agents quotes, changes', 'README.md'],
])('returns another digest if %s', (_case, path) => {
  const { root, write } = createProject();
  const before = inputsDigest(root);

  write(path, 'changed');

  expect(inputsDigest(root)).not.toBe(before);
});

it('ignores generated files and files outside the inputs', () => {
  const { root, write } = createProject();
  const before = inputsDigest(root);

  write('src/generated/b.ts', 'changed');
  write('notes.txt', 'new');

  expect(inputsDigest(root)).toBe(before);
});
