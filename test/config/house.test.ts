import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';

const README_LINES = 180;

/** The files with a field of the header: its type, its value in a new block, its JSON form. */
const FILES_OF_FIELD = 3;

function linesOf(path: string): number {
  return readFileSync(`${REPOSITORY}/${path}`, 'utf8').trimEnd().split('\n').length;
}

/** The source files, without generated files. */
const sources = readdirSync(`${REPOSITORY}/src`, { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !path.includes('/generated/'));

describe('the project', () => {
  it(`has a README of at most ${README_LINES} lines`, () => {
    expect(linesOf('README.md')).toBeLessThanOrEqual(README_LINES);
  });

  it('describes each form of a header field in one file', () => {
    const found = sources.filter((path) =>
      readFileSync(`${REPOSITORY}/${path}`, 'utf8').includes('transactionsRoot'),
    );
    expect(found.length).toBeLessThanOrEqual(FILES_OF_FIELD);
  });
});

describe('src/README.md', () => {
  it('lists each module once, with its page', () => {
    const text = readFileSync(`${REPOSITORY}/src/README.md`, 'utf8');
    const listed = Array.from(text.matchAll(/^\| \[`(\w+)`\]\(\1\/README\.md\)/gm), ([, module]) => module);
    const folders = readdirSync(`${REPOSITORY}/src`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'build')
      .map(({ name }) => name);
    expect(listed.toSorted()).toEqual(folders.toSorted());
  });
});
