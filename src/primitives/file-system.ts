// Directories and error messages of the operating system.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates the directory and its missing parents with these Unix permissions. Throws the error of the file
 * system. It does not use Node's `recursive` option. That option never returns if the system reports a
 * missing parent for a new directory, as Linux does below `/proc`.
 */
export function makeDirectories(directory: string, mode?: number): void {
  const missing: string[] = [];
  for (let path = resolve(directory); !existsSync(path) && path !== missing[0]; path = dirname(path)) {
    missing.unshift(path);
  }
  for (const path of missing) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      // Another process created it first.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** Thrown if a path is not a regular file, or not a directory. */
export class FileKindError extends Error {
  override readonly name = 'FileKindError';
  readonly path: string;

  /** `kind`: a noun with its article. */
  constructor(path: string, kind: string) {
    super(`it is ${kind}`);
    this.path = path;
  }
}

/** Returns the kind of a file as a noun with its article. */
function kindOf(facts: Stats): string {
  if (facts.isSymbolicLink()) return 'a symbolic link';
  if (facts.isDirectory()) return 'a directory';
  if (facts.isFIFO()) return 'a named pipe';
  if (facts.isSocket()) return 'a socket';
  return facts.isFile() ? 'a file' : 'a device';
}

// Windows has neither flag: its file system has no named pipes.
const NEVER_WAIT = constants.O_NONBLOCK ?? 0;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * Opens a regular file and returns its descriptor. It does not follow a symbolic link in the last part of the
 * path. It does not wait for the other end of a named pipe. Throws a {@link FileKindError} for another kind
 * of file, otherwise the error of the file system.
 */
export function openRegularFile(path: string, flags: number, mode?: number): number {
  if (NO_LINK === 0) rejectOtherKinds(path);
  let file: number;
  try {
    file = openSync(path, flags | NEVER_WAIT | NO_LINK, mode);
  } catch (error) {
    rejectOtherKinds(path);
    throw error;
  }
  const facts = fstatSync(file);
  if (facts.isFile()) return file;
  closeSync(file);
  throw new FileKindError(path, kindOf(facts));
}

function rejectOtherKinds(path: string): void {
  const facts = factsAt(path);
  if (facts !== undefined && !facts.isFile()) throw new FileKindError(path, kindOf(facts));
}

function factsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // The error of opening the file describes the problem.
    return undefined;
  }
}

/** Throws a {@link FileKindError} if the path is not a directory. It rejects symbolic links too. */
export function checkDirectory(path: string): void {
  const facts = lstatSync(path);
  if (!facts.isDirectory()) throw new FileKindError(path, kindOf(facts));
}

/** The UTF-8 byte order mark. Some editors and shells write it at the start of a text. */
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/** Returns the content of a file without a byte order mark. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  const { length } = BYTE_ORDER_MARK;
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? bytes.subarray(length) : bytes;
}

/** The format of Node's system errors: `ENOENT: no such file or directory, open '/file'`. */
const SYSTEM_MESSAGE = /^([A-Z0-9]+): (.+?), [a-z]+(?: '.*')?$/s;

/** Replaces system messages that describe a programming error instead of the problem with the path. */
const PATH_FAULTS = new Map([
  ['EISDIR', 'it is a directory'],
  ['ENOTDIR', 'a parent directory in the path is a file'],
]);

/** Returns the reason of a failed system call; the unchanged message of any other error. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, code = '', words = error.message] =
    ('syscall' in error && SYSTEM_MESSAGE.exec(error.message)) || [];
  return PATH_FAULTS.get(code) ?? words;
}
