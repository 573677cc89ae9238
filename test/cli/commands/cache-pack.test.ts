import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { lstat, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { readPack, writePack } from '../../../src/fork/cache/cache-pack.ts';
import { ForkCache, upstreamDirectory } from '../../../src/fork/cache/fork-cache.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { fakeHost } from '../support/fake-host.ts';

const PIN = { number: 7, hash: new Uint8Array(32).fill(0xab) };
const OTHER_PIN = { number: 9, hash: new Uint8Array(32).fill(0xcd) };
const URLS = ['https://node.example/v2/0123456789abcdefghij'];
const OTHER_URLS = ['https://other.example'];

async function run(...commandLine: readonly string[]) {
  const host = fakeHost({ commandLine });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

function cacheAt(directory: string, urls: readonly string[] = URLS, time = 0): ForkCache {
  const clock = createManualClock();
  clock.advance(time);
  return new ForkCache(directory, urls, clock);
}

/** Steps that fill a cache, in any order. */
const STEPS: readonly ((directory: string, time: number) => unknown)[] = [
  (directory, time) => cacheAt(directory, URLS, time).keepChainId(30),
  (directory, time) =>
    cacheAt(directory, URLS, time).keepBlock(30, '7', { block: { hash: '0x7' }, isDeep: true }),
  (directory, time) =>
    cacheAt(directory, URLS, time).keepBlock(30, '9', { block: { hash: '0x9' }, isDeep: false }),
  (directory, time) => cacheAt(directory, URLS, time).forgetBlock(30, '8'),
  async (directory) =>
    (await cacheAt(directory).answers(30, PIN)).set('["eth_getBalance",["0x1","@"]]', '0x5'),
  async (directory) => (await cacheAt(directory).answers(30, PIN)).set('["eth_getCode",["0x1","@"]]', null),
  async (directory) =>
    (await cacheAt(directory).answers(30, OTHER_PIN)).set('["eth_getBalance",["0x1","@"]]', '0x6'),
];

async function filledCache(order = STEPS, time = 0): Promise<string> {
  const directory = await temporaryDirectory();
  for (const step of order) await step(directory, time);
  return directory;
}

async function packed(directory: string, name: string, ...more: readonly string[]): Promise<string> {
  const path = join(await temporaryDirectory(), name);
  const { errors, code } = await run('cache', 'pack', path, '--fork-cache-dir', directory, ...more);
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  return path;
}

describe('cache pack', () => {
  it('cache pack writes the same file regardless of the order and time of the entries', async () => {
    const one = await packed(await filledCache(), 'one.jsonl');
    const other = await packed(await filledCache([...STEPS].reverse(), 5_000), 'other.jsonl');
    const text = await readFile(one, 'utf8');
    expect(await readFile(other, 'utf8')).toBe(text);
    expect(text.split('\n')).toHaveLength(9);
    expect(text).not.toContain('0123456789abcdefghij');
    const compressed = await readFile(await packed(await filledCache(), 'fork.gz'));
    expect(gunzipSync(compressed).toString('utf8')).toBe(text);
    expect(compressed.equals(await readFile(await packed(await filledCache(), 'fork.gz')))).toBe(true);
  });

  it('cache pack --fork-url packs one upstream and prints the number of entries', async () => {
    const directory = await filledCache();
    (await cacheAt(directory, OTHER_URLS).answers(31, PIN)).set('question', 'answer');
    const path = join(await temporaryDirectory(), 'fork.gz');
    const own = ['cache', 'pack', path, '--fork-cache-dir', directory];
    expect((await run(...own)).output).toBe(
      `Exported 8 entries of 2 fork URLs from ${directory} to ${path}\n`,
    );
    const named = await run(...own, '--fork-url', OTHER_URLS[0] ?? '');
    expect(named.output).toBe(`Exported 1 entry of 1 fork URL from ${directory} to ${path}\n`);
    expect(JSON.parse((await run(...own, '--json')).output)).toEqual({
      file: path,
      directory,
      answers: 8,
      upstreams: 2,
    });
    expect(await readdir(join(path, '..'))).toEqual(['fork.gz']);
  });

  it('cache pack reports an unwritable file in one line', async () => {
    const path = join(await temporaryDirectory(), 'nowhere', 'fork.gz');
    const { errors, code } = await run('cache', 'pack', path, '--fork-cache-dir', await filledCache());
    expect({ errors, code }).toEqual({
      errors: `node-cli: cannot open ${path}: no such file or directory\n`,
      code: 1,
    });
  });
});

describe('cache unpack', () => {
  it('cache unpack adds entries and keeps existing ones', async () => {
    const pack = await packed(await filledCache(), 'fork.gz');
    const directory = await temporaryDirectory();
    (await cacheAt(directory).answers(30, PIN)).set('["eth_getBalance",["0x1","@"]]', '0xown');
    const first = await run('cache', 'unpack', pack, '--fork-cache-dir', directory);
    expect(first.output).toBe(`Imported 7 entries of 1 fork URL (6 new) into ${directory}\n`);
    const cache = cacheAt(directory, URLS, 3_600_000);
    expect(await cache.chainId()).toBe(30);
    expect(await cache.block(30, '7', false)).toEqual({ hash: '0x7' });
    // A block near the head may have been replaced. It is requested again, except offline.
    expect(await cache.block(30, '9', false)).toBeUndefined();
    expect(await cache.block(30, '9', true)).toEqual({ hash: '0x9' });
    expect((await cache.answers(30, PIN)).get('["eth_getBalance",["0x1","@"]]')).toBe('0xown');
    expect((await cache.answers(30, PIN)).get('["eth_getCode",["0x1","@"]]')).toBeNull();
    expect((await cache.answers(30, OTHER_PIN)).get('["eth_getBalance",["0x1","@"]]')).toBe('0x6');
    const { output } = await run('cache', 'unpack', pack, '--fork-cache-dir', directory, '--json');
    expect(JSON.parse(output)).toMatchObject({ answers: 7, added: 1, upstreams: 1 });
  });

  it('cache unpack --fork-url imports for another URL of the same chain, as in CI', async () => {
    const pack = await packed(await filledCache(), 'fork.gz');
    const directory = await temporaryDirectory();
    const key = 'https://node.example/v2/jihgfedcba9876543210';
    await run('cache', 'unpack', pack, '--fork-cache-dir', directory, '--fork-url', key);
    expect(
      (await cacheAt(directory, [key]).answers(30, OTHER_PIN)).get('["eth_getBalance",["0x1","@"]]'),
    ).toBe('0x6');
    expect(await cacheAt(directory).chainId()).toBeUndefined();
    const { output } = await run('cache', 'ls', '--fork-cache-dir', directory);
    expect(output).toContain('of https://node.example/v2/***');
  });

  it('cache unpack --fork-url rejects a pack of several upstreams', async () => {
    const directory = await filledCache();
    (await cacheAt(directory, OTHER_URLS).answers(31, PIN)).set('question', 'answer');
    const pack = await packed(directory, 'fork.gz');
    const target = await temporaryDirectory();
    const { errors, code } = await run(
      ...['cache', 'unpack', pack, '--fork-cache-dir', target, '--fork-url', 'https://third.example'],
    );
    expect({ errors, code }).toEqual({
      errors:
        'node-cli: the file contains data of several fork URLs, so --fork-url cannot be used; remove --fork-url\n',
      code: 2,
    });
    expect(await readdir(target)).toEqual([]);
  });

  const HEAD = '{"format":"node-cli fork answers","version":1}\n';
  const UPSTREAM = `upstream-${'0a'.repeat(20)}`;
  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'it is empty'],
    ['another file', '{"jsonrpc":"2.0"}\n', 'its first line is not a header of this format'],
    ['no JSON', 'hello\n', 'line 1 is not JSON'],
    [
      'JSON that is nested too deep',
      `${HEAD}["30/blocks.jsonl","7",${'['.repeat(30_000)}${']'.repeat(30_000)}]\n`,
      'line 2 is not JSON: the JSON is nested deeper than 2501 levels',
    ],
    [
      'a file in two parts',
      `${HEAD}${['30', '31', '30'].map((chain, index) => `["${UPSTREAM}/${chain}/blocks.jsonl","${index}",1]\n`).join('')}`,
      'line 4 returns to an earlier file; sort the lines by file',
    ],
    [
      'too many files',
      `${HEAD}${Array.from({ length: 10_001 }, (_, index) => `["${UPSTREAM}/${index}/blocks.jsonl","7",1]\n`).join('')}`,
      'it has records of more than 10000 files',
    ],
    ['a later version', HEAD.replace('1', '9'), 'it has version 9, expected 1'],
    ['a line that is cut off', `${HEAD}["1/blocks.jsonl","7",`, 'its last line is incomplete'],
    ['no record', `${HEAD}{}\n`, 'line 2 is not a record: expected an array of file, key and value'],
    ['a path out of the cache', `${HEAD}["../../x.jsonl","7",1]\n`, 'line 2 contains an invalid file name'],
    ['an absolute path', `${HEAD}["/etc/passwd","7",1]\n`, 'line 2 contains an invalid file name'],
    [
      'data that end too early',
      gzipSync(HEAD + 'x'.repeat(1000)).subarray(0, 40),
      'the gzip data is incomplete or damaged',
    ],
  ])('cache unpack rejects %s and changes nothing', async (_, content, reason) => {
    const pack = join(await temporaryDirectory(), 'pack');
    await writeFile(pack, content);
    const target = await temporaryDirectory();
    expect(await run('cache', 'unpack', pack, '--fork-cache-dir', target)).toEqual({
      output: '',
      errors: `node-cli: cannot import ${pack}: ${reason}; create the file with npx node-cli cache pack\n`,
      code: 1,
    });
    expect(await readdir(target)).toEqual([]);
  });

  it('cache unpack writes a repeated key once', async () => {
    const pack = join(await temporaryDirectory(), 'fork.gz');
    const line = `${JSON.stringify([`${UPSTREAM}/30/blocks.jsonl`, '7', { block: { hash: '0x7' }, isDeep: false }])}\n`;
    await writeFile(pack, gzipSync(HEAD + line.repeat(20_000)));
    const target = await temporaryDirectory();
    const { output } = await run('cache', 'unpack', pack, '--fork-cache-dir', target);
    expect(output).toBe(`Imported 1 entry of 1 fork URL (1 new) into ${target}\n`);
    const { size } = await stat(join(target, UPSTREAM, '30', 'blocks.jsonl'));
    expect(size).toBeLessThan(100);
  });

  it('a pack above the maximum unpacked size is rejected as soon as it is reached', async () => {
    const pack = join(await temporaryDirectory(), 'fork.gz');
    const line = `${JSON.stringify([`${UPSTREAM}/30/blocks.jsonl`, '7', 'x'.repeat(1_000)])}\n`;
    await writeFile(pack, gzipSync(HEAD + line.repeat(1_000)));
    const read = async (largest?: number): Promise<number> => {
      let count = 0;
      for await (const _ of readPack(pack, largest)) count++;
      return count;
    };
    await expect(read(1_000_000)).rejects.toThrow('it exceeds 1000000 bytes when unpacked');
    expect(await read()).toBe(1);
  });

  it('a pack of more than 512 MiB is rejected', async () => {
    const pack = join(await temporaryDirectory(), 'fork.jsonl');
    await writeFile(pack, HEAD);
    const content = Readable.from([Buffer.from(HEAD), Buffer.alloc(512 * 1024 ** 2)]) as fs.ReadStream;
    const opened = vi.spyOn(fs, 'createReadStream').mockReturnValue(content);
    syncBuiltinESMExports();
    onTestFinished(() => {
      opened.mockRestore();
      syncBuiltinESMExports();
    });

    const records = readPack(pack)[Symbol.asyncIterator]();

    await expect(records.next()).rejects.toThrow('it exceeds 536870912 bytes when unpacked');
  });

  it('writePack rejects a pack above the maximum size', async () => {
    const path = join(await temporaryDirectory(), 'fork.gz');
    const records = Array.from({ length: 10 }, (_, index) => ({
      upstream: null,
      file: '30/blocks.jsonl',
      key: `${index}`,
      value: 'x'.repeat(1_000),
    }));
    await expect(writePack(path, records, 10_000)).rejects.toThrow(
      'the pack would exceed 10000 bytes; pack the responses of one URL with --fork-url',
    );
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it('cache unpack rejects a named pipe', async () => {
    const pack = join(await temporaryDirectory(), 'fork.gz');
    execFileSync('mkfifo', [pack]);
    const { errors, code } = await run(
      ...['cache', 'unpack', pack, '--fork-cache-dir', await temporaryDirectory()],
    );
    expect({ errors, code }).toEqual({
      errors: `node-cli: cannot import ${pack}: it is not a regular file; create the file with npx node-cli cache pack\n`,
      code: 1,
    });
  });

  it('cache unpack does not write through a symbolic link', async () => {
    const pack = await packed(await filledCache(), 'fork.gz');
    const [target, other] = [await temporaryDirectory(), await temporaryDirectory()];
    await symlink(other, join(target, upstreamDirectory(URLS)));
    const { errors, code } = await run('cache', 'unpack', pack, '--fork-cache-dir', target);
    expect(code).toBe(1);
    expect(errors).toContain('it is a symbolic link');
    expect(await readdir(other)).toEqual([]);
  });

  it('cache pack and unpack preserve any entries', async () => {
    const answers = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(answers, fc.boolean(), async (given, isCompressed) => {
        const source = await temporaryDirectory();
        const answersOfSource = await cacheAt(source).answers(30, PIN);
        for (const [key, value] of Object.entries(given)) answersOfSource.set(key, value);
        const pack = await packed(source, isCompressed ? 'fork.gz' : 'fork.jsonl');
        const target = await temporaryDirectory();
        await run('cache', 'unpack', pack, '--fork-cache-dir', target);
        const kept = async (directory: string) =>
          new Map((await cacheAt(directory).answers(30, PIN)).entries());
        expect(await kept(target)).toEqual(await kept(source));
      }),
      { numRuns: 25 },
    );
  });
});

