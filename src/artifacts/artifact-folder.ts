/** Follows a folder of artifacts: reads it in the background, and reads again what changes. */

import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { monotonicClock, type Timer, type Timers } from '../primitives/clock.ts';
import { systemWords } from '../primitives/file-system.ts';
import { nextTurn } from '../scheduling/interrupt.ts';
import type { IndexedContract } from './contract-index.ts';
import type { NamedDeployment } from './deployment-files.ts';
import {
  type FileContent,
  FolderBoundError,
  type ListedFile,
  listJsonFiles,
  readFileContent,
} from './files.ts';
import { SourceFiles } from './source-files.ts';

/** Milliseconds between the first sign of a change and reading, since a build writes many files. */
const SETTLING = 150;
/**
 * The least number of milliseconds between looks at all files, for file systems that report nothing. A look may take a
 * 200th of the time at most, so that the larger a folder is the rarer they are.
 */
const LOOK_INTERVAL = 600;
const LOOK_SHARE = 200;

/** The number of folders that are looked at in one turn of the event loop: 2 ms or so. */
const FOLDERS_IN_A_TURN = 50;

/**
 * Bytes of files that a first answer waits for, the shortest files first. Longer ones, which may be no artifacts at all, are read behind
 * them.
 */
const READ_SOON = 128 * 1024 * 1024;

/** The callbacks of a folder that is followed. */
export interface FolderEvents {
  add(contract: IndexedContract): void;
  remove(contract: IndexedContract): void;
  /** Called once for each file that cannot be read, with a sentence that names it. */
  warning(text: string): void;
}

interface KnownFile {
  readonly listed: ListedFile;
  readonly content: FileContent;
}

/** A folder, or a file, with artifacts. */
export class ArtifactFolder {
  readonly root: string;
  readonly #events: FolderEvents;
  readonly #timers: Timers;
  readonly #files = new Map<string, KnownFile>();
  /** The files that could not be read, as they were then. */
  readonly #broken = new Map<string, ListedFile>();
  readonly #sourceFiles: SourceFiles;
  #reading: Promise<void> = Promise.resolve();
  /** By folder, with its identity in the file system. */
  readonly #watchers = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>();
  #isWarnedOfWatching = false;
  #settling: Timer | null = null;
  #looking: Timer | null = null;
  #isClosed = false;
  #refusal: string | null = null;

  readonly #readSoon: number;

