import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnswerCache, ForkCache } from '../../../src/fork/cache/fork-cache.ts';
import { MAX_FILE_SIZE } from '../../../src/fork/cache/record-file.ts';
import type { ForkRecord } from '../../../src/fork/fork-options.ts';
import { ForkDirectory } from '../../../src/persistence/durable/fork-directory.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const PIN = { number: 7, hash: new Uint8Array(32).fill(7) };
const RECORD: ForkRecord = {
  urls: ['https://node.example'],
  chainId: 30,
  ...PIN,
  block: { number: '0x7', hash: toHex(PIN.hash) },
  before: null,
  funds: new Map(),
  answers: null,
};

/** Opens the directory like a node without its own cache. Returns it with the cache of its fork. */
async function open(
  directory: string,
): Promise<{ readonly kept: ForkDirectory; readonly answers: AnswerCache }> {
  const kept = await ForkDirectory.read(directory);
  const answers = await kept.over(new ForkCache(null, RECORD.urls, createManualClock())).answers(30, PIN);
  return { kept, answers };
}

describe('cached responses of a fork in a data directory', () => {
  it('cached responses are all stored, even above the maximum size of a cache file', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'fork-answers.jsonl');
    const first = await open(directory);
    first.answers.set('before', '0x1');
    first.kept.keep(RECORD);
    // A hole in the file replaces the responses required to reach the limit.
    truncateSync(file, MAX_FILE_SIZE);

    first.answers.set('after', '0x2');
    expect(statSync(file).size).toBeGreaterThan(MAX_FILE_SIZE);
    const second = await open(directory);
    expect(['before', 'after'].map((text) => second.answers.get(text))).toEqual(['0x1', '0x2']);
    second.kept.keep(RECORD);
    second.answers.set('later', '0x3');

    const third = await open(directory);
    expect(['before', 'after', 'later'].map((text) => third.answers.get(text))).toEqual([
      '0x1',
      '0x2',
      '0x3',
    ]);
  });
});
