// JSON documents of any size. Single values are read on demand.

import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { type ChooseMember, type JsonRange, JsonRangeScanner } from '../json/json-ranges.ts';
import { readJson } from '../json/json-reader.ts';
import { namesOf } from '../json/json-writer.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';

/** A tree of objects whose values are read one by one. */
export interface JsonDocument {
  /** Returns the member names of the object at a path; empty if there is no object. */
  members(path: readonly string[]): readonly string[];
  /** Reads a value; `undefined` if absent. Rejects if the file was deleted, has changed, or is invalid. */
  read(path: readonly string[]): Promise<unknown>;
}

/** A document of JSON values in memory. */
export class MemoryDocument implements JsonDocument {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  members(path: readonly string[]): readonly string[] {
    const value = this.#at(path);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? namesOf(value) : [];
  }

  read(path: readonly string[]): Promise<unknown> {
    return Promise.resolve(this.#at(path));
  }

  #at(path: readonly string[]): unknown {
    let value = this.#root;
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Record<string, unknown>)[name];
    }
    return value;
  }
}

/** Bytes per read. */
const CHUNK = 256 * 1024;
/** Some editors and shells write a byte order mark. It is skipped. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** Separates names in map keys. File and contract names do not contain it. */
const SEPARATOR = '\0';

/** Maximum values to index per file. Build info of 5,000 contracts has less than half of it. */
const MAX_MEMBERS = 100_000;
/** Maximum bytes of a value to read. The longest values from compilers are syntax trees of single files. */
const MAX_VALUE_LENGTH = 16 * 1024 * 1024;
/** Maximum characters to parse without yielding, a few milliseconds. */
const MAX_AT_ONCE = 1024 * 1024;
/** Maximum nesting of a syntax tree. Compilers nest expressions deeply. */
const MAX_LEVELS = 10_000;

/** The members to read of a contract. Others (documentation, assembly, gas estimates) may be large. */
const CONTRACT_MEMBERS: ReadonlySet<string> = new Set([
  'abi',
  'metadata',
  'storageLayout',
  'transientStorageLayout',
  'layout',
]);
/** The members to read of a code. */
export const CODE_MEMBERS = ['object', 'sourceMap', 'linkReferences', 'immutableReferences'] as const;
/** The member with the ETHDebug program of a code, usually the longest one. */
export const PROGRAM = 'ethdebug';
const CODE_MEMBER_NAMES: ReadonlySet<string> = new Set([...CODE_MEMBERS, PROGRAM]);

/** Enters the members on the path to the contracts, sources and settings of a compilation. */
export const compilationMembers: ChooseMember = (path) => {
  const top = path[0] === 'input' || path[0] === 'output' ? 1 : 0;
  const depth = path.length - top;
  const section = path[top];
  if (depth === 0) return 'enter';
  if (section === 'sources') return depth <= 2 ? 'enter' : 'take';
  if (section !== 'contracts') return 'take';
  if (depth <= 3) return 'enter';
  const member = path[top + 3] ?? '';
  if (member !== 'evm') return CONTRACT_MEMBERS.has(member) ? 'take' : 'skip';
  if (depth === 4) return 'enter';
  const code = path[top + 4];
  if (code === 'methodIdentifiers') return depth === 5 ? 'take' : 'skip';
  if (code !== 'bytecode' && code !== 'deployedBytecode') return 'skip';
  if (depth === 5) return 'enter';
  return CODE_MEMBER_NAMES.has(path[top + 5] ?? '') ? 'take' : 'skip';
};

/** A file that is scanned once. Values are read from disk on demand; only their positions stay in memory. */
export class FileDocument implements JsonDocument {
  readonly path: string;
  readonly #ranges = new Map<string, Omit<JsonRange, 'path'>>();
  readonly #members = new Map<string, string[]>();
  readonly #modified: number;

  private constructor(path: string, modified: number) {
    this.path = path;
    this.#modified = modified;
  }

  /**
   * Scans the file, and yields to the event loop after each chunk. `choose` selects the values. Rejects with
   * `JsonRangeError`, or with the error of the file system.
   */
  static async open(path: string, choose: ChooseMember = compilationMembers): Promise<FileDocument> {
    // A pipe would block its reader forever.
    if (!(await stat(path)).isFile()) throw new Error(`${path} is not a regular file`);
    const file = await open(path);
    try {
      const document = new FileDocument(path, (await file.stat()).mtimeMs);
      const scanner = new JsonRangeScanner(choose, (range) => document.#add(range));
      const buffer = Buffer.alloc(CHUNK);
      for (let isFirst = true; ; isFirst = false) {
        const { bytesRead } = await file.read(buffer, 0, CHUNK);
        if (bytesRead === 0) break;
        if (isFirst && buffer.subarray(0, bytesRead).indexOf(BYTE_ORDER_MARK) === 0)
          buffer.fill(' ', 0, BYTE_ORDER_MARK.length);
        scanner.write(buffer.subarray(0, bytesRead));
        await nextIteration();
      }
      scanner.end();
      return document;
    } finally {
      await file.close();
    }
  }

  /** The number of indexed values. */
  get size(): number {
    return this.#ranges.size;
  }

  #add({ path, start, end }: JsonRange): void {
    if (this.#ranges.size >= MAX_MEMBERS)
      throw new Error(`the file contains more than ${MAX_MEMBERS} values`);
    this.#ranges.set(path.join(SEPARATOR), { start, end });
    for (let length = path.length; length > 0; length--) {
      const parent = path.slice(0, length - 1).join(SEPARATOR);
      const name = path[length - 1] ?? '';
      const members = this.#members.get(parent) ?? [];
      // Members of one object are adjacent, so a known name is always the last one.
      if (members.at(-1) === name) break;
      members.push(name);
      this.#members.set(parent, members);
    }
  }

  members(path: readonly string[]): readonly string[] {
    return this.#members.get(path.join(SEPARATOR)) ?? [];
  }

  async read(path: readonly string[]): Promise<unknown> {
    const range = this.#ranges.get(path.join(SEPARATOR));
    if (range === undefined) return undefined;
    if (range.end - range.start > MAX_VALUE_LENGTH) throw new Error(`${path.join('.')} is too long`);
    const file = await open(this.path);
    try {
      if ((await file.stat()).mtimeMs !== this.#modified) {
        throw new Error(`${this.path} has changed`);
      }
      const text = await readRange(file, range);
      if (text.length <= MAX_AT_ONCE) return JSON.parse(text);
      return await runTask(readJson(text, { levels: MAX_LEVELS }), new TimeSlice());
    } finally {
      await file.close();
    }
  }
}

async function readRange(file: FileHandle, { start, end }: Omit<JsonRange, 'path'>): Promise<string> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.toString('utf8', 0, bytesRead);
}

/** Parses JSON with an optional byte order mark. Throws like `JSON.parse`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}

/** Reads a text file of at most `longest` bytes. Rejects a longer or missing file, a pipe and a device. */
export async function readText(path: string, longest: number): Promise<string> {
  const facts = await stat(path);
  if (!facts.isFile()) throw new Error(`${path} is not a regular file`);
  if (facts.size > longest) throw new Error(`the file has ${facts.size} bytes; the maximum is ${longest}`);
  return readFile(path, 'utf8');
}
