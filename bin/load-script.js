import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
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

async function keep(script, rehearse, cacheFile) {
  const unfinished = `${cacheFile}.${process.pid}`;
  try {
    await rehearse();
    await mkdir(dirname(cacheFile), { recursive: true });
    await writeFile(unfinished, script.createCachedData());
    await rename(unfinished, cacheFile);
  } catch {
    // Where nothing can be written, each start compiles: slower by some 25 ms, and right.
  }
}

/**
 * Runs a script that is the expression of an async function (see src/bundle.mjs) and gives what it exports. What V8
 * compiled of it, once it has rehearsed what is asked first, is kept beside it for the next start; V8 refuses a cache of another version or another script.
 */
export async function loadScript(scriptUrl) {
  const filename = fileURLToPath(scriptUrl);
  const cacheFile = cacheFileOf(scriptUrl);
  const cachedData = readIfThere(cacheFile);
  // The bundler escapes what is not ASCII.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
  const exports = await script.runInThisContext()(createRequire(scriptUrl), scriptUrl.href);
  if (cachedData === undefined || script.cachedDataRejected) {
    setTimeout(() => void keep(script, exports.rehearse, cacheFile), CACHE_DELAY).unref();
  }
  return exports;
}
