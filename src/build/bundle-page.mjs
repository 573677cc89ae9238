// Bundles the explorer into dist/page: compressed files, and a manifest with their types and tags.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { SOURCE_MAP } from './source-maps.mjs';

const SOURCE = 'src/explorer';
/** The URL path of the served files; see src/server/get-requests.ts. */
const ASSETS = '/_/files/';
const DOCUMENT = '/_/';
/** Placeholder in the document for the path to the root of the node; see src/server/explorer.ts. */
const ROOT = '{{root}}';

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Excludes dynamic imports of packages. esbuild treats each `import()` as an entry and keeps its code, even
 * if the importer is unused. For example, viem would bring a client and a curve.
 */
const noLaterPackages = {
  name: 'no-later-packages',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && importer.includes('node_modules') ? { path, external: true } : undefined,
    );
  },
};

/** Throws if the explorer imports a module that the bundle excludes. */
function checkWhole({ outputs }) {
  for (const [name, { imports }] of Object.entries(outputs)) {
    const missing = imports.find(({ external }) => external);
    if (missing !== undefined)
      throw new Error(`${name} of the explorer loads ${missing.path}, but the bundle excludes it`);
  }
}

/** Builds the explorer in `output`, with the additional `texts` by file name. Returns esbuild's metafile. */
export async function bundlePage(output, texts = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: {
      page: `${SOURCE}/main.tsx`,
      slash: `${SOURCE}/slash.ts`,
      style: `${SOURCE}/style.css`,
    },
    outdir: output,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [noLaterPackages],
    metafile: true,
    sourcemap: SOURCE_MAP,
    write: false,
  });
  checkWhole(metafile);
  await mkdir(output, { recursive: true });
  const manifest = {};
  const add = async (path, name, contents) => {
    const tag = createHash('sha256').update(contents).digest('hex').slice(0, 16);
    manifest[path] = { name: `${name}.gz`, type: TYPES[extname(name)], tag: `"${tag}"` };
    await writeFile(`${output}/${name}.gz`, gzipSync(contents, { level: constants.Z_BEST_COMPRESSION }));
  };
  const names = {};
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    if (name.endsWith('.map')) {
      await writeFile(`${output}/${name}`, contents);
      continue;
    }
    await add(`${ASSETS}${name}`, name, contents);
    const entry = /^(page|slash|style)-\w+\.(?:js|css)$/.exec(name);
    // A query is relative to the document's full address, even without its final slash.
    if (entry !== null) names[entry[1]] = `${entry[1] === 'slash' ? '?' : ROOT}${ASSETS.slice(1)}${name}`;
  }
  await add(`${ASSETS}icon.svg`, 'icon.svg', await readFile(`${SOURCE}/icon.svg`));
  const template = await readFile(`${SOURCE}/index.html`, 'utf8');
  const document = template.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (`{{${name}}}` === ROOT) return ROOT;
    if (names[name] === undefined) throw new Error(`the page has no file for {{${name}}}`);
    return names[name];
  });
  await add(DOCUMENT, 'index.html', document);
  for (const [name, text] of Object.entries(texts)) await add(`/${name}`, name, text);
  await writeFile(`${output}/manifest.json`, JSON.stringify(manifest));
  return { metafile };
}
