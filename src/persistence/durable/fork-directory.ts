// The fork in a data directory: its start and the upstream responses.

import { closeSync, constants, fsyncSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerCache, UpstreamCache } from '../../fork/cache/fork-cache.ts';
import { RecordFile } from '../../fork/cache/record-file.ts';
import { ForkCacheError } from '../../fork/errors.ts';
import type { ForkKeeper } from '../../fork/fork-keeper.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { FileKindError, openRegularFile, systemMessage } from '../../primitives/file-system.ts';
import { FORK_ANSWERS_FILE, FORK_FILE } from '../../storage/durable-store.ts';
import { DamagedDirectoryError, DiskError } from '../../storage/errors.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { forkLine, readForkLine } from '../dump/fork-json.ts';

const KEY = 'fork';

/** Waits until the file is synced to disk. */
function sync(path: string): void {
  const file = openRegularFile(path, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * The fork of a data directory, in two additional files. `fork.jsonl` has the pinned block,
 * `fork-answers.jsonl` the upstream responses. Nothing is written before the chain has locked the directory.
 */
export class ForkDirectory implements ForkKeeper {
  readonly #directory: string;
  readonly #answers: RecordFile;
  /** The responses until writing is allowed; `null` afterwards. */
  #waiting: Map<string, unknown> | null = new Map();
  readonly record: ForkRecord | null;

  private constructor(directory: string, record: ForkRecord | null, answers: RecordFile) {
    this.#directory = directory;
    this.record = record;
    this.#answers = answers;
  }

  /** Reads the files. Rejects with a `DataDirectoryError` if they are unusable. */
  static async read(directory: string): Promise<ForkDirectory> {
    const file = new RecordFile(join(directory, FORK_FILE));
    // The responses are part of the chain, because the upstream may not return them again.
    const answers = new RecordFile(join(directory, FORK_ANSWERS_FILE), Number.POSITIVE_INFINITY);
    try {
      await file.readOn();
      await answers.readOn();
      const value = file.get(KEY);
      const record =
        value === undefined ? null : { ...readForkLine(new StrictValue(value, FORK_FILE)), answers: null };
      return new ForkDirectory(directory, record, answers);
    } catch (error) {
      const cause = error instanceof ForkCacheError ? error.cause : error;
      // The error of opening the chain names the file and the remedy.
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR')
        return new ForkDirectory(directory, null, answers);
      if (cause instanceof InvalidDumpError) throw new DamagedDirectoryError(directory, cause.fault);
      if (cause instanceof FileKindError)
        throw new DamagedDirectoryError(directory, `${cause.path}: ${cause.message}`);
      throw new DiskError(directory, 'read', systemMessage(cause), { cause });
    }
  }

  /** @inheritdoc */
  keep(record: ForkRecord): void {
    try {
      if (this.record === null) {
        const path = join(this.#directory, FORK_FILE);
        new RecordFile(path).set(KEY, forkLine(record));
        // The chain on disk cannot be opened without it.
        sync(path);
      }
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      this.#answers.setAll([...waiting]);
    } catch (error) {
      const cause = error instanceof ForkCacheError ? error.cause : error;
      throw new DiskError(this.#directory, 'write to', systemMessage(cause), { cause });
    }
  }

  #set(text: string, answer: unknown): void {
    if (this.#waiting === null) this.#answers.set(text, answer);
    else this.#waiting.set(text, answer);
  }

  /** @inheritdoc */
  over(cache: UpstreamCache): UpstreamCache {
    const { record } = this;
    return {
      chainId: async () => record?.chainId ?? (await cache.chainId()),
      keepChainId: (chainId) => cache.keepChainId(chainId),
      block: async (chainId, name, atAnyAge) =>
        record !== null && record.chainId === chainId && `${record.number}` === name
          ? record.block
          : cache.block(chainId, name, atAnyAge),
      lastBlock: (chainId) => cache.lastBlock(chainId),
      keepBlock: (chainId, name, known) => cache.keepBlock(chainId, name, known),
      forgetBlock: (chainId, name) => cache.forgetBlock(chainId, name),
      answers: async (chainId, pin) => this.#answersOver(await cache.answers(chainId, pin)),
      earlierQuestions: (chainId, pin) => cache.earlierQuestions(chainId, pin),
    };
  }

  #answersOver(answers: AnswerCache): AnswerCache {
    const own = (text: string): unknown => this.#answers.get(text) ?? this.#waiting?.get(text);
    return {
      readOn: () => answers.readOn(),
      get: (text) => {
        const known = own(text);
        if (known !== undefined && known !== null) return known;
        const answer = answers.get(text);
        if (answer === undefined) return known;
        // The next run may not have that cache.
        this.#set(text, answer);
        return answer;
      },
      set: (text, answer) => {
        this.#set(text, answer);
        return answers.set(text, answer);
      },
      entries: () =>
        new Map([...answers.entries(), ...this.#answers.entries(), ...(this.#waiting ?? [])]).entries(),
    };
  }
}
