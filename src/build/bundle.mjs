// Bundles the command line and the library into scripts, and the library into modules for bundlers.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundlePage } from './bundle-page.mjs';
import { llmsTexts } from './llms-texts.mjs';
import { bundleScripts, LIBRARIES, namesImportedFrom } from './scripts.mjs';
import { MAPS, moveMaps, SOURCE_MAP } from './source-maps.mjs';
import { bundledFiles, thirdPartyText } from './third-party.mjs';
import { SETUP_PACKAGE, writeTrustedSetup } from './trusted-setup.mjs';

const OUTPUT = 'dist';
/** The folder of the scripts. */
const SCRIPTS = `${OUTPUT}/cli`;

/** Libraries with ES modules, bundled without unused exports. */
const IN_PART = ['mcp'];

/** The path of the tracer thread, relative to both the command line and the library's chunks. */
const TRACER_THREAD = '"../evm/javascript-tracer/thread.js"';
/** The thread of the signal guard, in the folder of the scripts. */
const SIGNAL_GUARD_THREAD = '"./signal-guard-thread.cjs"';
/** The hooks that load TypeScript, in the folder of the scripts. */
const TYPESCRIPT_HOOKS_FILE = '"./typescript-hooks.js"';
/** The path of the KZG trusted setup, relative to both. */
const TRUSTED_SETUP = '"../kzg/trusted-setup.bin"';

const shared = {
  bundle: true,
  target: 'node20',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole source line of an uncaught error.
  lineLimit: 160,
  legalComments: 'external',
  logLevel: 'warning',
  metafile: true,
  sourcemap: SOURCE_MAP,
};

/** Bundles only the version of package.json. */
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

/** Bundles only the English messages of zod. All languages together would double its size. */
const englishAlone = {
  name: 'english-alone',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/** Returns the code of a library file with whole packages. Each package runs on first use. */
function wholePackages(packages) {
  const getters = packages.map(JSON.stringify).map((path) => `get ${path}() { return require(${path}); }`);
  return `module.exports = { ${getters.join(', ')} };`;
}

/** Returns the code of a library file with only the imported names of modules. */
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
    outfile: `${SCRIPTS}/${name}.cjs`,
    format: 'cjs',
    platform: 'node',
    plugins: [englishAlone],
  });
}

/** Bundles the library as modules. Bundlers can build programs from them that work without the package. */
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
    // The explorer's server code is loaded on demand, so it is in the chunks folder.
    define: { PAGE_DIRECTORY: '"../page/"', TRACER_THREAD, TRUSTED_SETUP },
    // QuickJS, and the source of big-integer, which runs inside QuickJS.
    loader: { '.wasm': 'binary', '.min.js': 'text' },
    external: ['secp256k1', 'classic-level'],
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
}

/** The subpaths that also work in web pages. */
const SMALL_ENTRIES = { viem: 'src/viem.ts', lanes: 'src/library/lanes.ts' };

/** Bundles a subpath into one file of the given module format. */
function bundleSmall(name, format, ending) {
  return build({
    ...shared,
    entryPoints: [SMALL_ENTRIES[name]],
    outfile: `${OUTPUT}/${name}${ending}`,
    format,
    minifyWhitespace: false,
  });
}

/** The subpaths for test runners, and files for the configurations of the runners. */
const RUNNER_ENTRIES = {
  esm: [
    ...['vitest', 'vitest-global-setup', 'vitest-setup'],
    ...['jest', 'mocha', 'mocha-setup', 'mocha-base', 'node-test', 'node-test-setup'],
    ...['playwright', 'playwright-global-setup'],
    ...['hardhat', 'hardhat-node-test', 'hardhat-base', 'hardhat2'],
  ],
  cjs: [
    ...['jest', 'jest-environment', 'jest-global-setup', 'jest-global-teardown'],
    ...['mocha', 'node-test', 'playwright', 'hardhat2', 'vitest-plugin'],
  ],
};

/** Code that replaces `import.meta.url` in CommonJS modules. */
const COMMONJS_URL = {
  banner: { js: "const __scriptUrl=require('node:url').pathToFileURL(__filename).href;" },
  define: { 'import.meta.url': '__scriptUrl' },
};

/** Bundles the test-runner helpers. The runners stay external, because the project installs them. */
function bundleRunners(format) {
  return build({
    ...shared,
    entryPoints: RUNNER_ENTRIES[format].map((name) => `src/library/runners/${name}.ts`),
    outdir: `${OUTPUT}/runners`,
    outExtension: format === 'cjs' ? { '.js': '.cjs' } : {},
    splitting: format === 'esm',
    format,
    platform: 'node',
    // Next to the entries, because the code refers to files in its own folder.
    chunkNames: 'shared-[hash]',
    packages: 'external',
    ...(format === 'cjs' && COMMONJS_URL),
  });
}

/** Bundles the hooks that load TypeScript configuration files. Node runs them in a separate thread. */
function bundleTypescriptHooks() {
  return build({
    ...shared,
    entryPoints: ['src/cli/typescript-hooks.ts'],
    outdir: SCRIPTS,
    minifyIdentifiers: true,
    format: 'esm',
    platform: 'node',
  });
}

/** Bundles the second thread of the signal guard. */
function bundleSignalGuardThread() {
  return build({
    ...shared,
    ...COMMONJS_URL,
    entryPoints: ['src/cli/signal-guard-thread.ts'],
    outdir: SCRIPTS,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    platform: 'node',
  });
}

await rm(OUTPUT, { recursive: true, force: true });
const builds = [await bundleLibrary()];
for (const name of Object.keys(SMALL_ENTRIES))
  builds.push(await bundleSmall(name, 'esm', '.js'), await bundleSmall(name, 'cjs', '.cjs'));
builds.push(await bundleRunners('esm'), await bundleRunners('cjs'), await bundleTypescriptHooks());
builds.push(await bundleSignalGuardThread());
for (const [name, packages] of Object.entries(LIBRARIES))
  builds.push(await bundleLibraryFile(name, packages));
await mkdir(SCRIPTS, { recursive: true });
const texts = await llmsTexts();
for (const [name, text] of Object.entries(texts)) await writeFile(`${OUTPUT}/${name}`, text);
const scriptOptions = {
  ...shared,
  plugins: [versionAlone],
  define: {
    PAGE_DIRECTORY: '"../page/"',
    TRACER_THREAD,
    TRUSTED_SETUP,
    TYPESCRIPT_HOOKS_FILE,
    SIGNAL_GUARD_THREAD,
  },
};
builds.push(...(await bundleScripts(SCRIPTS, scriptOptions)), await bundlePage(`${OUTPUT}/page`, texts));
await writeTrustedSetup(`${OUTPUT}/kzg`);
const files = [...builds.flatMap(({ metafile }) => bundledFiles(metafile)), SETUP_PACKAGE];
await writeFile(`${OUTPUT}/THIRD-PARTY-LICENSES.txt`, await thirdPartyText(files));
if (MAPS !== undefined) await moveMaps(OUTPUT, MAPS);
