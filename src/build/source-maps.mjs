// Source maps of the bundle. They are not part of the package; a release has them as a separate file.
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folder for the source maps (`npm run build -- --source-maps <folder>`); undefined for none. */
export const MAPS = process.env.NODE_CLI_SOURCE_MAPS;

/** The source-map option of esbuild. With maps, only the hashes in the names of chunks differ. */
export const SOURCE_MAP = MAPS === undefined ? false : 'external';

/** Moves all source maps of a folder into another folder with the same subfolders. */
export async function moveMaps(from, to) {
  const paths = (await readdir(from, { recursive: true })).filter((path) => path.endsWith('.map'));
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await rename(join(from, path), join(to, path));
  }
}
