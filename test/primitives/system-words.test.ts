import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemMessage } from '../../src/primitives/file-system.ts';

it('returns the system message without code, syscall and path', async () => {
  const error: unknown = await readFile('no/such file').catch((thrown: unknown) => thrown);
  expect(systemMessage(error)).toBe('no such file or directory');
});

it('describes path errors in plain English', async () => {
  const [directory, below] = await Promise.all(
    ['.', 'package.json/file'].map((path) => readFile(path).catch((thrown: unknown) => thrown)),
  );
  expect(systemMessage(directory)).toBe('it is a directory');
  expect(systemMessage(below)).toBe('a parent directory in the path is a file');
});

it('returns the message of any other error unchanged', () => {
  expect(systemMessage(new Error('EACCES: permission denied'))).toBe('EACCES: permission denied');
  expect(systemMessage('no error')).toBe('no error');
});
