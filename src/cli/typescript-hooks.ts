import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from 'sucrase';

// The hooks by which Node imports TypeScript where it does not read it by itself. They run in a thread of Node's own.

const TYPESCRIPT = /^file:[^?#]*\.m?ts$/;

/** Gives a module of TypeScript without its types, and any other module as Node does. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!TYPESCRIPT.test(url)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  // Positions stay those of the file, as only what stands within a line changes.
  const { code } = transform(await readFile(path, 'utf8'), {
    transforms: ['typescript'],
    disableESTransforms: true,
    filePath: path,
  });
  return { format: 'module', source: code, shortCircuit: true };
};
