import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = new URL('../../src/build/source-maps.mjs', import.meta.url).href;
const { moveMaps } = await import(script);

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'node-cli-maps-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('moveMaps', () => {
  it('moves only source maps, into the same subfolders', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    mkdirSync(join(from, 'cli'), { recursive: true });
    for (const path of ['index.js', 'index.js.map', 'cli/main.js', 'cli/main.js.map'])
      writeFileSync(join(from, path), path);
    await moveMaps(from, to);
    const filesOf = (path: string) =>
      readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\./.test(name))
        .sort();
    expect(filesOf(from)).toEqual(['cli/main.js', 'index.js']);
    expect(filesOf(to)).toEqual(['cli/main.js.map', 'index.js.map']);
    expect(readFileSync(join(to, 'cli/main.js.map'), 'utf8')).toBe('cli/main.js.map');
  });
});
