import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type Later = (action: () => Promise<void>, milliseconds: number) => { unref(): void };

interface Loader {
  loadScript(scriptUrl: URL, later: Later): Promise<{ main(): unknown; rehearsals(): number }>;
  keep(script: Script, rehearse: () => Promise<void>, cacheFile: string): Promise<void>;
}

const { loadScript, keep }: Loader = await import(new URL('../../bin/load-script.js', import.meta.url).href);

const SCRIPT = `(async function (requireOutside, scriptUrl) {
  const { basename } = requireOutside('node:path');
  let rehearsals = 0;
  const rehearse = async () => void rehearsals++;
  return { main: () => basename(scriptUrl), rehearse, rehearsals: () => rehearsals };
})`;

let folder: string;
let scriptUrl: URL;

async function cacheFiles(): Promise<string[]> {
  return readdir(join(folder, 'cache')).catch(() => []);
}

/** What waits for the time after which the code is kept. */
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
  expect(await cacheFiles()).toEqual([expect.stringMatching(/\.bin$/)]);
}

beforeEach(async () => {
  waiting.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'node-cli-script-'));
  await mkdir(join(folder, 'cli'));
  scriptUrl = pathToFileURL(join(folder, 'cli', 'main.js'));
  await writeFile(scriptUrl, SCRIPT);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the script of the command line', () => {
  it('gives what it exports, and gets its URL and a way to require modules', async () => {
    expect((await loadScript(scriptUrl, later)).main()).toBe('main.js');
  });

  it('is compiled from the code that an earlier start kept', async () => {
    await loadScript(scriptUrl, later);
    await untilKept();
    expect((await loadScript(scriptUrl, later)).main()).toBe('main.js');
    expect(waiting).toEqual([]);
  });

  it('is compiled anew, and its code kept again, once it is another', async () => {
    await loadScript(scriptUrl, later);
    await untilKept();
    const [name = ''] = await cacheFiles();
    const file = join(folder, 'cache', name);
    const kept = await readFile(file);
    await writeFile(scriptUrl, SCRIPT.replace('basename(scriptUrl)', "'the new ' + basename(scriptUrl)"));
    expect((await loadScript(scriptUrl, later)).main()).toBe('the new main.js');
    await letTimePass();
    expect((await readFile(file)).equals(kept)).toBe(false);
  });

  it('rehearses before its code is kept, and not again', async () => {
    const first = await loadScript(scriptUrl, later);
    expect(first.rehearsals()).toBe(0);
    await untilKept();
    expect(first.rehearsals()).toBe(1);
    const second = await loadScript(scriptUrl, later);
    await letTimePass();
    expect(second.rehearsals()).toBe(0);
  });

  it('runs where nothing can be kept', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    await loadScript(scriptUrl, later);
    await letTimePass();
    expect((await loadScript(scriptUrl, later)).main()).toBe('main.js');
  });

  it('runs on when the rehearsal fails, which the next start does not try again', async () => {
    const failing = SCRIPT.replace('void rehearsals++', "{ throw new Error('forgotten words'); }");
    await writeFile(scriptUrl, failing);
    expect((await loadScript(scriptUrl, later)).main()).toBe('main.js');
    await untilKept();
    await loadScript(scriptUrl, later);
    expect(waiting).toEqual([]);
  });
});

describe('compiled code', () => {
  const script = new Script('1');
  const file = () => join(folder, 'cache', 'main.bin');

  it('is kept under its name alone', async () => {
    await keep(script, async () => undefined, file());
    expect(await cacheFiles()).toEqual(['main.bin']);
  });

  it('is not rehearsed where it cannot be kept', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    const rehearse = vi.fn(async () => undefined);
    await keep(script, rehearse, file());
    expect(rehearse).not.toHaveBeenCalled();
  });

  it('leaves nothing behind when it could not be kept after all', async () => {
    await mkdir(join(file(), 'in the way'), { recursive: true });
    await keep(script, async () => undefined, file());
    expect(await cacheFiles()).toEqual(['main.bin']);
  });

  it('is kept when the rehearsal failed, and says so to those who listen', async () => {
    const forgotten = new Error('forgotten words');
    await expect(keep(script, () => Promise.reject(forgotten), file())).rejects.toBe(forgotten);
    expect(await cacheFiles()).toEqual(['main.bin']);
  });
});
