// Generates the reference for language models (llmstxt.org) for the package and the HTTP server.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** In the project folder, so that Node finds the packages of node_modules. */
const MODULE = resolve('node_modules/.cache/node-cli/llms-text.mjs');

/** Returns the texts by file name. */
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
