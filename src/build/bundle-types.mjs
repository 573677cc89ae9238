// Bundles the types of each entry of the library into one file of declarations: `node src/build/bundle-types.mjs`.
import { copyFile } from 'node:fs/promises';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const OUTPUT = 'dist';
const ENTRIES = ['index', 'viem'];

for (const entry of ENTRIES) {
  const bundle = await rollup({ input: `src/${entry}.ts`, plugins: [dts()] });
  await bundle.write({ file: `${OUTPUT}/${entry}.d.ts`, format: 'es' });
  await bundle.close();
  // TypeScript takes the declarations of a CommonJS module from a file with an ending of their own.
  await copyFile(`${OUTPUT}/${entry}.d.ts`, `${OUTPUT}/${entry}.d.cts`);
}
