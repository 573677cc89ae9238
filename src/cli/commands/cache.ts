import { lstat, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { printable, StartError } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import {
  BLOCKS_FILE,
  forkCacheDirectory,
  isUpstreamDirectory,
  UPSTREAM_FILE,
  upstreamUrls,
} from '../../fork/cache/fork-cache.ts';
import { systemWords } from '../../primitives/file-system.ts';
import { EXIT_CODES } from '../exit.ts';
import type { Host } from '../host.ts';
import { type Command, columns, jsonText } from './accounts.ts';

interface CacheFile {
  readonly path: string;
  /** The URLs that it has the answers of, secrets starred out; `null` for a file of an earlier version, which is not read. */
  readonly upstream: readonly string[] | null;
  /** `null` for the file about the upstream itself. */
  readonly chainId: number | null;
  /** The hash of the block that the chain was forked after; `null` for a file about more than one block. */
  readonly blockHash: string | null;
  /** Bytes. */
  readonly size: number;
}

/** The file in which earlier versions kept the chain ids of all URLs. */
const EARLIER_URLS_FILE = 'urls.jsonl';
const CHAIN_DIRECTORY = /^\d+$/;
const BLOCK_FILE = /^([0-9a-f]{64})\.jsonl$/;

/** Returns the directory of the cache that the options and the environment name. */
export function directoryOf({ forkCacheDir }: NodeOptions, { environment }: Host): string {
  return forkCacheDir ?? forkCacheDirectory({ platform: process.platform, environment, home: homedir() });
}

/** Returns the names in a directory; none where there is no directory. */
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

/** Returns the files about the chain of one directory. */
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

/** Returns the files of one upstream; for `null`, those of all upstreams of earlier versions. Other files are left out. */
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

/** Returns the files of the cache, of all upstreams, in the order of their paths. */
export async function cacheFiles(directory: string): Promise<CacheFile[]> {
  const files = await upstreamFiles(directory, null);
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (isUpstreamDirectory(name) && (await lstat(path)).isDirectory())
      files.push(...(await upstreamFiles(path, upstreamUrls(path))));
  }
  return files;
}

/** Returns what `act` returns. Rejects with a {@link StartError} that names the directory for an error of the system. */
export async function usingDirectory<Result>(directory: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new StartError(
      `the cache in ${printable(directory)} (--fork-cache-dir) cannot be used: ${systemWords(error)}; name the directory of a cache`,
    );
  }
}

function wordsOf({ upstream, chainId, blockHash }: CacheFile): string {
  const urls = upstream?.map((url) => printable(url)).join(' ') ?? 'an earlier version, not read any more';
  const of = urls === '' ? 'an upstream that is not named' : urls;
  if (chainId === null) return `chain id, of ${of}`;
  return blockHash === null
    ? `chain ${chainId}, blocks, of ${of}`
    : `chain ${chainId}, after block ${blockHash}, of ${of}`;
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
    const rows = files.map((file) => [`${file.size}`, wordsOf(file)] as const);
    await host.print(columns([...rows, [`${total}`, `bytes in ${printable(directory)}`]]));
  }
  return EXIT_CODES.success;
};

/** Removes the files of the cache. Directories stay: a node that runs goes on writing into them. */
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
      : `Removed ${files.length} files, ${size} bytes, from ${printable(directory)}\n`,
  );
  return EXIT_CODES.success;
};
