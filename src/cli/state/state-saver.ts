import { dirname } from 'node:path';
import { printable, SaveError } from '../../config/errors.ts';
import type { LogWriter } from '../../log/log-writer.ts';
import { reporting, type WorkReportOptions } from '../../log/work-report.ts';
import { type ChainDump, type ChainMark, isSameMark } from '../../persistence/dump/chain-dump.ts';
import type { DumpLayout } from '../../persistence/dump/dump-layout.ts';
import type { Timer } from '../../primitives/clock.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import type { FileContent, FileSystem } from '../host.ts';

/** For new files. A chain contains private keys, so only the owner may read it. */
const PRIVATE_MODE = 0o600;

/**
 * Replaces the file atomically: it is never partially written, even if the machine stops. Symbolic links and
 * permissions of an existing file stay. Rejects with the error of the system; the file is unchanged then.
 */
export async function writeAtomically(files: FileSystem, path: string, content: FileContent): Promise<void> {
  const before = await files.stat(path);
  const target = before === null ? path : await files.realPath(path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await files.writeSynced(temporary, content, before?.mode ?? PRIVATE_MODE);
    await files.rename(temporary, target);
  } catch (error) {
    // The first error is reported. The next attempt overwrites a remaining file.
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  await files.syncDirectory(dirname(target));
}

/** A file that a save can copy from while no other program changes it. */
export interface SavedFile {
  readonly layout: DumpLayout;
  /** See `FileFacts.version`. */
  readonly version: string;
}

export interface StateSaverOptions extends Omit<WorkReportOptions, 'log'> {
  readonly dump: ChainDump;
  readonly files: FileSystem;
  readonly path: string;
  /** Our own format or Anvil's state format, which does not support forks. */
  readonly form: 'own' | 'anvil';
  /** Seconds between two saves; 0 to save only at the end. */
  readonly interval: number;
  readonly log: LogWriter;
  readonly isQuiet: boolean;
  /** The state that the file already contains; `null` if it contains another state. */
  readonly saved: ChainMark | null;
  /** The loaded file at the same path; `null` if it cannot be copied from. */
  readonly file: SavedFile | null;
}

/** Saves a changed chain to a file, periodically and at the end. */
export class StateSaver {
  readonly #options: StateSaverOptions;
  #saved: ChainMark | null;
  #file: SavedFile | null;
  #timer: Timer | null = null;
  /** The current save. Saves run one after another. */
  #saving: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: StateSaverOptions) {
    this.#options = options;
    this.#saved = options.saved;
    this.#file = options.file;
    this.#wait();
  }

  get path(): string {
    return this.#options.path;
  }

  #wait(): void {
    const { timers, interval } = this.#options;
    if (interval === 0 || this.#isStopped) return;
    this.#timer = timers.after(interval * 1000, () => void this.#saveNow());
  }

  /** Saves and schedules the next save, even after a failure, because the next one may succeed. */
  async #saveNow(): Promise<void> {
    try {
      await this.save();
    } catch (error) {
      this.#options.log.problem(systemMessage(error));
    }
    this.#wait();
  }

  /**
   * Saves the current chain if it has changed. Rejects with a {@link SaveError}; the file is unchanged then.
   */
  save(): Promise<void> {
    const save = this.#saving.then(() => this.#save());
    this.#saving = save.catch(() => undefined);
    return save;
  }

  async #save(): Promise<void> {
    const { dump, files, path, log, isQuiet } = this.#options;
    const mark = dump.mark();
    try {
      const facts = await files.stat(path);
      if (this.#isSaved(mark) && facts !== null) return;
      const report = { ...this.#options, log: isQuiet ? null : log };
      const file = this.#file;
      this.#file = null;
      const earlier = file !== null && facts?.version === file.version ? file : null;
      await reporting(report, { activity: 'save', path }, (onProgress) => this.#write(earlier, onProgress));
    } catch (error) {
      throw new SaveError(
        `cannot save the chain to ${printable(path)}: ${systemMessage(error)}; the earlier file is unchanged`,
      );
    }
    this.#saved = mark;
  }

  async #write(earlier: SavedFile | null, onProgress: (fraction: number) => void): Promise<void> {
    const { dump, files, path, form } = this.#options;
    const options = { isCompressed: path.endsWith('.gz'), withKeys: true, onProgress };
    if (form === 'anvil') return writeAtomically(files, path, await dump.writeForAnvil(options));
    let layout = null as DumpLayout | null;
    const writeFrom = (source: SavedFile | null): Promise<void> =>
      writeAtomically(files, path, async (file) => {
        const keep = async (length: number): Promise<void> => {
          await file.copy(path, length);
          if (source !== null && !(await this.#isStill(source)))
            throw new Error(`another program changed ${path} during the save`);
        };
        layout = await dump.writeTo({ keep, append: file.append }, options, source?.layout ?? null);
      });
    try {
      await writeFrom(earlier);
    } catch (error) {
      if (earlier === null || (await this.#isStill(earlier))) throw error;
      await writeFrom(null);
    }
    const facts = await files.stat(path);
    // Another program may have replaced the file since.
    if (layout !== null && facts?.size === layout.size) this.#file = { layout, version: facts.version };
  }

  /** True if no program has changed the file. */
  async #isStill({ version }: SavedFile): Promise<boolean> {
    return (await this.#options.files.stat(this.#options.path))?.version === version;
  }

  /** Returns a message if the file lacks changes of the chain, else `null`. */
  unsaved(): string | null {
    const { dump, path } = this.#options;
    if (this.#isSaved(dump.mark())) return null;
    return `the chain was not saved to ${printable(path)}; the earlier file is unchanged`;
  }

  #isSaved(mark: ChainMark): boolean {
    return this.#saved !== null && isSameMark(this.#saved, mark);
  }

  /** Stops the periodic saves. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Stops, and saves one last time. Rejects with a {@link SaveError}. */
  async close(): Promise<void> {
    this.stop();
    await this.save();
  }
}
