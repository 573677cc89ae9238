'use strict';
// Two scripts hold the command line and the library (src/build/scripts.mjs): what each start needs, and what is loaded when it is
// first used. A script, unlike a module, can be compiled from code that was kept, which takes a third of the time.
const {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { Buffer } = require('node:buffer');
const { createRequire } = require('node:module');
const { getPriority, setPriority } = require('node:os');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } = require('node:v8');
const { runInThisContext, Script } = require('node:vm');

/** Late enough that all that a start needs is compiled and that the first requests are answered. */
const REHEARSAL_DELAY = 1000;

/** Milliseconds after which a node that serves is guarded. The thread takes some 30 ms of processor time, which a short run is spared. */
const GUARD_DELAY = 1000;

/** Starts the thread that ends the process at a signal if its event loop is blocked. */
function guardLater() {
  setTimeout(() => require('./signal-guard.cjs').guardSignals(), GUARD_DELAY).unref();
}

/** Time for what a test does first with the library, in milliseconds; short tests last no longer. */
const FIRST_USE = 300;

/** How the script begins; other programs have files of its name. */
const BEGINNING = '(function (requireOutside, scriptUrl, requireOther) {';

/** The build that a script is of, which stands behind its beginning; scripts of two builds can be of one length. */
const BUILD = /^[^{]*\{\/\* build ([0-9a-f]{16}) \*\//;

function buildOf(text) {
  return BUILD.exec(text)?.[1] ?? '';
}

/** The script beside the first one. */
const OTHER_SCRIPT = 'later.js';

const WASM_PAGE = 65_536;

/**
 * Returns a file in memory of its own; `undefined` where there is none. Were it a buffer of `malloc`, glibc would take its size, once it is
 * freed, for that of what the program allocates again and again, and would keep some megabytes more of what is free from then on.
 */
function readLarge(file) {
  let descriptor;
  try {
    descriptor = openSync(file, 'r');
    const { size } = fstatSync(descriptor);
    const { buffer } = new WebAssembly.Memory({ initial: Math.ceil(size / WASM_PAGE) });
    const bytes = Buffer.from(buffer, 0, size);
    return readSync(descriptor, bytes, 0, size, 0) === size ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The newest version of Node whose V8 is known to have the flags of a node that serves; another one would print that it has not. */
const NEWEST_KNOWN_NODE = 24;

/** The flag of V8 for the space of new objects, its usual value and the one that keeps that as large as it is. */
const NEW_SPACE_FLAG = { usual: '--semi-space-growth-factor=2', serving: '--semi-space-growth-factor=1' };

/**
 * The flags for a small heap. The space of new objects stays as large as a start made it, some 2 MB instead of 16, which survivors need
 * twice; so little is collected sooner by one thread than by several.
 */
const SMALL_HEAP_FLAGS = [
  NEW_SPACE_FLAG,
  { usual: '--parallel-scavenge', serving: '--no-parallel-scavenge' },
];

/** The flag for a large heap: it is collected when it has doubled. V8 would wait until a heap of this size is four times as large. */
const LARGE_HEAP_FLAG = { usual: '--heap-growing-percent=0', serving: '--heap-growing-percent=100' };

/**
 * The flag for the loops of compiled code. Before Node 24, V8 places the blocks of the interpreter's run loop by the rotation in one of two
 * ways, and changes in other functions decide which: the worse one takes 1.75 times as long for short loops of opcodes, 1.2 times for those
 * that write memory. Without rotation it is the better one; scripts are as fast as with it. Since Node 24 rotation is better by a twentieth.
 */
const LOOP_FLAGS = [{ usual: '--turbo-loop-rotation', serving: '--no-turbo-loop-rotation' }];
const FIRST_NODE_THAT_ROTATES_WELL = 24;

/**
 * The flags for what V8 optimizes, by the version of Node. A request passes some 800 functions a few times each, so that the usual budget
 * leaves most of them slow for the first thousands of requests, which is all that a test suite sends. Optimized sooner, a send takes a sixth
 * less of the thread that answers. Before Node 22, half of the usual budget alone made the thread that compiles as busy as that one for
 * the first thousand requests, beside the tests of a small machine; V8's limit of what is inlined, the second value, takes a tenth of all
 * threads' time off. With 300 as the limit, the first estimates and calls took 3 to 8 % more of the thread that answers than with 450; with
 * 600, the compiler took 5 % more for the first sends. To inline short functions (up to 40, 60, 90 and 100 bytes in place of 27) and fewer
 * long ones (100 to 300) changed nothing that could be told from noise. Budgets of 18,000 and 24,000 let all threads take 15 to 25 % more,
 * and the thread that answers at most 3 % less; one of 50,000 let sends cost it a twelfth more. V8's compiler between the two, which Node
 * has since version 24, gives the same without them.
 */
function optimizationFlags(node) {
  const flags = [];
  if (node < 22)
    flags.push(['interrupt-budget', 67584, 33792], ['max-inlined-bytecode-size-cumulative', 920, 450]);
  else if (node < 24) flags.push(['invocation-count-for-turbofan', 3000, 1000]);
  return flags.map(([name, usual, serving]) => ({
    usual: `--${name}=${usual}`,
    serving: `--${name}=${serving}`,
  }));
}

/** The heap in bytes from which on the space of new objects may grow: it is a small part then, and much is made that lives for a while. */
const LARGE_HEAP = 40 * 2 ** 20;
/** The space of new objects in bytes, two halves, beyond which a larger one saves no more time. */
const LARGE_NEW_SPACE = 16 * 2 ** 20;
/** Milliseconds between two looks at a heap that is small yet. */
const HEAP_LOOK = 100;

function isHeapLarge() {
  return getHeapStatistics().total_heap_size >= LARGE_HEAP;
}

function isNewSpaceLarge() {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space === undefined || space.space_size >= LARGE_NEW_SPACE;
}

/**
 * Does an action when the space of new objects is large, at which it looks after the turn of each collection: that alone makes the space
 * grow, which doubles with every second one where much survives, so that looks from time to time would come when it is twice too large.
 */
function onLargeNewSpace(action) {
  const observer = new PerformanceObserver(() => {
    if (!isNewSpaceLarge()) return;
    observer.disconnect();
    action();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * The flags of this process. With its heap kept small, a node that does little takes less memory; one that does much would collect its new
 * objects eight times as often, and write slots and mine a third more slowly, so that their space may grow when the heap is large, as far as that
 * gains something. All is collected sooner then, which takes a quarter from the memory of a node that has run thousands of transactions. The
 * flags cannot be given to Node beforehand: V8 refuses all code that was kept with other flags, that of Node's own modules too, so a start
 * would take a third longer.
 */
class ServingFlags {
  /** Those that have the values of a node that serves. */
  #changed = [];

  /** Gives the flags the values of a node that serves, but those that the user has given Node; those of the heap until that is large. */
  begin() {
    const { execArgv, env, versions } = process;
    const given = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ');
    const node = Number.parseInt(versions.node, 10);
    if (node > NEWEST_KNOWN_NODE) return;
    const heap = /semi[-_]space|heap[-_]growing|scavenge/.test(given) ? [] : SMALL_HEAP_FLAGS;
    const areLoopsGiven = /loop[-_]rotation/.test(given);
    const loops = node >= FIRST_NODE_THAT_ROTATES_WELL || areLoopsGiven ? [] : LOOP_FLAGS;
    const isOptimizationGiven =
      /interrupt[-_]budget|invocation[-_]count|before[-_]optimization|max[-_]inlined/.test(given);
    this.#changed = [...heap, ...loops, ...(isOptimizationGiven ? [] : optimizationFlags(node))];
    this.#set('serving');
    if (heap.length === 0) return;
    this.#onLargeHeap(() => {
      this.#replace(heap, [LARGE_HEAP_FLAG]);
      onLargeNewSpace(() => this.#replace([], [NEW_SPACE_FLAG]));
    });
  }

  /** Does an action when the heap is large, at which it looks from time to time. */
  #onLargeHeap(action) {
    const look = () => (isHeapLarge() ? action() : this.#onLargeHeap(action));
    setTimeout(look, HEAP_LOOK).unref();
  }

  #replace(former, next) {
    this.#set('usual', former);
    this.#changed = [...this.#changed.filter((flag) => !former.includes(flag)), ...next];
    this.#set('serving', next);
  }

  /** Does an action under the usual flags, as code is kept and read with those. */
  withUsual(action) {
    this.#set('usual');
    try {
      return action();
    } finally {
      this.#set('serving');
    }
  }

  #set(use, flags = this.#changed) {
    for (const flag of flags) setFlagsFromString(flag[use]);
  }
}

/** Steps of priority by which the threads that compile and collect stand behind the one that answers; more would delay fast code too long. */
const BACKGROUND_STEPS = 6;
const LOWEST_PRIORITY = 19;

/** Lowers the priority of a thread; one that has ended meanwhile has none. */
function lower(thread) {
  try {
    setPriority(thread, Math.min(LOWEST_PRIORITY, getPriority(process.pid) + BACKGROUND_STEPS));
  } catch {
    // The node answers as well, at times later.
  }
}

/**
 * Lets the threads that compile, collect and read files wait for the main thread where there are fewer processors than threads that have
 * work, as on a small machine that tests run on: the scheduler would stop an answer for a slice of a compilation, which made one answer in a
 * hundred ten times as slow. Only Linux has a priority for each thread, and lists them.
 */
function lowerBackgroundThreads() {
  if (process.platform !== 'linux') return;
  let threads = [];
  try {
    threads = readdirSync('/proc/self/task').map(Number);
  } catch {
    // A container may hide them.
  }
  // Where the list is of another namespace, its numbers are those of other processes.
  if (!threads.includes(process.pid)) return;
  for (const thread of threads) if (thread !== process.pid) lower(thread);
}

/** The bytes of the file of kept code before the code, which name the build; V8 wants the code to begin at a multiple of 8. */
const BUILD_SIZE = 16;

/** The code that V8 compiled of a script, in a file beside it for the next process. */
class KeptCode {
  #build;

  /** `use` names what for, as each use compiles other functions. */
  constructor(filename, use, flags, build) {
    const { versions, arch } = process;
    this.flags = flags;
    this.#build = build.padEnd(BUILD_SIZE);
    this.file = join(dirname(filename), `../cache/${use}-${versions.v8}-${arch}.bin`);
  }

  /** Returns the script, compiled from what is kept of the same build if V8 takes that: it compares no more than lengths. */
  compile(text, filename) {
    const kept = readLarge(this.file);
    const isSame = kept?.toString('latin1', 0, BUILD_SIZE) === this.#build;
    const cachedData = isSame ? kept.subarray(BUILD_SIZE) : undefined;
    return this.flags.withUsual(() => new Script(text, { filename, cachedData }));
  }

  /** True when it can be written. */
  canKeep() {
    return this.#writes((unfinished) => rmSync(unfinished));
  }

  /** Writes what is compiled by now, if it can be written. */
  keep(script) {
    this.#writes((unfinished) => {
      const code = this.flags.withUsual(() => script.createCachedData());
      writeFileSync(unfinished, Buffer.concat([Buffer.from(this.#build, 'latin1'), code]));
      renameSync(unfinished, this.file);
    });
  }

  /** Begins a file under a name that no other process or thread has; false when that or `finish` cannot be done. */
  #writes(finish) {
    const unfinished = `${this.file}.${process.pid}.${process.hrtime.bigint()}`;
    try {
      mkdirSync(dirname(this.file), { recursive: true });
      writeFileSync(unfinished, '');
    } catch {
      return false;
    }
    try {
      finish(unfinished);
      return true;
    } catch {
      rmSync(unfinished, { force: true });
      return false;
    }
  }
}

/**
 * Runs a script, which is the expression of a function. `requireOther` gives it modules of the other one. Returns what it
 * exports, its `build`, `canKeep` and `keep` for the code that is compiled for this use, and whether it `isKept` already; `null` when there
 * is no such script, as where a bundler has put this file elsewhere. V8 refuses code of another version of its own.
 */
function runScript(filename, use, flags, requireOther) {
  // The bundler escapes what is not ASCII.
  const text = readLarge(filename)?.toString('latin1');
  if (text === undefined || !text.startsWith(BEGINNING)) return null;
  const scriptUrl = pathToFileURL(filename);
  const run = (script) => script(createRequire(scriptUrl), scriptUrl.href, requireOther);
  const build = buildOf(text);
  // Within a context of `node:vm`, as in Jest, what the library gives is of the classes of that context, in which nothing but `eval` runs
  // a text: it is the script of this package.
  if (runInThisContext('Object') !== Object) {
    // Under another name it runs in the global scope, not in this one.
    const runHere = eval;
    return { exports: run(runHere(text)), build, isKept: true };
  }
  const kept = new KeptCode(filename, use, flags, build);
  const script = kept.compile(text, filename);
  return {
    exports: run(script.runInThisContext()),
    build,
    // Undefined where nothing was kept.
    isKept: script.cachedDataRejected === false,
    canKeep: () => kept.canKeep(),
    keep: () => kept.keep(script),
  };
}

/**
 * Runs the first script; `null` when there is none. The other one is run when one of its modules is asked for, and its code then
 * kept a while after; or by `runOther`, which `keep` is to follow: it keeps the code of both.
 */
function loadScripts(filename, use, flags, later) {
  const otherFile = join(dirname(filename), OTHER_SCRIPT);
  let other;
  const runOther = () => {
    if (other) return;
    const found = runScript(otherFile, 'later', flags, (path) => first.exports.modules(path));
    // An installation may have put another one there since this process began.
    if (found?.build === first.build) other = found;
  };
  const keepOther = () => {
    if (!other.isKept) other.keep();
    other.isKept = true;
  };
  const first = runScript(filename, use, flags, (path) => {
    if (!other) {
      runOther();
      if (!other)
        throw new Error(
          `${otherFile} is missing, or its version differs from the running node-cli; run the command again, or reinstall node-cli`,
        );
      if (!other.isKept) later(keepOther, REHEARSAL_DELAY).unref();
    }
    return other.exports.modules(path);
  });
  if (first === null) return null;
  const keep = () => {
    if (other) keepOther();
    first.keep();
  };
  return { ...first, keep, runOther };
}

/**
 * Returns the command line of the script. The code that V8 compiles in its first second is kept, once it has rehearsed what is asked
 * first. `later` runs an action after so many milliseconds, as `setTimeout` does. `guard` is called when a node
 * serves.
 */
function loadCommandLine(
  filename,
  later = setTimeout,
  lowerThreads = lowerBackgroundThreads,
  guard = guardLater,
) {
  const flags = new ServingFlags();
  const { exports: parts, isKept, canKeep, keep, runOther } = loadScripts(filename, 'main', flags, later);
  const commandLine = parts.commandLine();
  const keepRehearsed = async () => {
    if (!canKeep()) return;
    // Code that was compiled before the rehearsal failed is of use too; callers may never ask for the part that failed.
    await commandLine.rehearse().catch(() => undefined);
    runOther();
    keep();
  };
  if (!isKept) later(keepRehearsed, REHEARSAL_DELAY).unref();
  const tuneProcess = () => {
    flags.begin();
    lowerThreads();
    guard();
  };
  return { ...commandLine, main: (importModule) => commandLine.main(importModule, tuneProcess) };
}

/**
 * Returns the library of the script; `null` when there is no script. The code that V8 has compiled of it soon after, or when the program
 * ends earlier, is kept. `later` runs an action after so many milliseconds, `atEnd` one when the process or the thread ends; test
 * runners end theirs without notice.
 */
function loadLibrary(filename, later = setTimeout, atEnd = (action) => process.once('exit', action)) {
  const loaded = loadScripts(filename, 'library', new ServingFlags(), later);
  if (loaded === null) return null;
  let { isKept } = loaded;
  const keep = () => {
    if (!isKept) loaded.keep();
    isKept = true;
  };
  if (!isKept) {
    later(keep, FIRST_USE).unref();
    atEnd(keep);
  }
  return loaded.exports.library();
}

exports.loadCommandLine = loadCommandLine;
exports.loadLibrary = loadLibrary;
