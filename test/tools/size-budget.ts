import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes by name of a part of the package. */
export type Sizes = Readonly<Record<string, number>>;

/** Returns the bytes of all files below a directory whose names end with one of `endings`. */
async function bytesIn(directory: string, endings: readonly string[]): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)),
  );
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the sizes of the download and of the files that a start reads, in bytes. */
export async function sizesOf(tarball: string, folder: string): Promise<Sizes> {
  const bytesOf = async (path: string): Promise<number> => (await stat(path)).size;
  return {
    'the packed package': await bytesOf(tarball),
    'dist/cli/main.js': await bytesOf(join(folder, 'dist/cli/main.js')),
    'dist/cli/later.js': await bytesOf(join(folder, 'dist/cli/later.js')),
    'the unpacked package': await bytesIn(folder, ['']),
    'the page, compressed': await bytesIn(join(folder, 'dist/page'), ['.gz']),
  };
}

/** Returns a line for each part that exceeds its budget or is missing on one side. */
export function overBudget(sizes: Sizes, budget: Sizes): string[] {
  const names = [...new Set([...Object.keys(sizes), ...Object.keys(budget)])];
  return names.flatMap((name) => {
    const [size, most] = [sizes[name], budget[name]];
    if (size === undefined) return [`${name}: it has a budget, and is not measured`];
    if (most === undefined) return [`${name}: it is measured, and has no budget`];
    return size > most ? [`${name}: ${size} bytes, ${size - most} more than its budget of ${most}`] : [];
  });
}
