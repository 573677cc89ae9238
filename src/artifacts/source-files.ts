/** Finds the data of a contract outside its artifact: in build info, source files or other artifacts. */

import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
import type { ChooseMember } from '../json/json-ranges.ts';
import type { ContractArtifact } from './artifact.ts';
import { Compilation, type CompilationSources } from './compilation.ts';
import { type JsonObject, metadataOf, objectOf, textOf, withoutScheme } from './formats/contract-json.ts';
import { compilationMembers, FileDocument, parseJson, readText } from './json-document.ts';
import { projectRoot } from './project.ts';

/** The build-info folder of Hardhat, Ignition and Foundry. */
export const BUILD_INFO = 'build-info';
/** Maximum values, about 20 MB, in the cached indexes of build info. The last read file is always cached. */
const MAX_VALUES = 150_000;
/** Maximum bytes of a source file, and of a file that only refers to another one. */
const MAX_SOURCE_LENGTH = 4 * 1024 * 1024;
const MAX_REFERENCE_LENGTH = 64 * 1024;

/** Extensions that artifacts may name as sources. A foreign artifact must not expose other files. */
const SOURCE_EXTENSIONS: ReadonlySet<string> = new Set(['.sol', '.vy', '.vyi', '.yul']);

/** Returns true for the path of a Solidity, Vyper or Yul file. */
export function isSourceFile(path: string): boolean {
  return SOURCE_EXTENSIONS.has(extname(path));
}

/** A scanned document. It is valid until its file changes. */
interface KnownDocument {
  readonly modified: number;
  readonly size: number;
  readonly document: Promise<FileDocument>;
  /** The number of its values; 0 until it is scanned. */
  values: number;
}

/** A source file in Truffle's artifacts. */
interface TruffleFile {
  readonly name: string;
  /** The source-map index. */
  readonly id: number | null;
  readonly artifact: string;
  readonly document: FileDocument;
}

/**
 * The files around the artifacts of a folder. Files named by artifacts are only read below that folder or its
 * project, after links are resolved.
 */
export class SourceFiles {
  readonly #root: string;
  readonly #documents = new Map<string, KnownDocument>();
  /** By output document. The contracts of a build share its sources. */
  readonly #compilations = new WeakMap<FileDocument, Compilation>();
  readonly #truffle = new Map<string, Promise<readonly TruffleFile[]>>();
  /** By build-info folder: Foundry's files by source (index and name). */
  readonly #foundry = new Map<string, Promise<ReadonlyMap<string, string>>>();

  readonly #onUnreadable: (path: string, error: unknown) => void;
  /** The unreadable files, with the time of their last change. */
  readonly #unreadable = new Set<string>();

  /** `root` is a folder of artifacts, or a file. `onUnreadable` is called once per unreadable build info. */
  constructor(root: string, onUnreadable: (path: string, error: unknown) => void) {
    this.#root = root;
    this.#onUnreadable = onUnreadable;
  }

  /** Call it after a file of the folder has changed. */
  changed(): void {
    this.#truffle.clear();
    this.#foundry.clear();
  }

  /**
   * Resolves to the compiler run of a Hardhat or Ignition artifact; `null` for other tools, or if its build
   * info was deleted.
   */
  async compilationOf(path: string, members: JsonObject): Promise<Compilation | null> {
    const id = textOf(members.buildInfoId);
    if (id !== null) return this.#hardhat3Compilation(path, id);
    const debug = path.replace(/[.]json$/, '.dbg.json');
    const text = await readText(debug, MAX_REFERENCE_LENGTH).catch(() => null);
    const buildInfo = text === null ? null : textOf(objectOf(parseJson(text)).buildInfo);
    if (buildInfo === null) return null;
    const named = await this.#allowed(resolve(dirname(debug), buildInfo));
    if (named === null || basename(dirname(named)) !== BUILD_INFO || extname(named) !== '.json') return null;
    const document = await this.#open(named);
    return this.#compilation(document, document);
  }

  /** Resolves to a contract's sources; `null` if its tool kept none. `members` are from its artifact file. */
  async sourcesOf(
    path: string,
    members: JsonObject,
    artifact: ContractArtifact,
  ): Promise<CompilationSources | null> {
    const compilation = await this.compilationOf(path, members);
    if (compilation !== null) return compilation.sources();
    if (typeof members.id === 'number') return this.#foundrySources(path, members.id, members, artifact);
    return this.#truffleSources(path, artifact, members);
  }

