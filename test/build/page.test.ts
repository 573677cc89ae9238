import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Bytes of all files together, compressed. */
const MAX_BYTES = 200_000;

/** The facts that esbuild reports of one file that it wrote. */
interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

describe('the built page', () => {
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

  /** The paths of the packages' files that an output is made of. */
  const packagesIn = (output: Output): string[] =>
    Object.keys(output.inputs).filter((path) => path.includes('node_modules'));

  /** An output and all that it loads at once. */
  const atOnce = (path: string, found = new Set<string>()): Set<string> => {
    if (found.has(path)) return found;
    found.add(path);
    for (const each of outputs[path]?.imports ?? [])
      if (each.kind === 'import-statement') atOnce(each.path, found);
    return found;
  };

  it('is small enough to be opened without waiting', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.gz'));
    const bytes = files.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
    expect(files.length).toBeGreaterThan(5);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('has no curve and no client of a package, which it does not use', () => {
    const used = Object.values(outputs).flatMap(packagesIn);
    expect(used.filter((path) => /secp256k1|weierstrass|ccip|actions\/public/.test(path))).toEqual([]);
    const names = readdirSync(folder).filter((name) => name.endsWith('.js.gz'));
    const texts = names.map((name) => gunzipSync(readFileSync(join(folder, name))).toString());
    expect(texts.filter((text) => /\bimport\(\s*"[^./]/.test(text))).toEqual([]);
  });

  it('loads plots only with the views that have one', () => {
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
