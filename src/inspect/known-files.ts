/** A cache of source files. Contracts that were compiled with the same file share it. */

import { SourceOutline } from '../artifacts/source-outline.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';

export interface KnownFile {
  readonly name: string;
  readonly outline: SourceOutline;
}

/** Matches the module name in the file name of a Vyper module. */
const VYPER_FILE = /([^/]+)\.vyi?$/;

/** Maximum characters of cached files. Known contracts keep their own references beyond this limit. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface KeptFile {
  readonly file: Promise<KnownFile>;
  readonly length: number;
}

/**
 * Files by name and text. All contracts of a project import the same libraries, so a cache per contract would
 * use a hundred times the memory.
 */
export class KnownFiles {
  /** In order of use; the most recent file is last. */
  readonly #files = new Map<string, KeptFile>();
  #length = 0;

  /** Resolves to the file with this name and text. Its outline is read at first use. */
  of(name: string, text: string): Promise<KnownFile> {
    const key = `${hexKey(keccak256(Buffer.from(text)))}${name}`;
    const kept = this.#files.get(key) ?? { file: readKnownFile(name, text), length: text.length };
    if (this.#files.delete(key)) this.#length -= kept.length;
    this.#files.set(key, kept);
    this.#length += kept.length;
    for (const [oldest, { length }] of this.#files) {
      if (this.#length <= MAX_CHARACTERS) break;
      this.#files.delete(oldest);
      this.#length -= length;
    }
    return kept.file;
  }
}

/** Resolves to a file that is not cached. */
export async function readKnownFile(name: string, text: string): Promise<KnownFile> {
  const [, vyperModule = null] = VYPER_FILE.exec(name) ?? [];
  return { name, outline: await runTask(SourceOutline.read(text, vyperModule), new TimeSlice()) };
}