  /** Hardhat 3: `build-info/<id>.json` has the input, `build-info/<id>.output.json` the output. */
  async #hardhat3Compilation(path: string, id: string): Promise<Compilation | null> {
    const folder = await this.#buildInfoFolder(path);
    if (folder === null) return null;
    const input = await this.#open(join(folder, `${basename(id)}.json`));
    return this.#compilation(input, await this.#open(join(folder, `${basename(id)}.output.json`)));
  }

  #compilation(input: FileDocument, output: FileDocument): Compilation {
    const compilation = this.#compilations.get(output) ?? new Compilation(input, output);
    this.#compilations.set(output, compilation);
    return compilation;
  }

  /** Resolves to the nearest build-info folder above the file within the project; `null` for none. */
  async #buildInfoFolder(path: string): Promise<string | null> {
    for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
      const folder = await this.#allowed(join(above, BUILD_INFO));
      if (folder !== null && (await stat(folder)).isDirectory()) return folder;
    }
    return null;
  }

  /** Resolves to the real path if it exists and may be read; otherwise `null`. */
  async #allowed(path: string): Promise<string | null> {
    const real = await realpath(path).catch(() => null);
    if (real === null) return null;
    for (const folder of [this.#root, projectRoot(dirname(this.#root))]) {
      const around = folder === null ? null : await realpath(folder).catch(() => null);
      if (around !== null && real.startsWith(around.endsWith(sep) ? around : around + sep)) return real;
    }
    return null;
  }

  /** Scans a build-info file once for all of its contracts. */
  async #open(path: string): Promise<FileDocument> {
    const { mtimeMs: modified, size } = await stat(path);
    const known = this.#documents.get(path);
    this.#documents.delete(path);
    if (known?.modified === modified && known.size === size) {
      this.#documents.set(path, known);
      return known.document;
    }
    const document = FileDocument.open(path, compilationMembers);
    const opened: KnownDocument = { modified, size, document, values: 0 };
    this.#documents.set(path, opened);
    document.then(
      ({ size: values }) => {
        opened.values = values;
        this.#forgetOldest();
      },
      (error: unknown) => {
        const state = `${path}\0${modified}`;
        if (this.#unreadable.has(state)) return;
        this.#unreadable.add(state);
        this.#onUnreadable(path, error);
      },
    );
    return document;
  }

  #forgetOldest(): void {
    let kept = 0;
    for (const { values } of this.#documents.values()) kept += values;
    for (const [path, { values }] of this.#documents) {
      if (kept <= MAX_VALUES || this.#documents.size === 1) return;
      this.#documents.delete(path);
      kept -= values;
    }
  }

  /** Foundry: source indexes are in build info (`source_id_to_path`), source texts there or on disk. */
  async #foundrySources(
    path: string,
    id: number,
    members: JsonObject,
    { sourceName }: ContractArtifact,
  ): Promise<CompilationSources | null> {
    const names = new Map<number, string>();
    const folder = await this.#buildInfoFolder(path);
    const files = folder === null ? null : readOnce(this.#foundry, folder, () => this.#foundryFiles(folder));
    // After several compiler runs, use the build info that has this contract's file under this index.
    const named = (await files)?.get(indexedSource(id, sourceName));
    const document = named === undefined ? null : await this.#open(named).catch(() => null);
    if (document !== null) {
      if (document.members(['output', 'sources']).length > 0) {
        return this.#compilation(document, document).sources();
      }
      for (const [index, name] of await foundryNames(document)) names.set(index, name);
    }
    names.set(id, sourceName);
    const project = projectRoot(dirname(path)) ?? this.#root;
    const compiled = Object.keys(objectOf(metadataOf(members.metadata).sources));
    const known = new Set([...names.values(), ...compiled]);
    return {
      names,
      // Only read files that the build names.
      content: async (name) => (known.has(name) ? this.#sourceText(project, name) : null),
      ast: async (name) => (name === sourceName ? treeIn(path) : null),
    };
  }

  /** Maps sources to build-info files, once for all contracts. The first file of each source counts. */
  async #foundryFiles(folder: string): Promise<ReadonlyMap<string, string>> {
    const files = new Map<string, string>();
    for (const file of await readdir(folder)) {
      const path = join(folder, file);
      const document = await this.#open(path).catch(() => null);
      const names = document === null ? [] : await foundryNames(document).catch(() => []);
      for (const [index, name] of names) {
        const source = indexedSource(index, name);
        if (!files.has(source)) files.set(source, path);
      }
    }
    return files;
  }

  async #sourceText(project: string, name: string): Promise<string | null> {
    if (!SOURCE_EXTENSIONS.has(extname(name))) return null;
    const path = await this.#allowed(isAbsolute(name) ? name : join(project, name));
    if (path === null || !SOURCE_EXTENSIONS.has(extname(path))) return null;
    return readText(path, MAX_SOURCE_LENGTH).catch(() => null);
  }

  /** Truffle: each artifact has the text and syntax tree of its own file. The source index is in the tree. */
  async #truffleSources(
    path: string,
    { sourceName }: ContractArtifact,
    members: JsonObject,
  ): Promise<CompilationSources | null> {
    const folder = dirname(path);
    const all = await readOnce(this.#truffle, folder, () => truffleFiles(folder));
    const compiled = Object.keys(objectOf(metadataOf(members.metadata).sources)).map(withoutScheme);
    const files = new Map<string, TruffleFile>();
    const names = new Map<number, string>();
    // Source indexes of other compiler runs refer to other files. Use only the files of this run, and let its
    // own file win.
    const own = all.filter(({ artifact }) => artifact === path);
    for (const file of [...all, ...own]) {
      if (compiled.length > 0 && !compiled.includes(file.name)) continue;
      files.set(file.name, file);
      if (file.id !== null) names.set(file.id, file.name);
    }
    if (!files.has(sourceName)) return null;
    return {
      names,
      content: async (name) => textOf(await files.get(name)?.document.read(['source'])),
      ast: async (name) => {
        const artifact = files.get(name)?.artifact;
        return artifact === undefined ? null : treeIn(artifact);
      },
    };
  }
}

