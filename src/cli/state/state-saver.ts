import { dirname } from 'node:path';
import { printable, SaveError } from '../../config/errors.ts';
import type { LogWriter } from '../../log/log-writer.ts';
import { reporting, type WorkReportOptions } from '../../log/work-report.ts';
import { type ChainDump, type ChainMark, isSameMark } from '../../persistence/dump/chain-dump.ts';
import type { Timer } from '../../primitives/clock.ts';
import { systemWords } from '../../primitives/file-system.ts';
import type { FileSystem } from '../host.ts';

/** The permissions of a new file: a chain holds private keys, so that its owner alone may read it. */
const PRIVATE_MODE = 0o600;

/**
 * Puts the bytes into the file, whole or not at all: at every moment the file has all of what it had or all of what it is
 * to have, even if the machine stops. A symbolic link stays, and so do the permissions of a file that was there. Rejects
 * with the system's error; the file is then as it was.
 */
export async function writeAtomically(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const before = await files.stat(path);
  const target = before === null ? path : await files.realPath(path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await files.writeSynced(temporary, bytes, before?.mode ?? PRIVATE_MODE);
    await files.rename(temporary, target);
  } catch (error) {
    // The first error is the one to report; the next attempt overwrites a file that is left over.
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  await files.syncDirectory(dirname(target));
}

/** The dependencies of {@link StateSaver}. */
export interface StateSaverOptions extends Omit<WorkReportOptions, 'log'> {
  readonly dump: ChainDump;
  readonly files: FileSystem;
  readonly path: string;
  /** Ours, or the form of Anvil's state files, which a fork does not fit. */
  readonly form: 'own' | 'anvil';
  /** Seconds from the end of one save to the next; 0 to save at the end only. */
  readonly interval: number;
  readonly log: LogWriter;
  readonly isQuiet: boolean;
  /** The state that the file holds already; `null` when it holds another one. */
  readonly saved: ChainMark | null;
}

/** Saves a chain to a file, from time to time and at the end, as long as it changes. */
export class StateSaver {
  readonly #options: StateSaverOptions;
  #saved: ChainMark | null;
  #timer: Timer | null = null;
  /** The save that is under way; one at a time. */
  #saving: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: StateSaverOptions) {
    this.#options = options;
    this.#saved = options.saved;
    this.#wait();
  }

  /** The path of the file that the chain is saved to. */
  get path(): string {
    return this.#options.path;
  }

  #wait(): void {
    const { timers, interval } = this.#options;
    if (interval === 0 || this.#isStopped) return;
    this.#timer = timers.after(interval * 1000, () => void this.#saveNow());
  }

  /** Saves, reports a failure, and schedules the next save: the chain goes on, and the next save may work. */
  async #saveNow(): Promise<void> {
    try {
      await this.save();
    } catch (error) {
      this.#options.log.problem(systemWords(error));
    }
    this.#wait();
  }

  /**
   * Saves the chain as it is now, unless the file has it. Rejects with a {@link SaveError} when that fails; the file is
   * then what it was.
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
      if (this.#isSaved(mark) && (await files.stat(path)) !== null) return;
      const report = { ...this.#options, log: isQuiet ? null : log };
      await reporting(report, { activity: 'save', path }, async (onProgress) => {
        await writeAtomically(files, path, await this.#bytes(onProgress));
      });
    } catch (error) {
      throw new SaveError(
        `cannot save the chain to ${printable(path)}: ${systemWords(error)}; the earlier file is unchanged`,
      );
    }
    this.#saved = mark;
  }

  #bytes(onProgress: (fraction: number) => void): Promise<Uint8Array> {
    const { dump, path, form } = this.#options;
    const options = { isCompressed: path.endsWith('.gz'), withKeys: true, onProgress };
    return form === 'anvil' ? dump.writeForAnvil(options) : dump.write(options);
  }

  /** Returns in words which file lacks the chain as it is now; `null` when it has it. */
  unsaved(): string | null {
    const { dump, path } = this.#options;
    if (this.#isSaved(dump.mark())) return null;
    return `the chain was not saved to ${printable(path)}; the earlier file is unchanged`;
  }

  #isSaved(mark: ChainMark): boolean {
    return this.#saved !== null && isSameMark(this.#saved, mark);
  }

  /** Ends the saving from time to time. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Stops, and saves a last time. Rejects with a {@link SaveError}. */
  async close(): Promise<void> {
    this.stop();
    await this.save();
  }
}
