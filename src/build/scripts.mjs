// Bundles the command line and the library into two scripts: what a start runs, and what is loaded when it is first used.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

/** Packages with native code, which installers put beside this one where they can. */
const NATIVE_PACKAGES = /^(secp256k1|classic-level)(\/|$)/;

/** Modules that packages require at once and do not use here: commander would spawn commands that are separate programs. */
const SELDOM_USED = /^(node:)?child_process$/;

/** Large packages that few starts need, by the file that they are bundled into: what V8 need not read costs nothing. */
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

/** Modules that the source imports and that a start does not use: the command line loads them when they are first used. */
const LOADED_AT_FIRST_USE = [
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:zlib',
  '@noble/curves/secp256k1.js',
];

/** The entries of the script that each start reads. Each is evaluated when it is asked for, so that the one costs the other nothing. */
const ENTRIES = { commandLine: 'src/cli/main.ts', library: 'src/index.ts' };

/** Modules that are imported dynamically and belong to that script still: a usual start needs them. */
const USUAL = [
  'src/artifacts/project.ts',
  'src/cli/start.ts',
  'src/library/listening.ts',
  'src/primitives/secp256k1/wasm.ts',
];

/** Returns the names that the files of the source import from the module. */
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

/** Returns the code that loads a module outside the script: one of Node, a native package or a library; `undefined` for the rest. */
function requirementOf(path) {
  if (builtinModules.includes(path.replace(/^node:/, '')) || NATIVE_PACKAGES.test(path)) {
    return `requireOutside(${JSON.stringify(path)})`;
  }
  const library = Object.keys(LIBRARIES).find((name) => LIBRARIES[name].includes(path));
  return library && `requireOutside('./${library}.cjs')[${JSON.stringify(path)}]`;
}

/** Returns the code of a module that stands for one outside the script. */
function loadingOf(path) {
  return SELDOM_USED.test(path)
    ? `module.exports = new Proxy({}, { get: (_, name) => ${requirementOf(path)}[name] });`
    : `module.exports = ${requirementOf(path)};`;
}

/** Returns the same for one that is loaded when one of the names is first used. */
function laterLoadingOf(path, names) {
  const getters = names.map(
    (name) => `get ${name}() { return (loaded ??= ${requirementOf(path)}).${name}; }`,
  );
  return `let loaded; module.exports = { ${getters.join(', ')} };`;
}

/**
 * Returns the code of a module whose names are taken from elsewhere: they become variables of the script. Without, each
 * importer would have a copy of the module with all its names, of which `node:fs` has a hundred.
 */
function namesFrom(requirement, names) {
  return `export const { ${names.join(', ')} } = ${requirement};`;
}

/** Returns the namespace of a module outside the script, which says how its importer has it. */
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

/** Returns the function that resolves what is imported to a file that is bundled; to `null` what is none. */
function resolvedWithin({ resolve }) {
  return async ({ path, resolveDir, kind, pluginData }) => {
    if (pluginData === 'resolving') return null;
    const { path: found, namespace } = await resolve(path, { resolveDir, kind, pluginData: 'resolving' });
    return namespace === 'file' ? relative('.', found) : null;
  };
}

/** Takes modules that are imported dynamically from the other script, but for those that this one has; `asked` gets them. */
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

/** Takes the modules of the source that the first script has from there; `asked` gets them. */
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
 * Gives the first script the module `shared:<entry>`, whose `modules` holds what the files export that the entry leads to. It is
 * evaluated when the other script first asks: tables of all exports that each start made would take as long as reading the other
 * script's text does.
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

/** Returns the files of the source that modules lead to by imports that are no dynamic ones. */
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

/** Returns the names that each of the files exports. */
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

/** Returns the code of the script with these modules, each of which is evaluated when the first script asks for it. */
function moduleTable(files) {
  const lines = [...files].sort().map((file) => `${JSON.stringify(file)}: () => require('./${file}'),`);
  return `const table = {\n${lines.join('\n')}\n};\nexport const modules = (path) => table[path]();`;
}

/** The modules of the first script, for the other one. The modules of the library are there without the rest of the command line. */
const SHARED_MODULES = `export const modules = (path) =>
  require('shared:library').modules[path] ?? require('shared:commandLine').modules[path];`;

/**
 * Returns the module as the expression of a function that returns what it exports, which must be these names. It begins with the name
 * of the build, by which code that was kept of another one, and the other script of another one, are told from its own.
 */
function asFunction(code, expected, buildName) {
  const list = /export\s*\{([\w$\s,]*)\};?\s*$/.exec(code);
  const exported = (list?.[1] ?? '').split(',').map((item) => item.trim().split(/\s+as\s+/));
  const names = exported.map((words) => words.at(-1));
  // A method may be named so, at the beginning of a line.
  if (names.join() !== expected || /^import\b(?!\()/m.test(code)) {
    throw new Error(`expected the bundle to be a module with only the exports ${expected}`);
  }
  // The exports of such a module would be handed out before they are there, as its evaluation is not waited for.
  const waiting = /__esm\(\{\s*async\s*"([^"]+)"/.exec(code)?.[1];
  if (waiting !== undefined)
    throw new Error(`${waiting} uses await at the top level; a script cannot do this`);
  const members = exported.map((words) => `${words.at(-1)}: ${words[0]}`);
  return `(function (requireOutside, scriptUrl, requireOther) {/* build ${buildName} */${code.slice(0, list.index)}\nreturn { ${members} };\n})`;
}

/**
 * Writes the scripts `main.js` and `later.js` into the folder, each as the expression of a function. A script, unlike a module,
 * can be compiled from a cache of its code; see bin/load-script.cjs, which passes `require`, the URL of the file, and how to
 * have modules of the other script. The second is read when one of its modules is first imported: it is half of the text,
 * and a start that reads it takes some 6 ms more. Returns the metafiles.
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
  const texts = written.flatMap(([{ outputFiles }]) => outputFiles.map(({ text }) => text));
  const buildName = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  for (const [{ outputFiles }, exported] of written) {
    for (const { path, text } of outputFiles) {
      await writeFile(path, path.endsWith('.js') ? asFunction(text, exported, buildName) : text);
    }
  }
  return [main, other].map(({ metafile }) => ({ metafile }));
}
