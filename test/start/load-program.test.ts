import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadProgram } from '../../src/start/load-program.ts';
import type { LoadedStart } from '../../src/start/process-start.ts';
import { createStart, loadLibrary } from '../../src/start/start.ts';

const BUILD = '0123456789abcdef';

/** A program whose command line returns the name of its script. */
function scriptOf(buildId = BUILD, name = 'basename(scriptUrl)'): string {
  return `/* node-cli build ${buildId} */ (function (require, scriptUrl, requireOther) {
    const { basename } = require('node:path');
    return {
      commandLine: () => ({
        main: () => ${name},
        later: () => requireOther('src/later.ts').name(),
      }),
      library: () => ({ createNode: () => 'the library in ' + basename(scriptUrl), list: [] }),
      modules: (path) => ({ path }),
    };
  })`;
}

function otherScriptOf(buildId = BUILD): string {
  return `/* node-cli build ${buildId} */ (function (require, scriptUrl, requireOther) {
    const name = () => scriptUrl.split('/').pop() + ' with ' + requireOther('src/shared.ts').path;
    return { modules: (path) => ({ [path]: { name } })[path] };
  })`;
}

const plain = <Result>(action: () => Result): Result => action();

let folder: string;
let filename: string;
let otherFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'node-cli-start-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'cli'));
  filename = join(folder, 'cli', 'main.js');
  otherFile = join(folder, 'cli', 'later.js');
  await writeFile(filename, scriptOf());
  await writeFile(otherFile, otherScriptOf());
});

interface TestCommandLine {
  main(): unknown;
  later(): string;
}

/** Loads the command line of the folder. `write` writes the code cache. */
function load(): TestCommandLine & { write(level: number): void } {
  const loaded = loadProgram(filename, 'main', plain);
  if (loaded === null) throw new Error('the program is missing');
  return {
    ...(loaded.program.commandLine() as unknown as TestCommandLine),
    write: (level) => loaded.write(level),
  };
}

async function cacheFiles(): Promise<string[]> {
  return (await readdir(join(folder, 'cache')).catch(() => [])).sort();
}

async function cacheFile(use = 'main'): Promise<string> {
  const name = (await cacheFiles()).find((each) => each.startsWith(`${use}-`));
  return join(folder, 'cache', name ?? 'none');
}

/** Returns the level in the cache file of the first script. */
async function cachedLevel(): Promise<number> {
  return Number((await readFile(await cacheFile())).toString('latin1', 24, 32));
}

describe('the program', () => {
  it('gets its URL and a function that requires modules', () => {
    expect(load().main()).toBe('main.js');
  });

  it('requires a lazy module on first use, and modules of library files', async () => {
    const names = `[require('lazy node:path').dirname('/a/b'), require('./a.cjs one').name]`;
    await writeFile(filename, scriptOf(BUILD, names));
    await writeFile(join(folder, 'cli', 'a.cjs'), `module.exports = { one: { name: 'first' } };`);
    expect(load().main()).toEqual(['/a', 'first']);
  });

  it('gets modules of the other script, which gets modules of the first', () => {
    expect(load().later()).toBe('later.js with src/shared.ts');
  });

  it('throws if the other script is missing or belongs to another build', async () => {
    const error =
      /later\.js is missing, or its version differs from the running node-cli; run the command again/;
    const { later } = load();
    await writeFile(otherFile, otherScriptOf('fedcba9876543210'));
    expect(later).toThrow(error);
    await rm(otherFile);
    expect(later).toThrow(error);
  });

  it('is null if the script is missing or belongs to another program', async () => {
    await writeFile(filename, 'throw new Error("the script of another program")');
    expect(loadProgram(filename, 'main', plain)).toBeNull();
    await rm(filename);
    expect(loadProgram(filename, 'main', plain)).toBeNull();
  });
});

