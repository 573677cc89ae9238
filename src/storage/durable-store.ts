import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { makeDirectories, systemWords } from '../primitives/file-system.ts';
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
/** The files of LevelDB that hold data. It is lost without the file that lists which of them are valid. */
const CONTENT_FILE = /^\d+\.(log|ldb|sst)$/;
const LIST_FILE = 'CURRENT';
/** The files about the fork that a chain is: its first block, and the answers of its upstream. */
export const FORK_FILE = 'fork.jsonl';
export const FORK_ANSWERS_FILE = 'fork-answers.jsonl';
const FORK_FILES = /^(fork|fork-answers)\.jsonl(\.\d+\.tmp)?$/;
const OWNER_ONLY = 0o700;
const ALL_ACCESS = constants.R_OK | constants.W_OK | constants.X_OK;

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** True for a directory, false for anything else, `undefined` when the path does not exist. */
async function isDirectory(path: string): Promise<boolean | undefined> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'ENOTDIR'])) return undefined;
    throw error;
  }
}

/** Rejects with an {@link UnusablePathError} when a file is in the place of the directory or of one of its parents. */
async function checkWay(directory: string): Promise<void> {
  const whole = resolve(directory);
  for (let path = whole; ; path = dirname(path)) {
    const found = await isDirectory(path);
    if (found === false) throw new UnusablePathError(directory, `${path === whole ? 'it' : path} is a file`);
    if (found === true || path === dirname(path)) return;
  }
}

/**
 * Throws when the directory has files that are not LevelDB's, or only the remains of a store: those must not be mixed
 * with a new database.
 */
function checkNames(directory: string, names: readonly string[]): void {
  const foreign = names.find((name) => !LEVEL_FILE.test(name) && !FORK_FILES.test(name));
  if (foreign !== undefined) throw new ForeignDirectoryError(directory, foreign);
  if (!names.includes(LIST_FILE) && names.some((name) => CONTENT_FILE.test(name)))
    throw new DamagedDirectoryError(directory, `its file ${LIST_FILE} is missing`);
}

/**
 * Creates the directory and its parents if they are missing. Rejects with an {@link UnusablePathError} when it cannot
 * be created or written, with a {@link ForeignDirectoryError} when it holds files of something else, and with a
 * {@link DamagedDirectoryError} for the remains of a store.
 */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    await checkWay(directory);
    makeDirectories(directory, OWNER_ONLY);
    await access(directory, ALL_ACCESS);
    checkNames(directory, await readdir(directory));
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new UnusablePathError(directory, systemWords(error), { cause: error });
  }
}

/** A key that is never written. */
const FLUSHED = 'flushed';

type Level = ClassicLevel<string, Uint8Array>;
type Snapshot = ReturnType<Level['snapshot']>;

/** Returns the bytes as a plain `Uint8Array`: LevelDB returns a `Buffer`, whose slices are no copies. */
function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}

function reasonOf(error: unknown): { readonly code: unknown; readonly message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}

/**
 * Opens the LevelDB package. It is native, so it may be missing where it has no prebuilt binary and cannot be built.
 */
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
 * A store on disk. A write can be read at once, and is kept in memory until {@link write} puts all of them on disk
 * together, so that a change of many parts is on disk as a whole or not at all, whenever the process ends.
 */
export class DurableStore implements KeyValueStore {
  readonly directory: string;
  readonly #level: Level;
  readonly #isSynced: boolean;
  /** Writes that are not on disk yet; `null` for a deleted key. */
  readonly #pending = new Map<string, Uint8Array | null>();
  /** True after a failed write: its file may end in the middle of a record, so later records there would be lost. */
  #mustReopen = false;

  private constructor(directory: string, level: Level, isSynced: boolean) {
    this.directory = directory;
    this.#level = level;
    this.#isSynced = isSynced;
  }

  /**
   * Opens the store in a directory, which is created if it is missing and belongs to this process until it is closed.
   * With `isSynced`, writes survive a crash of the machine and not only of the process. Rejects with
   * {@link DirectoryInUseError}, {@link MissingPackageError} or {@link DiskError}, or as {@link prepareDirectory} does.
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

  /** Throws a {@link DiskError} when the disk fails, when the store is closed, and while it is being reopened. */
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

  /** Puts all pending writes on disk, or none. Rejects with a {@link DiskError}; it can be tried again. */
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

  /** Resolves when the disk has confirmed everything that was written. Rejects with a {@link DiskError}. */
  async flush(): Promise<void> {
    if (this.#isSynced) return;
    try {
      // LevelDB confirms all earlier writes with a later one that is synced.
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

  /** Yields the entries on disk whose keys begin with the prefix, in the order of the keys. */
  async *entries(prefix: string): AsyncGenerator<[string, Uint8Array], void, undefined> {
    const iterator = this.#level.iterator({ gte: prefix, lt: `${prefix}\uffff` });
    for await (const [key, value] of iterator) yield [key, plain(value)];
  }

  /**
   * Returns the store as it is now, unaffected by later writes. It is valid until the store is closed, or is reopened
   * after a failed write.
   */
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

  /** Releases the directory. Data that was not written with {@link write} is lost. */
  async close(): Promise<void> {
    await this.#level.close();
  }
}
