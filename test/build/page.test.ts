import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Compressed size of all files in bytes. */
const MAX_BYTES = 200_000;

/** The metadata of esbuild for one output file. */
interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

describe('the built explorer', () => {
  let folder = '';
  let outputs: Readonly<Record<string, Output>> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'node-cli-page-'));
    const script = new URL('../../src/build/bundle-page.mjs', import.meta.url).href;
    const built = (await import(script)) as {
      bundlePage(output: string): Promise<{ metafile: { outputs: Readonly<Record<string, Output>> } }>;
    };
    ({ outputs } = (await built.bundlePage(folder)).metafile);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Paths of the package files in an output. */
  const packagesIn = (output: Output): string[] =>
    Object.keys(output.inputs).filter((path) => path.includes('node_modules'));

  /** An output and all its static imports. */
  const atOnce = (path: string, found = new Set<string>()): Set<string> => {
    if (found.has(path)) return found;
    found.add(path);
    for (const each of outputs[path]?.imports ?? [])
      if (each.kind === 'import-statement') atOnce(each.path, found);
    return found;
  };

  it('stays below its size limit', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.gz'));
    const bytes = files.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
    expect(files.length).toBeGreaterThan(5);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('contains no unused curve or client of a package', () => {
    const used = Object.values(outputs).flatMap(packagesIn);
    expect(used.filter((path) => /secp256k1|weierstrass|ccip|actions\/public/.test(path))).toEqual([]);
    const names = readdirSync(folder).filter((name) => name.endsWith('.js.gz'));
    const texts = names.map((name) => gunzipSync(readFileSync(join(folder, name))).toString());
    expect(texts.filter((text) => /\bimport\(\s*"[^./]/.test(text))).toEqual([]);
  });

  it('loads plots only in the views with a plot', () => {
    const [entry = ''] =
      Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx')) ?? [];
    const first = [...atOnce(entry)].flatMap((path) =>
      packagesIn(outputs[path] ?? { imports: [], inputs: {} }),
    );
    expect(first.some((path) => path.includes('preact'))).toBe(true);
    expect(first.filter((path) => path.includes('uplot'))).toEqual([]);
    expect(
      Object.values(outputs)
        .flatMap(packagesIn)
        .some((path) => path.includes('uplot')),
    ).toBe(true);
  });
});
