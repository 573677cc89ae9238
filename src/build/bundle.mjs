// Bundles the command line and the library into one script, and the library into modules for bundlers: `node src/build/bundle.mjs`.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundlePage } from './bundle-page.mjs';
import { llmsTexts } from './llms-texts.mjs';
import { bundledFiles, thirdPartyText } from './third-party.mjs';
import { SETUP_PACKAGE, writeTrustedSetup } from './trusted-setup.mjs';

const OUTPUT = 'dist';
const SCRIPT = `${OUTPUT}/cli/main.js`;

/** Packages with native code, which installers put beside this one where they can. */
const NATIVE_PACKAGES = /^(secp256k1|classic-level)(\/|$)/;

/** Modules that packages require at once and do not use here: commander would spawn commands that are separate programs. */
const SELDOM_USED = /^(node:)?child_process$/;

/** Large packages that few starts need, by the file that they are bundled into: what V8 need not read costs nothing. */
const LIBRARIES = {
  'mcl-wasm': ['mcl-wasm/dist/mcl_c.js'],
  'secp256k1-wasm': ['@bitauth/libauth/build/lib/crypto/secp256k1.js'],
  'secp256k1-javascript': ['@noble/curves/secp256k1.js'],
  ethereumjs: [
    ...['block', 'blockchain', 'common', 'evm', 'tx', 'util', 'vm'].map((name) => `@ethereumjs/${name}`),
    'memory-level',
  ],
  mcp: [
    ...['server/index.js', 'server/stdio.js', 'types.js'].map((path) => `@modelcontextprotocol/sdk/${path}`),
    'zod',
  ],
};

/** Libraries of which only the names that the source imports are bundled: modules, of which esbuild leaves out what is not used. */
const IN_PART = ['mcp'];

/** Modules that the source imports and that a start does not use: the command line loads them when they are first used. */
const LOADED_AT_FIRST_USE = ['node:child_process', 'node:crypto', 'node:zlib', '@noble/curves/secp256k1.js'];

/** Returns the names that the files of the source import from the module. */
async function namesImportedFrom(path) {
  const names = new Set();
  const files = await readdir('src', { recursive: true });
  for (const file of files.filter((name) => /\.tsx?$/.test(name))) {
    const text = await readFile(join('src', file), 'utf8');
    for (const [, list, from] of text.matchAll(/^import \{([^}]*)\} from '([^']+)';$/gm)) {
      if (from !== path) continue;
      for (const name of list.matchAll(/(\w+)(?: as \w+)?/g)) names.add(name[1]);
    }
  }
  return [...names].sort();
}

/** Where the thread of tracers is from the command line and from the chunks of the library. */
const TRACER_THREAD = '"../evm/javascript-tracer/thread.js"';
/** The same of the setup of KZG. */
const TRUSTED_SETUP = '"../kzg/trusted-setup.bin"';

const shared = {
  bundle: true,
  target: 'node20',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole line of an error that nobody catches.
  lineLimit: 160,
  legalComments: 'external',
  logLevel: 'warning',
  metafile: true,
};

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

function isLoadedLater(path, importer) {
  return LOADED_AT_FIRST_USE.includes(path) && !importer.includes('node_modules');
}

const requiredAtRuntime = {
  name: 'required-at-runtime',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, namespace, importer }) =>
      namespace.startsWith('outside') || requirementOf(path) === undefined
        ? undefined
        : { path, namespace: isLoadedLater(path, importer) ? 'outside-later' : 'outside' },
    );
    onLoad({ filter: /.*/, namespace: 'outside-later' }, async ({ path }) => ({
      contents: laterLoadingOf(path, await namesImportedFrom(path)),
    }));
    onLoad({ filter: /.*/, namespace: 'outside' }, ({ path }) => ({ contents: loadingOf(path) }));
  },
};

