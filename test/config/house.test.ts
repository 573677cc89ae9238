import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));

const MOST_LINES_OF_README = 200;

/** The places in which a field of the header stands: its type, its value in a new block, its form in JSON. */
const MOST_FILES_OF_FIELD = 3;

function linesOf(path: string): number {
  return readFileSync(`${project}/${path}`, 'utf8').trimEnd().split('\n').length;
}

/** The files of the source; what the build writes is left out. */
const sources = readdirSync(`${project}/src`, { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !path.includes('/generated/'));

describe('The size of the house', () => {
  it(`is a first page of at most ${MOST_LINES_OF_README} lines`, () => {
    expect(linesOf('README.md')).toBeLessThanOrEqual(MOST_LINES_OF_README);
  });

  it('is one place for each form of a field of the header', () => {
    const found = sources.filter((path) =>
      readFileSync(`${project}/${path}`, 'utf8').includes('transactionsRoot'),
    );
    expect(found.length).toBeLessThanOrEqual(MOST_FILES_OF_FIELD);
  });
});

describe('The list of the rooms', () => {
  it('has each room once, with its page', () => {
    const text = readFileSync(`${project}/src/README.md`, 'utf8');
    const listed = Array.from(text.matchAll(/^\| \[`(\w+)`\]\(\1\/README\.md\)/gm), ([, room]) => room);
    const folders = readdirSync(`${project}/src`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'build')
      .map(({ name }) => name);
    expect(listed.toSorted()).toEqual(folders.toSorted());
  });
});
