import { createRequire } from 'node:module';

/** Returns the library of the script; `null` in a program that a bundler made, which does not follow this way to it. */
function libraryOfScript() {
  try {
    return createRequire(import.meta.url)('./library.cjs').library;
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return null;
  }
}

/** Starts a chain in this process. Programs of bundlers have the modules of the library within them. */
export const createNode =
  libraryOfScript()?.createNode ??
  (async (options) => {
    const modules = await import('../dist/index.js');
    return modules.createNode(options);
  });
