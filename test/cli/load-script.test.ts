import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

interface Loader {
  loadScript(scriptUrl: URL): Promise<{ main(): unknown; rehearsals(): number }>;
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

/** Lets the time pass after which the code is kept. */
async function untilKept(): Promise<void> {
  vi.advanceTimersByTime(1000);
  await vi.waitFor(async () => expect(await cacheFiles()).toEqual([expect.stringMatching(/\.bin$/)]));
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = await mkdtemp(join(tmpdir(), 'node-cli-script-'));
  await mkdir(join(folder, 'cli'));
  scriptUrl = pathToFileURL(join(folder, 'cli', 'main.js'));
  await writeFile(scriptUrl, SCRIPT);
});

afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

describe('the script of the command line', () => {
  it('gives what it exports, and gets its URL and a way to require modules', async () => {
    expect((await loadScript(scriptUrl)).main()).toBe('main.js');
  });

  it('is compiled from the code that an earlier start kept', { retry: 2 }, async () => {
    await loadScript(scriptUrl);
    await untilKept();
    expect((await loadScript(scriptUrl)).main()).toBe('main.js');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is compiled anew, and its code kept again, once it is another', async () => {
    await loadScript(scriptUrl);
    await untilKept();
    const [name = ''] = await cacheFiles();
    const file = join(folder, 'cache', name);
    const kept = await readFile(file);
    await writeFile(scriptUrl, SCRIPT.replace('basename(scriptUrl)', "'the new ' + basename(scriptUrl)"));
    expect((await loadScript(scriptUrl)).main()).toBe('the new main.js');
    vi.advanceTimersByTime(1000);
    await vi.waitFor(async () => expect((await readFile(file)).equals(kept)).toBe(false));
  });

  it('rehearses before its code is kept, and not again', async () => {
    const first = await loadScript(scriptUrl);
    expect(first.rehearsals()).toBe(0);
    await untilKept();
    expect(first.rehearsals()).toBe(1);
    const second = await loadScript(scriptUrl);
    vi.advanceTimersByTime(1000);
    expect(second.rehearsals()).toBe(0);
  });

  it('runs where nothing can be kept', async () => {
    await writeFile(join(folder, 'cache'), 'in the way');
    await loadScript(scriptUrl);
    vi.advanceTimersByTime(1000);
    expect((await loadScript(scriptUrl)).main()).toBe('main.js');
  });

  it('runs on when the rehearsal fails, which the next start does not try again', async () => {
    const failing = SCRIPT.replace('void rehearsals++', "{ throw new Error('forgotten words'); }");
    await writeFile(scriptUrl, failing);
    expect((await loadScript(scriptUrl)).main()).toBe('main.js');
    await untilKept();
    await loadScript(scriptUrl);
    expect(vi.getTimerCount()).toBe(0);
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
