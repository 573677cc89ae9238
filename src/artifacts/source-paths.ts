/** Finds source files of a project by the compiler's names, for links to an editor. */

import { realpath } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { ProjectRoots } from './project.ts';
import { isSourceFile } from './source-files.ts';

/** Hardhat 3 adds this folder to the names of the project's files, and `npm/<package>@<version>` to others. */
const HARDHAT_3_PROJECT = /^project\//;
const HARDHAT_3_PACKAGE = /^npm\/((?:@[^/@]+\/)?[^/@]+)@[^/]+\//;
/** Truffle: `project:/contracts/Token.sol`. */
const SCHEME = /^project:\/+/;

/** Returns the possible paths of a source below the root of a project, best first. */
export function candidatePaths(name: string): string[] {
  const own = name.replace(SCHEME, '').replace(HARDHAT_3_PROJECT, '');
  const [prefix = '', dependency] = HARDHAT_3_PACKAGE.exec(name) ?? [];
  const inPackage = dependency === undefined ? own : `${dependency}/${name.slice(prefix.length)}`;
  return [own, join('node_modules', inPackage), join('lib', own)];
}

/**
 * Returns the folders to search: the project around each artifact file, or the folder of the file without a
 * project, and the project around `directory`.
 */
export function sourceRoots(
  files: Iterable<string | null>,
  directory: string,
  projects = new ProjectRoots(),
): string[] {
  const folders = new Set<string>();
  for (const file of files) if (file !== null) folders.add(dirname(file));
  const roots = new Set<string>();
  for (const folder of folders) roots.add(projects.around(folder) ?? folder);
  roots.add(projects.around(directory) ?? resolve(directory));
  return [...roots];
}

/** Resolves to the absolute path of a source; `null` if no root contains it. */
export async function sourcePath(name: string, roots: readonly string[]): Promise<string | null> {
  const paths = isAbsolute(name)
    ? [name]
    : roots.flatMap((root) => candidatePaths(name).map((path) => join(root, path)));
  for (const path of paths) {
    if (!isSourceFile(path)) continue;
    const found = await realpath(path).catch(() => null);
    // A link must not lead to a file of another kind.
    if (found !== null && extname(found) === extname(path)) return path;
  }
  return null;
}
