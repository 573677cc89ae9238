// The record of a run: its upstream requests with responses, in one file that can be committed.

import { systemMessage } from '../../primitives/file-system.ts';
import { asObject } from '../../wire/tolerant.ts';
import { ForkPointError, LargePackError, PackError, RecordNotWrittenError } from '../errors.ts';
import { inOrder, type PackedRecord, readPack, writePack } from './cache-pack.ts';
import {
  type AnswerCache,
  answersFile,
  BLOCKS_FILE,
  UPSTREAM_FILE,
  type UpstreamCache,
} from './fork-cache.ts';
import { isNotThere, MAX_FILE_SIZE } from './record-file.ts';

/** The key of the run's fork block number, in the upstream file. */
const FIRST_BLOCK = 'firstBlock';

/** Records by file and key. */
class Records {
  readonly #files = new Map<string, Map<string, unknown>>();

  has(file: string, key: string): boolean {
    return this.#files.get(file)?.has(key) === true;
  }

  get(file: string, key: string): unknown {
    return this.#files.get(file)?.get(key);
  }

  set(file: string, key: string, value: unknown): void {
    const records = this.#files.get(file) ?? new Map<string, unknown>();
    records.set(key, value);
    this.#files.set(file, records);
  }

  delete(file: string, key: string): void {
    this.#files.get(file)?.delete(key);
  }

  entries(file: string): Iterable<[string, unknown]> {
    return this.#files.get(file) ?? [];
  }

  files(): string[] {
    return Array.from(this.#files.keys());
  }

  list(): PackedRecord[] {
    return this.files().flatMap((file) =>
      Array.from(this.entries(file), ([key, value]) => ({ upstream: null, file, key, value })),
    );
  }
}

/**
 * The upstream responses of runs, in one file. A run at the same block adds only new requests. A run at
 * another block replaces the file. The record is valid for every URL, because the user who names the file
 * vouches for the chain. The upstream must have the block before further requests are sent.
 */
export class RunRecord {
  readonly #path: string;
  /** The content of the file. */
  readonly #recorded: Records;
  /** The requests of this run, recorded before or not. */
  readonly #asked = new Records();
  #hasNew = false;

  private constructor(path: string, recorded: Records) {
    this.#path = path;
    this.#recorded = recorded;
  }

  /**
   * Reads the file. A missing file gives an empty record, except with `isOffline`. Rejects with a
   * {@link ForkPointError} that names the problem.
   */
  static async read(path: string, isOffline: boolean): Promise<RunRecord> {
    const recorded = new Records();
    try {
      for await (const { file, key, value } of readPack(path, MAX_FILE_SIZE)) recorded.set(file, key, value);
    } catch (error) {
      if (isNotThere(error) && !isOffline) return new RunRecord(path, recorded);
      if (isNotThere(error))
        throw new ForkPointError(
          `--fork-record: ${path} does not exist; run once without --offline to create it`,
        );
      const why =
        error instanceof PackError
          ? `${path} is not a record of a run: ${error.message}`
          : `cannot read ${path}: ${systemMessage(error)}`;
      throw new ForkPointError(`--fork-record: ${why}; choose another file, or remove this one`);
    }
    return new RunRecord(path, recorded);
  }

  /** The fork block of the recorded run; `null` for an empty record. */
  get firstBlock(): number | null {
    const number = this.#recorded.get(UPSTREAM_FILE, FIRST_BLOCK);
    return typeof number === 'number' ? number : null;
  }

  /**
   * Records a fork block from `eth_getBlockByNumber`. The first call is the run's start, others are resets.
   */
  begin(chainId: number, number: number, block: unknown): void {
    this.#keep(`${chainId}/${BLOCKS_FILE}`, `${number}`, { block, isDeep: true });
    if (!this.#asked.has(UPSTREAM_FILE, FIRST_BLOCK)) this.#keep(UPSTREAM_FILE, FIRST_BLOCK, number);
  }

  #keep(file: string, key: string, value: unknown): void {
    this.#hasNew ||= JSON.stringify(this.#recorded.get(file, key)) !== JSON.stringify(value);
    this.#asked.set(file, key, value);
  }

