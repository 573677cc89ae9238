import { access, constants, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';

/** What is known of something with a path. What is neither a directory nor a regular file is a device, a pipe or a socket. */
export interface FileFacts {
  readonly isDirectory: boolean;
  readonly isFile: boolean;
  /** The permissions of Unix. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
}

/** What saving and loading a chain need of files. Each function rejects with the error of the system. */
export interface FileSystem {
  /** The content; `null` when there is no such file, nor can be as a file is in its path. */
  read(path: string): Promise<Uint8Array | null>;
  /** What stands at the path; `null` for nothing. */
  stat(path: string): Promise<FileFacts | null>;
  /** The path without symbolic links; it must be there. */
  realPath(path: string): Promise<string>;
  /** Rejects unless files can be made in the directory. */
  checkWritable(directory: string): Promise<void>;
  /** Writes a file anew with that mode, and has the disk say that it has it. */
  writeSynced(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  /** Puts a file in the place of another one, which is gone at the same moment. */
  rename(from: string, to: string): Promise<void>;
  /** Has the disk say that it has the names in the directory. */
  syncDirectory(directory: string): Promise<void>;
  /** Removes a file if it is there. */
  remove(path: string): Promise<void>;
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

async function nullIfNotFound<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

const PERMISSIONS = 0o777;

/** The files of the machine. */
export const systemFileSystem: FileSystem = {
  read: (path) => nullIfNotFound(readFile(path)),
  async stat(path) {
    const found = await nullIfNotFound(stat(path));
    if (found === null) return null;
    return {
      isDirectory: found.isDirectory(),
      isFile: found.isFile(),
      mode: found.mode & PERMISSIONS,
      size: found.size,
    };
  },
  realPath: (path) => realpath(path),
  checkWritable: (directory) => access(directory, constants.W_OK | constants.X_OK),
  async writeSynced(path, bytes, mode) {
    const file = await open(path, 'w', mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename: (from, to) => rename(from, to),
  async syncDirectory(directory) {
    // Windows opens no directories, and keeps names in order by itself.
    if (process.platform === 'win32') return;
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  remove: (path) => rm(path, { force: true }),
};