/** Bundles the version of package.json alone, instead of the whole file. */
const versionAlone = {
  name: 'version-alone',
  setup({ onLoad }) {
    onLoad({ filter: /package[.]json$/ }, async ({ path }) => {
      if (path !== resolve('package.json')) return undefined;
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Keeps of the messages of zod those in English: those in some fifty other languages are as long as the rest of it. */
const englishAlone = {
  name: 'english-alone',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/** Returns the code of a library file that has whole packages. */
function wholePackages(packages) {
  return packages
    .map((path) => `exports[${JSON.stringify(path)}] = require(${JSON.stringify(path)});`)
    .join('\n');
}

/** Returns the code of one that has what the source imports from modules. */
async function namesOfModules(paths) {
  const lines = paths.map(async (path, index) => {
    const names = await namesImportedFrom(path);
    const [imported, members] = [
      names.map((name) => `${name} as ${name}${index}`),
      names.map((name) => `${name}: ${name}${index}`),
    ];
    return `import { ${imported} } from ${JSON.stringify(path)};
      const module${index} = { ${members} };
      export { module${index} as ${JSON.stringify(path)} };`;
  });
  return (await Promise.all(lines)).join('\n');
}

async function bundleLibraryFile(name, packages) {
  return build({
    ...shared,
    stdin: {
      contents: IN_PART.includes(name) ? await namesOfModules(packages) : wholePackages(packages),
      resolveDir: '.',
    },
    outfile: `${OUTPUT}/cli/${name}.cjs`,
    format: 'cjs',
    platform: 'node',
    plugins: [englishAlone],
  });
}

/** The exports of the script. Each is evaluated when it is first called, so that a user of one does not pay for the other. */
const ENTRIES = `
  export const commandLine = () => require('./src/cli/main.ts');
  export const library = () => require('./src/index.ts');`;

/**
 * The command line and the library as the expression of a function. A script, unlike a module, can be compiled from a cache
 * of its code; see bin/load-script.cjs. It takes `require` and the URL of its file, and gives what {@link ENTRIES} export.
 */
async function bundleScript() {
  const { outputFiles, metafile } = await build({
    ...shared,
    stdin: { contents: ENTRIES, resolveDir: '.' },
    outfile: SCRIPT,
    format: 'esm',
    platform: 'neutral',
    conditions: ['node', 'import', 'module'],
    plugins: [versionAlone, requiredAtRuntime],
    define: { 'import.meta.url': 'scriptUrl', PAGE_DIRECTORY: '"../page/"', TRACER_THREAD, TRUSTED_SETUP },
    write: false,
  });
  for (const { path, text } of outputFiles) {
    await writeFile(path, path.endsWith('.js') ? asFunction(text) : text);
  }
  return { metafile };
}

function asFunction(code) {
  const exports = /export\s*\{\s*commandLine,\s*library\s*\};?\s*$/.exec(code);
  // A method may be named so, at the beginning of a line.
  if (exports === null || /^import\b(?!\()/m.test(code)) {
    throw new Error('the bundle is not a module that exports commandLine and library alone');
  }
  return `(function (requireOutside, scriptUrl) {${code.slice(0, exports.index)}\nreturn { commandLine, library };\n})`;
}

/** The library as modules, of which bundlers make programs that have no package beside them. */
function bundleLibrary() {
  return build({
    ...shared,
    entryPoints: ['src/index.ts', 'src/evm/javascript-tracer/thread.ts'],
    outdir: OUTPUT,
    outbase: 'src',
    splitting: true,
    format: 'esm',
    platform: 'node',
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [versionAlone],
    // The server's code of the page is loaded when it is needed, so that it lies among the chunks.
    define: { PAGE_DIRECTORY: '"../page/"', TRACER_THREAD, TRUSTED_SETUP },
    // QuickJS, and the source of big-integer, which runs in it.
    loader: { '.wasm': 'binary', '.min.js': 'text' },
    external: ['secp256k1', 'classic-level'],
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
}

/** The chain definition for viem, which web pages can have too, for both kinds of modules. */
function bundleViem(format, ending) {
  return build({
    ...shared,
    entryPoints: ['src/viem.ts'],
    outfile: `${OUTPUT}/viem${ending}`,
    format,
    minifyWhitespace: false,
  });
}

/** The subpaths for test runners, and the files that those name in the configuration of their runner. */
const RUNNER_ENTRIES = {
  esm: ['vitest', 'vitest-global-setup', 'vitest-setup'],
  cjs: [],
};

/** The helpers for test runners. The runners themselves, and what belongs to them, stay outside: they are the user's. */
function bundleRunners(format) {
  return build({
    ...shared,
    entryPoints: RUNNER_ENTRIES[format].map((name) => `src/library/runners/${name}.ts`),
    outdir: `${OUTPUT}/runners`,
    outExtension: format === 'cjs' ? { '.js': '.cjs' } : {},
    splitting: format === 'esm',
    format,
    platform: 'node',
    // Beside the entries, since the code names files by their place beside it.
    chunkNames: 'shared-[hash]',
    packages: 'external',
    ...(format === 'cjs' && {
      banner: { js: "const __scriptUrl=require('node:url').pathToFileURL(__filename).href;" },
      define: { 'import.meta.url': '__scriptUrl' },
    }),
  });
}

await rm(OUTPUT, { recursive: true, force: true });
const builds = [await bundleLibrary(), await bundleViem('esm', '.js'), await bundleViem('cjs', '.cjs')];
builds.push(await bundleRunners('esm'), await bundleRunners('cjs'));
for (const [name, packages] of Object.entries(LIBRARIES))
  builds.push(await bundleLibraryFile(name, packages));
await mkdir(dirname(SCRIPT), { recursive: true });
const texts = await llmsTexts();
for (const [name, text] of Object.entries(texts)) await writeFile(`${OUTPUT}/${name}`, text);
builds.push(await bundleScript(), await bundlePage(`${OUTPUT}/page`, texts));
await writeTrustedSetup(`${OUTPUT}/kzg`);
const files = [...builds.flatMap(({ metafile }) => bundledFiles(metafile)), SETUP_PACKAGE];
await writeFile(`${OUTPUT}/THIRD-PARTY-LICENSES.txt`, await thirdPartyText(files));
