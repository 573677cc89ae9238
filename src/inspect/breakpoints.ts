/** Maps lines of a source file to the program counters where a debugger stops. */

import type { CompilationSources } from '../artifacts/compilation.ts';
import type { IndexedContract } from '../artifacts/contract-index.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { KnownContract, KnownContracts } from './known-contracts.ts';
import type { KnownFile } from './known-files.ts';
import { movedLine, type SourceLines } from './source-lines.ts';

/** The code of a line in one contract. */
export interface BreakpointLocation {
  readonly contract: string;
  /** The file that declares the contract. A contract also has the code of its bases and libraries. */
  readonly sourceName: string;
  readonly side: 'creation' | 'deployed';
  /** The program counters where the line starts: at its first opcode, and at the targets of jumps. */
  readonly pcs: readonly number[];
}

export interface Breakpoint {
  /** The requested line. */
  readonly line: number;
  readonly verified: boolean;
  /** The requested line, or the next line with code in its function; `null` unless verified. */
  readonly actualLine: number | null;
  /** The reason why the line is unmapped; `null` if it is verified. */
  readonly reason: string | null;
  readonly locations: readonly BreakpointLocation[];
}

export interface Breakpoints {
  /** The name of the file in the build output; `null` if unknown. */
  readonly source: string | null;
  readonly breakpoints: readonly Breakpoint[];
  /** The number of contracts with code of the file whose locations are left out. */
  readonly omitted: number;
}

/** Maximum contracts per result. Many contracts of a project can have the code of one library. */
const MAX_CONTRACTS = 256;
/** Units of work per contract of the artifacts that is not read, and per byte of code. */
const CONTRACT_WORK = 64;
const BYTE_WORK = 16;

/** The requested lines of a source file. */
export interface WantedLines {
  /** The name of the file, a path that ends with it, or the end of it. */
  readonly source: string;
  readonly lines: readonly number[];
}

/** The contracts to map, and their description if none has code of the file. */
export interface BreakpointScope {
  readonly contracts: readonly KnownContract[];
  /** `the contract at 0x…`, `the execution`. */
  readonly subject: string;
}

/** Returns the path with slashes, for Windows paths. */
function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/**
 * Returns the names that mean the file. The same name comes first, then the longest name at the end of a full
 * path. Otherwise, all names that end with the path.
 */
export function matchingNames(names: ReadonlySet<string>, asked: string): readonly string[] {
  const path = withSlashes(asked);
  if (names.has(path)) return [path];
  const all = [...names];
  const within = all.filter((name) => path.endsWith(`/${withSlashes(name)}`));
  if (within.length > 0)
    return [within.reduce((longest, name) => (name.length > longest.length ? name : longest))];
  return all.filter((name) => withSlashes(name).endsWith(`/${path}`));
}

/** The lines with code of one contract in one file. */
interface ContractLines {
  readonly contract: KnownContract;
  readonly file: KnownFile;
  /** By line: the program counters where it starts. */
  readonly starts: ReadonlyMap<number, readonly number[]>;
}

