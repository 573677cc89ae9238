import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemMessage } from '../../src/primitives/file-system.ts';

it('gives what the system says, without its code, its call and the path', async () => {
  const error: unknown = await readFile('no/such file').catch((thrown: unknown) => thrown);
  expect(systemMessage(error)).toBe('no such file or directory');
});

it('names what is wrong with a path as a person would', async () => {
  const [directory, below] = await Promise.all(
    ['.', 'package.json/file'].map((path) => readFile(path).catch((thrown: unknown) => thrown)),
  );
  expect(systemMessage(directory)).toBe('it is a directory');
  expect(systemMessage(below)).toBe('a parent directory in the path is a file');
});

it('gives the message of any other error as it is', () => {
  expect(systemMessage(new Error('EACCES: permission denied'))).toBe('EACCES: permission denied');
  expect(systemMessage('no error')).toBe('no error');
});