/** Returns the cached files of a folder, or reads them. A failed read is repeated next time. */
function readOnce<Files>(
  known: Map<string, Promise<Files>>,
  folder: string,
  read: () => Promise<Files>,
): Promise<Files> {
  const before = known.get(folder);
  if (before !== undefined) return before;
  const files = read();
  known.set(folder, files);
  files.catch(() => {
    if (known.get(folder) === files) known.delete(folder);
  });
  return files;
}

function indexedSource(index: number, name: string): string {
  return `${index}:${name}`;
}

/** Reads the indexes and names of sources in Foundry's build info. */
async function foundryNames(document: FileDocument): Promise<(readonly [index: number, name: string])[]> {
  const listed = Object.entries(objectOf(await document.read(['source_id_to_path'])));
  return listed.flatMap(([index, name]) =>
    typeof name === 'string' ? [[Number(index), name] as const] : [],
  );
}

/** Selects the source text and the file name of a Truffle artifact. */
const TRUFFLE_MEMBERS: ChooseMember = ([top, member]) => {
  if (top === 'ast') return member === undefined ? 'enter' : TREE_MEMBERS.has(member) ? 'take' : 'skip';
  return member === undefined && (top === 'source' || top === 'sourcePath') ? 'take' : 'skip';
};
const TREE_MEMBERS: ReadonlySet<string> = new Set(['src', 'absolutePath']);

async function truffleFiles(folder: string): Promise<readonly TruffleFile[]> {
  const files: TruffleFile[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
    const artifact = join(folder, entry.name);
    const document = await FileDocument.open(artifact, TRUFFLE_MEMBERS).catch(() => null);
    if (document === null) continue;
    const read = async (...path: readonly string[]): Promise<string | null> =>
      textOf(await document.read(path).catch(() => null));
    const name = (await read('ast', 'absolutePath')) ?? (await read('sourcePath'));
    if (name === null) continue;
    const index = Number((await read('ast', 'src'))?.split(':')[2] ?? Number.NaN);
    const id = Number.isSafeInteger(index) ? index : null;
    files.push({ name: withoutScheme(name), id, artifact, document });
  }
  return files;
}

/** Reads the syntax tree in a Foundry or Truffle artifact; `null` for none. */
export async function treeIn(artifact: string): Promise<unknown> {
  const document = await FileDocument.open(artifact, ([top]) => (top === 'ast' ? 'take' : 'skip'));
  return (await document.read(['ast'])) ?? null;
}
