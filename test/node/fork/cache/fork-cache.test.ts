import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forkCacheDirectory } from '../../../../src/node/fork/cache/cache-directory.ts';
import { ForkCache } from '../../../../src/node/fork/cache/fork-cache.ts';
import { ForkCacheError } from '../../../../src/node/fork/errors.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'node-cli-cache-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const PIN = { number: 7, hash: new Uint8Array(32).fill(0xab) };

describe('the cache of a fork', () => {
  it('keeps answers by chain id and block hash', () => {
    const place = directory();
    const clock = createManualClock();
    new ForkCache(place, clock).answers(30, PIN).set('question', '0x1');
    const reader = new ForkCache(place, clock);
    expect(reader.answers(30, PIN).get('question')).toBe('0x1');
    expect(reader.answers(31, PIN).get('question')).toBeUndefined();
    expect(reader.answers(30, { ...PIN, hash: new Uint8Array(32) }).get('question')).toBeUndefined();
    expect(readdirSync(join(place, '30'))).toEqual([`${'ab'.repeat(32)}.jsonl`]);
  });

  it('takes a block near the head for granted for ten minutes, a deep one for ever', () => {
    const clock = createManualClock();
    const cache = new ForkCache(directory(), clock);
    cache.keepBlock(30, '7', { block: { hash: '0x1' }, isDeep: false });
    cache.keepBlock(30, '1', { block: { hash: '0x2' }, isDeep: true });
    expect(cache.block(30, '7', false)).toEqual({ hash: '0x1' });
    clock.advance(10 * 60_000);
    expect(cache.block(30, '7', false)).toBeUndefined();
    expect(cache.block(30, '7', true)).toEqual({ hash: '0x1' });
    expect(cache.block(30, '1', false)).toEqual({ hash: '0x2' });
    cache.forgetBlock(30, '1');
    expect(cache.block(30, '1', true)).toBeUndefined();
  });

  it('knows the chain id behind a URL without writing the URL down', () => {
    const place = directory();
    const cache = new ForkCache(place, createManualClock());
    cache.keepChainId('https://host/secret-key', 30);
    expect(cache.chainIdAt('https://host/secret-key')).toBe(30);
    expect(cache.chainIdAt('https://host/other-key')).toBeUndefined();
    expect(readFileSync(join(place, 'urls.jsonl'), 'utf8')).not.toContain('secret');
  });

  it('says clearly that its directory cannot be made', () => {
    const file = join(directory(), 'file');
    writeFileSync(file, '');
    expect(() => new ForkCache(file, createManualClock()).chainIdAt('https://host')).toThrow(ForkCacheError);
  });

  it('keeps answers in memory where nothing is to be written', () => {
    const cache = new ForkCache(null, createManualClock());
    const answers = cache.answers(30, PIN);
    answers.set('question', '0x1');
    expect(answers.get('question')).toBe('0x1');
    expect(cache.chainIdAt('https://host')).toBeUndefined();
  });

  it('lies where the platform has caches of the user', () => {
    const home = '/home/me';
    const place = (platform: NodeJS.Platform, environment: Record<string, string> = {}): string =>
      forkCacheDirectory({ platform, environment, home });
    expect(place('linux')).toBe('/home/me/.cache/node-cli/fork');
    expect(place('linux', { XDG_CACHE_HOME: '/caches' })).toBe('/caches/node-cli/fork');
    expect(place('darwin')).toBe('/home/me/Library/Caches/node-cli/fork');
    expect(place('win32', { LOCALAPPDATA: '/local' })).toBe('/local/node-cli/fork');
  });
});
