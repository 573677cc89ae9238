import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { makeDirectories, systemMessage } from '../primitives/file-system.ts';
import {
  DamagedDirectoryError,
  DataDirectoryError,
  DirectoryInUseError,
  DiskError,
  ForeignDirectoryError,
  MissingPackageError,
  UnusablePathError,
} from './errors.ts';
import { type KeyValueStore, readableKey, type Write } from './key-value-store.ts';

/** The names of LevelDB's files. */
const LEVEL_FILE = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;
/** LevelDB's data files. The data are lost without the file that lists the valid ones. */
const CONTENT_FILE = /^\d+\.(log|ldb|sst)$/;
const LIST_FILE = 'CURRENT';
/** The files of a forked chain: its first block and the upstream responses. */
export const FORK_FILE = 'fork.jsonl';
export const FORK_ANSWERS_FILE = 'fork-answers.jsonl';
const FORK_FILES = /^(fork|fork-answers)\.jsonl(\.\d+\.tmp)?$/;
const OWNER_ONLY = 0o700;
const ALL_ACCESS = constants.R_OK | constants.W_OK | constants.X_OK;

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** Returns `undefined` if the path does not exist. */
async function isDirectory(path: string): Promise<boolean | undefined> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'ENOTDIR'])) return undefined;
    throw error;
  }
}

/** Rejects with an {@link UnusablePathError} if the directory or one of its parents is a file. */
async function checkWay(directory: string): Promise<void> {
  const whole = resolve(directory);
  for (let path = whole; ; path = dirname(path)) {
    const found = await isDirectory(path);
    if (found === false) throw new UnusablePathError(directory, `${path === whole ? 'it' : path} is a file`);
    if (found === true || path === dirname(path)) return;
  }
}

/** Throws for foreign files or remains of a store, which must not mix with a new database. */
function checkNames(directory: string, names: readonly string[]): void {
  const foreign = names.find((name) => !LEVEL_FILE.test(name) && !FORK_FILES.test(name));
  if (foreign !== undefined) throw new ForeignDirectoryError(directory, foreign);
  if (!names.includes(LIST_FILE) && names.some((name) => CONTENT_FILE.test(name)))
    throw new DamagedDirectoryError(directory, `its file ${LIST_FILE} is missing`);
}

/**
 * Creates the directory and its missing parents. Rejects with an {@link UnusablePathError} if it cannot be
 * created or written. Rejects with a {@link ForeignDirectoryError} for foreign files, and with a
 * {@link DamagedDirectoryError} for remains of a store.
 */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    await checkWay(directory);
    makeDirectories(directory, OWNER_ONLY);
    await access(directory, ALL_ACCESS);
    checkNames(directory, await readdir(directory));
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new UnusablePathError(directory, systemMessage(error), { cause: error });
  }
}

/** A key that is never written. */
const FLUSHED = 'flushed';

type Level = ClassicLevel<string, Uint8Array>;
type Snapshot = ReturnType<Level['snapshot']>;

/** Returns a plain `Uint8Array`. LevelDB returns a `Buffer`, whose slices are views and not copies. */
function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}

function reasonOf(error: unknown): { readonly code: unknown; readonly message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}

/** Loads LevelDB. The package is native, so it can be missing on this platform. */
async function createLevel(directory: string): Promise<Level> {
  try {
    const { ClassicLevel: Implementation } = await import('classic-level');
    return new Implementation(directory, { keyEncoding: 'utf8', valueEncoding: 'view' });
  } catch (error) {
    throw new MissingPackageError('classic-level', reasonOf(error).message, { cause: error });
  }
}

async function openLevel(directory: string, level: Level): Promise<void> {
  try {
    await level.open();
  } catch (error) {
    const { code, message } = reasonOf(error);
    if (code === 'LEVEL_LOCKED') throw new DirectoryInUseError(directory, { cause: error });
    throw new DiskError(directory, 'open', message, { cause: error });
  }
}

/**
 * A store on disk. Writes are readable immediately. They stay in memory until {@link write} stores them
 * together, so a change is on disk completely or not at all, even after a crash.
 */
export class DurableStore implements KeyValueStore {
  readonly directory: string;
  readonly #level: Level;
  readonly #isSynced: boolean;
  /** Writes that are not on disk yet; `null` for a deleted key. */
  readonly #pending = new Map<string, Uint8Array | null>();
  /** True after a failed write. Its file may end inside a record, and later records there would be lost. */
  #mustReopen = false;

