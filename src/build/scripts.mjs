// Bundles the command line and the library into a script for each start, and one that is loaded on demand.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { mapAfterPrefix } from './source-maps.mjs';

/** Packages with native code. Installation of them may fail. */
const NATIVE_PACKAGES = /^(secp256k1|classic-level)(\/|$)/;

/** Modules that packages load without need: commander would spawn separate programs as commands. */
const SELDOM_USED = /^(node:)?child_process$/;

/** Large packages that few starts need, by the file that they are bundled into. */
export const LIBRARIES = {
  'mcl-wasm': ['mcl-wasm/dist/mcl_c.js'],
  'secp256k1-wasm': ['@bitauth/libauth/build/lib/crypto/secp256k1.js'],
  'secp256k1-javascript': ['@noble/curves/secp256k1.js'],
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
};

/** Modules that the source imports, but a start does not use. The command line loads them on first use. */
const LOADED_AT_FIRST_USE = [
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:worker_threads',
  'node:zlib',
  '@noble/curves/secp256k1.js',
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

/** Returns the names that the source imports from a module. */
export async function namesImportedFrom(path) {
  const names = new Set();
  const files = await readdir('src', { recursive: true });
  for (const file of files.filter((name) => /\.tsx?$/.test(name))) {
    const text = await readFile(join('src', file), 'utf8');
    for (const [, list, from] of text.matchAll(/^import \{([^}]*)\} from '([^']+)';$/gm)) {
      if (from !== path) continue;
      for (const [, isType, name] of list.matchAll(/(type )?(\w+)(?: as \w+)?/g))
        if (!isType) names.add(name);
    }
  }
  return [...names].sort();
}

/** Returns the code that loads a Node module, a native package or a library. Undefined for other modules. */
function requirementOf(path) {
  if (builtinModules.includes(path.replace(/^node:/, '')) || NATIVE_PACKAGES.test(path)) {
    return `requireOutside(${JSON.stringify(path)})`;
  }
  const library = Object.keys(LIBRARIES).find((name) => LIBRARIES[name].includes(path));
  return library && `requireOutside('./${library}.cjs')[${JSON.stringify(path)}]`;
}

/** Returns the code of a module that re-exports an external one. */
function loadingOf(path) {
  return SELDOM_USED.test(path)
    ? `module.exports = new Proxy({}, { get: (_, name) => ${requirementOf(path)}[name] });`
    : `module.exports = ${requirementOf(path)};`;
}

/** Returns the code of a module that loads an external one on the first use of a name. */
function laterLoadingOf(path, names) {
  const getters = names.map(
    (name) => `get ${name}() { return (loaded ??= ${requirementOf(path)}).${name}; }`,
  );
  return `let loaded; module.exports = { ${getters.join(', ')} };`;
}

/**
 * Returns the code of a module that turns external names into variables of the script. Otherwise, each
 * importer would have a copy of the module with all its names, such as a hundred names of `node:fs`.
 */
function namesFrom(requirement, names) {
  return `export const { ${names.join(', ')} } = ${requirement};`;
}

/** Returns the esbuild namespace of an external module, which determines how it is loaded. */
function namespaceOutside(path, importer, kind) {
  if (importer.includes('node_modules') || kind !== 'import-statement') return 'outside';
  if (LOADED_AT_FIRST_USE.includes(path)) return 'outside-later';
  return path.startsWith('node:') ? 'outside-names' : 'outside';
}

const requiredAtRuntime = {
  name: 'required-at-runtime',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, namespace, importer, kind }) =>
      namespace.startsWith('outside') || requirementOf(path) === undefined
        ? undefined
        : { path, namespace: namespaceOutside(path, importer, kind) },
    );
    onLoad({ filter: /.*/, namespace: 'outside-names' }, async ({ path }) => ({
      contents: namesFrom(requirementOf(path), await namesImportedFrom(path)),
    }));
    onLoad({ filter: /.*/, namespace: 'outside-later' }, async ({ path }) => ({
      contents: laterLoadingOf(path, await namesImportedFrom(path)),
    }));
    onLoad({ filter: /.*/, namespace: 'outside' }, ({ path }) => ({ contents: loadingOf(path) }));
  },
};

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

/** The code before the module in a script. The build id identifies code caches and scripts of other builds. */
function prefixOf(buildName) {
  return `(function (requireOutside, scriptUrl, requireOther) {/* build ${buildName} */`;
}

/**
 * Wraps the module in a function expression that returns its exports. They must be `expected` (names with
 * commas).
 */
function asFunction(code, expected, buildName) {
  const list = /export\s*\{([\w$\s,]*)\};?\s*$/.exec(code);
  const exported = (list?.[1] ?? '').split(',').map((item) => item.trim().split(/\s+as\s+/));
  const names = exported.map((words) => words.at(-1));
  // A method named `import` can start a line.
  if (names.join() !== expected || /^import\b(?!\()/m.test(code)) {
    throw new Error(`expected the bundle to be a module with only the exports ${expected}`);
  }
  // If a module awaits, a caller would receive its exports before its evaluation has finished.
  const waiting = /__esm\(\{\s*async\s*"([^"]+)"/.exec(code)?.[1];
  if (waiting !== undefined)
    throw new Error(`${waiting} uses await at the top level; a script cannot do this`);
  const members = exported.map((words) => `${words.at(-1)}: ${words[0]}`);
  return `${prefixOf(buildName)}${code.slice(0, list.index)}\nreturn { ${members} };\n})`;
}

/**
 * Writes `main.js` and `later.js`, each as a function expression. V8 can compile a script, unlike a module,
 * from a code cache. bin/load-script.cjs passes `require`, the URL of the file, and a function for modules of
 * the other script. `later.js` is half of the code and is loaded on first use, because reading it would delay
 * each start. Returns the metafiles.
 */
export async function bundleScripts(folder, options) {
  const bundle = (contents, name, plugins) =>
    build({
      ...options,
      stdin: { contents, resolveDir: '.' },
      outfile: `${folder}/${name}.js`,
      format: 'esm',
      platform: 'neutral',
      conditions: ['node', 'import', 'module'],
      plugins: [...options.plugins, requiredAtRuntime, ...plugins],
      define: { ...options.define, 'import.meta.url': 'scriptUrl' },
      write: false,
    });
  const entries = Object.entries(ENTRIES)
    .map(([name, file]) => `export const ${name} = () => require('./${file}');`)
    .join('\n');
  const { inputs } = (await bundle(entries, 'main', [])).metafile;
  const first = closureOf(inputs, [...Object.values(ENTRIES), ...USUAL]);
  const [later, asked] = [new Set(), new Set()];
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
  const written = [
    [main, `${Object.keys(ENTRIES).join(',')},modules`],
    [other, 'modules'],
  ];
  const texts = written
    .flatMap(([{ outputFiles }]) => outputFiles.filter(({ path }) => !path.endsWith('.map')))
    .map(({ text }) => text);
  const buildName = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  for (const [{ outputFiles }, exported] of written) {
    for (const { path, text } of outputFiles) {
      if (path.endsWith('.js')) await writeFile(path, asFunction(text, exported, buildName));
      else if (path.endsWith('.map')) await writeFile(path, mapAfterPrefix(text, prefixOf(buildName)));
      else await writeFile(path, text);
    }
  }
  return [main, other].map(({ metafile }) => ({ metafile }));
}
