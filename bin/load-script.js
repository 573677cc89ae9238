import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

// Late enough that all that a start needs is compiled and that the first requests are answered.
const CACHE_DELAY = 1000;

/** Where the compiled code of the script is kept: beside it, since it is of no use without it. */
function cacheFileOf(scriptUrl) {
  const { versions, arch } = process;
  return fileURLToPath(new URL(`../cache/main-${versions.v8}-${arch}.bin`, scriptUrl));
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Does what writes; false when it cannot be done, and nothing is left of it under that name then. */
async function writes(unfinished, write) {
  try {
    await write();
    return true;
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
    return false;
  }
}

/**
 * Keeps what V8 compiled of a script in that file, once it has rehearsed; does neither where nothing can be written, so
 * that each start compiles: slower by some 25 ms, and right. Rejects, when all is done, with what `rehearse` rejects with.
 */
export async function keep(script, rehearse, cacheFile) {
  const unfinished = `${cacheFile}.${process.pid}`;
  const canWrite = await writes(unfinished, async () => {
    await mkdir(dirname(cacheFile), { recursive: true });
    await writeFile(unfinished, '');
    await rm(unfinished);
  });
  if (!canWrite) return;
  try {
    await rehearse();
  } finally {
    // What was compiled before it failed is of use too, and the next start need not fail again.
    await writes(unfinished, async () => {
      await writeFile(unfinished, script.createCachedData());
      await rename(unfinished, cacheFile);
    });
  }
}

/**
 * Runs a script that is the expression of an async function (see src/build/bundle.mjs) and gives what it exports. What V8
 * compiled of it, once it has rehearsed what is asked first, is kept beside it for the next start; V8 refuses a cache of
 * another version or another script. `later` runs an action after so many milliseconds, as `setTimeout` does.
 */
export async function loadScript(scriptUrl, later = setTimeout) {
  const filename = fileURLToPath(scriptUrl);
  const cacheFile = cacheFileOf(scriptUrl);
  const cachedData = readIfThere(cacheFile);
  // The bundler escapes what is not ASCII.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
  const exports = await script.runInThisContext()(createRequire(scriptUrl), scriptUrl.href);
  if (cachedData === undefined || script.cachedDataRejected) {
    // Who runs the script need not hear what it cannot do: it may never be asked to.
    const keepQuietly = () => keep(script, exports.rehearse, cacheFile).catch(() => undefined);
    later(keepQuietly, CACHE_DELAY).unref();
  }
  return exports;
}
