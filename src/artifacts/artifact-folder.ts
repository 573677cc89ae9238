/** Watches a folder of artifacts: reads it in the background and rereads changed files. */

import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { monotonicClock, type Timer, type Timers } from '../primitives/clock.ts';
import { systemMessage } from '../primitives/file-system.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
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

/** Milliseconds from the first change event to the read, because a build writes many files. */
const SETTLING = 150;
/**
 * Minimum milliseconds between scans of all files, for file systems that report no changes. A scan may use at
 * most 1/200 of the time, so large folders are scanned less often.
 */
const LOOK_INTERVAL = 600;
const LOOK_SHARE = 200;

/** Folders to check per time slice, about 2 ms. */
const FOLDERS_PER_ITERATION = 50;

/**
 * Maximum bytes of files that the first result waits for, shortest files first. Longer files, which may not
 * be artifacts, are read later.
 */
const READ_SOON = 128 * 1024 * 1024;

export interface FolderEvents {
  add(contract: IndexedContract): void;
  remove(contract: IndexedContract): void;
  /** Called once per unreadable file, with a message that names it. */
  warning(text: string): void;
}

interface KnownFile {
  readonly listed: ListedFile;
  readonly content: FileContent;
}

/** A folder or a file with artifacts. */
export class ArtifactFolder {
  readonly root: string;
  readonly #events: FolderEvents;
  readonly #timers: Timers;
  readonly #files = new Map<string, KnownFile>();
  /** The unreadable files, in the version that failed. */
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

  /** The reason why the folder is not watched; `null` if it is. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** Starts to read and watch. Resolves after the first read, except for large files. */
  async start(): Promise<void> {
    await this.refresh();
    this.#lookAfter(LOOK_INTERVAL);
  }

  /** Reads the changes since the last read. Resolves after it, except for large files; never rejects. */
  refresh(): Promise<void> {
    const soon = this.#reading.then(() => this.#read()).catch((error: unknown) => this.#failed(error));
    this.#reading = soon
      .then((large) => this.#readFiles(large))
      .catch((error: unknown) => void this.#failed(error));
    return soon.then(() => undefined);
  }

  /** Reports that the folder could not be read. Returns an empty list of files to read. */
  #failed(error: unknown): readonly ListedFile[] {
    if (error instanceof FolderBoundError) this.#refuse(error.message);
    else this.#warn(this.root, error);
    return [];
  }

  /** Stops watching a folder that is too large, and removes its contracts. */
  #refuse(reason: string): void {
    this.#refusal = reason;
    for (const { content } of this.#files.values()) this.#forget(content);
    this.#files.clear();
    this.close();
    this.#events.warning(`artifacts not read: ${reason}`);
  }

  /** Stops reading and watching. Afterwards there are no timers, watchers or events. */
  close(): void {
    this.#isClosed = true;
    this.#settling?.cancel();
    this.#looking?.cancel();
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Yields the deployments that Ignition and forge have recorded. */
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

  /** Reads the folder and schedules the next scan. The first read takes much longer than a scan. */
  async #look(): Promise<void> {
    const start = monotonicClock.now();
    await this.refresh();
    this.#lookAfter(Math.max(LOOK_INTERVAL, LOOK_SHARE * (monotonicClock.now() - start)));
  }

  #lookAfter(pause: number): void {
    if (!this.#isClosed) this.#looking = this.#timers.after(pause, () => void this.#look());
  }

  /**
   * Watches exactly these folders. A new folder triggers another read, because a watcher does not report
   * changes before its start. Node's recursive watching throws if a watched folder is deleted.
   */
  async #watch(folders: readonly string[]): Promise<void> {
    const wanted = new Set(folders);
    for (const [folder, { watcher }] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const [index, folder] of folders.entries()) {
      if (index % FOLDERS_PER_ITERATION === FOLDERS_PER_ITERATION - 1) await nextIteration();
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
        // The folder was deleted, or the next scan watches it again.
        watcher.on('error', () => watcher.close());
      } catch (error) {
        // Without a watcher, the scans still find changes. A watcher limit affects all later folders too.
        if (!this.#isWarnedOfWatching) {
          this.#isWarnedOfWatching = true;
          this.#events.warning(
            `cannot watch ${folder} (${systemMessage(error)}); changes are found only at the next regular check`,
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

  /** Reads the changed files, and resolves to the large files still to be read. */
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
      // An unreadable file may be half written. Its previous content stays valid until it is readable again.
      if (content !== null) {
        if (known !== undefined) this.#forget(known.content);
        this.#files.set(file.path, { listed: file, content });
        if (content.kind === 'contracts') for (const each of content.contracts) this.#events.add(each);
      }
      await nextIteration();
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
        // The file is being written. It is read again later.
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
    this.#events.warning(`cannot read ${path} ${as}: ${systemMessage(error)}`);
  }

  #forget(content: FileContent): void {
    if (content.kind !== 'contracts') return;
    for (const contract of content.contracts) this.#events.remove(contract);
  }
}

/** Returns the files to read last: all but the shortest of up to `most` bytes together, never the root file. */
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

/** Returns the folder's identity; `null` if absent. A new folder at the same path has another identity. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
