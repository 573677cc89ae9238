// The inputs of a build, and the record of the last build's inputs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The file with the digest of the inputs of the last complete build. */
export const STAMP = 'dist/build-inputs.txt';

/** The files and folders that a build reads. The reference for agents contains pages of test/clients. */
const INPUTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'bin',
  'src',
  'test/clients/README.md',
  'fixtures/editors/vscode',
];

/** Folders that a build writes into. */
const OUTPUTS = new Set(['generated', 'node_modules']);

/** Returns the paths of the files below a path, sorted. */
function filesOf(path) {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries
    .filter((entry) => !OUTPUTS.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : [join(path, entry.name)]))
    .sort();
}

/** Returns the digest of all inputs and of Node's version, because the code cache depends on it. */
export function inputsDigest(root = '.') {
  const hash = createHash('sha256').update(process.version);
  for (const input of INPUTS) {
    const path = join(root, input);
    const files = input.includes('.') ? [path].filter((file) => existsSync(file)) : filesOf(path);
    for (const file of files) hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Returns the digest of the inputs of the last complete build; `null` for none. */
export function stampedDigest() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : null;
}
