// Bundles the command line and the library into a script for each start, and one that is loaded on demand.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { relative } from 'node:path';
import { build } from 'esbuild';

/** Packages with native code. Installation of them may fail. */
const NATIVE_PACKAGES = ['secp256k1', 'classic-level'];

/** Large packages that few starts need, by the file that they are bundled into. */
export const LIBRARIES = {
  'mcl-wasm': ['mcl-wasm/dist/mcl_c.js'],
  'secp256k1-wasm': ['@bitauth/libauth/build/lib/crypto/secp256k1.js'],
  'secp256k1-javascript': ['@noble/curves/secp256k1.js'],
  bitcoinjs: ['bitcoinjs-lib'],
  ethereumjs: [
    ...['block', 'blockchain', 'common', 'evm', 'rlp', 'tx', 'util', 'vm'].map(
      (name) => `@ethereumjs/${name}`,
    ),
    'memory-level',
  ],
  mcp: [
    ...['server/index.js', 'server/stdio.js', 'types.js'].map((path) => `@modelcontextprotocol/sdk/${path}`),
    'zod',
  ],
  proxies: ['http-proxy-agent', 'https-proxy-agent'],
};

/** Modules that a usual start does not use. The scripts load them on first use. */
const LOADED_AT_FIRST_USE = [
  'node:child_process',
  'node:crypto',
  'node:dns/promises',
  'node:fs/promises',
  'node:worker_threads',
  'node:zlib',
  '@noble/curves/secp256k1.js',
  'bitcoinjs-lib',
];

/** The entries of the first script. Each one is evaluated on demand. */
const ENTRIES = { commandLine: 'src/cli/main.ts', library: 'src/index.ts' };

/** Dynamically imported modules that a usual start needs. They belong to the first script. */
const USUAL = [
  'src/artifacts/project.ts',
  'src/cli/start.ts',
  'src/library/listening.ts',
  'src/primitives/secp256k1/wasm.ts',
];

/**
 * Returns the id of a module outside the scripts for the loader's `require` (src/start/load-program.ts).
 * Returns `null` for other modules, which the scripts contain. The word `lazy` loads the module on first use;
 * only names of it can be imported then.
 */
function outsideId(path, isLazy) {
  const library = Object.keys(LIBRARIES).find((name) => LIBRARIES[name].includes(path));
  const id = library === undefined ? path : `./${library}.cjs ${path}`;
  if (library === undefined && !builtinModules.includes(path.replace(/^node:/, ''))) return null;
  return isLazy && LOADED_AT_FIRST_USE.includes(path) ? `lazy ${id}` : id;
}

const requiredAtRuntime = {
  name: 'required-at-runtime',
  setup({ onResolve }) {
    onResolve({ filter: /\/quickjs[.]ts$/ }, () => ({ path: './quickjs.cjs', external: true }));
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      // commander would load the module for separate programs as commands.
      const isCommander = importer.includes('node_modules/commander/');
      const isOurs = !importer.includes('node_modules') && kind === 'import-statement';
      const id = outsideId(path, isOurs || isCommander);
      return id === null ? undefined : { path: id, external: true };
    });
  },
};

/** The source of a library file. It is large, and only the thread of JavaScript tracers uses it. */
export const QUICKJS = 'src/evm/javascript-tracer/quickjs.ts';

/** The modules that run in their own thread. They belong to the other script. */
const THREADS = ['src/evm/javascript-tracer/thread.ts'];

/** Returns a function that resolves an import to a bundled file; to `null` for other imports. */
function resolvedWithin({ resolve }) {
  return async ({ path, resolveDir, kind, pluginData }) => {
    if (pluginData === 'resolving') return null;
    const { path: found, namespace } = await resolve(path, { resolveDir, kind, pluginData: 'resolving' });
    return namespace === 'file' ? relative('.', found) : null;
  };
}

/** Loads dynamic imports from the other script, except for modules in `own`. Adds their paths to `asked`. */
function takeLater(own, asked) {
  return {
    name: 'later',
    setup(builder) {
      const fileOf = resolvedWithin(builder);
      builder.onResolve({ filter: /.*/ }, async (imported) => {
        if (imported.kind !== 'dynamic-import' || imported.namespace !== 'file') return undefined;
        const file = await fileOf(imported);
        if (file === null || own.has(file)) return undefined;
        asked.add(file);
        return { path: file, namespace: 'later' };
      });
      builder.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
        contents: `module.exports = requireOther(${JSON.stringify(path)});`,
      }));
    },
  };
}

/**
 * Returns the code of a module that turns names of another module into variables of the script. Otherwise,
 * each importer would have a copy of the module with all its names.
 */
function namesFrom(requirement, names) {
  return `export const { ${names.join(', ')} } = ${requirement};`;
}

/** Loads source modules of the first script from there. Adds their paths to `asked`. */
function takeFromFirst(first, names, asked) {
  return {
    name: 'from-first',
    setup(builder) {
      const fileOf = resolvedWithin(builder);
      builder.onResolve({ filter: /^\./ }, async (imported) => {
        if (imported.namespace !== 'file') return undefined;
        const file = await fileOf(imported);
        if (file === null || !first.has(file)) return undefined;
        asked.add(file);
        return { path: file, namespace: 'from-first' };
      });
      builder.onLoad({ filter: /.*/, namespace: 'from-first' }, ({ path }) => ({
        contents: namesFrom(`requireOther(${JSON.stringify(path)})`, names.get(path)),
      }));
    },
  };
}

