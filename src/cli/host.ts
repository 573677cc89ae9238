import { spawn } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import { access, constants, type FileHandle, open, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Environment } from '../config/options.ts';
import { GatheredOutput, type TextOutput } from '../log/log-writer.ts';
import { systemClock, systemTimers, type Timers, type WallClock } from '../primitives/clock.ts';
import { withoutByteOrderMark } from '../primitives/file-system.ts';
import { type RandomSource, systemRandom } from '../primitives/random.ts';
import { replaceFile } from '../primitives/replace-file.ts';
import type { ProcessStart } from '../start/process-start.ts';
import type { NewFile } from './new-file.ts';
import { guardSignals } from './signal-guard.ts';
import { type SpawnedCommand, windowsCommand } from './windows-command.ts';

/** Permissions of files with private keys. */
const OWNER_ONLY = 0o600;

/** Milliseconds between two attempts to write to a pipe. */
const PAUSE = 50;

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Repeats an action while it fails with this code. */
async function retried<T>(action: () => Promise<T>, code: string, timers: Timers): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (codeOf(error) !== code) throw error;
      await new Promise<void>((resolve) => void timers.after(PAUSE, resolve));
    }
  }
}

/**
 * Writes to a named pipe as soon as it has a reader. Opening and writing never block, because a blocked
 * thread cannot be ended and would keep the process alive.
 */
async function writePipe(path: string, text: string, timers: Timers): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  const pipe: FileHandle = await retried(() => open(path, flags), 'ENXIO', timers);
  try {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      const { bytesWritten } = await retried(() => pipe.write(rest), 'EAGAIN', timers);
      rest = rest.subarray(bytesWritten);
    }
  } finally {
    await pipe.close();
  }
}

/** Writes a file; a new one is readable for its owner only. Waits for the reader of a named pipe. */
export async function writeOwnFile(path: string, text: string, timers: Timers): Promise<void> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isFIFO()) await writePipe(path, text, timers);
  else await writeFile(path, text, { mode: OWNER_ONLY });
}

/** Milliseconds to wait for pending output at the exit. */
const MAX_FLUSH_TIME = 1_000;

/** Milliseconds until the signal guard starts. Its thread needs CPU time that short runs should not spend. */
const GUARD_DELAY = 1_000;

/** Maximum bytes of output that may wait for a reader. */
const MAX_UNREAD = 16 * 1024 * 1024;

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface RunningProgram {
  /** Resolves to its exit code, after a signal 128 plus its number. Rejects if it cannot be run. */
  readonly ended: Promise<number>;
  /** Forwards a signal to the program, unless the terminal has sent it to both processes. */
  passOn(signal: EndSignal): void;
}

export type ImportModule = (url: string) => Promise<unknown>;

/** The parts of the process that commands use. Tests replace them. */
export interface Host {
  /** The arguments without interpreter and script. */
  readonly commandLine: readonly string[];
  readonly environment: Environment;
  readonly processId: number;
  /** The base of relative paths. */
  readonly workingDirectory: string;
  /** Returns the standard input. Opening it loads modules that most starts do not need. */
  openInput(): Readable & { readonly isTTY?: boolean };
  readonly output: TextOutput & { readonly isTerminal: boolean; readonly columns?: number | undefined };
  readonly errorOutput: TextOutput;
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Writes a file. A new file is readable for its owner only. */
  writeFile(path: string, text: string): Promise<void>;
  readonly fileSystem: FileSystem;
  /** Imports a module that does not belong to node-cli, such as a configuration file. */
  readonly importModule: ImportModule;
  /** The parts of the start that a served node uses. */
  readonly start: Omit<ProcessStart, 'load'>;
  /** Ends the process at a signal if its event loop is blocked. Called after the start. */
  readonly guardSignals: () => void;
  /** Writes to the output. Resolves when the text is written or the reader has closed the pipe. */
  print(text: string): Promise<void>;
  onSignal(listener: (signal: EndSignal) => void): void;
  /** Calls `listener` when the standard input ends. Input before its end is dropped. */
  onInputEnd(listener: () => void): void;
  /** Runs another program, which inherits the standard streams. */
  runProgram(program: string, parameters: readonly string[], environment: Environment): RunningProgram;
  /** Exits after the pending output is written. */
  exit(code: number): void;
}

