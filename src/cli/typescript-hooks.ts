import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from 'sucrase';

// Hooks of Node's module loader, for versions that do not load TypeScript. They run in a separate thread.

const TYPESCRIPT = /^file:[^?#]*\.m?ts$/;

/** Loads TypeScript modules without their types. Delegates other modules to Node. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!TYPESCRIPT.test(url)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  // Types are replaced within their lines, so that line and column numbers do not change.
  const { code } = transform(await readFile(path, 'utf8'), {
    transforms: ['typescript'],
    disableESTransforms: true,
    filePath: path,
  });
  return { format: 'module', source: code, shortCircuit: true };
};
