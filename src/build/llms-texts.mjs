// Makes the reference for language models (llmstxt.org) from the tables of the source, for the package and for the page's server.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Inside the project, so that it finds the packages of node_modules. */
const MODULE = resolve('node_modules/.cache/node-cli/llms-text.mjs');

/** Returns the texts by the names of their files. */
export async function llmsTexts() {
  await mkdir(resolve(MODULE, '..'), { recursive: true });
  await build({
    entryPoints: ['src/cli/llms-text.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile: MODULE,
    logLevel: 'warning',
  });
  const { llmsText, llmsFullText } = await import(pathToFileURL(MODULE));
  return { 'llms.txt': await llmsText(), 'llms-full.txt': await llmsFullText() };
}
