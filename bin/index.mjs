import { createRequire } from 'node:module';

/** Returns the script's library; `null` in a bundled program, because bundlers do not follow this path. */
function libraryOfScript() {
  try {
    return createRequire(import.meta.url)('./library.cjs').library;
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return null;
  }
}

/** Starts a chain in this process. Bundled programs contain the modules of the library. */
export const createNode =
  libraryOfScript()?.createNode ??
  (async (options) => {
    const modules = await import('../dist/index.js');
    return modules.createNode(options);
  });
