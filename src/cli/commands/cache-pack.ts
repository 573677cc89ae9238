import { relative, resolve, sep } from 'node:path';
import { printable, StartError, UsageError } from '../../config/errors.ts';
import { type PackedRecord, readPack, writePack } from '../../fork/cache/cache-pack.ts';
import { CacheFiller, packedRecords, UPSTREAM_FILE, upstreamDirectory } from '../../fork/cache/fork-cache.ts';
import { ForkCacheError, PackError } from '../../fork/errors.ts';
import { splitForkUrl } from '../../fork/fork-options.ts';
import { maskUrl } from '../../fork/upstream/mask-url.ts';
import { systemWords } from '../../primitives/file-system.ts';
import { EXIT_CODES } from '../exit.ts';
import type { CommandLine } from '../read-options.ts';
import { type Command, jsonText } from './accounts.ts';
import { cacheFiles, directoryOf, usingDirectory } from './cache.ts';

/** The URLs that `--fork-url` names; `null` for none. */
function namedUrls({ options: { upstream } }: CommandLine): string[] | null {
  return upstream.length === 0 ? null : upstream.map((url) => splitForkUrl(url).url);
}

/** Returns what `act` returns. Rejects with a {@link StartError} that names the pack for whatever is wrong with it. */
async function usingPack<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof PackError)
      throw new StartError(
        `${printable(path)} is no pack of a fork cache: ${error.message}; node-cli cache pack makes one`,
      );
    if (error instanceof ForkCacheError) throw new StartError(error.message);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new StartError(`${printable(path)} cannot be used: ${systemWords(error)}`);
  }
}

/** Counts records and the upstreams that they are of. */
class Sums {
  answers = 0;
  readonly upstreams = new Set<string>();

  count(upstream: string): void {
    this.answers++;
    this.upstreams.add(upstream);
  }

  get words(): string {
    const { size } = this.upstreams;
    return `${this.answers} answers of ${size} ${size === 1 ? 'upstream' : 'upstreams'}`;
  }
}

/** Writes what the cache holds into one file, the same for the same answers. */
export const packCache: Command = async (commandLine, host) => {
  const { options, operands } = commandLine;
  const [file = ''] = operands;
  const directory = directoryOf(options, host);
  const urls = namedUrls(commandLine);
  const only = urls === null ? null : upstreamDirectory(urls);
  const kept = await usingDirectory(directory, () => cacheFiles(directory));
  const sums = new Sums();
  function* records(): Iterable<PackedRecord> {
    const paths = kept
      .filter(({ upstream }) => upstream !== null)
      .map(({ path }) => relative(directory, path).split(sep).join('/'));
    for (const path of paths.sort()) {
      const [upstream = '', ...names] = path.split('/');
      if (only !== null && only !== upstream) continue;
      for (const record of packedRecords(directory, upstream, names.join('/'))) {
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
      : `Packed ${sums.words}, from ${printable(directory)}, into ${printable(path)}\n`,
  );
  return EXIT_CODES.success;
};

/** Returns the upstream that the record goes to. Throws a {@link UsageError} where that is not settled. */
function receiverOf(
  { upstream }: PackedRecord,
  sender: string | null,
  urls: readonly string[] | null,
): string {
  if (urls === null) {
    if (upstream !== null) return upstream;
    throw new UsageError(
      'the pack is of one run (--fork-record) and holds for any URL of that chain; name the one to unpack it for with --fork-url',
    );
  }
  if (sender !== null && upstream !== sender)
    throw new UsageError(
      'the pack has answers of several upstreams, which are not taken for one another; unpack it without --fork-url',
    );
  return upstreamDirectory(urls);
}

/** Adds the answers of a pack to the cache. Answers that the cache has already stay as they are. */
export const unpackCache: Command = async (commandLine, host) => {
  const { options, operands } = commandLine;
  const path = resolve(host.workingDirectory, operands[0] ?? '');
  const directory = directoryOf(options, host);
  const urls = namedUrls(commandLine);
  const sums = new Sums();
  let sender: string | null = null;
  let added = 0;
  await usingPack(path, async () => {
    // The whole pack is read before anything is written: a damaged one changes nothing.
    for await (const record of readPack(path)) {
      sums.count(receiverOf(record, sender, urls));
      sender ??= record.upstream;
    }
    const filler = new CacheFiller(directory);
    for await (const record of readPack(path)) {
      const isNamed = urls !== null && record.file === UPSTREAM_FILE && record.key === 'urls';
      const value = isNamed ? urls.map(maskUrl) : record.value;
      if (filler.add({ ...record, value }, receiverOf(record, sender, urls))) added++;
    }
  });
  const { answers } = sums;
  await host.print(
    options.json
      ? jsonText({ file: path, directory, answers, added, upstreams: sums.upstreams.size })
      : `Unpacked ${sums.words}, ${added} of them new, into ${printable(directory)}\n`,
  );
  return EXIT_CODES.success;
};
