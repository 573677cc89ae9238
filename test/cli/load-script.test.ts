import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createContext, runInContext, Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type Later = (action: () => Promise<void>, milliseconds: number) => { unref(): void };

interface Loader {
  loadCommandLine(
    filename: string,
    later: Later,
    lowerThreads?: () => void,
    guard?: () => void,
  ): { main(): unknown; rehearsals(): number; later(): string };
  loadLibrary(
    filename: string,
    later: (action: () => void, milliseconds: number) => { unref(): void },
    atEnd: (action: () => void) => void,
  ): { name(): unknown; list: object } | null;
}

const loaderFile = new URL('../../bin/load-script.cjs', import.meta.url);
const require = createRequire(import.meta.url);
const { loadCommandLine, loadLibrary }: Loader = require(loaderFile.pathname);

const SCRIPT = `(function (requireOutside, scriptUrl, requireOther) {
  const { basename } = requireOutside('node:path');
  let rehearsals = 0;
  const rehearse = async () => void rehearsals++;
  return {
    commandLine: () => ({
      main: () => basename(scriptUrl),
      rehearse,
      rehearsals: () => rehearsals,
      later: () => requireOther('src/later.ts').name(),
    }),
    library: () => ({ name: () => 'the library in ' + basename(scriptUrl), list: [] }),
    modules: (path) => ({ path }),
  };
})`;

const LATER_SCRIPT = `(function (requireOutside, scriptUrl, requireOther) {
  const name = () => scriptUrl.split('/').pop() + ' with ' + requireOther('src/shared.ts').path;
  return { modules: (path) => ({ [path]: { name } })[path] };
})`;

const NODE_VERSION = Number.parseInt(process.versions.node, 10);

/**
 * Sets the V8 compilation flags that a serving node changes to their defaults. Each Node version has its own
 * flags.
 */
function setUsualCompilation(): void {
  setFlagsFromString('--turbo-loop-rotation');
  if (NODE_VERSION < 22) {
    setFlagsFromString('--interrupt-budget=67584');
    setFlagsFromString('--max-inlined-bytecode-size-cumulative=920');
  } else if (NODE_VERSION < 24) setFlagsFromString('--invocation-count-for-turbofan=3000');
}

function setUsualFlags(): void {
  setFlagsFromString('--heap-growing-percent=0');
  setFlagsFromString('--semi-space-growth-factor=2');
  setFlagsFromString('--parallel-scavenge');
  setUsualCompilation();
}

let folder: string;
let filename: string;

async function cacheFiles(): Promise<string[]> {
  return readdir(join(folder, 'cache')).catch(() => []);
}

/** The actions scheduled after the delay of the code cache. */
const waiting: (() => Promise<void>)[] = [];
const later: Later = (action, milliseconds) => {
  expect(milliseconds).toBe(1000);
  waiting.push(action);
  return { unref: () => undefined };
};

/** Runs the scheduled actions and waits for them. */
async function letTimePass(): Promise<void> {
  await Promise.all(waiting.splice(0).map((action) => action()));
}

async function untilKept(): Promise<void> {
  await letTimePass();
  expect((await cacheFiles()).sort()).toEqual([
    expect.stringMatching(/^later-.*\.bin$/),
    expect.stringMatching(/^main-.*\.bin$/),
  ]);
}

/** The name of the code cache file of the first script. */
async function cacheFile(): Promise<string> {
  return (await cacheFiles()).find((name) => name.startsWith('main-')) ?? '';
}

