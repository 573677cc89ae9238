import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInThisContext, Script } from 'node:vm';
import { CodeCache, type WithDefaultFlags } from './code-cache.ts';
import type { Modules, Program } from './process-start.ts';
import { isEnabled } from './tunings.ts';

/** The start of a script, before the id of its build. Other programs can have files with the same name. */
const BEGINNING = '/* node-cli build ';
const BUILD_LENGTH = 16;

/** The on-demand script, in the folder of the first one. */
const OTHER_SCRIPT = 'later.js';

/** The function in a script. `requireOther` returns modules of the other script. */
type Evaluate<Exports> = (
  require: (id: string) => unknown,
  scriptUrl: string,
  requireOther: Modules,
) => Exports;

interface LoadedScript<Exports> {
  readonly build: string;
  readonly exports: Exports;
  /** Writes the code cache, see {@link CodeCache.write}. */
  write(level: number): void;
}

/** Returns an object that loads a module at the first use of one of its names. */
function lazily(load: () => object): object {
  let loaded: object | undefined;
  return new Proxy(
    {},
    {
      get(_, name) {
        loaded ??= load();
        return Reflect.get(loaded, name);
      },
    },
  );
}

/**
 * Returns the `require` function of a script. An id is a module, or a library file and the module in that
 * file. After the word `lazy`, the module is loaded on first use (src/build/scripts.mjs).
 */
export function requireFor(scriptUrl: string): (id: string) => unknown {
  const requireModule = createRequire(scriptUrl);
  const load = ([file = '', name]: readonly string[]) =>
    name === undefined ? requireModule(file) : requireModule(file)[name];
  const open = (id: string): unknown => {
    const [first, ...rest] = id.split(' ');
    if (first !== 'lazy') return load(id.split(' '));
    return isEnabled('lazy-modules') ? lazily(() => load(rest)) : load(rest);
  };
  // Many modules of the script require the same ids.
  const opened = new Map<string, unknown>();
  return (id) => {
    const known = opened.get(id) ?? open(id);
    opened.set(id, known);
    return known;
  };
}

/** Runs a script. Returns `null` if the file is missing or belongs to another program. */
function runScript<Exports>(
  filename: string,
  use: string,
  withDefaultFlags: WithDefaultFlags,
  requireOther: Modules,
): LoadedScript<Exports> | null {
  let text: string;
  try {
    // The bundler escapes non-ASCII characters.
    text = readFileSync(filename, 'latin1');
  } catch {
    return null;
  }
  if (!text.startsWith(BEGINNING)) return null;
  const build = text.slice(BEGINNING.length, BEGINNING.length + BUILD_LENGTH);
  const scriptUrl = pathToFileURL(filename).href;
  const run = (evaluate: Evaluate<Exports>): Exports =>
    evaluate(requireFor(scriptUrl), scriptUrl, requireOther);
  // In a context of `node:vm`, as in Jest, the library's objects must belong to the classes of that context.
  // Only `eval` runs text there. The text is the script of this package.
  if (runInThisContext('Object') !== Object) {
    // An indirect `eval` runs in the global scope.
    const runHere = eval;
    return { build, exports: run(runHere(text)), write: () => undefined };
  }
  const cache = isEnabled('code-cache') ? new CodeCache(filename, use, build, withDefaultFlags) : null;
  const script = cache?.compile(text, filename) ?? new Script(text, { filename });
  return { build, exports: run(script.runInThisContext()), write: (level) => cache?.write(level) };
}

export interface LoadedProgram {
  readonly program: Program;
  /** Returns a module of the other script. */
  readonly otherModule: Modules;
  /** Writes the code caches of the scripts that ran. `level` is the number of reached milestones. */
  write(level: number): void;
}

/**
 * Runs the first script; returns `null` if there is none. The other script runs when one of its modules is
 * requested. `use` is the part of the program that the process uses.
 */
export function loadProgram(
  filename: string,
  use: 'main' | 'library',
  withDefaultFlags: WithDefaultFlags,
): LoadedProgram | null {
  const otherFile = join(dirname(filename), OTHER_SCRIPT);
  let other: LoadedScript<{ readonly modules: Modules }> | null = null;
  const otherModule: Modules = (path) => {
    other ??= loadOther();
    return other.exports.modules(path);
  };
  const first = runScript<Program>(filename, use, withDefaultFlags, otherModule);
  if (first === null) return null;
  const { build, exports: program } = first;

  function loadOther(): NonNullable<typeof other> {
    const found: typeof other = runScript(otherFile, 'later', withDefaultFlags, (path) =>
      program.modules(path),
    );
    // An update may have replaced the file since the start of this process.
    if (found?.build !== build)
      throw new Error(
        `${otherFile} is missing, or its version differs from the running node-cli; run the command again, or reinstall node-cli`,
      );
    return found;
  }

  if (!isEnabled('two-scripts')) other = loadOther();
  return {
    program,
    otherModule,
    write(level) {
      // Each run uses other modules of this script. Its code is written once.
      other?.write(0);
      first.write(level);
    },
  };
}