/** Resolves to the lines of a contract in each of the files that it has code of, by name. */
async function linesOf(
  contract: KnownContract,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ContractLines>> {
  const found = new Map<string, ContractLines>();
  const { map } = contract;
  const { bytes } = contract.match.artifact[contract.side] ?? {};
  if (map === null || bytes === undefined) return found;
  const files = new Map<number, FileStarts>();
  for (const [index, file] of await contract.filesOfCode())
    if (names.has(file.name)) files.set(index, { file, starts: new Map(), lineOfStart: new Map() });
  if (files.size === 0) return found;
  let before: { readonly file: number; readonly line: number } = { file: -1, line: 0 };
  for (let pc = 0; pc < bytes.length; pc++) {
    const range = map.rangeAt(pc);
    const opcode = bytes[pc] ?? 0;
    const operand = opcode >= OPCODES.PUSH1 && opcode <= OPCODES.PUSH32 ? opcode - OPCODES.PUSH1 + 1 : 0;
    const of = range === null ? undefined : files.get(range.file);
    const line = range === null || of === undefined ? 0 : lineIn(of, range.start);
    const file = range?.file ?? -1;
    const isNew = line !== before.line || file !== before.file;
    if (of !== undefined && line > 0 && (isNew || opcode === OPCODES.JUMPDEST)) {
      const pcs = of.starts.get(line);
      if (pcs === undefined) of.starts.set(line, [pc]);
      else pcs.push(pc);
    }
    before = { file, line };
    pc += operand;
  }
  for (const { file, starts } of files.values())
    if (starts.size > 0) found.set(file.name, { contract, file, starts });
  return found;
}

/** A file of a code while its lines are read. */
interface FileStarts {
  readonly file: KnownFile;
  readonly starts: Map<number, number[]>;
  /** By first byte of a source range. */
  readonly lineOfStart: Map<number, number>;
}

/** Returns the line at the first byte of a source range; 0 outside of functions. */
function lineIn({ file: { outline }, lineOfStart }: FileStarts, start: number): number {
  // The compiler gives its own code the place of the whole contract. It is in no function.
  const line = lineOfStart.get(start) ?? (outline.functionAt(start) === null ? 0 : outline.lineOf(start));
  lineOfStart.set(start, line);
  return line;
}

function isOptimized({ match }: KnownContract): boolean {
  const { optimizer, viaIR, version } = match.artifact.compiler;
  // Without compiler settings, the optimizer may have been on.
  return optimizer || viaIR || version === null;
}

/** The code of one file, while the contracts are read. */
interface FileCode {
  readonly found: ContractLines[];
  hasMap: boolean;
  omitted: number;
}

/**
 * Maps the lines of source files in the contracts of a scope. A `null` scope means all contracts of the artifacts.
 * Each contract is read once for all files.
 */
export async function breakpointsOf(
  known: KnownContracts,
  wanted: readonly WantedLines[],
  scope: BreakpointScope | null,
  checkCancelled: CancelCheck,
): Promise<Breakpoints[]> {
  const slice = new TimeSlice(checkCancelled);
  const indexed = scope === null ? [...known.artifacts.contracts] : contractsOf(scope);
  const names = await fileNames(indexed, slice);
  const files = new Map<string, FileCode>();
  const resolved: { readonly each: WantedLines; readonly matching: readonly string[] }[] = [];
  for (const each of wanted) {
    await slice.spend(names.size);
    const matching = matchingNames(names, each.source);
    resolved.push({ each, matching });
    const [name] = matching;
    if (name !== undefined && matching.length === 1)
      files.set(name, { found: [], hasMap: false, omitted: 0 });
  }
  if (files.size > 0) {
    const fileSet = new Set(files.keys());
    for await (const contract of scope?.contracts ?? compiledWith(known, indexed, fileSet, slice))
      await addCode(contract, files, fileSet, slice);
  }
  const results: Breakpoints[] = [];
  for (const { each, matching } of resolved) {
    const [name] = matching;
    const code = (name === undefined ? undefined : files.get(name)) ?? null;
    results.push(await breakpointsIn(code, each, { matching, scope, slice }));
  }
  return results;
}

/** Adds the code of a contract to its files. */
async function addCode(
  contract: KnownContract,
  files: ReadonlyMap<string, FileCode>,
  names: ReadonlySet<string>,
  slice: TimeSlice,
): Promise<void> {
  await slice.spend(BYTE_WORK * (contract.match.artifact[contract.side]?.bytes.length ?? 0));
  const sources = contract.map === null ? null : await sourcesOf(contract.match.contract);
  for (const name of sources?.names.values() ?? []) {
    const file = files.get(name);
    if (file !== undefined) file.hasMap = true;
  }
  for (const [name, lines] of await linesOf(contract, names)) {
    const file = files.get(name);
    if (file === undefined) continue;
    if (file.found.length < MAX_CONTRACTS) file.found.push(lines);
    else file.omitted++;
  }
}

/** Maps the lines of one file. `matching` are the names that mean it. */
async function breakpointsIn(
  code: FileCode | null,
  { source, lines }: WantedLines,
  {
    matching: [name, ...others],
    scope,
    slice,
  }: {
    readonly matching: readonly string[];
    readonly scope: BreakpointScope | null;
    readonly slice: TimeSlice;
  },
): Promise<Breakpoints> {
  const unmapped = (reason: string, of: string | null = null): Breakpoints => ({
    source: of,
    breakpoints: lines.map((line) => ({ line, verified: false, actualLine: null, reason, locations: [] })),
    omitted: 0,
  });
  if (name === undefined)
    return unmapped(
      scope === null
        ? `no build output contains the file ${source}; compile it, or pass its folder with --artifacts`
        : `${scope.subject} has no code of the file ${source}`,
    );
  if (others.length > 0)
    return unmapped(`several files match ${source}: ${[name, ...others].sort().join(', ')}`);
  const [first] = code?.found ?? [];
  if (code === null || first === undefined) {
    if (code?.hasMap !== true) return unmapped(`the build output of ${name} has no source map`, name);
    return unmapped(
      scope === null
        ? `no known contract has code of ${name}`
        : `${scope.subject} has no code of the file ${name}`,
      name,
    );
  }
  const { found, omitted } = code;
  const all = {
    outline: first.file.outline,
    withCode: new Set(found.flatMap(({ starts }) => [...starts.keys()])),
    isOptimized: found.some(({ contract }) => isOptimized(contract)),
  };
  const breakpoints: Breakpoint[] = [];
  for (const line of lines) {
    // A line without code needs the text of the file.
    await slice.spend(all.withCode.has(line) ? found.length : all.outline.text.length);
    breakpoints.push(breakpointAt(line, all, found));
  }
  return { source: name, breakpoints, omitted };
}

function breakpointAt(line: number, all: SourceLines, found: readonly ContractLines[]): Breakpoint {
  const moved = movedLine(line, all);
  if (typeof moved === 'string')
    return { line, verified: false, actualLine: null, reason: moved, locations: [] };
  const locations = found.flatMap(({ contract, starts }) => {
    const pcs = starts.get(moved);
    if (pcs === undefined) return [];
    const { sourceName } = contract.match.contract;
    return [{ contract: contract.name, sourceName, side: contract.side, pcs }];
  });
  return { line, verified: true, actualLine: moved, reason: null, locations };
}

function contractsOf({ contracts }: BreakpointScope): IndexedContract[] {
  return [...new Set(contracts.map(({ match }) => match.contract))];
}

/** Resolves to the sources of a contract; `null` if a file was deleted after it was indexed. */
function sourcesOf(contract: IndexedContract): Promise<CompilationSources | null> {
  return contract.sources().catch(() => null);
}

/** Resolves to the names of all files of the contracts' compilations. */
async function fileNames(contracts: readonly IndexedContract[], slice: TimeSlice): Promise<Set<string>> {
  const names = new Set<string>();
  for (const contract of contracts) {
    await slice.spend(CONTRACT_WORK);
    const sources = await sourcesOf(contract);
    for (const name of sources?.names.values() ?? []) names.add(name);
  }
  return names;
}

/** Yields both codes of each contract whose compilation has one of the files. */
async function* compiledWith(
  known: KnownContracts,
  contracts: readonly IndexedContract[],
  files: ReadonlySet<string>,
  slice: TimeSlice,
): AsyncGenerator<KnownContract, void, undefined> {
  for (const contract of contracts) {
    await slice.spend(CONTRACT_WORK);
    if (contract.deployed === null && contract.creation === null) continue;
    const sources = await sourcesOf(contract);
    if (sources === null || ![...sources.names.values()].some((name) => files.has(name))) continue;
    yield* await known.compiled(contract);
  }
}
