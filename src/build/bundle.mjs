// Bundles the command line and the library into scripts, and their loader, threads and test runners.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundlePage } from './bundle-page.mjs';
import { llmsTexts } from './llms-texts.mjs';
import { bundleScripts, LIBRARIES, QUICKJS } from './scripts.mjs';
import { MAPS, moveMaps, SOURCE_MAP } from './source-maps.mjs';
import { bundledFiles, thirdPartyText } from './third-party.mjs';
import { SETUP_PACKAGE, writeTrustedSetup } from './trusted-setup.mjs';

const OUTPUT = 'dist';
/** The folder of the scripts. */
const SCRIPTS = `${OUTPUT}/cli`;

/**
 * Libraries with ES modules, and the names of each module that the source imports. The bundle excludes the
 * other names; a missing name is undefined.
 */
const IN_PART = {
  bitcoinjs: { 'bitcoinjs-lib': ['Psbt', 'Transaction', 'networks', 'opcodes'] },
  mcp: {
    '@modelcontextprotocol/sdk/server/index.js': ['Server'],
    '@modelcontextprotocol/sdk/server/stdio.js': ['StdioServerTransport'],
    '@modelcontextprotocol/sdk/types.js': [
      ...['CallToolRequestSchema', 'CompleteRequestSchema', 'ErrorCode', 'ListResourcesRequestSchema'],
      ...['ListResourceTemplatesRequestSchema', 'ListToolsRequestSchema', 'McpError'],
      'ReadResourceRequestSchema',
    ],
    zod: ['z'],
  },
};

/** The path of the tracer thread, relative to the scripts. */
const TRACER_THREAD = '"../evm/javascript-tracer/thread.js"';
/** The thread of the signal guard, in the folder of the scripts. */
const SIGNAL_GUARD_THREAD = '"./signal-guard-thread.cjs"';
/** The hooks that load TypeScript, in the folder of the scripts. */
const TYPESCRIPT_HOOKS_FILE = '"./typescript-hooks.js"';
/** The path of the KZG trusted setup. */
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

/** Code that replaces `import.meta.url` in CommonJS modules. */
const COMMONJS_URL = {
  banner: { js: "const __scriptUrl=require('node:url').pathToFileURL(__filename).href;" },
  define: { 'import.meta.url': '__scriptUrl' },
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

/** Libraries whose names are in no message. Short names save a quarter of their size. */
const MINIFIED = ['bitcoinjs', 'ethereumjs', 'mcp', 'proxies'];

/** Returns the code of a library file with whole packages. Each package runs on first use. */
function wholePackages(packages) {
  const getters = packages.map(JSON.stringify).map((path) => `get ${path}() { return require(${path}); }`);
  return `module.exports = { ${getters.join(', ')} };`;
}

/** Returns the code of a library file with only these names of modules. */
function namesOfModules(namesByPath) {
  const lines = Object.entries(namesByPath).map(([path, names], index) => {
    const imported = names.map((name) => `${name} as ${name}${index}`);
    const members = names.map((name) => `${name}: ${name}${index}`);
    return `import { ${imported} } from ${JSON.stringify(path)};
      const module${index} = { ${members} };
      export { module${index} as ${JSON.stringify(path)} };`;
  });
  return lines.join('\n');
}

async function bundleLibraryFile(name, packages) {
  return build({
    ...shared,
    stdin: {
      contents: IN_PART[name] === undefined ? wholePackages(packages) : namesOfModules(IN_PART[name]),
      resolveDir: '.',
    },
    outfile: `${SCRIPTS}/${name}.cjs`,
    minifyIdentifiers: MINIFIED.includes(name),
    format: 'cjs',
    platform: 'node',
    plugins: [englishAlone],
  });
}

/** Bundles the loader of the scripts. Each start compiles it, so it contains no other module. */
function bundleLoader() {
  return build({
    ...shared,
    ...COMMONJS_URL,
    entryPoints: ['src/start/start.ts'],
    outfile: `${OUTPUT}/start.cjs`,
    format: 'cjs',
    platform: 'node',
  });
}

/** Bundles QuickJS, and the source of big-integer, which runs inside QuickJS. */
function bundleQuickJs() {
  return build({
    ...shared,
    ...COMMONJS_URL,
    entryPoints: [QUICKJS],
    outfile: `${SCRIPTS}/quickjs.cjs`,
    format: 'cjs',
    platform: 'node',
    loader: { '.wasm': 'binary', '.min.js': 'text' },
  });
}

/** The thread of JavaScript tracers runs a module of the scripts. */
const TRACER_THREAD_CODE = `import start from '../../start.cjs';
start.runModule('src/evm/javascript-tracer/thread.ts');
`;

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
const builds = [await bundleLoader(), await bundleQuickJs()];
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
await mkdir(`${OUTPUT}/evm/javascript-tracer`, { recursive: true });
await writeFile(`${OUTPUT}/evm/javascript-tracer/thread.js`, TRACER_THREAD_CODE);
await writeTrustedSetup(`${OUTPUT}/kzg`);
const files = [...builds.flatMap(({ metafile }) => bundledFiles(metafile)), SETUP_PACKAGE];
await writeFile(`${OUTPUT}/THIRD-PARTY-LICENSES.txt`, await thirdPartyText(files));
if (MAPS !== undefined) await moveMaps(OUTPUT, MAPS);
