'use strict';
// Two scripts contain the command line and the library (src/build/scripts.mjs): one for each start, and one
// that is loaded on demand. V8 can compile a script, unlike a module, from a code cache. This is much faster.
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

/** Milliseconds until the warm-up. By then, the start is over and the first requests are answered. */
const REHEARSAL_DELAY = 1000;

/** Milliseconds until the library's code cache is written. Short tests run no longer. */
const FIRST_USE = 300;

/** The start of the script. Other programs can have files with the same name. */
const BEGINNING = '(function (requireOutside, scriptUrl, requireOther) {';

/** The build id at the start of a script. Scripts of two builds can have the same length. */
const BUILD = /^[^{]*\{\/\* build ([0-9a-f]{16}) \*\//;

function buildOf(text) {
  return BUILD.exec(text)?.[1] ?? '';
}

/** The on-demand script, in the same folder. */
const OTHER_SCRIPT = 'later.js';

const WASM_PAGE = 65_536;

/**
 * Reads a file into WebAssembly memory; `undefined` if that fails. Freeing a large `malloc` buffer would
 * raise glibc's threshold for `mmap`, so that the process would keep more free memory.
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

/** The newest Node version whose V8 is known to have these flags. V8 prints an error for an unknown flag. */
const NEWEST_KNOWN_NODE = 24;

/** V8's flag for the growth of the new space: the default, and the value that prevents growth. */
const NEW_SPACE_FLAG = { usual: '--semi-space-growth-factor=2', serving: '--semi-space-growth-factor=1' };

/**
 * The flags for a small heap. The new space keeps its size after the start, some 2 MB instead of 16. A single
 * thread collects this little memory faster than several.
 */
const SMALL_HEAP_FLAGS = [
  NEW_SPACE_FLAG,
  { usual: '--parallel-scavenge', serving: '--no-parallel-scavenge' },
];

/** The flag for a large heap. V8 then collects when the heap has doubled, instead of quadrupled. */
const LARGE_HEAP_FLAG = { usual: '--heap-growing-percent=0', serving: '--heap-growing-percent=100' };

/**
 * The flag for loops in compiled code. Before Node 24, loop rotation can make the interpreter's main loop
 * much slower, depending on unrelated code. Without rotation, it is always fast. Since Node 24, rotation is
 * slightly better.
 */
const LOOP_FLAGS = [{ usual: '--turbo-loop-rotation', serving: '--no-turbo-loop-rotation' }];
const FIRST_NODE_THAT_ROTATES_WELL = 24;

/**
 * The flags for optimization, by Node version. Each request runs some 800 functions a few times. With the
 * default budget, most of them stay unoptimized during a whole test suite. With a lower budget, V8 optimizes
 * them earlier, so that the main thread needs less time. A lower inlining limit before Node 22 limits the CPU
 * time of the compiler thread. Since version 24, Node has an intermediate compiler that makes the flags
 * unnecessary.
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

/** Minimum heap size in bytes for a growing new space. In larger heaps, it is a small part. */
const LARGE_HEAP = 40 * 2 ** 20;
/** Size of the new space in bytes, both halves. A larger one saves no more time. */
const LARGE_NEW_SPACE = 16 * 2 ** 20;
/** Milliseconds between two checks of a small heap. */
const HEAP_LOOK = 100;

function isHeapLarge() {
  return getHeapStatistics().total_heap_size >= LARGE_HEAP;
}

function isNewSpaceLarge() {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space === undefined || space.space_size >= LARGE_NEW_SPACE;
}

/**
 * Calls the action when the new space is large. Checks after each garbage collection: only a collection makes
 * the space grow, and it can double with every second one. Periodic checks would be too late.
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
 * The V8 flags of a serving node. A small heap saves memory. A busy node would collect its new space too
 * often, so the space may grow when the heap is large. The heap then also grows more slowly. Node cannot get
 * these flags at the start, because V8 rejects code caches of other flags, including the cache of Node's own
 * modules.
 */
class ServingFlags {
  /** The flags that have their serving values. */
  #changed = [];

  /** Sets the serving values, except for flags of the user. The heap flags change when the heap is large. */
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

  /** Calls an action when the heap is large. Checks periodically. */
  #onLargeHeap(action) {
    const look = () => (isHeapLarge() ? action() : this.#onLargeHeap(action));
    setTimeout(look, HEAP_LOOK).unref();
  }

  #replace(former, next) {
    this.#set('usual', former);
    this.#changed = [...this.#changed.filter((flag) => !former.includes(flag)), ...next];
    this.#set('serving', next);
  }

  /** Runs an action with the default flags, because the code cache depends on them. */
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

/** Priority of background threads below the main thread. A larger value would delay optimized code. */
const BACKGROUND_STEPS = 6;
const LOWEST_PRIORITY = 19;

/** Lowers the priority of a thread, unless it has ended. */
function lower(thread) {
  try {
    setPriority(thread, Math.min(LOWEST_PRIORITY, getPriority(process.pid) + BACKGROUND_STEPS));
  } catch {
    // The lower priority is optional.
  }
}

/**
 * Lowers the priority of background threads (compiler, garbage collector, file access). On machines with few
 * cores, they would interrupt responses. Only Linux lists threads and has a priority for each.
 */
function lowerBackgroundThreads() {
  if (process.platform !== 'linux') return;
  let threads = [];
  try {
    threads = readdirSync('/proc/self/task').map(Number);
  } catch {
    // A container can hide the threads.
  }
  // In another PID namespace, the numbers would belong to other processes.
  if (!threads.includes(process.pid)) return;
  for (const thread of threads) if (thread !== process.pid) lower(thread);
}

/** Bytes of the build id before the code in the cache file. V8 requires an 8-byte alignment of the code. */
const BUILD_SIZE = 16;

/** The code cache of a script, in a file for later processes. */
class KeptCode {
  #build;

  /** `use` is part of the file name, because each use compiles other functions. */
  constructor(filename, use, flags, build) {
    const { versions, arch } = process;
    this.flags = flags;
    this.#build = build.padEnd(BUILD_SIZE);
    this.file = join(dirname(filename), `../cache/${use}-${versions.v8}-${arch}.bin`);
  }

  /** Compiles the script, with the code cache of the same build. V8 itself compares only the length. */
  compile(text, filename) {
    const kept = readLarge(this.file);
    const isSame = kept?.toString('latin1', 0, BUILD_SIZE) === this.#build;
    const cachedData = isSame ? kept.subarray(BUILD_SIZE) : undefined;
    return this.flags.withUsual(() => new Script(text, { filename, cachedData }));
  }

  /** True if the cache file can be written. */
  canKeep() {
    return this.#writes((unfinished) => rmSync(unfinished));
  }

  /** Writes the code that is compiled so far, if possible. */
  keep(script) {
    this.#writes((unfinished) => {
      const code = this.flags.withUsual(() => script.createCachedData());
      writeFileSync(unfinished, Buffer.concat([Buffer.from(this.#build, 'latin1'), code]));
      renameSync(unfinished, this.file);
    });
  }

  /** Creates a file with a unique name and calls `finish`. Returns false if one of them fails. */
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
 * Runs a script (a function expression). `requireOther` returns modules of the other script. Returns its
 * exports, its `build`, `canKeep` and `keep` for the code cache, and `isKept` if a cache was used. Returns
 * `null` if there is no script, for example because a bundler has moved this file.
 */
function runScript(filename, use, flags, requireOther) {
  // The bundler escapes non-ASCII characters.
  const text = readLarge(filename)?.toString('latin1');
  if (text === undefined || !text.startsWith(BEGINNING)) return null;
  const scriptUrl = pathToFileURL(filename);
  const run = (script) => script(createRequire(scriptUrl), scriptUrl.href, requireOther);
  const build = buildOf(text);
  // In a context of `node:vm`, as in Jest, the library's objects must belong to the classes of that context.
  // Only `eval` runs text there. The text is the script of this package.
  if (runInThisContext('Object') !== Object) {
    // An indirect `eval` runs in the global scope.
    const runHere = eval;
    return { exports: run(runHere(text)), build, isKept: true };
  }
  const kept = new KeptCode(filename, use, flags, build);
  const script = kept.compile(text, filename);
  return {
    exports: run(script.runInThisContext()),
    build,
    // Undefined if there was no cache.
    isKept: script.cachedDataRejected === false,
    canKeep: () => kept.canKeep(),
    keep: () => kept.keep(script),
  };
}

/**
 * Runs the first script; `null` if there is none. The other script runs when one of its modules is requested,
 * and its code is cached later. `runOther` runs it immediately; `keep` then caches the code of both.
 */
function loadScripts(filename, use, flags, later) {
  const otherFile = join(dirname(filename), OTHER_SCRIPT);
  let other;
  const runOther = () => {
    if (other) return;
    const found = runScript(otherFile, 'later', flags, (path) => first.exports.modules(path));
    // An update may have replaced the file since the start of this process.
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
 * Returns the command line. If there is no code cache, writes it after a warm-up with typical first requests.
 * `later` is `setTimeout`.
 */
function loadCommandLine(filename, later = setTimeout, lowerThreads = lowerBackgroundThreads) {
  const flags = new ServingFlags();
  const { exports: parts, isKept, canKeep, keep, runOther } = loadScripts(filename, 'main', flags, later);
  const commandLine = parts.commandLine();
  const keepRehearsed = async () => {
    if (!canKeep()) return;
    // Code that was compiled before a failed warm-up is also useful.
    await commandLine.rehearse().catch(() => undefined);
    runOther();
    keep();
  };
  if (!isKept) later(keepRehearsed, REHEARSAL_DELAY).unref();
  const tuneProcess = () => {
    flags.begin();
    lowerThreads();
  };
  return { ...commandLine, main: (importModule) => commandLine.main(importModule, tuneProcess) };
}

/**
 * Returns the library; `null` if there is no script. If there is no code cache, writes it soon or when the
 * program ends. `later` is `setTimeout`. `atEnd` runs an action when the process or thread ends, because test
 * runners end their threads without notice.
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