/** The parts of a host that a served node uses. */
export type ServingHost = Omit<Host, 'openInput' | 'print' | 'onSignal' | 'onInputEnd' | 'runProgram'>;

/** Errors of writing to a program that has ended or to a closed terminal. */
const NO_READER = ['EPIPE', 'EIO'];

/** Ignores a closed reader (`node-cli | head`), so that the chain is still saved. Throws other errors. */
function ignoreNoReader(error: NodeJS.ErrnoException): void {
  if (error.code === undefined || !NO_READER.includes(error.code)) throw error;
}

/** Drops output while more than {@link MAX_UNREAD} bytes wait, to limit the memory. */
function writeWhileRead(text: string): void {
  if (process.stdout.writableLength < MAX_UNREAD) process.stdout.write(text);
}

/**
 * Ends the process with the received SIGHUP. At a normal exit, Node resets the terminal, and aborts if the
 * terminal no longer exists (nodejs/node, `ResetStdio`).
 */
function endByHangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** On Windows, the commands of npm are batch files, which `spawn` cannot start. It rejects a command that is not found. */
function commandFor(
  program: string,
  parameters: readonly string[],
  environment: Environment,
): SpawnedCommand {
  const plain = { program, parameters, isVerbatim: false };
  if (process.platform !== 'win32') return plain;
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return (
    windowsCommand(program, parameters, { environment, workingDirectory: process.cwd(), isFile }) ?? plain
  );
}

/** Starts a program in the process group of this process. */
function runProgram(
  program: string,
  parameters: readonly string[],
  environment: Environment,
): RunningProgram {
  const command = commandFor(program, parameters, environment);
  const child = spawn(command.program, command.parameters, {
    stdio: 'inherit',
    env: environment,
    windowsVerbatimArguments: command.isVerbatim,
  });
  const isFromTerminal = isatty(0);
  return {
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : osConstants.signals[signal])),
      );
    }),
    passOn(signal) {
      if (signal === 'SIGTERM' || !isFromTerminal) child.kill(signal);
    },
  };
}

/** Returns the host of the real process. A script of `node:vm` cannot import: `importModule` does. */
export function systemHost(start: Host['start'], importModule: ImportModule): Host {
  process.stdout.on('error', ignoreNoReader);
  process.stderr.on('error', ignoreNoReader);
  const isOnTerminal = [0, 1, 2].some((stream) => isatty(stream));
  let isTerminalGone = false;
  const output = new GatheredOutput(writeWhileRead, (action) => void setImmediate(action));
  process.on('exit', () => output.flush());
  return {
    commandLine: process.argv.slice(2),
    environment: process.env,
    processId: process.pid,
    workingDirectory: process.cwd(),
    openInput: () => process.stdin,
    output: {
      write: (text) => output.write(text),
      isTerminal: process.stdout.isTTY === true,
      get columns() {
        return process.stdout.columns;
      },
    },
    errorOutput: {
      write(text) {
        output.flush();
        process.stderr.write(text);
      },
    },
    ...SYSTEM,
    importModule,
    start,
    guardSignals: () => void setTimeout(guardSignals, GUARD_DELAY).unref(),
    print(text) {
      output.flush();
      return new Promise((resolve) => process.stdout.write(text, () => resolve()));
    },
    onSignal(listener) {
      process.on('SIGINT', listener);
      process.on('SIGTERM', listener);
      process.on('SIGHUP', () => {
        isTerminalGone = isOnTerminal;
        listener('SIGHUP');
      });
    },
    onInputEnd(listener) {
      // On some systems, a pipe ends with an error if its writer was killed.
      process.stdin.on('error', () => undefined);
      process.stdin.on('close', listener);
      process.stdin.resume();
    },
    runProgram,
    exit(code) {
      output.flush();
      if (isTerminalGone) return endByHangUp();
      process.stdout.write('', () => process.exit(code));
      // A reader that no longer reads would keep the process alive.
      setTimeout(() => process.exit(code), MAX_FLUSH_TIME);
    },
  };
}

