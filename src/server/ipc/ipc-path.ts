// The path of the IPC socket, and the file system entry at this path.

import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname, join, sep } from 'node:path';
import { systemMessage } from '../../primitives/file-system.ts';
import { IpcPathError } from '../errors.ts';

/** The value of the option for the default path. */
const DEFAULT = 'default';
const NAME = 'node-cli';
const PIPE_PREFIX = '\\\\.\\pipe\\';

/** Maximum bytes of a path: `sun_path` has 108 bytes on Linux and 104 on macOS, with a final zero. */
const MAX_LENGTH = { linux: 107, others: 103 } as const;

/** Only the owner may connect. */
const OWNER_ONLY = 0o600;

/** A private folder next to the socket, `.` and six characters, and the name of the socket in the folder. */
const FOLDER_PREFIX = '.';
const SOCKET_NAME = 's';
const PRIVATE_LENGTH = '/.123456/s'.length;

/** The parts of the machine that determine a path. */
export interface IpcPlace {
  readonly platform: NodeJS.Platform;
  readonly temporaryFolder: string;
}

/** Returns the path of the socket, or the name of the pipe on Windows. Throws an {@link IpcPathError}. */
export function ipcPathOf(given: string, { platform, temporaryFolder }: IpcPlace): string {
  if (platform === 'win32') {
    if (given === DEFAULT) return `${PIPE_PREFIX}${NAME}`;
    if (/^[\\/]{2}[.?][\\/]pipe[\\/]./i.test(given)) return given;
    throw new IpcPathError(given, `on Windows, expected the name of a pipe, such as ${PIPE_PREFIX}${NAME}`);
  }
  const path = given === DEFAULT ? join(temporaryFolder, `${NAME}.ipc`) : given;
  const most = platform === 'linux' ? MAX_LENGTH.linux : MAX_LENGTH.others;
  // The system limits the path in the private folder too.
  const length = Math.max(Buffer.byteLength(path), Buffer.byteLength(dirname(path)) + PRIVATE_LENGTH);
  if (length > most)
    throw new IpcPathError(
      path,
      `the path has ${length} bytes, but the system allows ${most}; pass a shorter path`,
    );
  return path;
}

/** An entry of the file system. */
interface Entry {
  readonly device: number;
  readonly inode: number;
  readonly isSocket: boolean;
}

function entryAt(path: string): Entry | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : { device: stats.dev, inode: stats.ino, isSocket: stats.isSocket() };
}

function isSame(left: Entry | null, right: Entry | null): boolean {
  return left?.device === right?.device && left?.inode === right?.inode;
}

/** Resolves to the error code of a connection attempt; `null` if a program listens. */
function probe(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(null);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Rejects with an {@link IpcPathError} if a program listens on the path. */
async function requireNoListener(path: string): Promise<void> {
  const code = await probe(path);
  if (code === null) throw inUse(path);
  if (code !== 'ECONNREFUSED' && code !== 'ENOENT')
    throw new IpcPathError(path, `another program owns the path (${code}); pass another path`);
}

/** Rejects with an {@link IpcPathError} unless the path is free or has a socket without a listener. */
async function requireReplaceable(path: string, found: Entry | null): Promise<void> {
  if (found === null) return;
  if (!found.isSocket)
    throw new IpcPathError(path, 'the path exists and is not a socket; remove it or pass another path');
  await requireNoListener(path);
}

function inUse(path: string): IpcPathError {
  return new IpcPathError(path, 'another program listens on this path; stop it or pass another path');
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Returns the reason of a failed system call for the path of a socket. */
function faultOf(error: unknown, path: string): string {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
    ? `directory ${dirname(path)} does not exist; create it or pass another path`
    : systemMessage(error);
}

/** Listens on a path. Rejects with the system error. */
function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Listens in a new folder that only its owner can enter, and resolves to the path of the socket. The socket has mode
 * 0600 before it leaves the folder. The umask would have the same effect, but worker threads cannot set it.
 */
async function listenPrivately(server: Server, folder: string): Promise<string> {
  const path = join(folder, SOCKET_NAME);
  await listenAt(server, path);
  chmodSync(path, OWNER_ONLY);
  return path;
}

/**
 * Listens on the path with mode 0600, and replaces a socket without a listener. Resolves to a function that
 * removes the socket, unless another program has replaced it. Rejects with an {@link IpcPathError}.
 */
export async function bindIpcPath(
  server: Server,
  path: string,
  platform: NodeJS.Platform,
): Promise<() => void> {
  if (platform === 'win32') {
    // The instances of a pipe can belong to several programs, so listening alone can succeed on a pipe in use.
    await requireNoListener(path);
    await listenAt(server, path).catch((error: unknown) => {
      throw isInUse(error) ? inUse(path) : new IpcPathError(path, systemMessage(error));
    });
    // Windows removes a pipe with its last handle.
    return () => undefined;
  }
  let folder: string | undefined;
  try {
    const found = entryAt(path);
    await requireReplaceable(path, found);
    // `join` would remove the prefix, because a dot is the folder itself.
    folder = mkdtempSync(`${dirname(path)}${sep}${FOLDER_PREFIX}`);
    const privatePath = await listenPrivately(server, folder);
    if (!isSame(entryAt(path), found)) throw inUse(path);
    const own = entryAt(privatePath);
    renameSync(privatePath, path);
    return () => {
      if (isSame(entryAt(path), own)) rmSync(path, { force: true });
    };
  } catch (error) {
    server.close();
    throw error instanceof IpcPathError ? error : new IpcPathError(path, faultOf(error, path));
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