  /** Returns a recorded response, or `undefined`. */
  #known(file: string, key: string): unknown {
    for (const records of [this.#asked, this.#recorded]) {
      const known = records.get(file, key);
      if (known === undefined) continue;
      this.#asked.set(file, key, known);
      return known;
    }
    return undefined;
  }

  /** Returns a cache that reads the record first and then `cache`, and writes to both. */
  over(cache: UpstreamCache): UpstreamCache {
    const blocks = (chainId: number): string => `${chainId}/${BLOCKS_FILE}`;
    return {
      chainId: async () => {
        const known = this.#known(UPSTREAM_FILE, 'chainId');
        if (typeof known === 'number') return known;
        const chainId = await cache.chainId();
        if (chainId !== undefined) this.#keep(UPSTREAM_FILE, 'chainId', chainId);
        return chainId;
      },
      keepChainId: (chainId) => {
        this.#keep(UPSTREAM_FILE, 'chainId', chainId);
        cache.keepChainId(chainId);
      },
      block: async (chainId, name, atAnyAge) => {
        const known = asObject(this.#known(blocks(chainId), name));
        if (known !== undefined) return known.block;
        const block = await cache.block(chainId, name, atAnyAge);
        if (block !== undefined) this.#keep(blocks(chainId), name, { block, isDeep: true });
        return block;
      },
      lastBlock: (chainId) => cache.lastBlock(chainId),
      keepBlock: (chainId, name, known) => {
        // A run with a record needs this block, even if it was near the head.
        this.#keep(blocks(chainId), name, { block: known.block, isDeep: true });
        cache.keepBlock(chainId, name, known);
      },
      forgetBlock: (chainId, name) => {
        for (const records of [this.#asked, this.#recorded]) records.delete(blocks(chainId), name);
        this.#hasNew = true;
        cache.forgetBlock(chainId, name);
      },
      answers: async (chainId, pin) =>
        this.#answersOver(await cache.answers(chainId, pin), answersFile(chainId, pin)),
      earlierQuestions: async (chainId, pin) => {
        const own = this.#earlierQuestions(answersFile(chainId, pin));
        return own.length > 0 ? own : cache.earlierQuestions(chainId, pin);
      },
    };
  }

  #answersOver(answers: AnswerCache, file: string): AnswerCache {
    return {
      readOn: () => answers.readOn(),
      get: (text) => {
        const known = this.#known(file, text);
        if (known !== undefined) return known;
        const answer = answers.get(text);
        if (answer !== undefined) this.#keep(file, text, answer);
        return answer;
      },
      set: (text, answer) => {
        this.#keep(file, text, answer);
        return answers.set(text, answer);
      },
      entries: () =>
        new Map([
          ...answers.entries(),
          ...this.#recorded.entries(file),
          ...this.#asked.entries(file),
        ]).entries(),
    };
  }

  #earlierQuestions(file: string): string[] {
    const others = this.#recorded
      .files()
      .filter((other) => other !== file && /^\d+\/[0-9a-f]{64}/.test(other));
    return others.flatMap((other) => Array.from(this.#recorded.entries(other), ([text]) => text));
  }

  /** Returns the new content of the file. Records of earlier runs at the same block are included. */
  #toKeep(): Records {
    const isSame = this.firstBlock === this.#asked.get(UPSTREAM_FILE, FIRST_BLOCK);
    const kept = new Records();
    for (const records of isSame ? [this.#recorded, this.#asked] : [this.#asked])
      for (const { file, key, value } of records.list()) kept.set(file, key, value);
    return kept;
  }

  /** Writes the file if the run has new requests. Rejects with a {@link RecordNotWrittenError}. */
  async save(): Promise<void> {
    if (!this.#hasNew) return;
    this.#hasNew = false;
    try {
      await writePack(this.#path, inOrder(this.#toKeep().list()), MAX_FILE_SIZE);
    } catch (error) {
      if (error instanceof LargePackError)
        throw new ForkPointError(
          `--fork-record: cannot write ${this.#path}: the responses exceed ${MAX_FILE_SIZE} bytes; use --fork-cache-dir for a run of this size`,
        );
      throw new RecordNotWrittenError(this.#path, error);
    }
  }
}

/** Returns the cache with the record in front of it, if there is a record. */
export function recordedIn(record: RunRecord | undefined, cache: UpstreamCache): UpstreamCache {
  return record === undefined ? cache : record.over(cache);
}
