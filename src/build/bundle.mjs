// Bundles the command line and the library into scripts, and the library into modules for bundlers: `node src/build/bundle.mjs`.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundlePage } from './bundle-page.mjs';
import { llmsTexts } from './llms-texts.mjs';
import { bundleScripts, LIBRARIES, namesImportedFrom } from './scripts.mjs';
import { bundledFiles, thirdPartyText } from './third-party.mjs';
import { SETUP_PACKAGE, writeTrustedSetup } from './trusted-setup.mjs';

const OUTPUT = 'dist';
/** The folder of the scripts. */
const SCRIPTS = `${OUTPUT}/cli`;

/** Libraries of which only the names that the source imports are bundled: modules, of which esbuild leaves out what is not used. */
const IN_PART = ['mcp'];

/** Where the thread of tracers is from the command line and from the chunks of the library. */
const TRACER_THREAD = '"../evm/javascript-tracer/thread.js"';
/** The hooks that read TypeScript, beside the scripts. */
const TYPESCRIPT_HOOKS_FILE = '"./typescript-hooks.js"';
/** The place of the setup of KZG, from the same two. */
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

/** Returns the code of a library file that has whole packages. Each of them runs when it is first asked for. */
function wholePackages(packages) {
  const getters = packages.map(JSON.stringify).map((path) => `get ${path}() { return require(${path}); }`);
  return `module.exports = { ${getters.join(', ')} };`;
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
    outfile: `${SCRIPTS}/${name}.cjs`,
    format: 'cjs',
    platform: 'node',
    plugins: [englishAlone],
  });
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

/** The subpaths that web pages can have too: the chain definition for viem, and lanes that talk to each other. */
const SMALL_ENTRIES = { viem: 'src/viem.ts', lanes: 'src/library/lanes.ts' };

/** A subpath in one file, for one kind of modules. */
function bundleSmall(name, format, ending) {
  return build({
    ...shared,
    entryPoints: [SMALL_ENTRIES[name]],
    outfile: `${OUTPUT}/${name}${ending}`,
    format,
    minifyWhitespace: false,
  });
}

/** The subpaths for test runners, and the files that those name in the configuration of their runner. */
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

/** The hooks that read files of options in TypeScript, which Node loads into a thread of its own. */
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

await rm(OUTPUT, { recursive: true, force: true });
const builds = [await bundleLibrary()];
for (const name of Object.keys(SMALL_ENTRIES))
  builds.push(await bundleSmall(name, 'esm', '.js'), await bundleSmall(name, 'cjs', '.cjs'));
builds.push(await bundleRunners('esm'), await bundleRunners('cjs'), await bundleTypescriptHooks());
for (const [name, packages] of Object.entries(LIBRARIES))
  builds.push(await bundleLibraryFile(name, packages));
await mkdir(SCRIPTS, { recursive: true });
const texts = await llmsTexts();
for (const [name, text] of Object.entries(texts)) await writeFile(`${OUTPUT}/${name}`, text);
const scriptOptions = {
  ...shared,
  plugins: [versionAlone],
  define: { PAGE_DIRECTORY: '"../page/"', TRACER_THREAD, TRUSTED_SETUP, TYPESCRIPT_HOOKS_FILE },
};
builds.push(...(await bundleScripts(SCRIPTS, scriptOptions)), await bundlePage(`${OUTPUT}/page`, texts));
await writeTrustedSetup(`${OUTPUT}/kzg`);
const files = [...builds.flatMap(({ metafile }) => bundledFiles(metafile)), SETUP_PACKAGE];
await writeFile(`${OUTPUT}/THIRD-PARTY-LICENSES.txt`, await thirdPartyText(files));
