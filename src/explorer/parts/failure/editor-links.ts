/** Links that open source files in an editor. The node returns paths only to clients on its machine. */

import { client } from '../../chain.ts';
import { editorUrl } from '../../editor-url.ts';
import { RpcError } from '../../rpc/client.ts';
import { useReadState } from '../use-read.ts';

interface SourcePaths {
  readonly link: string | null;
  readonly paths: readonly (string | null)[];
}

interface Position {
  readonly source: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/** Returns the link of a position; `null` if the file or the editor is unknown. */
export type EditorLink = (position: Position) => string | null;

const MAX_SOURCES = 100;

async function readPaths(sources: readonly string[]): Promise<SourcePaths> {
  try {
    return await client.read<SourcePaths>('inspect_sourcePaths', [sources.slice(0, MAX_SOURCES)]);
  } catch (error) {
    // Without the paths, the source is still complete.
    if (error instanceof RpcError) return { link: null, paths: [] };
    throw error;
  }
}

/** Returns the links of positions in these sources. The sources are requested once. */
export function useEditorLinks(sources: readonly (string | null)[]): EditorLink {
  const names = [...new Set(sources)].filter((name) => name !== null);
  const { value } = useReadState(
    async () => (names.length === 0 ? null : { names, ...(await readPaths(names)) }),
    ['paths', ...names],
  );
  return ({ source, line, column }) => {
    if (value == null || value.link === null || source === null) return null;
    const path = value.paths[value.names.indexOf(source)] ?? null;
    return path === null ? null : editorUrl(value.link, path, line ?? 1, column ?? 1);
  };
}