describe.skipIf(process.platform === 'win32')('named pipes and symbolic links in the cache', () => {
  const CHAIN = join(upstreamDirectory(URLS), '30');
  /** The paths of files in a cache. */
  const PLACES = [
    join(upstreamDirectory(URLS), 'upstream.jsonl'),
    join(CHAIN, 'blocks.jsonl'),
    join(CHAIN, `${'01'.repeat(32)}.jsonl`),
  ];

  it.each(PLACES)('cache ls, clean and pack skip %s', async (place) => {
    for (const kind of ['pipe', 'link']) {
      const directory = await filledCache();
      const target = join(await temporaryDirectory(), 'mine');
      await writeFile(target, 'mine');
      const path = join(directory, place);
      await rm(path, { force: true });
      if (kind === 'pipe') execFileSync('mkfifo', [path]);
      else await symlink(target, path);
      const options = ['--fork-cache-dir', directory];

      const listed = await run('cache', 'ls', ...options);
      const pack = join(await temporaryDirectory(), 'fork.jsonl');
      const exported = await run('cache', 'pack', pack, ...options);
      const cleaned = await run('cache', 'clean', ...options);

      expect([listed, exported, cleaned].map(({ errors, code }) => ({ errors, code }))).toEqual(
        Array.from({ length: 3 }, () => ({ errors: '', code: 0 })),
      );
      expect(listed.output).not.toContain('01'.repeat(32));
      expect(await readFile(pack, 'utf8')).not.toContain('mine');
      expect((await lstat(path)).isFile()).toBe(false);
      expect(await readFile(target, 'utf8')).toBe('mine');
    }
  });
});
