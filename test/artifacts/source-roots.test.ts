import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProjectRoots } from '../../src/artifacts/project.ts';
import { sourceRoots } from '../../src/artifacts/source-paths.ts';

const PROJECT = resolve('/code/app');
const ROOTS: ReadonlySet<string> = new Set([PROJECT, resolve(PROJECT, 'packages/inner')]);

describe('sourceRoots', () => {
  it('returns the nearest project of each artifact, or its folder without a project', () => {
    const projects = new ProjectRoots((directory) => ROOTS.has(directory));
    const files = ['out/A.sol/A.json', 'packages/inner/out/B.sol/B.json'].map((file) =>
      resolve(PROJECT, file),
    );
    const alone = resolve('/elsewhere/C.json');
    expect(sourceRoots([...files, alone, null], PROJECT, projects)).toEqual([...ROOTS, dirname(alone)]);
  });

  it('reads each folder once, for any number of artifacts', () => {
    const read: string[] = [];
    const projects = new ProjectRoots((directory) => {
      read.push(directory);
      return ROOTS.has(directory);
    });
    const files = Array.from({ length: 100 }, (_, at) => resolve(PROJECT, `out/C${at}.sol/C${at}.json`));
    expect(sourceRoots(files, PROJECT, projects)).toEqual([PROJECT]);
    expect(read).toHaveLength(102);
    expect(new Set(read).size).toBe(102);
  });
});