/** If both are false, the file is a device, a pipe or a socket. */
export interface FileFacts {
  readonly isDirectory: boolean;
  readonly isFile: boolean;
  /** The permission bits of Unix. */
  readonly mode: number;
  /** In bytes. */
  readonly size: number;
  /**
   * Another text after a program has written or replaced the file. A write of the same size within the resolution
   * of the file system's clock can go unseen.
   */
  readonly version: string;
}

export type FileContent = Uint8Array | ((file: NewFile) => Promise<void>);

/** The file operations for saving and loading. All reject with the error of the system. */
export interface FileSystem {
  /** Resolves to the content without a byte order mark; `null` if there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Resolves to `null` if the file does not exist. */
  stat(path: string): Promise<FileFacts | null>;
  /** Resolves to the path without symbolic links. Rejects if it does not exist. */
  realPath(path: string): Promise<string>;
  /** Rejects unless files can be created in the directory. */
  checkWritable(directory: string): Promise<void>;
  /** Replaces the content of a file and sets its mode. Waits until the content is on disk. */
  writeSynced(path: string, content: FileContent, mode: number): Promise<void>;
  /** Replaces a file atomically. */
  rename(from: string, to: string): Promise<void>;
  /** Waits until the directory entries are on disk. */
  syncDirectory(directory: string): Promise<void>;
  /** Removes a file if it exists. */
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

/** Maximum bytes to read from a pipe or a device, which may be endless. */
const MAX_STREAM_SIZE = 2 ** 29;

/** Returns the content of a file or a pipe (`--init <(…)`). Rejects if a pipe exceeds `largest` bytes. */
export async function readAll(path: string, largest = MAX_STREAM_SIZE): Promise<Uint8Array> {
  const file = await open(path);
  try {
    if (!isStream(await file.stat())) return await file.readFile();
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > largest)
        throw new Error(`it is a pipe or device and has more than ${largest} bytes; use a regular file`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

function isStream(facts: Stats): boolean {
  return !facts.isFile() && !facts.isDirectory();
}

const PERMISSIONS = 0o777;

/** Creates and removes a file. Rejects with the error of the system. */
export async function checkCreation(directory: string): Promise<void> {
  const path = join(directory, `.node-cli-${process.pid}.tmp`);
  const file = await open(path, 'wx');
  await file.close();
  await rm(path);
}

export const systemFileSystem: FileSystem = {
  read: (path) => nullIfNotFound(readAll(path).then(withoutByteOrderMark)),
  async stat(path) {
    // Each start looks for configuration files. The synchronous call is faster than a thread, and avoids
    // loading the promise functions.
    let found: Stats | undefined;
    try {
      found = statSync(path, { throwIfNoEntry: false });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (found === undefined) return null;
    return {
      isDirectory: found.isDirectory(),
      isFile: found.isFile(),
      mode: found.mode & PERMISSIONS,
      size: found.size,
      version: [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(),
    };
  },
  realPath: (path) => realpath(path),
  async checkWritable(directory) {
    await access(directory, constants.W_OK | constants.X_OK);
    // On Windows, `access` ignores the access rights of users.
    if (process.platform === 'win32') await checkCreation(directory);
  },
  async writeSynced(path, content, mode) {
    const file = await open(path, 'w', mode);
    try {
      if (typeof content === 'function') {
        const { newFile } = await import('./new-file.ts');
        await content(newFile(file));
      } else await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename: (from, to) => replaceFile(from, to),
  async syncDirectory(directory) {
    // Windows cannot open directories. It keeps their entries consistent itself.
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

/** The parts of each host in a process of the system. */
export const SYSTEM = {
  clock: systemClock,
  timers: systemTimers,
  random: systemRandom,
  writeFile: (path, text) => writeOwnFile(path, text, systemTimers),
  fileSystem: systemFileSystem,
} as const satisfies Partial<Host>;