  private constructor(directory: string, level: Level, isSynced: boolean) {
    this.directory = directory;
    this.#level = level;
    this.#isSynced = isSynced;
  }

  /**
   * Opens the store in a directory and locks it until the store is closed. A missing directory is created.
   * With `isSynced`, writes survive a crash of the machine, not only of the process. Rejects with
   * {@link DirectoryInUseError}, {@link MissingPackageError} or {@link DiskError}, or as
   * {@link prepareDirectory} does.
   */
  static async open(directory: string, isSynced: boolean): Promise<DurableStore> {
    await prepareDirectory(directory);
    const level = await createLevel(directory);
    await openLevel(directory, level);
    return new DurableStore(directory, level, isSynced);
  }

  #read(key: string, snapshot?: Snapshot): Uint8Array | undefined {
    try {
      const value =
        snapshot === undefined ? this.#level.getSync(key) : this.#level.getSync(key, { snapshot });
      return value && plain(value);
    } catch (error) {
      throw new DiskError(this.directory, 'read', reasonOf(error).message, { cause: error });
    }
  }

  keyOf(kind: string, bytes: Uint8Array): string {
    return readableKey(kind, bytes);
  }

  /** Throws a {@link DiskError} if the disk fails, the store is closed, or it is being reopened. */
  getSync(key: string): Uint8Array | undefined {
    const pending = this.#pending.get(key);
    return pending === undefined ? this.#read(key) : (pending ?? undefined);
  }

  put(key: string, value: Uint8Array): void {
    this.#pending.set(key, value);
  }

  delete(key: string): void {
    this.#pending.set(key, null);
  }

  /** Adds the writes to the next {@link write}. */
  batch(writes: readonly Write[]): void {
    for (const write of writes) this.#pending.set(write.key, write.type === 'put' ? write.value : null);
  }

  /** True while some writes are not on disk yet. */
  get isChanged(): boolean {
    return this.#pending.size > 0;
  }

  /** Writes all pending writes to disk, or none. Rejects with a {@link DiskError}; the caller can retry. */
  async write(): Promise<void> {
    const entries = Array.from(this.#pending);
    const batch = entries.map(([key, value]) =>
      value === null ? ({ type: 'del', key } as const) : ({ type: 'put', key, value } as const),
    );
    if (this.#mustReopen) await this.#reopen();
    try {
      await this.#level.batch(batch, { sync: this.#isSynced });
    } catch (error) {
      this.#mustReopen = true;
      throw new DiskError(this.directory, 'write to', reasonOf(error).message, { cause: error });
    }
    for (const [key, value] of entries) if (this.#pending.get(key) === value) this.#pending.delete(key);
  }

  /** Resolves when the disk has synced all writes. Rejects with a {@link DiskError}. */
  async flush(): Promise<void> {
    if (this.#isSynced) return;
    try {
      // A synced write in LevelDB syncs all earlier writes too.
      await this.#level.del(FLUSHED, { sync: true });
    } catch (error) {
      throw new DiskError(this.directory, 'write to', reasonOf(error).message, { cause: error });
    }
  }

  async #reopen(): Promise<void> {
    await this.#level.close();
    await openLevel(this.directory, this.#level);
    this.#mustReopen = false;
  }

  /** Yields the entries on disk with this key prefix, by ascending key. */
  async *entries(prefix: string): AsyncGenerator<[string, Uint8Array], void, undefined> {
    const iterator = this.#level.iterator({ gte: prefix, lt: `${prefix}\uffff` });
    for await (const [key, value] of iterator) yield [key, plain(value)];
  }

  /** Returns a snapshot. It is valid until the store is closed, or reopened after a failed write. */
  frozen(): KeyValueStore {
    const pending = new Map(this.#pending);
    const snapshot = this.#level.snapshot();
    return {
      keyOf: readableKey,
      getSync: (key) => {
        const value = pending.get(key);
        return value === undefined ? this.#read(key, snapshot) : (value ?? undefined);
      },
      batch() {
        throw new TypeError('the store is frozen: it accepts no writes');
      },
      close: () => Promise.resolve(),
    };
  }

  /** Unlocks the directory. Pending writes are lost. */
  async close(): Promise<void> {
    await this.#level.close();
  }
}