beforeEach(async () => {
  waiting.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'node-cli-script-'));
  await mkdir(join(folder, 'cli'));
  filename = join(folder, 'cli', 'main.js');
  await writeFile(filename, SCRIPT);
  await writeFile(join(folder, 'cli', 'later.js'), LATER_SCRIPT);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('loadCommandLine', () => {
  it('returns the exports of the script, which gets its URL and a require function', () => {
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
  });

  it('uses the code cache of an earlier start', async () => {
    loadCommandLine(filename, later);
    await untilKept();
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
    expect(waiting).toEqual([]);
  });

  it('recompiles a changed script and caches its code again', async () => {
    loadCommandLine(filename, later);
    await untilKept();
    const name = await cacheFile();
    const file = join(folder, 'cache', name);
    const kept = await readFile(file);
    await writeFile(filename, SCRIPT.replace('basename(scriptUrl)', "'the new ' + basename(scriptUrl)"));
    expect(loadCommandLine(filename, later).main()).toBe('the new main.js');
    await letTimePass();
    expect((await readFile(file)).equals(kept)).toBe(false);
  });

  it('does not use cached code of another build with the same length', async () => {
    const scriptOf = (build: string, name: string): string =>
      SCRIPT.replace('{', `{/* build ${build} */`).replace('basename(scriptUrl)', `'${name}'`);
    await writeFile(filename, scriptOf('0123456789abcdef', 'one'));
    await writeFile(
      join(folder, 'cli', 'later.js'),
      LATER_SCRIPT.replace('{', '{/* build 0123456789abcdef */'),
    );
    // The code cache contains only functions that have run.
    expect(loadCommandLine(filename, later).main()).toBe('one');
    await untilKept();
    await writeFile(filename, scriptOf('fedcba9876543210', 'two'));
    expect(loadCommandLine(filename, later).main()).toBe('two');
  });

  it('does not load a second script of another build', async () => {
    const loaded = loadCommandLine(filename, later);
    await writeFile(
      join(folder, 'cli', 'later.js'),
      LATER_SCRIPT.replace('{', '{/* build fedcba9876543210 */'),
    );
    expect(() => loaded.later()).toThrow(
      /later\.js is missing, or its version differs from the running node-cli; run the command again/,
    );
  });

  it('runs the warm-up before the code is cached, and only once', async () => {
    const first = loadCommandLine(filename, later);
    expect(first.rehearsals()).toBe(0);
    await untilKept();
    expect(first.rehearsals()).toBe(1);
    const second = loadCommandLine(filename, later);
    await letTimePass();
    expect(second.rehearsals()).toBe(0);
  });

  it('runs without a writable cache, and without a warm-up', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    const first = loadCommandLine(filename, later);
    await letTimePass();
    expect(first.rehearsals()).toBe(0);
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
  });

  it('leaves no files if the cache cannot be written', async () => {
    const first = loadCommandLine(filename, later);
    await untilKept();
    const names = await cacheFiles();
    const name = await cacheFile();
    await rm(join(folder, 'cache', name));
    await mkdir(join(folder, 'cache', name, 'in the way'), { recursive: true });
    expect(first.main()).toBe('main.js');
    loadCommandLine(filename, later);
    await letTimePass();
    expect(await cacheFiles()).toEqual(names);
  });

  it('tunes garbage collection of large heaps and the size of the young generation', async () => {
    await writeFile(filename, SCRIPT.replace('main: () => basename(scriptUrl)', 'main: (_, tune) => tune()'));
    const ballast: unknown[] = [new Array(8_000_000).fill(0)];
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    let files = 0;
    const codeOf = (...flags: string[]): Buffer => {
      for (const flag of ['--heap-growing-percent=100', ...flags]) setFlagsFromString(flag);
      const code = new Script('2 + 2').createCachedData();
      setUsualFlags();
      return code;
    };
    const takes = (cachedData: Buffer): boolean => {
      // This comparison ignores the compilation flags.
      setUsualCompilation();
      return new Script('2 + 2', { cachedData, filename: `large-${files++}` }).cachedDataRejected === false;
    };
    try {
      setUsualFlags();
      const growing = codeOf();
      const grown = codeOf('--semi-space-growth-factor=1');
      loadCommandLine(
        filename,
        later,
        () => undefined,
        () => undefined,
      ).main();
      expect(takes(growing)).toBe(false);
      vi.advanceTimersByTime(100);
      expect(takes(growing)).toBe(true);
      // Time stands still from here. Surviving objects make V8 grow the young generation, then the script
      // checks its size.
      for (let count = 0; count < 2_000_000; count++) ballast.push({ count });
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      expect(takes(grown)).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
      expect(ballast.length).toBeGreaterThan(2_000_000);
    } finally {
      vi.useRealTimers();
      setUsualFlags();
    }
  });

  it('sets the V8 flags of a serving node, and compilation flags only if V8 needs them', async () => {
    const tuned = `(_, tuneProcess) => tuneProcess()`;
    await writeFile(filename, SCRIPT.replace('main: () => basename(scriptUrl)', `main: ${tuned}`));
    try {
      setFlagsFromString('--semi-space-growth-factor=1');
      setFlagsFromString('--no-parallel-scavenge');
      // V8 rejects cached code with other flags. It reuses code compiled under the same file name.
      const cachedData = new Script('1 + 1').createCachedData();
      let files = 0;
      const hasSameFlags = (): boolean => {
        const script = new Script('1 + 1', { cachedData, filename: `file-${files++}` });
        return script.cachedDataRejected === false;
      };
      expect(hasSameFlags()).toBe(true);
      setFlagsFromString('--semi-space-growth-factor=2');
      setFlagsFromString('--parallel-scavenge');
      expect(hasSameFlags()).toBe(false);
      loadCommandLine(
        filename,
        later,
        () => undefined,
        () => undefined,
      ).main();
      expect(hasSameFlags()).toBe(NODE_VERSION >= 24);
      setUsualCompilation();
      expect(hasSameFlags()).toBe(true);
    } finally {
      setUsualFlags();
    }
  });

  it('reads and writes cached code under the default flags while the heap is small', async () => {
    const heapLimits = `(_, tuneProcess) => { tuneProcess(); return requireOther('src/later.ts').name(); }`;
    const text = SCRIPT.replace('main: () => basename(scriptUrl)', `main: ${heapLimits}`);
    expect(text).not.toBe(SCRIPT);
    await writeFile(filename, text);
    try {
      let lowered = 0;
      const lowerThreads = (): void => {
        lowered += 1;
      };
      let guarded = 0;
      const guard = (): void => {
        guarded += 1;
      };
      loadCommandLine(filename, later, lowerThreads, guard).main();
      await untilKept();
      expect(loadCommandLine(filename, later, lowerThreads, guard).main()).toBe(
        'later.js with src/shared.ts',
      );
      expect(lowered).toBe(2);
      expect(guarded).toBe(2);
      expect(waiting).toEqual([]);
    } finally {
      setUsualFlags();
    }
  });

  it('the second script shares modules with the first, and the code of both is cached', async () => {
    expect(loadCommandLine(filename, later).later()).toBe('later.js with src/shared.ts');
    await untilKept();
    expect(loadCommandLine(filename, later).later()).toBe('later.js with src/shared.ts');
    expect(waiting).toEqual([]);
  });

  it('caches the code of the second script if it is missing', async () => {
    loadCommandLine(filename, later);
    await untilKept();
    const names = await cacheFiles();
    await rm(join(folder, 'cache', names.find((name) => name.startsWith('later-')) ?? ''));
    loadCommandLine(filename, later).later();
    await letTimePass();
    expect(await cacheFiles()).toEqual(names);
  });

  it('throws if the second script is missing', async () => {
    await rm(join(folder, 'cli', 'later.js'));
    expect(() => loadCommandLine(filename, later).later()).toThrow(/later\.js is missing/);
  });

  it('continues if the warm-up fails, and does not repeat it at the next start', async () => {
    const failing = SCRIPT.replace('void rehearsals++', "{ throw new Error('forgotten words'); }");
    await writeFile(filename, failing);
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
    await untilKept();
    loadCommandLine(filename, later);
    expect(waiting).toEqual([]);
  });
});

