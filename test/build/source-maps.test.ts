import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = new URL('../../src/build/source-maps.mjs', import.meta.url).href;
const { mapAfterPrefix, moveMaps } = await import(script);

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'node-cli-maps-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('mapAfterPrefix', () => {
  it('maps the first and later lines of a script with a prefix to the source', async () => {
    const options = { sourcemap: 'external', minifyWhitespace: true, lineLimit: 20, write: false } as const;
    const contents = '\nfirst(1);\n\n\nsecond("long enough to need a line");\nthird(3);\n';
    const { outputFiles } = await build({
      ...options,
      stdin: { contents, sourcefile: 'source.js' },
      outfile: join(folder, 'script.js'),
    });
    const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
    const prefix = '(function (a, b) {/* build 1 */';
    const lines = `${prefix}${textOf('.js')}`.split('\n');
    const map = new SourceMap(JSON.parse(mapAfterPrefix(textOf('.map'), prefix)));
    const sourceLineOf = (name: string): unknown => {
      const line = lines.findIndex((text) => text.includes(name));
      const entry = map.findEntry(line, lines[line]?.indexOf(name) ?? -1);
      return 'originalLine' in entry ? entry.originalLine : undefined;
    };
    expect(lines.length).toBeGreaterThan(2);
    expect(['first', 'second', 'third'].map(sourceLineOf)).toEqual([1, 4, 5]);
  });
});

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
