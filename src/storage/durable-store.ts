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
import type { KeyValueStore, Write } from './key-value-store.ts';

/** What LevelDB calls its files. */
const LEVEL_FILE = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;
/** Those of them that hold what was written, which is lost without the one that says which of them count. */
const CONTENT_FILE = /^\d+\.(log|ldb|sst)$/;
const LIST_FILE = 'CURRENT';
const OWNER_ONLY = 0o700;
const ALL_ACCESS = constants.R_OK | constants.W_OK | constants.X_OK;

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** True for a directory, false for anything else, `undefined` where nothing is. */
async function isDirectory(path: string): Promise<boolean | undefined> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'ENOTDIR'])) return undefined;
    throw error;
  }
}

/** Rejects with an {@link UnusablePathError} where a file stands in the place of the directory, or on the way to it. */
async function checkWay(directory: string): Promise<void> {
  const whole = resolve(directory);
  for (let path = whole; ; path = dirname(path)) {
    const found = await isDirectory(path);
    if (found === false) throw new UnusablePathError(directory, `${path === whole ? 'it' : path} is a file`);
    if (found === true || path === dirname(path)) return;
  }
}

/** Files of something else must not be mixed with those of a database, nor what is left of one be taken for a new one. */
function checkNames(directory: string, names: readonly string[]): void {
  const foreign = names.find((name) => !LEVEL_FILE.test(name));
  if (foreign !== undefined) throw new ForeignDirectoryError(directory, foreign);
  if (!names.includes(LIST_FILE) && names.some((name) => CONTENT_FILE.test(name)))
    throw new DamagedDirectoryError(directory, `its file ${LIST_FILE} is missing`);
}

/**
 * Makes the directory, with all that leads to it, if it is not there. Rejects with an {@link UnusablePathError} when it
 * cannot be made or written, with a {@link ForeignDirectoryError} when it holds files of something else, and with a
 * {@link DamagedDirectoryError} for what is left of a store.
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

type Level = ClassicLevel<string, Uint8Array>;
type Snapshot = ReturnType<Level['snapshot']>;

/** The bytes themselves: LevelDB gives a `Buffer`, whose slices are no copies. */
function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}

function reasonOf(error: unknown): { readonly code: unknown; readonly message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}

/** The package is native, so it may be missing where it has no prebuilt binary and cannot be built. */
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
 * A store on disk. What is written is at hand at once and collects until {@link write} puts it all on disk together, so
 * that a change of many parts is there wholly or not at all, whenever the process ends.
 */
export class DurableStore implements KeyValueStore {
  readonly directory: string;
  readonly #level: Level;
  readonly #isSynced: boolean;
  /** What is not on disk yet; `null` for a key that goes. */
  readonly #pending = new Map<string, Uint8Array | null>();
  readonly #snapshots: Snapshot[] = [];
  /** Since a write failed: the file that it went to may end in the middle of it, and what follows there would be lost. */
  #mustReopen = false;

  private constructor(directory: string, level: Level, isSynced: boolean) {
    this.directory = directory;
    this.#level = level;
    this.#isSynced = isSynced;
  }

  /**
   * The store in a directory, which is made if it is not there and belongs to this process until it is closed. With
   * `isSynced`, what is written outlasts the machine's end too and not only the process's. Rejects with
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

  /** Throws a {@link DiskError}: when the disk fails, when the store is closed, and while it is opened again. */
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

  /** Takes the writes into the next {@link write}. */
  batch(writes: readonly Write[]): void {
    for (const write of writes) this.#pending.set(write.key, write.type === 'put' ? write.value : null);
  }

  /** True while something is not on disk yet. */
  get isChanged(): boolean {
    return this.#pending.size > 0;
  }

  /** Puts all that was written on disk, or nothing. Rejects with a {@link DiskError}; it can be tried again. */
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

  async #reopen(): Promise<void> {
    this.#snapshots.length = 0;
    await this.#level.close();
    await openLevel(this.directory, this.#level);
    this.#mustReopen = false;
  }

  /** What is on disk under keys that begin with the prefix, in the order of the keys. */
  async *entries(prefix: string): AsyncGenerator<[string, Uint8Array], void, undefined> {
    const iterator = this.#level.iterator({ gte: prefix, lt: `${prefix}\uffff` });
    for await (const [key, value] of iterator) yield [key, plain(value)];
  }

  /**
   * The store as it is now, whatever is written later. It stands until the store is closed, or has to be opened again
   * because a write failed.
   */
  frozen(): KeyValueStore {
    const pending = new Map(this.#pending);
    const snapshot = this.#level.snapshot();
    this.#snapshots.push(snapshot);
    return {
      getSync: (key) => {
        const value = pending.get(key);
        return value === undefined ? this.#read(key, snapshot) : (value ?? undefined);
      },
      batch() {
        throw new TypeError('a frozen store takes no writes');
      },
      close: () => Promise.resolve(),
    };
  }

  /** Lets go of the directory. What was not written with {@link write} is lost. */
  async close(): Promise<void> {
    for (const snapshot of this.#snapshots.splice(0)) await snapshot.close();
    await this.#level.close();
  }
}
