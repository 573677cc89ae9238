/** Maps lines of a source file to the program counters where a debugger stops. */

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

/** Resolves to the lines of a contract in the file; `null` if it has no code of the file. */
async function linesOf(contract: KnownContract, name: string): Promise<ContractLines | null> {
  const { map } = contract;
  const { bytes } = contract.match.artifact[contract.side] ?? {};
  if (map === null || bytes === undefined) return null;
  const files = await contract.filesOfCode();
  const [index, file] = [...files].find(([, one]) => one.name === name) ?? [];
  if (index === undefined || file === undefined) return null;
  const starts = new Map<number, number[]>();
  const lineOfStart = new Map<number, number>();
  let before = 0;
  for (let pc = 0; pc < bytes.length; pc++) {
    const range = map.rangeAt(pc);
    const opcode = bytes[pc] ?? 0;
    const operand = opcode >= OPCODES.PUSH1 && opcode <= OPCODES.PUSH32 ? opcode - OPCODES.PUSH1 + 1 : 0;
    let line = 0;
    if (range !== null && range.file === index) {
      // The compiler gives its own code the place of the whole contract. It is in no function.
      line =
        lineOfStart.get(range.start) ??
        (file.outline.functionAt(range.start) === null ? 0 : file.outline.lineOf(range.start));
      lineOfStart.set(range.start, line);
    }
    if (line > 0 && (line !== before || opcode === OPCODES.JUMPDEST))
      starts.set(line, [...(starts.get(line) ?? []), pc]);
    before = line;
    pc += operand;
  }
  return starts.size === 0 ? null : { contract, file, starts };
}

function isOptimized({ match }: KnownContract): boolean {
  const { optimizer, viaIR, version } = match.artifact.compiler;
  // Without compiler settings, the optimizer may have been on.
  return optimizer || viaIR || version === null;
}

/** Maps the lines in the contracts of a scope, or in all contracts of the artifacts if the scope is `null`. */
export async function breakpointsOf(
  known: KnownContracts,
  { source, lines }: { readonly source: string; readonly lines: readonly number[] },
  scope: BreakpointScope | null,
  checkCancelled: CancelCheck,
): Promise<Breakpoints> {
  const slice = new TimeSlice(checkCancelled);
  const unmapped = (reason: string, name: string | null = null): Breakpoints => ({
    source: name,
    breakpoints: lines.map((line) => ({ line, verified: false, actualLine: null, reason, locations: [] })),
    omitted: 0,
  });
  const indexed = scope === null ? [...known.artifacts.contracts] : contractsOf(scope);
  const names = await fileNames(indexed, slice);
  const [name, ...others] = matchingNames(names, source);
  if (name === undefined)
    return unmapped(
      scope === null
        ? `no build output contains the file ${source}; compile it, or pass its folder with --artifacts`
        : `${scope.subject} has no code of the file ${source}`,
    );
  if (others.length > 0)
    return unmapped(`several files match ${source}: ${[name, ...others].sort().join(', ')}`);
  const found: ContractLines[] = [];
  let hasMap = false;
  let omitted = 0;
  for await (const contract of scope?.contracts ?? compiledWith(known, indexed, name, slice)) {
    hasMap ||= contract.map !== null;
    await slice.spend(BYTE_WORK * (contract.match.artifact[contract.side]?.bytes.length ?? 0));
    const ofContract = await linesOf(contract, name);
    if (ofContract === null) continue;
    if (found.length < MAX_CONTRACTS) found.push(ofContract);
    else omitted++;
  }
  const [first] = found;
  if (first === undefined) {
    if (!hasMap) return unmapped(`the build output of ${name} has no source map`, name);
    return unmapped(
      scope === null
        ? `no known contract has code of ${name}`
        : `${scope.subject} has no code of the file ${name}`,
      name,
    );
  }
  const all = {
    outline: first.file.outline,
    withCode: new Set(found.flatMap(({ starts }) => [...starts.keys()])),
    isOptimized: found.some(({ contract }) => isOptimized(contract)),
  };
  return { source: name, breakpoints: lines.map((line) => breakpointAt(line, all, found)), omitted };
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

/** Resolves to the names of all files of the contracts' compilations. */
async function fileNames(contracts: readonly IndexedContract[], slice: TimeSlice): Promise<Set<string>> {
  const names = new Set<string>();
  for (const contract of contracts) {
    await slice.spend(CONTRACT_WORK);
    // If a file was deleted after it was indexed, the contract has no sources.
    const sources = await contract.sources().catch(() => null);
    for (const name of sources?.names.values() ?? []) names.add(name);
  }
  return names;
}

/** Yields both codes of each contract whose compilation has the file. */
async function* compiledWith(
  known: KnownContracts,
  contracts: readonly IndexedContract[],
  name: string,
  slice: TimeSlice,
): AsyncGenerator<KnownContract, void, undefined> {
  for (const contract of contracts) {
    await slice.spend(CONTRACT_WORK);
    if (contract.deployed === null && contract.creation === null) continue;
    const sources = await contract.sources().catch(() => null);
    if (sources === null || ![...sources.names.values()].includes(name)) continue;
    yield* await known.compiled(contract);
  }
}
