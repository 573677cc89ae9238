import { lstat, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { printable, StartError, UsageError } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import { forkCacheDirectory } from '../../fork/cache/cache-directory.ts';
import { type PackedRecord, readPack, writePack } from '../../fork/cache/cache-pack.ts';
import {
  BLOCKS_FILE,
  blockNumbers,
  CacheFiller,
  isUpstreamDirectory,
  packedRecords,
  UPSTREAM_FILE,
  upstreamDirectory,
  upstreamUrls,
} from '../../fork/cache/fork-cache.ts';
import { ForkCacheError, LargePackError, PackError } from '../../fork/errors.ts';
import { splitForkUrl } from '../../fork/fork-options.ts';
import { maskUrl } from '../../fork/upstream/mask-url.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import { type Command, columns, EXIT_CODES, jsonText } from '../command.ts';
import type { Host } from '../host.ts';
import type { CommandLine } from '../read-options.ts';

interface CacheFile {
  readonly path: string;
  /** Fork URLs with masked secrets; `null` for an unused file of an earlier version. */
  readonly upstream: readonly string[] | null;
  /** `null` for the file about the upstream itself. */
  readonly chainId: number | null;
  /** The hash of the fork block; `null` for a file about several blocks. */
  readonly blockHash: string | null;
  /** Bytes. */
  readonly size: number;
}

/** Earlier versions stored the chain ids of all URLs in this file. */
const EARLIER_URLS_FILE = 'urls.jsonl';
const CHAIN_DIRECTORY = /^\d+$/;
const BLOCK_FILE = /^([0-9a-f]{64})\.jsonl$/;

function directoryOf({ forkCacheDir }: NodeOptions, { environment }: Host): string {
  return forkCacheDir ?? forkCacheDirectory({ platform: process.platform, environment, home: homedir() });
}

/** Returns the sorted names in a directory; empty if the directory does not exist. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function fileAt(path: string, about: Omit<CacheFile, 'path' | 'size'>): Promise<CacheFile[]> {
  const found = await lstat(path);
  return found.isFile() ? [{ path, ...about, size: found.size }] : [];
}

/** Returns the files of one chain directory. */
async function chainFiles(path: string, upstream: CacheFile['upstream']): Promise<CacheFile[]> {
  const chainId = Number(basename(path));
  const files: CacheFile[] = [];
  for (const name of await namesIn(path)) {
    const block = BLOCK_FILE.exec(name)?.[1];
    if (block === undefined && name !== BLOCKS_FILE) continue;
    const blockHash = block === undefined ? null : `0x${block}`;
    files.push(...(await fileAt(join(path, name), { upstream, chainId, blockHash })));
  }
  return files;
}

/** Returns the cache files of one upstream; `null` for files of earlier versions. Skips other files. */
async function upstreamFiles(directory: string, upstream: CacheFile['upstream']): Promise<CacheFile[]> {
  const own = upstream === null ? EARLIER_URLS_FILE : UPSTREAM_FILE;
  const files: CacheFile[] = [];
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (name === own) files.push(...(await fileAt(path, { upstream, chainId: null, blockHash: null })));
    else if (CHAIN_DIRECTORY.test(name) && (await lstat(path)).isDirectory())
      files.push(...(await chainFiles(path, upstream)));
  }
  return files;
}

/** Returns the cache files of all upstreams, sorted by path. */
export async function cacheFiles(directory: string): Promise<CacheFile[]> {
  const files = await upstreamFiles(directory, null);
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (isUpstreamDirectory(name) && (await lstat(path)).isDirectory())
      files.push(...(await upstreamFiles(path, await upstreamUrls(path))));
  }
  return files;
}

/** Runs `act`. Converts an error of the system into a {@link StartError} that names the directory. */
async function usingDirectory<Result>(directory: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new StartError(
      `--fork-cache-dir: cannot read ${printable(directory)}: ${systemMessage(error)}; pass the directory of a fork cache`,
    );
  }
}

/** Returns the cached numbers of the fork blocks, by block hash. */
async function numbersIn(files: readonly CacheFile[]): Promise<ReadonlyMap<string, number>> {
  const listed = files.filter(({ upstream, blockHash }) => upstream !== null && blockHash !== null);
  const chains = new Set(listed.map(({ path }) => dirname(path)));
  const numbers = new Map<string, number>();
  for (const chain of chains)
    for (const [hash, number] of await blockNumbers(chain)) numbers.set(hash, number);
  return numbers;
}

function wordsOf({ upstream, chainId, blockHash }: CacheFile, numbers: ReadonlyMap<string, number>): string {
  const urls =
    upstream?.map((url) => printable(url)).join(' ') ??
    'unknown URLs (file of an earlier node-cli version; no longer used)';
  const of = urls === '' ? 'an unknown URL' : urls;
  if (chainId === null) return `chain id of ${of}`;
  if (blockHash === null) return `chain ${chainId}, blocks of ${of}`;
  const number = numbers.get(blockHash);
  const block = number === undefined ? blockHash : `${number} (${blockHash})`;
  return `chain ${chainId}, state after block ${block} of ${of}`;
}