describe('the code cache', () => {
  it('is used by a later process', async () => {
    load().write(1);
    expect(await cacheFiles()).toEqual([expect.stringMatching(/^main-.*\.bin$/)]);
    const written = await readFile(await cacheFile());
    const second = load();
    expect(second.main()).toBe('main.js');
    second.write(1);
    expect(await readFile(await cacheFile())).toEqual(written);
  });

  it('contains the other script if that ran', async () => {
    const first = load();
    first.later();
    first.write(1);
    expect((await cacheFiles()).map((name) => name.split('-')[0])).toEqual(['later', 'main']);
    expect(load().later()).toBe('later.js with src/shared.ts');
  });

  it('is replaced only by a process that reached more milestones', async () => {
    load().write(0);
    expect(await cachedLevel()).toBe(0);
    load().write(2);
    expect(await cachedLevel()).toBe(2);
    load().write(1);
    expect(await cachedLevel()).toBe(2);
  });

  it('is not replaced if another process has written better code meanwhile', async () => {
    const [slow, quick] = [load(), load()];
    quick.write(3);
    slow.write(1);
    expect(await cachedLevel()).toBe(3);
  });

  it('is not used for another build with a script of the same length', async () => {
    await writeFile(filename, scriptOf(BUILD, "'one'"));
    const first = load();
    expect(first.main()).toBe('one');
    first.write(3);
    await writeFile(filename, scriptOf('fedcba9876543210', "'two'"));
    const second = load();
    expect(second.main()).toBe('two');
    second.write(1);
    expect(await cachedLevel()).toBe(1);
  });

  it.each([
    ['an empty file', () => Buffer.alloc(0)],
    ['a header alone', (cache: Buffer) => cache.subarray(0, 32)],
    ['half of the file', (cache: Buffer) => cache.subarray(0, cache.length >> 1)],
    [
      'a damaged page',
      (cache: Buffer) => Buffer.concat([cache.subarray(0, 32), Buffer.alloc(4_096), cache.subarray(4_128)]),
    ],
    ['text', () => Buffer.from('in the way '.repeat(1_000))],
  ])('is ignored and replaced if the file contains %s', async (_, damage) => {
    // Large enough for several pages.
    const functions = Array.from(
      { length: 400 },
      (_, index) => `const f${index} = (a) => a * ${index} + ${index};`,
    );
    await writeFile(filename, scriptOf().replace('return {', `${functions.join('\n')}\nreturn {`));
    load().write(3);
    const written = await readFile(await cacheFile());
    expect(written.length).toBeGreaterThan(10_000);
    await writeFile(await cacheFile(), damage(written));
    const second = load();
    expect(second.main()).toBe('main.js');
    second.write(0);
    expect(await cachedLevel()).toBe(0);
    expect(load().main()).toBe('main.js');
  });

  it('is not written, and the program runs, if the directory cannot be created', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    const first = load();
    first.write(3);
    expect(await readFile(join(folder, 'cache'), 'utf8')).toBe('in the way');
    expect(load().main()).toBe('main.js');
  });

  it('leaves no unfinished file if it cannot be written', async () => {
    load().write(0);
    const [name = ''] = await cacheFiles();
    await rm(join(folder, 'cache', name));
    await mkdir(join(folder, 'cache', name, 'in the way'), { recursive: true });
    load().write(3);
    expect(await cacheFiles()).toEqual([name]);
  });
});

describe('the start of the command line', () => {
  /** Returns a start, and the actions at the exit of its process. */
  function starting(): { start: LoadedStart; exit(): void } {
    const exits: (() => void)[] = [];
    const start = createStart(filename, (action) => void exits.push(action));
    start.load();
    return {
      start,
      exit() {
        for (const action of exits) action();
      },
    };
  }

  it('writes the code cache at the exit, with the number of reached milestones', async () => {
    starting().exit();
    expect(await cachedLevel()).toBe(0);
    const { start, exit } = starting();
    start.cache('listening');
    start.cache('called');
    expect(await cachedLevel()).toBe(0);
    exit();
    expect(await cachedLevel()).toBe(2);
  });

  it('writes the code cache when the node has settled, and later if a client calls', async () => {
    const { start, exit } = starting();
    start.cache('listening');
    start.cache('settled');
    expect(await cachedLevel()).toBe(2);
    start.cache('called');
    exit();
    expect(await cachedLevel()).toBe(3);
  });

  it('throws an error with a remedy if the program is missing', async () => {
    await rm(filename);
    expect(() => createStart(filename, () => undefined).load()).toThrow(
      /main\.js is missing; reinstall node-cli, or, if a bundler has moved its code, mark node-cli as external/,
    );
  });
});

describe('the library', () => {
  /** Loads the library by a loader, and returns it with its later actions. */
  function library(by = loadLibrary) {
    const soon: (() => void)[] = [];
    const exits: (() => void)[] = [];
    const loaded = by(
      filename,
      (action, milliseconds) => {
        expect(milliseconds).toBe(300);
        soon.push(action);
        return { unref: () => undefined };
      },
      (action) => void exits.push(action),
    );
    return { loaded: loaded as typeof loaded & { readonly list: object }, soon, exits };
  }

  it.each(['soon', 'exits'] as const)('writes its own code cache: %s', async (moment) => {
    const { loaded, [moment]: actions } = library();
    expect(loaded.createNode()).toBe('the library in main.js');
    expect(await cacheFiles()).toEqual([]);
    for (const action of actions) action();
    expect(await cacheFiles()).toEqual([expect.stringMatching(/^library-.*\.bin$/)]);
  });

  it('has objects of the context that loads it, and writes no code cache there', async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('../../src/start/start.ts', import.meta.url))],
      define: { 'import.meta.url': '"file:///"' },
      bundle: true,
      format: 'cjs',
      platform: 'node',
      write: false,
    });
    const module: { exports: { loadLibrary?: typeof loadLibrary } } = { exports: {} };
    const context = createContext({ module, require: createRequire(import.meta.url), process, URL });
    runInContext(outputFiles[0]?.text ?? '', context);
    const { loaded, exits } = library(module.exports.loadLibrary);
    expect(loaded.list).not.toBeInstanceOf(Array);
    expect(loaded.list).toBeInstanceOf(runInContext('Array', context));
    for (const action of exits) action();
    expect(await cacheFiles()).toEqual([]);
  });
});
