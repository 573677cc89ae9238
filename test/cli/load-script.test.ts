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

/** Gives the flags that a node that serves has otherwise for compiled code their usual values; a version of Node has only its own. */
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

/** The actions that wait for the time after which the code is kept. */
const waiting: (() => Promise<void>)[] = [];
const later: Later = (action, milliseconds) => {
  expect(milliseconds).toBe(1000);
  waiting.push(action);
  return { unref: () => undefined };
};

/** Lets that time pass, and waits until all that waited for it is done. */
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

/** Returns the name of the file with the code of the first script. */
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

describe('the script as the command line', () => {
  it('gives what it exports, and gets its URL and a way to require modules', () => {
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
  });

  it('is compiled from the code that an earlier start kept', async () => {
    loadCommandLine(filename, later);
    await untilKept();
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
    expect(waiting).toEqual([]);
  });

  it('is compiled anew, and its code kept again, once it is another', async () => {
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

  it('is not compiled from code of another build that has the same length', async () => {
    const scriptOf = (build: string, name: string): string =>
      SCRIPT.replace('{', `{/* build ${build} */`).replace('basename(scriptUrl)', `'${name}'`);
    await writeFile(filename, scriptOf('0123456789abcdef', 'one'));
    await writeFile(
      join(folder, 'cli', 'later.js'),
      LATER_SCRIPT.replace('{', '{/* build 0123456789abcdef */'),
    );
    // Code is kept of functions that have run.
    expect(loadCommandLine(filename, later).main()).toBe('one');
    await untilKept();
    await writeFile(filename, scriptOf('fedcba9876543210', 'two'));
    expect(loadCommandLine(filename, later).main()).toBe('two');
  });

  it('does not run with the other script of another build', async () => {
    const loaded = loadCommandLine(filename, later);
    await writeFile(
      join(folder, 'cli', 'later.js'),
      LATER_SCRIPT.replace('{', '{/* build fedcba9876543210 */'),
    );
    expect(() => loaded.later()).toThrow(
      /later\.js is missing, or its version differs from the running node-cli; run the command again/,
    );
  });

  it('rehearses before its code is kept, and not again', async () => {
    const first = loadCommandLine(filename, later);
    expect(first.rehearsals()).toBe(0);
    await untilKept();
    expect(first.rehearsals()).toBe(1);
    const second = loadCommandLine(filename, later);
    await letTimePass();
    expect(second.rehearsals()).toBe(0);
  });

  it('runs where nothing can be kept, and does not rehearse there', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    const first = loadCommandLine(filename, later);
    await letTimePass();
    expect(first.rehearsals()).toBe(0);
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
  });

  it('leaves nothing behind when its code could not be kept after all', async () => {
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

  it('collects a large heap when it has doubled, and lets its space of new objects grow to a size', async () => {
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
      // The flags for compiled code are not what this is about.
      setUsualCompilation();
      return new Script('2 + 2', { cachedData, filename: `large-${files++}` }).cachedDataRejected === false;
    };
    try {
      setUsualFlags();
      const growing = codeOf();
      const grown = codeOf('--semi-space-growth-factor=1');
      loadCommandLine(filename, later, () => undefined).main();
      expect(takes(growing)).toBe(false);
      vi.advanceTimersByTime(100);
      expect(takes(growing)).toBe(true);
      // No time passes from here on: what lives for a while lets V8 enlarge the space, after which this looks at it.
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

  it('begins with the values of a node that serves, those for compiled code only where V8 needs them', async () => {
    const tuned = `(_, tuneProcess) => tuneProcess()`;
    await writeFile(filename, SCRIPT.replace('main: () => basename(scriptUrl)', `main: ${tuned}`));
    try {
      setFlagsFromString('--semi-space-growth-factor=1');
      setFlagsFromString('--no-parallel-scavenge');
      // V8 takes no code that was kept with other flags; it has at hand what it compiled in a file of the same name.
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
      loadCommandLine(filename, later, () => undefined).main();
      expect(hasSameFlags()).toBe(NODE_VERSION >= 24);
      setUsualCompilation();
      expect(hasSameFlags()).toBe(true);
    } finally {
      setUsualFlags();
    }
  });

  it('reads and keeps code under the usual flags while the heap is kept small', async () => {
    const heapLimits = `(_, tuneProcess) => { tuneProcess(); return requireOther('src/later.ts').name(); }`;
    const text = SCRIPT.replace('main: () => basename(scriptUrl)', `main: ${heapLimits}`);
    expect(text).not.toBe(SCRIPT);
    await writeFile(filename, text);
    try {
      let lowered = 0;
      const lowerThreads = (): void => {
        lowered += 1;
      };
      loadCommandLine(filename, later, lowerThreads).main();
      await untilKept();
      expect(loadCommandLine(filename, later, lowerThreads).main()).toBe('later.js with src/shared.ts');
      expect(lowered).toBe(2);
      expect(waiting).toEqual([]);
    } finally {
      setUsualFlags();
    }
  });

  it('has modules of the other script, which has those of the first, and keeps the code of both', async () => {
    expect(loadCommandLine(filename, later).later()).toBe('later.js with src/shared.ts');
    await untilKept();
    expect(loadCommandLine(filename, later).later()).toBe('later.js with src/shared.ts');
    expect(waiting).toEqual([]);
  });

  it('keeps the code of the other script when that is loaded and was not kept', async () => {
    loadCommandLine(filename, later);
    await untilKept();
    const names = await cacheFiles();
    await rm(join(folder, 'cache', names.find((name) => name.startsWith('later-')) ?? ''));
    loadCommandLine(filename, later).later();
    await letTimePass();
    expect(await cacheFiles()).toEqual(names);
  });

  it('says that the other script is missing where it is needed', async () => {
    await rm(join(folder, 'cli', 'later.js'));
    expect(() => loadCommandLine(filename, later).later()).toThrow(/later\.js is missing/);
  });

  it('runs on when the rehearsal fails, which the next start does not try again', async () => {
    const failing = SCRIPT.replace('void rehearsals++', "{ throw new Error('forgotten words'); }");
    await writeFile(filename, failing);
    expect(loadCommandLine(filename, later).main()).toBe('main.js');
    await untilKept();
    loadCommandLine(filename, later);
    expect(waiting).toEqual([]);
  });
});

describe('the script as the library', () => {
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
  ])('is compiled from the code that is kept %s, apart from that of the command line', async (_, actions) => {
    expect(load()?.name()).toBe('the library in main.js');
    expect(await cacheFiles()).toEqual([]);
    for (const keep of actions.splice(0)) keep();
    const [name = ''] = await cacheFiles();
    expect(name).toMatch(/^library-.*\.bin$/);
    await rm(join(folder, 'cache', name));
    for (const keep of [...soon.splice(0), ...ends.splice(0)]) keep();
    expect(await cacheFiles()).toEqual([]);
  });

  it('is not kept again', async () => {
    load();
    for (const keep of ends.splice(0)) keep();
    soon.length = 0;
    expect(load()?.name()).toBe('the library in main.js');
    expect([...soon, ...ends]).toEqual([]);
  });

  it('ends where nothing can be kept', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    load();
    for (const keep of ends) keep();
    expect(await readFile(join(folder, 'cache'), 'utf8')).toBe('in the way');
  });

  it('is not there when there is no script, or another one', async () => {
    await writeFile(filename, 'throw new Error("the script of another program")');
    expect(load()).toBeNull();
    await rm(filename);
    expect(load()).toBeNull();
  });

  it('gives objects of the classes of the context that it is loaded in, and keeps nothing there', async () => {
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