function totalOf(files: readonly CacheFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Lists the files of the cache with their sizes. */
export const listCache: Command = async ({ options }, host) => {
  const directory = directoryOf(options, host);
  const files = await usingDirectory(directory, () => cacheFiles(directory));
  const total = totalOf(files);
  if (options.json) await host.print(jsonText({ directory, size: total, files }));
  else {
    const numbers = await numbersIn(files);
    const rows = files.map((file) => [`${file.size}`, wordsOf(file, numbers)] as const);
    const header = rows.length === 0 ? [] : [['Bytes', 'Content'] as const];
    await host.print(
      columns([...header, ...rows, [`${total}`, `bytes in total in ${printable(directory)}`]]),
    );
  }
  return EXIT_CODES.success;
};

/** Removes the files of the cache. Keeps the directories, because a running node writes into them. */
export const cleanCache: Command = async ({ options }, host) => {
  const directory = directoryOf(options, host);
  const files = await usingDirectory(directory, async () => {
    const found = await cacheFiles(directory);
    for (const { path } of found) await rm(path, { force: true });
    return found;
  });
  const size = totalOf(files);
  await host.print(
    options.json
      ? jsonText({ directory, size, removed: files.length })
      : `Deleted ${files.length} ${files.length === 1 ? 'file' : 'files'} (${size} bytes) from ${printable(directory)}\n`,
  );
  return EXIT_CODES.success;
};

/** The URLs of `--fork-url`; `null` if it is not set. */
function namedUrls({ options: { upstream } }: CommandLine): string[] | null {
  return upstream.length === 0 ? null : upstream.map((url) => splitForkUrl(url).url);
}

/** Runs `act`. Converts errors about the pack into a {@link StartError} that names the file. */
async function usingPack<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof PackError)
      throw new StartError(
        `cannot import ${printable(path)}: ${error.message}; create the file with npx node-cli cache pack`,
      );
    if (error instanceof ForkCacheError) throw new StartError(error.message);
    if (error instanceof LargePackError)
      throw new StartError(`cannot write ${printable(path)}: ${error.message}`);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new StartError(`cannot open ${printable(path)}: ${systemMessage(error)}`);
  }
}

/** Counts cache entries and their upstreams. */
class Sums {
  answers = 0;
  readonly upstreams = new Set<string>();

  count(upstream: string): void {
    this.answers++;
    this.upstreams.add(upstream);
  }

  get words(): string {
    const { size } = this.upstreams;
    return `${this.answers} ${this.answers === 1 ? 'entry' : 'entries'} of ${size} ${size === 1 ? 'fork URL' : 'fork URLs'}`;
  }
}

/** Writes the cache into one file. Equal caches give equal files. */
export const packCache: Command = async (commandLine, host) => {
  const { options, operands } = commandLine;
  const [file = ''] = operands;
  const directory = directoryOf(options, host);
  const urls = namedUrls(commandLine);
  const only = urls === null ? null : upstreamDirectory(urls);
  const kept = await usingDirectory(directory, () => cacheFiles(directory));
  const sums = new Sums();
  async function* records(): AsyncIterable<PackedRecord> {
    const paths = kept
      .filter(({ upstream }) => upstream !== null)
      .map(({ path }) => relative(directory, path).split(sep).join('/'));
    for (const path of paths.sort()) {
      const [upstream = '', ...names] = path.split('/');
      if (only !== null && only !== upstream) continue;
      for (const record of await packedRecords(directory, upstream, names.join('/'))) {
        sums.count(upstream);
        yield record;
      }
    }
  }
  const path = resolve(host.workingDirectory, file);
  await usingPack(path, () => writePack(path, records()));
  const { answers, upstreams } = sums;
  await host.print(
    options.json
      ? jsonText({ file: path, directory, answers, upstreams: upstreams.size })
      : `Exported ${sums.words} from ${printable(directory)} to ${printable(path)}\n`,
  );
  return EXIT_CODES.success;
};

/** Returns the upstream directory of a record. Throws a {@link UsageError} if it is not unique. */
function receiverOf(
  { upstream }: PackedRecord,
  sender: string | null,
  urls: readonly string[] | null,
): string {
  if (urls === null) {
    if (upstream !== null) return upstream;
    throw new UsageError(
      'the file was written by --fork-record and contains no fork URL; pass --fork-url with a URL of the same chain',
    );
  }
  if (sender !== null && upstream !== sender)
    throw new UsageError(
      'the file contains data of several fork URLs, so --fork-url cannot be used; remove --fork-url',
    );
  return upstreamDirectory(urls);
}

/** Adds the entries of a pack to the cache. Existing entries do not change. */
export const unpackCache: Command = async (commandLine, host) => {
  const { options, operands } = commandLine;
  const path = resolve(host.workingDirectory, operands[0] ?? '');
  const directory = directoryOf(options, host);
  const urls = namedUrls(commandLine);
  const sums = new Sums();
  let sender: string | null = null;
  let added = 0;
  await usingPack(path, async () => {
    // Reads the whole pack before the first write, so that a damaged pack changes nothing.
    for await (const record of readPack(path)) {
      sums.count(receiverOf(record, sender, urls));
      sender ??= record.upstream;
    }
    const filler = new CacheFiller(directory);
    for await (const record of readPack(path)) {
      const isNamed = urls !== null && record.file === UPSTREAM_FILE && record.key === 'urls';
      const value = isNamed ? urls.map(maskUrl) : record.value;
      await filler.add({ ...record, value }, receiverOf(record, sender, urls));
    }
    added = filler.finish();
  });
  const { answers } = sums;
  await host.print(
    options.json
      ? jsonText({ file: path, directory, answers, added, upstreams: sums.upstreams.size })
      : `Imported ${sums.words} (${added} new) into ${printable(directory)}\n`,
  );
  return EXIT_CODES.success;
};
