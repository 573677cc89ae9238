// Deletes the declarations in a folder that none of the entries needs: the compiler writes one for every module.
// Usage: node src/build/prune-declarations.mjs <folder> <entry>...
import { readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const [folder, ...entries] = process.argv.slice(2);
const IMPORT = /(?:\bfrom|\bimport\(?)\s*['"](\.[^'"]+)['"]/g;

const needed = new Set();
const waiting = entries.map((entry) => resolve(folder, entry));
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (needed.has(file)) continue;
  needed.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    waiting.push(resolve(dirname(file), path.replace(/\.ts$/, '.d.ts')));
  }
}

// The contents of a folder come before the folder, which may be empty then.
const paths = readdirSync(folder, { recursive: true }).map((path) => resolve(folder, path));
for (const path of paths.sort().reverse()) {
  if (statSync(path).isDirectory()) {
    if (readdirSync(path).length === 0) rmdirSync(path);
  } else if (!needed.has(path)) {
    rmSync(path);
  }
}
