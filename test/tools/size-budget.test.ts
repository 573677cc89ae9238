import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { overBudget, sizesOf } from './size-budget.ts';

describe('the size budget', () => {
  it('accepts sizes equal to the budget, and reports the excess of larger ones', () => {
    expect(overBudget({ page: 100, command: 5 }, { page: 100, command: 5 })).toEqual([]);
    expect(overBudget({ page: 101, command: 5 }, { page: 100, command: 5 })).toEqual([
      'page: 101 bytes, 1 more than its budget of 100',
    ]);
  });

  it('rejects a size without a budget, and a budget without a size', () => {
    expect(overBudget({ page: 1 }, { command: 1 })).toEqual([
      'page: it is measured, and has no budget',
      'command: it has a budget, and is not measured',
    ]);
  });

  it('measures the tarball, the scripts, all files, and the compressed files of the explorer', async () => {
    const folder = await temporaryDirectory();
    for (const name of ['cli', 'page']) await mkdir(join(folder, 'dist', name), { recursive: true });
    const files = {
      'package.tgz': 7,
      'dist/cli/main.js': 10,
      'dist/cli/later.js': 20,
      'dist/page/a.js.gz': 3,
      'dist/page/manifest.json': 50,
    };
    for (const [name, size] of Object.entries(files)) await writeFile(join(folder, name), Buffer.alloc(size));
    expect(Object.values(await sizesOf(join(folder, 'package.tgz'), folder))).toEqual([7, 10, 20, 90, 3]);
  });
});