  constructor(root: string, events: FolderEvents, timers: Timers, readSoon: number = READ_SOON) {
    this.root = root;
    this.#readSoon = readSoon;
    this.#events = events;
    this.#timers = timers;
    this.#sourceFiles = new SourceFiles(root, (path, error) => {
      if (!this.#isClosed) this.#warn(path, error, 'as build info');
    });
  }

  /** The reason why the folder is not followed; `null` for one that is. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** Starts to read and to watch. Resolves when the folder is read for the first time, except for large files. */
  async start(): Promise<void> {
    await this.refresh();
    this.#lookAfter(LOOK_INTERVAL);
  }

  /** Reads the changes since the last time. Resolves when they are read, except for large files; never rejects. */
  refresh(): Promise<void> {
    const soon = this.#reading.then(() => this.#read()).catch((error: unknown) => this.#failed(error));
    this.#reading = soon
      .then((large) => this.#readFiles(large))
      .catch((error: unknown) => void this.#failed(error));
    return soon.then(() => undefined);
  }

  /** Reports that the folder could not be read. Returns the files that are left to be read: none. */
  #failed(error: unknown): readonly ListedFile[] {
    if (error instanceof FolderBoundError) this.#refuse(error.message);
    else this.#warn(this.root, error);
    return [];
  }

  /** Ends following a folder that is too large, and forgets what was read of it before it grew. */
  #refuse(reason: string): void {
    this.#refusal = reason;
    for (const { content } of this.#files.values()) this.#forget(content);
    this.#files.clear();
    this.close();
    this.#events.warning(`artifacts not read: ${reason}`);
  }

  /** Ends reading and watching. No timer and no watcher is left, and no event follows. */
  close(): void {
    this.#isClosed = true;
    this.#settling?.cancel();
    this.#looking?.cancel();
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Yields the addresses at which Ignition and forge say that contracts are deployed. */
  *deployments(): Generator<NamedDeployment, void, undefined> {
    for (const [path, { content }] of this.#files) {
      if (content.kind === 'deployments') yield* content.deployments;
      if (content.kind !== 'ignition') continue;
      const { chainId } = content;
      for (const [id, address] of content.addresses) {
        const described = this.#files.get(join(dirname(path), 'artifacts', `${id}.json`))?.content;
        if (described?.kind !== 'contracts') continue;
        for (const { name, sourceName } of described.contracts) {
          yield { name, sourceName, chainId, address, isByCode: false };
        }
      }
    }
  }

  /** Reads the folder and, however often it is reported on, again after a while. The first reading takes much longer than a look. */
  async #look(): Promise<void> {
    const start = monotonicClock.now();
    await this.refresh();
    this.#lookAfter(Math.max(LOOK_INTERVAL, LOOK_SHARE * (monotonicClock.now() - start)));
  }

  #lookAfter(pause: number): void {
    if (!this.#isClosed) this.#looking = this.#timers.after(pause, () => void this.#look());
  }

  /**
   * Watches these folders, and no others; new ones are read again, since watchers do not report what came between listing and watching.
   * Node's recursive watching throws where a folder is deleted under it.
   */
  async #watch(folders: readonly string[]): Promise<void> {
    const wanted = new Set(folders);
    for (const [folder, { watcher }] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const [index, folder] of folders.entries()) {
      if (index % FOLDERS_IN_A_TURN === FOLDERS_IN_A_TURN - 1) await nextTurn();
      if (this.#isClosed) return;
      const identity = identityOf(folder);
      const known = this.#watchers.get(folder);
      if (identity === null || known?.identity === identity) continue;
      known?.watcher.close();
      this.#watchers.delete(folder);
      try {
        const watcher = watch(folder, { persistent: false }, () => this.#settle());
        this.#watchers.set(folder, { identity, watcher });
        if (this.#settling === null) this.#settle();
        // The folder is gone, or watched anew at the next look.
        watcher.on('error', () => watcher.close());
      } catch (error) {
        // The looks find changes, later; a limit of watchers is reached for all folders that follow.
        if (!this.#isWarnedOfWatching) {
          this.#isWarnedOfWatching = true;
          this.#events.warning(
            `cannot watch ${folder} (${systemWords(error)}); changes are found only at the next regular check`,
          );
        }
        return;
      }
    }
  }

  #settle(): void {
    this.#settling?.cancel();
    this.#settling = this.#isClosed ? null : this.#timers.after(SETTLING, () => this.#settled());
  }

  #settled(): void {
    this.#settling = null;
    void this.refresh();
  }

  /** Reads what has changed, and resolves to the large files, which are left to be read. */
  async #read(): Promise<readonly ListedFile[]> {
    if (this.#isClosed) return [];
    const { files, folders } = await listJsonFiles(this.root);
    if (this.#isClosed) return [];
    await this.#watch(folders);
    const listed = new Set(files.map(({ path }) => path));
    for (const [path, { content }] of this.#files) {
      if (listed.has(path)) continue;
      this.#forget(content);
      this.#files.delete(path);
    }
    for (const path of this.#broken.keys()) if (!listed.has(path)) this.#broken.delete(path);
    const changed = files.filter(
      (file) =>
        !isSame(this.#files.get(file.path)?.listed, file) && !isSame(this.#broken.get(file.path), file),
    );
    const large = largeOf(changed, this.root, this.#readSoon);
    await this.#readFiles(changed.filter((file) => !large.has(file)));
    return [...large];
  }

  async #readFiles(files: readonly ListedFile[]): Promise<void> {
    for (const file of files) {
      if (this.#isClosed) return;
      this.#sourceFiles.changed();
      const content = await this.#contentOf(file);
      if (this.#isClosed) return;
      const known = this.#files.get(file.path);
      // A file that cannot be read now may be half written: what it said before stands until it can.
      if (content !== null) {
        if (known !== undefined) this.#forget(known.content);
        this.#files.set(file.path, { listed: file, content });
        if (content.kind === 'contracts') for (const each of content.contracts) this.#events.add(each);
      }
      await nextTurn();
    }
  }

  async #contentOf(file: ListedFile): Promise<FileContent | null> {
    try {
      const content = await readFileContent(file, this.root, this.#sourceFiles);
      this.#broken.delete(file.path);
      return content;
    } catch (error) {
      const found = await listJsonFiles(file.path);
      if (!found.files.some((now) => isSame(now, file))) {
        // It is being written, and is read again when it is.
        this.#settle();
        return null;
      }
      const isNew = !this.#broken.has(file.path);
      this.#broken.set(file.path, file);
      if (isNew && !this.#isClosed) this.#warn(file.path, error);
      return null;
    }
  }

  #warn(path: string, error: unknown, as = 'as an artifact'): void {
    this.#events.warning(`cannot read ${path} ${as}: ${systemWords(error)}`);
  }

  #forget(content: FileContent): void {
    if (content.kind !== 'contracts') return;
    for (const contract of content.contracts) this.#events.remove(contract);
  }
}

/** Returns the files that are read last: all but the shortest ones that have `most` bytes together. The root itself is read soon. */
function largeOf(files: readonly ListedFile[], root: string, most: number): Set<ListedFile> {
  const large = new Set<ListedFile>();
  let bytes = 0;
  for (const file of files.toSorted((left, right) => left.size - right.size)) {
    bytes += file.size;
    if (bytes > most && file.path !== root) large.add(file);
  }
  return large;
}

function isSame(known: ListedFile | undefined, file: ListedFile): boolean {
  return known?.modified === file.modified && known.size === file.size;
}

/** Returns the identity of a folder, which differs from that of one that replaced it at the same path; `null` for none. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
