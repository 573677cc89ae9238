import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forkCacheDirectory } from '../../../src/fork/cache/cache-directory.ts';
import {
  ForkCache,
  isUpstreamDirectory,
  upstreamDirectory,
  upstreamUrls,
} from '../../../src/fork/cache/fork-cache.ts';
import { RecordFile } from '../../../src/fork/cache/record-file.ts';
import { ForkCacheError } from '../../../src/fork/errors.ts';
import { createManualClock } from '../../support/manual-clock.ts';

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'node-cli-cache-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const PIN = { number: 7, hash: new Uint8Array(32).fill(0xab) };
const URLS = ['https://host/secret-key'];

describe('ForkCache', () => {
  it('stores answers by chain id and block hash', async () => {
    const place = directory();
    const clock = createManualClock();
    (await new ForkCache(place, URLS, clock).answers(30, PIN)).set('question', '0x1');
    const reader = new ForkCache(place, URLS, clock);
    expect((await reader.answers(30, PIN)).get('question')).toBe('0x1');
    expect((await reader.answers(31, PIN)).get('question')).toBeUndefined();
    expect((await reader.answers(30, { ...PIN, hash: new Uint8Array(32) })).get('question')).toBeUndefined();
    const [name = ''] = readdirSync(place);
    expect(isUpstreamDirectory(name)).toBe(true);
    expect(readdirSync(join(place, name, '30'))).toEqual([`${'ab'.repeat(32)}.jsonl`]);
  });

  it.each([
    ['another server', ['https://other/secret-key']],
    ['another path', ['https://host/other-key']],
    ['another query', ['https://host/secret-key?network=test']],
    ['another user', ['https://user@host/secret-key']],
    ['a fallback URL', ['https://host/secret-key', 'https://other']],
  ])('shares no answers of one upstream with a client of %s', async (_, urls) => {
    const place = directory();
    const clock = createManualClock();
    const own = new ForkCache(place, URLS, clock);
    (await own.answers(30, PIN)).set('question', '0x1');
    own.keepBlock(30, '7', { block: { hash: '0x1' }, isDeep: true });
    own.keepChainId(30);
    const other = new ForkCache(place, urls, clock);
    expect((await other.answers(30, PIN)).get('question')).toBeUndefined();
    expect(await other.block(30, '7', true)).toBeUndefined();
    expect(await other.chainId()).toBeUndefined();
  });

  it('uses one directory for the same URLs in another order or spelling', async () => {
    const place = directory();
    const clock = createManualClock();
    new ForkCache(place, ['https://one', 'https://two/x'], clock).keepChainId(30);
    expect(await new ForkCache(place, ['https://TWO/x#y', 'https://one:443/'], clock).chainId()).toBe(30);
  });

  it('ignores files of earlier versions without an upstream', async () => {
    const place = directory();
    const clock = createManualClock();
    mkdirSync(join(place, '30'));
    new RecordFile(join(place, '30', `${'ab'.repeat(32)}.jsonl`)).set('question', '0x1');
    new RecordFile(join(place, '30', 'blocks.jsonl')).set('7', { block: { hash: '0x1' }, isDeep: true });
    const cache = new ForkCache(place, URLS, clock);
    expect((await cache.answers(30, PIN)).get('question')).toBeUndefined();
    expect(await cache.block(30, '7', true)).toBeUndefined();
  });

  it('expires a block near the head after ten minutes, but never a deep block', async () => {
    const clock = createManualClock();
    const cache = new ForkCache(directory(), URLS, clock);
    cache.keepBlock(30, '7', { block: { hash: '0x1' }, isDeep: false });
    cache.keepBlock(30, '1', { block: { hash: '0x2' }, isDeep: true });
    expect(await cache.block(30, '7', false)).toEqual({ hash: '0x1' });
    clock.advance(10 * 60_000);
    expect(await cache.block(30, '7', false)).toBeUndefined();
    expect(await cache.block(30, '7', true)).toEqual({ hash: '0x1' });
    expect(await cache.block(30, '1', false)).toEqual({ hash: '0x2' });
    cache.forgetBlock(30, '1');
    expect(await cache.block(30, '1', true)).toBeUndefined();
  });

  it('remembers the chain id, and writes no secrets of the URLs', async () => {
    const place = directory();
    const cache = new ForkCache(place, URLS, createManualClock());
    cache.keepChainId(30);
    expect(await cache.chainId()).toBe(30);
    const [name = ''] = readdirSync(place);
    expect(await upstreamUrls(join(place, name))).toEqual(['https://host/***']);
    expect(readFileSync(join(place, name, 'upstream.jsonl'), 'utf8')).not.toContain('secret');
    expect(name).not.toContain('secret');
  });

  it('writes the chain id and the URLs only if they differ from the last record', async () => {
    const place = directory();
    const keepAnew = async (chainId: number): Promise<string> => {
      const cache = new ForkCache(place, URLS, createManualClock());
      await cache.chainId();
      cache.keepChainId(chainId);
      cache.keepChainId(chainId);
      const [name = ''] = readdirSync(place);
      return readFileSync(join(place, name, 'upstream.jsonl'), 'utf8');
    };
    const first = await keepAnew(30);
    expect(await keepAnew(30)).toBe(first);
    const changed = await keepAnew(31);
    expect(changed.split('\n').filter(Boolean)).toHaveLength(3);
    expect(changed.startsWith(first)).toBe(true);
    expect(await new ForkCache(place, URLS, createManualClock()).chainId()).toBe(31);
  });

  it('throws ForkCacheError if its directory cannot be created', async () => {
    const file = join(directory(), 'file');
    writeFileSync(file, '');
    await expect(new ForkCache(file, URLS, createManualClock()).chainId()).rejects.toThrow(ForkCacheError);
  });

  it('reads the answers of another process only after readOn', async () => {
    const place = directory();
    const [one, other] = [0, 1].map(() => new ForkCache(place, URLS, createManualClock()));
    const answers = await one?.answers(30, PIN);
    (await other?.answers(30, PIN))?.set('question', '0x1');
    expect(answers?.get('question')).toBeUndefined();
    await answers?.readOn();
    expect(answers?.get('question')).toBe('0x1');
  });

  const NAME = upstreamDirectory(URLS);
  it.each([
    ['directory of its upstream', [NAME]],
    ['directory of its chain', [NAME, '30']],
    ['file of answers', [NAME, '30', `${'ab'.repeat(32)}.jsonl`]],
  ])('rejects a symbolic link in place of the %s, and writes nothing through it', async (_, names) => {
    const [place, target] = [directory(), directory()];
    const link = join(place, ...names);
    mkdirSync(join(link, '..'), { recursive: true });
    const isFile = names.length === 3;
    const own = isFile ? join(target, 'mine') : target;
    if (isFile) writeFileSync(own, 'mine');
    symlinkSync(own, link);
    const cache = new ForkCache(place, URLS, createManualClock());
    await expect(cache.answers(30, PIN)).rejects.toThrow(
      /^cannot use the fork cache \(.*: it is a symbolic link\); choose another directory/,
    );
    expect(readdirSync(target)).toEqual(isFile ? ['mine'] : []);
    if (isFile) expect(readFileSync(own, 'utf8')).toBe('mine');
  });

  it('follows a symbolic link to its root directory', async () => {
    const [place, target] = [join(directory(), 'link'), directory()];
    symlinkSync(target, place);
    (await new ForkCache(place, URLS, createManualClock()).answers(30, PIN)).set('question', '0x1');
    expect(readdirSync(target)).toEqual([NAME]);
  });

  it('lists no questions from a named pipe or a symbolic link', async () => {
    const place = directory();
    const chain = join(place, NAME, '30');
    mkdirSync(chain, { recursive: true });
    execFileSync('mkfifo', [join(chain, `${'01'.repeat(32)}.jsonl`)]);
    symlinkSync('/dev/zero', join(chain, `${'02'.repeat(32)}.jsonl`));
    const cache = new ForkCache(place, URLS, createManualClock());
    expect(await cache.earlierQuestions(30, PIN)).toEqual([]);
  });

  it('keeps answers in memory if it has no directory', async () => {
    const cache = new ForkCache(null, URLS, createManualClock());
    const answers = await cache.answers(30, PIN);
    answers.set('question', '0x1');
    expect(answers.get('question')).toBe('0x1');
    expect(await cache.chainId()).toBeUndefined();
  });

  it('uses the cache directory of the platform', () => {
    const home = '/home/me';
    const place = (platform: NodeJS.Platform, environment: Record<string, string> = {}): string =>
      forkCacheDirectory({ platform, environment, home });
    expect(place('linux')).toBe('/home/me/.cache/node-cli/fork');
    expect(place('linux', { XDG_CACHE_HOME: '/caches' })).toBe('/caches/node-cli/fork');
    expect(place('darwin')).toBe('/home/me/Library/Caches/node-cli/fork');
    expect(place('win32', { LOCALAPPDATA: '/local' })).toBe('/local/node-cli/fork');
  });
});
