import { InvalidDumpError } from '../../chain/errors.ts';
import { UsageError } from '../../config/errors.ts';
import type { FileSystem } from '../../config/file-system.ts';
import { printable } from '../../config/printable.ts';
import { openDump } from '../../persistence/dump/dump-file.ts';
import { type DumpContent, readContent } from '../../persistence/dump/read-content.ts';
import { systemWords } from '../../primitives/system-words.ts';
import { statePath } from '../state/state-path.ts';

/** A file and what is in it. */
export interface NamedContent {
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly content: DumpContent;
}

/** Reads the file that an operand names, in a directory its state file. Rejects with a {@link UsageError} when that is not possible. */
export async function readNamedContent(files: FileSystem, operand: string): Promise<NamedContent> {
  let path = operand;
  try {
    path = await statePath(files, operand);
    const bytes = await files.read(path);
    if (bytes === null) throw new UsageError(`there is no file ${printable(path)}`);
    return { path, size: bytes.length, content: await readContent(await openDump(bytes)) };
  } catch (error) {
    if (error instanceof InvalidDumpError) throw new UsageError(`${printable(path)}: ${error.fault}`);
    if (error instanceof Error && 'syscall' in error)
      throw new UsageError(`cannot read ${printable(path)}: ${systemWords(error)}`);
    throw error;
  }
}