describe('loadLibrary', () => {
  const soon: (() => void)[] = [];
  const ends: (() => void)[] = [];
  const load = (by = loadLibrary) =>
    by(
      filename,
      (action) => ({ unref: () => void soon.push(action) }),
      (action) => void ends.push(action),
    );

  beforeEach(() => {
    soon.length = 0;
    ends.length = 0;
  });

  it.each([
    ['soon after', soon],
    ['when a process ends', ends],
  ])('uses code cached %s, separately from the command line', async (_, actions) => {
    expect(load()?.name()).toBe('the library in main.js');
    expect(await cacheFiles()).toEqual([]);
    for (const keep of actions.splice(0)) keep();
    const [name = ''] = await cacheFiles();
    expect(name).toMatch(/^library-.*\.bin$/);
    await rm(join(folder, 'cache', name));
    for (const keep of [...soon.splice(0), ...ends.splice(0)]) keep();
    expect(await cacheFiles()).toEqual([]);
  });

  it('caches its code only once', async () => {
    load();
    for (const keep of ends.splice(0)) keep();
    soon.length = 0;
    expect(load()?.name()).toBe('the library in main.js');
    expect([...soon, ...ends]).toEqual([]);
  });

  it('writes no cache if the cache directory is not writable', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    load();
    for (const keep of ends) keep();
    expect(await readFile(join(folder, 'cache'), 'utf8')).toBe('in the way');
  });

  it('returns null without a script, or with the script of another program', async () => {
    await writeFile(filename, 'throw new Error("the script of another program")');
    expect(load()).toBeNull();
    await rm(filename);
    expect(load()).toBeNull();
  });

  it('returns objects of the calling context and caches no code there', async () => {
    const code = await readFile(loaderFile, 'utf8');
    const exports: Partial<Loader> = {};
    const context = createContext({ exports, require, process });
    runInContext(code, context);
    const library = load(exports.loadLibrary);
    expect(library?.list).not.toBeInstanceOf(Array);
    expect(library?.list).toBeInstanceOf(runInContext('Array', context));
    expect(ends).toEqual([]);
  });
});
