import { spawn } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  open,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Environment } from '../config/options.ts';
import { GatheredOutput, type TextOutput } from '../log/log-writer.ts';
import { systemClock, systemTimers, type Timers, type WallClock } from '../primitives/clock.ts';
import { withoutByteOrderMark } from '../primitives/file-system.ts';
import { type RandomSource, systemRandom } from '../primitives/random.ts';

/** Permissions of Unix for files with keys in them. */
const OWNER_ONLY = 0o600;

/** The interval in milliseconds at which a pipe that accepts no data is tried again. */
const PAUSE = 50;

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Repeats an action while it fails with that code. */
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
 * Writes to a named pipe once it has a reader, as fast as that reads. Opening and writing never block: a thread that
 * waits for a reader could not be ended, and would keep the process from ending.
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

/** Writes a file; one that was not there is made for its owner alone. Waits for the reader of a named pipe. */
export async function writeOwnFile(path: string, text: string, timers: Timers): Promise<void> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isFIFO()) await writePipe(path, text, timers);
  else await writeFile(path, text, { mode: OWNER_ONLY });
}

/** Milliseconds that output may take to get out at the end. */
const LONGEST_FLUSH = 1_000;

/** Bytes of output that may wait for a reader. */
const MOST_UNREAD = 16 * 1024 * 1024;

/** The signals that end the node. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** A program that was started. */
export interface RunningProgram {
  /** Resolves to its exit code; 128 and the number of the signal that ended it, as in a shell. Rejects when it cannot be run. */
  readonly ended: Promise<number>;
  /** Sends it a signal that this process got, unless the terminal has sent it to both. */
  passOn(signal: EndSignal): void;
}

export type ImportModule = (url: string) => Promise<unknown>;

/** Everything of the process that the command uses, so that tests can stand in for it. */
export interface Host {
  /** The arguments without interpreter and script. */
  readonly commandLine: readonly string[];
  readonly environment: Environment;
  /** The number of the process. */
  readonly processId: number;
  /** The path that relative paths begin at. */
  readonly workingDirectory: string;
  /** Returns the standard input. A start that does not read it is spared the modules of Node that it takes. */
  openInput(): Readable & { readonly isTTY?: boolean };
  readonly output: TextOutput & { readonly isTerminal: boolean; readonly columns?: number | undefined };
  readonly errorOutput: TextOutput;
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Writes a file; one that was not there is made for its owner alone. */
  writeFile(path: string, text: string): Promise<void>;
  readonly fileSystem: FileSystem;
  /** Imports a module that is no part of the program. */
  readonly importModule: ImportModule;
  /** Limits the heap of the process, and lets its threads that compile and collect wait for the one that answers; a start has no time for it. */
  readonly tuneProcess: () => void;
  /** Writes to the output; settles when its reader has it, or has gone away. */
  print(text: string): Promise<void>;
  onSignal(listener: (signal: EndSignal) => void): void;
  /** Calls `listener` when the standard input ends. Input before that is dropped. */
  onInputEnd(listener: () => void): void;
  /** Runs another program, which reads and writes where this one does. */
  runProgram(program: string, parameters: readonly string[], environment: Environment): RunningProgram;
  /** Ends the process once what was written is out. */
  exit(code: number): void;
}

/** The errors of writing to a program that has ended, or to a terminal that was closed. */
const NO_READER = ['EPIPE', 'EIO'];

/** Ignores that the reader has ended (`node-cli | head`), which must not end the chain without saving it. Throws other errors. */
function ignoreNoReader(error: NodeJS.ErrnoException): void {
  if (error.code === undefined || !NO_READER.includes(error.code)) throw error;
}

/** Drops lines once many wait for a reader, so that they do not fill the memory. */
function writeWhileRead(text: string): void {
  if (process.stdout.writableLength < MOST_UNREAD) process.stdout.write(text);
}

/**
 * Ends the process by the hang-up signal that it has received. Node puts the terminal back to how it was when it exits by itself,
 * and aborts where there is no terminal any more (nodejs/node, `ResetStdio`).
 */
function endByHangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** Starts a program in the group of this process. */
function runProgram(
  program: string,
  parameters: readonly string[],
  environment: Environment,
): RunningProgram {
  // The commands of npm are scripts of the shell on Windows.
  const options = { stdio: 'inherit', env: environment, shell: process.platform === 'win32' } as const;
  const child = spawn(program, parameters, options);
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

/** Returns the real process. A script that is compiled from a cache cannot import modules, so it is given `importModule`. */
export function systemHost(importModule: ImportModule, tuneProcess: () => void): Host {
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
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    writeFile: (path, text) => writeOwnFile(path, text, systemTimers),
    fileSystem: systemFileSystem,
    importModule,
    tuneProcess,
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
      // A pipe whose writer was killed ends with an error on some systems.
      process.stdin.on('error', () => undefined);
      process.stdin.on('close', listener);
      process.stdin.resume();
    },
    runProgram,
    exit(code) {
      output.flush();
      if (isTerminalGone) return endByHangUp();
      process.stdout.write('', () => process.exit(code));
      // A reader that has stopped reading would keep the process for ever.
      setTimeout(() => process.exit(code), LONGEST_FLUSH);
    },
  };
}

/** The facts of a file. One that is neither a directory nor a regular file is a device, a pipe or a socket. */
export interface FileFacts {
  readonly isDirectory: boolean;
  readonly isFile: boolean;
  /** The permissions of Unix. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
}

/** The operations on files that saving and loading a chain need. Each rejects with the error of the system. */
export interface FileSystem {
  /** Resolves to the content, without a byte order mark before it; `null` when there is no such file, or a part of its path is a file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Resolves to the facts of the file at the path; `null` when there is none. */
  stat(path: string): Promise<FileFacts | null>;
  /** Resolves to the path without symbolic links. Rejects when it does not exist. */
  realPath(path: string): Promise<string>;
  /** Rejects unless files can be made in the directory. */
  checkWritable(directory: string): Promise<void>;
  /** Replaces the content of a file, with that mode, and waits until it is on disk. */
  writeSynced(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  /** Replaces a file by another one, atomically. */
  rename(from: string, to: string): Promise<void>;
  /** Waits until the names in the directory are on disk. */
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

/** The maximum number of bytes that are read from a pipe or a device, which may have no end. */
const LARGEST_STREAM = 2 ** 29;

/** Returns the content of a file or of a pipe (`--init <(…)`). Rejects with an error for one that does not end. */
export async function readWhole(path: string, largest = LARGEST_STREAM): Promise<Uint8Array> {
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

/** The files of this machine. */
export const systemFileSystem: FileSystem = {
  read: (path) => nullIfNotFound(readWhole(path).then(withoutByteOrderMark)),
  async stat(path) {
    // Each start looks for files of options: a call of the system takes less than a turn through a thread, and than loading
    // the functions with promises.
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
