/** The entry of the loader, `dist/start.cjs`. The files in `bin` call it. */

import { fileURLToPath } from 'node:url';
import { lowerBackgroundThreads } from './background-threads.ts';
import { BusyWatch } from './busy-watch.ts';
import { type LoadedProgram, loadProgram } from './load-program.ts';
import type { LoadedStart, Milestone, Program } from './process-start.ts';
import { ServingFlags } from './serving-flags.ts';

/** The first script of the program, beside the bundled loader. */
const PROGRAM = new URL('./cli/main.js', import.meta.url);

function missingProgram(filename: string): Error {
  return new Error(
    `node-cli: ${filename} is missing; reinstall node-cli, or, if a bundler has moved its code, mark node-cli as external in the bundler's configuration`,
  );
}

/** Milliseconds until the library's code cache is written. Test runners end threads without notice. */
const FIRST_USE = 300;

type AtExit = (action: () => void) => void;

const atExit: AtExit = (action) => void process.once('exit', action);

/** Returns the start of a process that runs the command line. */
export function createStart(filename: string, onExit: AtExit): LoadedStart {
  const flags = new ServingFlags();
  const busy = new BusyWatch(() => flags.optimizeEarly());
  const reached = new Set<Milestone>();
  let loaded: LoadedProgram | null = null;
  return {
    load() {
      const found = loadProgram(filename, 'main', flags.withDefaults);
      if (found === null) throw missingProgram(filename);
      loaded = found;
      onExit(() => found.write(reached.size));
      return found.program;
    },
    cache(milestone) {
      reached.add(milestone);
      if (milestone !== 'settled') return;
      loaded?.write(reached.size);
      busy.begin();
    },
    onCall() {
      busy.onCall();
    },
    tune() {
      flags.begin();
      lowerBackgroundThreads();
    },
  };
}

/** Runs the command of this process. */
export function startCommandLine(): Promise<void> {
  const start = createStart(fileURLToPath(PROGRAM), atExit);
  return start
    .load()
    .commandLine()
    .main(start, (url) => import(url));
}

/** Starts the node of a test run in this process, see `openInProcess`. */
export function startInProcess(words: readonly string[], output: object): Promise<unknown> {
  const start = createStart(fileURLToPath(PROGRAM), atExit);
  return start
    .load()
    .commandLine()
    .startInProcess(words, output, start, (url) => import(url));
}

/** Runs a module of the program by the path of its source, in its own thread. */
export function runModule(path: string): void {
  const filename = fileURLToPath(PROGRAM);
  const loaded = loadProgram(filename, 'main', (action) => action());
  if (loaded === null) throw missingProgram(filename);
  loaded.otherModule(path);
}

/** Returns the library. Its code cache is written soon, or earlier if the program ends. */
export function loadLibrary(
  filename = fileURLToPath(PROGRAM),
  later: (action: () => void, milliseconds: number) => { unref(): unknown } = setTimeout,
  onExit = atExit,
): ReturnType<Program['library']> {
  const loaded = loadProgram(filename, 'library', (action) => action());
  if (loaded === null) throw missingProgram(filename);
  const write = (): void => loaded.write(0);
  later(write, FIRST_USE).unref();
  onExit(write);
  return loaded.program.library();
}
