// Checks that the node survives hostile files: a clear error or a result, in bounded memory, and nothing changed by an error.

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { readPack } from '../../../src/fork/cache/cache-pack.ts';
import { CacheFiller } from '../../../src/fork/cache/fork-cache.ts';
import { RecordFile } from '../../../src/fork/cache/record-file.ts';
import { PackError } from '../../../src/fork/errors.ts';
import { isSameMark } from '../../../src/persistence/dump/chain-dump.ts';
import { UnpackingBudget } from '../../../src/persistence/dump/dump-bytes.ts';
import { readGenesisFile } from '../../../src/persistence/genesis-file.ts';
import { CodedError } from '../../../src/primitives/coded-error.ts';
import { InvalidDumpError } from '../../../src/wire/errors.ts';
import { recordedFile } from '../../support/anvil-eras.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';
import { cacheFiles, dumpsLike, filesLike, mutations, packs } from './hostile-files.ts';

const UPSTREAM = `upstream-${'0c'.repeat(20)}`;
const PLAIN = { isCompressed: false, withKeys: false };

/** The options of a run. */
export interface FuzzOptions {
  readonly cases: number;
  readonly seed: number;
}

/** A kind of file and its check. */
interface Check {
  readonly name: string;
  readonly run: (options: FuzzOptions) => Promise<void>;
}

function inDirectory<Result>(act: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'node-cli-fuzz-'));
  return act(directory).finally(() => rmSync(directory, { recursive: true, force: true }));
}

/** The sizes of all files below a directory. */
function sizeOf(directory: string): number {
  const names = readdirSync(directory, { recursive: true }).map(String);
  return names.reduce((sum, name) => {
    const facts = statSync(join(directory, name));
    return sum + (facts.isFile() ? facts.size : 0);
  }, 0);
}

function must(condition: boolean, words: string): void {
  if (!condition) throw new Error(words);
}

/**
 * Unpacks a pack. Only a {@link PackError} may occur. Files are written only below the directory, within the
 * size of the pack.
 */
async function checkPack(bytes: Buffer, isCompressed: boolean): Promise<void> {
  await inDirectory(async (directory) => {
    const [pack, cache] = [join(directory, 'pack'), join(directory, 'cache')];
    writeFileSync(pack, isCompressed ? gzipSync(bytes) : bytes);
    const filler = new CacheFiller(cache);
    try {
      for await (const record of readPack(pack)) await filler.add(record, record.upstream ?? UPSTREAM);
      filler.finish();
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
    }
    must(
      readdirSync(directory).every((name) => name === 'pack' || name === 'cache'),
      'a file beside the cache',
    );
    const written = sizeOf(directory) - statSync(pack).size;
    must(written <= 2 * bytes.length + 1_000, `${written} bytes are written of a pack of ${bytes.length}`);
  });
}

/** Reads a cache file. No file causes an error, and each value can be written as JSON. */
async function checkCacheFile(bytes: Buffer): Promise<void> {
  await inDirectory(async (directory) => {
    const path = join(directory, 'records.jsonl');
    writeFileSync(path, bytes);
    const file = new RecordFile(path);
    await file.readOn();
    for (const [, value] of file.entries()) JSON.stringify(value);
    file.set('added', true);
    const again = new RecordFile(path);
    await again.readOn();
    must(again.get('added') === true, 'a record that was added is lost');
  });
}

async function property<Value>(
  files: fc.Arbitrary<Value>,
  { cases, seed }: FuzzOptions,
  check: (value: Value) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(files, check), { numRuns: cases, seed });
}

/** Loads files into one chain. An error is clear and changes nothing. A loaded file can be dumped. */
async function checkDumps(
  files: fc.Arbitrary<Buffer>,
  ruleSet: 'prague' | 'rootstock',
  options: FuzzOptions,
): Promise<void> {
  const { chain } = await createTestChain({ ruleSet });
  const { dump } = nodeOf(chain);
  const start = await dump.write(PLAIN);
  const all = fc.tuple(files, mutations, fc.boolean());
  await property(all, options, async ([file, change, isCompressed]) => {
    const bytes = change(file);
    const before = dump.mark();
    let hasLoaded = true;
    try {
      await dump.load(isCompressed ? gzipSync(bytes) : bytes, new UnpackingBudget(2 ** 26));
    } catch (error) {
      if (!(error instanceof CodedError) || error.code === -32603) throw error;
      hasLoaded = false;
    }
    if (!hasLoaded) {
      must(isSameMark(before, dump.mark()), 'a file that is no dump has changed the chain');
      return;
    }
    await dump.write(PLAIN);
    await dump.load(start);
  });
}

async function ownDump(): Promise<string> {
  const { chain } = await createTestChain({ ruleSet: 'rootstock' });
  await chain.sendFrom(testAccount(0).address, transfer());
  await chain.snapshots.take();
  await chain.mine({ count: 40 });
  await chain.cheats.setBalance(testAccount(1).address, 7n);
  await chain.mine();
  return Buffer.from(await nodeOf(chain).dump.write({ ...PLAIN, withKeys: true })).toString();
}

const GENESIS = {
  config: { chainId: 1234, blobSchedule: { prague: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 } } },
  timestamp: '0x10',
  gasLimit: '30000000',
  number: '0x5',
  parentHash: `0x${'11'.repeat(32)}`,
  alloc: {
    [`0x${'22'.repeat(20)}`]: { balance: '1', nonce: '0x1', code: '0x6001', storage: { '0x1': '0x2' } },
  },
};

/** The kinds of files. Each takes an equal share of the cases. */
export const CHECKS: readonly Check[] = [
  {
    name: 'packs',
    run: (options) =>
      property(fc.tuple(packs, mutations, fc.boolean()), options, ([pack, change, isCompressed]) =>
        checkPack(change(pack), isCompressed),
      ),
  },
  {
    name: 'files of a cache',
    run: (options) =>
      property(fc.tuple(cacheFiles, mutations), options, ([file, change]) => checkCacheFile(change(file))),
  },
  {
    name: 'dumps of this node',
    run: async (options) => checkDumps(dumpsLike(await ownDump()), 'rootstock', options),
  },
  {
    name: 'state files of Anvil',
    run: (options) => checkDumps(filesLike(recordedFile()), 'prague', options),
  },
  {
    name: 'genesis files',
    run: (options) =>
      property(fc.tuple(filesLike(GENESIS), mutations), options, async ([file, change]) => {
        try {
          readGenesisFile(change(file));
        } catch (error) {
          if (!(error instanceof InvalidDumpError)) throw error;
        }
      }),
  },
];

/** Maximum heap growth of a run in bytes. Each case creates at most a few megabytes. */
export const MAX_HEAP = 2 ** 28;
