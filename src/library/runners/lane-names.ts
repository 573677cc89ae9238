/** Makes keys of lanes from the names of test files and tests. */

import { createHash } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';

/** Characters of a key, which has at most 128, for what is added to it. */
const LONGEST = 100;
const HASH_CHARACTERS = 6;

/** Returns a name as a key of a lane, by which a person knows it: other names have other keys. */
export function laneKeyOf(name: string): string {
  const exact = name.replaceAll('/', '~');
  const readable = exact
    .replace(/[^A-Za-z0-9._~-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, LONGEST);
  if (readable === exact && readable !== '') return readable;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** Returns the name of a test file: its path from the folder of the project, with slashes. */
export function fileNameOf(path: string, root: string): string {
  const shortened = relative(root, path);
  const name = shortened.startsWith('..') || isAbsolute(shortened) ? path : shortened;
  return name.split(sep).join('/');
}
