import { Readable } from 'node:stream';
import { type EndSignal, type FileSystem, type Host, systemFileSystem } from '../../../src/cli/host.ts';
import type { Timer, Timers, WallClock } from '../../../src/primitives/clock.ts';

/** A fake process that records its output. Its timers fire on request. */
export interface FakeHost extends Host {
  readonly written: { output: string; errors: string };
  readonly files: Map<string, string>;
  readonly exitCodes: number[];
  sendSignal(signal: EndSignal): void;
  endInput(): void;
  /** Settles at the next call of `exit`, or immediately after one. */
  exited(): Promise<number>;
}

/** The parts of a fake process that a test can replace. */
export interface FakeHostOptions {
  readonly commandLine?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** Default: an input that ends immediately. */
  readonly input?: ReturnType<Host['openInput']>;
  readonly writeFile?: (path: string, text: string) => Promise<void>;
  readonly fileSystem?: FileSystem;
  /** Default: a directory that does not exist. */
  readonly workingDirectory?: string;
  readonly timers?: Timers;
  /** Default: programs succeed immediately. */
  readonly runProgram?: Host['runProgram'];
  /** Default: a clock that does not advance. */
  readonly clock?: WallClock;
  /** By default one that does nothing. */
  readonly start?: Partial<Host['start']>;
}

/** Timers that never fire. */
const stillTimers: Timers = { after: (): Timer => ({ cancel: () => undefined }) };

/** The fixed time of the fake clock in milliseconds: 2026-01-02T03:04:05.678Z. */
export const FAKE_NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const written = { output: '', errors: '' };
  const files = new Map<string, string>();
  const exitCodes: number[] = [];
  const listeners: ((signal: EndSignal) => void)[] = [];
  const inputListeners: (() => void)[] = [];
  let onExit: ((code: number) => void) | undefined;
  let nextByte = 0;
  const input = options.input ?? Readable.from([]);
  return {
    written,
    files,
    exitCodes,
    commandLine: options.commandLine ?? [],
    environment: options.environment ?? {},
    processId: 4321,
    workingDirectory: options.workingDirectory ?? '/no/such/directory',
    openInput: () => input,
    output: {
      isTerminal: options.isTerminal ?? false,
      write(text) {
        written.output += text;
      },
    },
    errorOutput: {
      write(text) {
        written.errors += text;
      },
    },
    clock: options.clock ?? { now: () => FAKE_NOW },
    timers: options.timers ?? stillTimers,
    random: (length) => Uint8Array.from({ length }, () => nextByte++ % 256),
    writeFile:
      options.writeFile ??
      (async (path, text) => {
        files.set(path, text);
      }),
    fileSystem: options.fileSystem ?? systemFileSystem,
    importModule: (url) => import(/* @vite-ignore */ url),
    start: {
      cache: () => undefined,
      onCall: () => undefined,
      tune: () => undefined,
      warmUp: () => ({ onCall: () => undefined, end: async () => undefined }),
      ...options.start,
    },
    guardSignals: () => undefined,
    async print(text) {
      written.output += text;
    },
    onSignal: (listener) => void listeners.push(listener),
    onInputEnd: (listener) => void inputListeners.push(listener),
    endInput() {
      for (const listener of inputListeners) listener();
    },
    runProgram: options.runProgram ?? (() => ({ ended: Promise.resolve(0), passOn: () => undefined })),
    sendSignal(signal) {
      for (const listener of listeners) listener(signal);
    },
    exit(code) {
      exitCodes.push(code);
      onExit?.(code);
    },
    exited: () =>
      new Promise((resolve) => {
        const [first] = exitCodes;
        if (first === undefined) onExit = resolve;
        else resolve(first);
      }),
  };
}
