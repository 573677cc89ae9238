/** The source files of a coverage report with their counts. */

import type { CompilationSources } from '../../artifacts/compilation.ts';
import type { IndexedContract } from '../../artifacts/contract-index.ts';
import { SourceOutline } from '../../artifacts/source-outline.ts';
import type { Steps } from '../../primitives/steps.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import type { TimeSlice } from '../../scheduling/time-slice.ts';
import { fileCoverage, ItemCounts } from './file-coverage.ts';
import type { LcovFile } from './lcov.ts';
import { outlineItems } from './outline-items.ts';
import { FileRanges, type FunctionUse, ItemLinks, type SourceItems } from './source-items.ts';
import { syntaxItems } from './syntax-items.ts';
import { moduleName, vyperItems } from './vyper-items.ts';

/** A contract in a file, with its first and last line. */
export interface CoveredContract {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/** A source file with its items and counts. */
export interface CountedFile {
  readonly name: string;
  readonly items: SourceItems;
  readonly links: ItemLinks;
  readonly ranges: FileRanges;
  /** The sums over all codes. */
  readonly counts: ItemCounts;
  readonly contracts: readonly CoveredContract[];
}

/** The files of one compiler run. */
export interface CompiledFiles {
  /** By source-map index; `null` for an excluded file. */
  readonly byIndex: ReadonlyMap<number, CountedFile | null>;
  /** The files of contracts, functions and modifiers, by declaration. */
  readonly declaredIn: ReadonlyMap<number, CountedFile>;
  /** By declaration: the statements that call a function. */
  readonly callers: ReadonlyMap<number, readonly FileUse[]>;
  /** By declaration: the functions that use a modifier. */
  readonly modified: ReadonlyMap<number, readonly FileUse[]>;
}

/** A use of a function, by index of the user in its file. */
export interface FileUse {
  readonly file: CountedFile;
  readonly user: number;
}

/** Units of work per statement. */
const STATEMENT_WORK = 1_000;

const NO_ITEMS: SourceItems = {
  contracts: [],
  statements: [],
  functions: [],
  branches: [],
  calls: [],
  modified: [],
};

/** Returns the files, with the uses of functions across files. */
export function linkedFiles(byIndex: ReadonlyMap<number, CountedFile | null>): CompiledFiles {
  const declaredIn = new Map<number, CountedFile>();
  const callers = new Map<number, FileUse[]>();
  const modified = new Map<number, FileUse[]>();
  const add = (to: Map<number, FileUse[]>, file: CountedFile, uses: readonly FunctionUse[]): void => {
    for (const { declaration, user } of uses) {
      const known = to.get(declaration);
      if (known === undefined) to.set(declaration, [{ file, user }]);
      else known.push({ file, user });
    }
  };
  for (const file of byIndex.values()) {
    if (file === null) continue;
    const { contracts, functions, calls, modified: uses } = file.items;
    for (const { declaration } of [...contracts, ...functions]) {
      if (declaration !== null) declaredIn.set(declaration, file);
    }
    add(callers, file, calls);
    add(modified, file, uses);
  }
  return { byIndex, declaredIn, callers, modified };
}

/** Files of tools and packages, and test files. */
const LEFT_OUT =
  /(?:^|\/)(?:node_modules|forge-std)\/|^(?:@|hardhat\/|lib\/|test\/|tests\/|script\/)|[.][ts][.]sol$/;

/** Returns true if the name belongs to a file of the project and no pattern excludes it. */
export function isCovered(name: string, excluded: readonly string[]): boolean {
  if (LEFT_OUT.test(name) || !/[.](?:sol|vy)$/.test(name)) return false;
  return !excluded.some((pattern) => matches(name, pattern));
}

/** A pattern is a file or a folder; `*` matches any characters. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.replace(/\/$/, '').split('*');
  const escaped = parts.map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}(?:/.*)?$`, 's').test(name);
}

function contractsIn(outline: SourceOutline): CoveredContract[] {
  return outline.definitions
    .filter(({ kind }) => kind === 'contract' || kind === 'library' || kind === 'interface')
    .map(({ name, start, end }) => ({
      name,
      first: outline.positionOf(start).line,
      last: outline.positionOf(end).line,
    }));
}

/** The files of all contracts. Several compilations share a file with the same text. */
export class CoveredFiles {
  readonly #excluded: readonly string[];
  readonly #timeSlice: TimeSlice;
  readonly #files = new Map<string, Promise<CountedFile | null>>();
  readonly #compiled = new Map<CompilationSources, Promise<CompiledFiles>>();
  readonly #made: CountedFile[] = [];

