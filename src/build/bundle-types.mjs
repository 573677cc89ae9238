// Bundles the types of each library entry into one declaration file: `node src/build/bundle-types.mjs`.
import { copyFile } from 'node:fs/promises';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const OUTPUT = 'dist';

/** The entries with the paths of their declarations. `isRequired` is true if `require` can load them. */
const ENTRIES = [
  { source: 'index', path: 'index', isRequired: true },
  { source: 'viem', path: 'viem', isRequired: true },
  { source: 'library/lanes', path: 'lanes', isRequired: true },
  { source: 'library/runners/hardhat', path: 'runners/hardhat', isRequired: false },
  ...['vitest', 'jest', 'mocha', 'node-test', 'playwright', 'hardhat2'].map((name) => ({
    source: `library/runners/${name}`,
    path: `runners/${name}`,
    isRequired: true,
  })),
];

for (const { source, path, isRequired } of ENTRIES) {
  const bundle = await rollup({ input: `src/${source}.ts`, plugins: [dts()] });
  await bundle.write({ file: `${OUTPUT}/${path}.d.ts`, format: 'es' });
  await bundle.close();
  // TypeScript reads the declarations of CommonJS modules from `.d.cts` files.
  if (isRequired) await copyFile(`${OUTPUT}/${path}.d.ts`, `${OUTPUT}/${path}.d.cts`);
}