/**
 * Adds the module `shared:<entry>` to the first script. Its `modules` contains the exports of the entry's
 * files. It is evaluated only when the other script first needs it, because creating these tables takes as
 * long as reading that script.
 */
function shareModules(filesByEntry, names) {
  return {
    name: 'shared',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^shared:/ }, ({ path }) => ({ path: path.slice(7), namespace: 'shared' }));
      onLoad({ filter: /.*/, namespace: 'shared' }, ({ path: entry }) => {
        const files = filesByEntry[entry].sort();
        const local = (name, index) => `${name}_${index}`;
        const imports = files.map((file, index) => {
          const list = names.get(file).map((name) => `${name} as ${local(name, index)}`);
          return `import { ${list} } from './${file}';`;
        });
        const members = files.map((file, index) => {
          const list = names.get(file).map((name) => `${name}: ${local(name, index)}`);
          return `${JSON.stringify(file)}: { ${list} },`;
        });
        const contents = `${imports.join('\n')}\nexport const modules = {\n${members.join('\n')}\n};`;
        return { contents, resolveDir: '.' };
      });
    },
  };
}

/** Returns the source files that the roots import statically. */
function closureOf(inputs, roots) {
  const found = new Set();
  const add = (file) => {
    if (found.has(file) || inputs[file] === undefined) return;
    found.add(file);
    for (const { path, kind } of inputs[file].imports) if (kind !== 'dynamic-import') add(path);
  };
  for (const root of roots) add(root);
  return new Set([...found].filter((file) => file.startsWith('src/')));
}

/** Returns the exported names of each file. */
async function exportedNames(files) {
  const { metafile } = await build({
    entryPoints: [...files],
    outdir: 'names',
    outbase: '.',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const outputs = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  return new Map(outputs.map(({ entryPoint, exports }) => [entryPoint, exports]));
}

/** Returns the code of the script with these modules. Each one is evaluated on demand. */
function moduleTable(files) {
  const lines = [...files].sort().map((file) => `${JSON.stringify(file)}: () => require('./${file}'),`);
  return `const table = {\n${lines.join('\n')}\n};\nexport const modules = (path) => table[path]();`;
}

/** The first script's modules for the other one. Library modules do not load the command line. */
const SHARED_MODULES = `export const modules = (path) =>
  require('shared:library').modules[path] ?? require('shared:commandLine').modules[path];`;

/** The function around a script. V8's code cache requires a script with a single expression as its result. */
const WRAPPER = {
  banner: { js: '(function (require, scriptUrl, requireOther) { const module = { exports: {} };' },
  footer: { js: 'return module.exports; })' },
};

/**
 * Writes `main.js` and `later.js`, each as a function expression. V8 can compile a script, unlike a module,
 * from a code cache. src/start/load-program.ts passes `require`, the URL of the file, and a function for
 * modules of the other script. `later.js` is half of the code and is loaded on first use, because reading it would delay
 * each start. Returns the metafiles.
 */
export async function bundleScripts(folder, options) {
  const bundle = (contents, name, plugins) =>
    build({
      ...options,
      stdin: { contents, resolveDir: '.' },
      outfile: `${folder}/${name}.js`,
      ...WRAPPER,
      format: 'cjs',
      platform: 'node',
      conditions: ['import', 'module'],
      external: NATIVE_PACKAGES,
      // `node:vm` scripts cannot import. This turns imports of modules outside the scripts into `require`.
      supported: { 'dynamic-import': false },
      plugins: [...options.plugins, requiredAtRuntime, ...plugins],
      define: { ...options.define, 'import.meta.url': 'scriptUrl' },
      write: false,
    });
  const entries = Object.entries(ENTRIES)
    .map(([name, file]) => `export const ${name} = () => require('./${file}');`)
    .join('\n');
  const { inputs } = (await bundle(entries, 'main', [])).metafile;
  const first = closureOf(inputs, [...Object.values(ENTRIES), ...USUAL]);
  const [later, asked] = [new Set(THREADS), new Set()];
  await bundle(entries, 'main', [takeLater(first, later)]);
  const names = await exportedNames(first);
  const other = await bundle(moduleTable(later), 'later', [takeFromFirst(first, names, asked)]);
  const ofLibrary = closureOf(inputs, [ENTRIES.library]);
  const sharedFiles = {
    library: [...asked].filter((file) => ofLibrary.has(file)),
    commandLine: [...asked].filter((file) => !ofLibrary.has(file)),
  };
  const plugins = [takeLater(first, later), shareModules(sharedFiles, names)];
  const main = await bundle(`${entries}\n${SHARED_MODULES}`, 'main', plugins);
  const written = [main, other].flatMap(({ outputFiles }) => outputFiles);
  const hash = createHash('sha256');
  for (const { path, text } of written) if (!path.endsWith('.map')) hash.update(text);
  const buildId = hash.digest('hex').slice(0, 16);
  // The id detects code caches and scripts of other builds. It precedes the banner, so no mapped code moves.
  for (const { path, text } of written)
    await writeFile(path, path.endsWith('.js') ? `/* node-cli build ${buildId} */ ${text}` : text);
  return [main, other].map(({ metafile }) => ({ metafile }));
}