  constructor(excluded: readonly string[], slice: TimeSlice) {
    this.#excluded = excluded;
    this.#timeSlice = slice;
  }

  async add(contract: IndexedContract): Promise<void> {
    if (contract.creation === null || !isCovered(contract.sourceName, this.#excluded)) return;
    // If a file was deleted after it was indexed, the contract has no sources.
    const sources = await contract.sources().catch(() => null);
    if (sources !== null) await this.#file(sources, contract.sourceName);
  }

  /** Resolves to the files of a contract's compilation; `null` if unknown. */
  async compiledWith(contract: IndexedContract): Promise<CompiledFiles | null> {
    const sources = await contract.sources().catch(() => null);
    if (sources === null) return null;
    const compiled = this.#compiled.get(sources) ?? this.#readAll(sources);
    this.#compiled.set(sources, compiled);
    return compiled;
  }

  async #readAll(sources: CompilationSources): Promise<CompiledFiles> {
    const byIndex = new Map<number, CountedFile | null>();
    for (const [index, name] of sources.names) {
      byIndex.set(index, isCovered(name, this.#excluded) ? await this.#file(sources, name) : null);
    }
    return linkedFiles(byIndex);
  }

  contracts(): Map<string, readonly CoveredContract[]> {
    const found = new Map<string, readonly CoveredContract[]>();
    for (const { name, contracts } of this.#made) {
      const known = found.get(name) ?? [];
      const others = contracts.filter((one) => !known.some((other) => other.name === one.name));
      found.set(name, [...known, ...others]);
    }
    return found;
  }

  *coverage(): Steps<LcovFile[]> {
    const counted: LcovFile[] = [];
    for (const { name, items, counts } of this.#made) {
      if (items.functions.length === 0) continue;
      counted.push(fileCoverage(name, items, counts));
      yield STATEMENT_WORK * (1 + items.statements.length);
    }
    return counted;
  }

  async #file(sources: CompilationSources, name: string): Promise<CountedFile | null> {
    const content = await sources.content(name).catch(() => null);
    if (content === null) return null;
    const key = `${name}\n${content}`;
    const known = this.#files.get(key) ?? this.#read(sources, name, content);
    this.#files.set(key, known);
    return known;
  }

  async #read(sources: CompilationSources, name: string, content: string): Promise<CountedFile> {
    const outline = await runTask(SourceOutline.read(content, null), this.#timeSlice);
    await nextIteration();
    const tree = await sources.ast(name).catch(() => null);
    await nextIteration();
    const isVyper = name.endsWith('.vy');
    const items = isVyper
      ? ((await runTask(vyperItems(tree, name, content), this.#timeSlice)) ?? NO_ITEMS)
      : ((await runTask(syntaxItems(tree, outline), this.#timeSlice)) ??
        (await runTask(outlineItems(content, outline), this.#timeSlice)));
    const contracts = isVyper
      ? [{ name: moduleName(name), first: 1, last: outline.lineCount }]
      : contractsIn(outline);
    const ranges = await runTask(FileRanges.of(items), this.#timeSlice);
    const [links, counts] = [new ItemLinks(items), new ItemCounts(items)];
    const file = { name, items, links, ranges, counts, contracts };
    this.#made.push(file);
    return file;
  }
}
