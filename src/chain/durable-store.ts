import { mkdir, readdir } from 'node:fs/promises';
import type { ClassicLevel } from 'classic-level';
import { DirectoryInUseError, DiskError, ForeignDirectoryError, MissingPackageError } from './errors.ts';
import type { KeyValueStore, Write } from './key-value-store.ts';

type Level = ClassicLevel<string, Uint8Array>;
type Snapshot = ReturnType<Level['snapshot']>;

/** What LevelDB calls its files. */
const LEVEL_FILE = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;
const OWNER_ONLY = 0o700;

/** The bytes themselves: LevelDB gives a `Buffer`, whose slices are no copies. */
function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}

function read(level: Level, key: string, snapshot?: Snapshot): Uint8Array | undefined {
  const value = snapshot === undefined ? level.getSync(key) : level.getSync(key, { snapshot });
  return value && plain(value);
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

/** Files of something else must not be mixed with those of a database. */
async function prepareDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: OWNER_ONLY });
    const foreign = (await readdir(directory)).find((name) => !LEVEL_FILE.test(name));
    if (foreign !== undefined) throw new ForeignDirectoryError(directory, foreign);
  } catch (error) {
    if (error instanceof ForeignDirectoryError) throw error;
    throw new DiskError(directory, 'open', reasonOf(error).message, { cause: error });
  }
}

async function openLevel(directory: string): Promise<Level> {
  await prepareDirectory(directory);
  const level = await createLevel(directory);
  try {
    await level.open();
    return level;
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

  private constructor(directory: string, level: Level, isSynced: boolean) {
    this.directory = directory;
    this.#level = level;
    this.#isSynced = isSynced;
  }

  /**
   * The store in a directory, which is made if it is not there and belongs to this process until it is closed. With
   * `isSynced`, what is written outlasts the machine's end too and not only the process's. Rejects with
   * {@link DirectoryInUseError}, {@link ForeignDirectoryError}, {@link MissingPackageError} or {@link DiskError}.
   */
  static async open(directory: string, isSynced: boolean): Promise<DurableStore> {
    return new DurableStore(directory, await openLevel(directory), isSynced);
  }

  getSync(key: string): Uint8Array | undefined {
    const pending = this.#pending.get(key);
    return pending === undefined ? read(this.#level, key) : (pending ?? undefined);
  }

  put(key: string, value: Uint8Array): void {
    this.#pending.set(key, value);
  }

  delete(key: string): void {
    this.#pending.set(key, null);
  }

  /** Takes the writes into the next {@link write}. */
  async batch(writes: readonly Write[]): Promise<void> {
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
    try {
      await this.#level.batch(batch, { sync: this.#isSynced });
    } catch (error) {
      throw new DiskError(this.directory, 'write to', reasonOf(error).message, { cause: error });
    }
    for (const [key, value] of entries) if (this.#pending.get(key) === value) this.#pending.delete(key);
  }

  /** What is on disk under keys that begin with the prefix, in the order of the keys. */
  async *entries(prefix: string): AsyncGenerator<[string, Uint8Array], void, undefined> {
    const iterator = this.#level.iterator({ gte: prefix, lt: `${prefix}\uffff` });
    for await (const [key, value] of iterator) yield [key, plain(value)];
  }

  /** The store as it is now, whatever is written later. It stands until the store is closed. */
  frozen(): KeyValueStore {
    const pending = new Map(this.#pending);
    const snapshot = this.#level.snapshot();
    this.#snapshots.push(snapshot);
    return {
      getSync: (key) => {
        const value = pending.get(key);
        return value === undefined ? read(this.#level, key, snapshot) : (value ?? undefined);
      },
      batch: () => Promise.reject(new TypeError('a frozen store takes no writes')),
      close: () => Promise.resolve(),
    };
  }

  /** Lets go of the directory. What was not written with {@link write} is lost. */
  async close(): Promise<void> {
    for (const snapshot of this.#snapshots.splice(0)) await snapshot.close();
    await this.#level.close();
  }
}
