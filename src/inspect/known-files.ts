/** The files of sources that were read, each once however many contracts are compiled with it. */

import { SourceOutline } from '../artifacts/source-outline.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { runTask } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';

/** One file of a contract's sources. */
export interface KnownFile {
  readonly name: string;
  readonly outline: SourceOutline;
}

/** The name of a module of Vyper, in that of its file. */
const VYPER_FILE = /([^/]+)\.vyi?$/;

/** Characters of all files that are kept; contracts that are still known keep theirs beside. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

interface KeptFile {
  readonly file: Promise<KnownFile>;
  readonly length: number;
}

/**
 * Files by name and text. Each contract of a project is compiled with the same libraries, so that to keep the files of each contract by
 * itself would take a hundred times the memory of the project's sources.
 */
export class KnownFiles {
  /** The one that was asked for last is the last. */
  readonly #files = new Map<string, KeptFile>();
  #length = 0;

  /** Resolves to the file with this name and text; its outline is read the first time. */
  of(name: string, text: string): Promise<KnownFile> {
    const key = `${hexKey(keccak256(Buffer.from(text)))}${name}`;
    const kept = this.#files.get(key) ?? { file: readFile(name, text), length: text.length };
    if (this.#files.delete(key)) this.#length -= kept.length;
    this.#files.set(key, kept);
    this.#length += kept.length;
    for (const [oldest, { length }] of this.#files) {
      if (this.#length <= MOST_CHARACTERS) break;
      this.#files.delete(oldest);
      this.#length -= length;
    }
    return kept.file;
  }
}

async function readFile(name: string, text: string): Promise<KnownFile> {
  const [, vyperModule = null] = VYPER_FILE.exec(name) ?? [];
  return { name, outline: await runTask(SourceOutline.read(text, vyperModule, new WorkPieces())) };
}
