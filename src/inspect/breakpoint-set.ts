/** The breakpoints of an attached debugger, and the first one that an execution reaches. */

import type { ExecutionObserver } from '../evm/observer.ts';
import type { Tracer } from '../evm/tracers/tracer.ts';
import { ready, type Steps } from '../primitives/steps.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { type Breakpoints, breakpointsOf, type WantedLines } from './breakpoints.ts';
import type { KnownContract, KnownContracts } from './known-contracts.ts';
import { functionsNamed, type NamedFunction } from './named-functions.ts';

/** A line of a source file, counted from 1. */
export interface SourceLine {
  /** The name of the file in the build output. */
  readonly source: string;
  readonly line: number;
}

/** The lines and functions where a debugger stops. */
export interface WantedPlaces {
  readonly sources: readonly WantedLines[];
  /** Names of functions, in any contract. */
  readonly functions: readonly string[];
}

/** The breakpoints of each source, and the functions. */
export interface MappedPlaces {
  readonly sources: readonly Breakpoints[];
  readonly functions: readonly NamedFunction[];
}

/** By program counter of a code: the line that starts there. */
export type BreakpointPlaces = ReadonlyMap<number, SourceLine>;

/** The breakpoints in one version of the artifacts. */
interface ResolvedBreakpoints {
  /** The version of the artifacts. */
  readonly version: number;
  readonly mapped: MappedPlaces;
  /** The lines of all sources and functions. */
  readonly lines: readonly WantedLines[];
  /** `null` for a contract without a breakpoint. */
  readonly places: WeakMap<KnownContract, Promise<BreakpointPlaces | null>>;
}

/** Lines of source files and functions, mapped again after each change of the artifacts. */
export class BreakpointSet {
  readonly #wanted: WantedPlaces;
  #resolved: Promise<ResolvedBreakpoints> | null = null;
  #version = -1;

  constructor(wanted: WantedPlaces) {
    this.#wanted = wanted;
  }

  get isEmpty(): boolean {
    const { sources, functions } = this.#wanted;
    return functions.length === 0 && sources.every(({ lines }) => lines.length === 0);
  }

  /** Resolves to the breakpoints of each source file and the functions, in all known contracts. */
  async mapped(known: KnownContracts, checkCancelled: CancelCheck): Promise<MappedPlaces> {
    return (await this.#resolve(known, checkCancelled)).mapped;
  }

  /** Resolves to the places of the breakpoints in each contract; `null` for a contract without a breakpoint. */
  async placesIn(
    contracts: readonly (KnownContract | null)[],
    known: KnownContracts,
    checkCancelled: CancelCheck,
  ): Promise<(BreakpointPlaces | null)[]> {
    const { lines, places } = await this.#resolve(known, checkCancelled);
    const found = new Map<KnownContract | null, BreakpointPlaces | null>([[null, null]]);
    for (const contract of contracts) {
      if (contract === null || found.has(contract)) continue;
      const cached = places.get(contract);
      const reading = cached ?? placesOf(contract, known, lines, checkCancelled);
      if (cached === undefined) {
        places.set(contract, reading);
        // A cancelled search must not stay in the cache.
        reading.catch(() => places.delete(contract));
      }
      found.set(contract, await reading);
    }
    return contracts.map((contract) => found.get(contract) ?? null);
  }

  #resolve(known: KnownContracts, checkCancelled: CancelCheck): Promise<ResolvedBreakpoints> {
    const { version } = known.artifacts;
    if (this.#resolved !== null && this.#version === version) return this.#resolved;
    const resolving = this.#read(known, version, checkCancelled);
    this.#version = version;
    this.#resolved = resolving;
    resolving.catch(() => {
      if (this.#resolved === resolving) this.#resolved = null;
    });
    return resolving;
  }

  async #read(
    known: KnownContracts,
    version: number,
    checkCancelled: CancelCheck,
  ): Promise<ResolvedBreakpoints> {
    const sources = await breakpointsOf(known, this.#wanted.sources, null, checkCancelled);
    const functions = await functionsNamed(new Set(this.#wanted.functions), known, checkCancelled);
    const lines = [...sources.flatMap(mappedLines), ...functions.map(linesOfFunction)];
    return { version, mapped: { sources, functions }, lines, places: new WeakMap() };
  }
}

function mappedLines({ source, breakpoints }: Breakpoints): WantedLines[] {
  const lines = breakpoints.flatMap(({ actualLine }) => (actualLine === null ? [] : [actualLine]));
  return source === null || lines.length === 0 ? [] : [{ source, lines }];
}

/** All lines of a function, because its first statement can be on any of them. */
function linesOfFunction({ source, line, lastLine }: NamedFunction): WantedLines {
  return { source, lines: Array.from({ length: lastLine - line + 1 }, (_, index) => line + index) };
}

async function placesOf(
  contract: KnownContract,
  known: KnownContracts,
  wanted: readonly WantedLines[],
  checkCancelled: CancelCheck,
): Promise<BreakpointPlaces | null> {
  const places = new Map<number, SourceLine>();
  const scope = { contracts: [contract], subject: contract.name };
  const mapped = await breakpointsOf(known, wanted, scope, checkCancelled);
  for (const [index, { breakpoints }] of mapped.entries()) {
    const source = wanted[index]?.source ?? '';
    for (const { line, actualLine, locations } of breakpoints) {
      // A line without code in this contract does not move to another line.
      if (actualLine !== line) continue;
      for (const { pcs } of locations) for (const pc of pcs) places.set(pc, { source, line });
    }
  }
  return places.size === 0 ? null : places;
}

/** Finds the first breakpoint that an execution reaches. */
export class BreakpointTracer implements Tracer<SourceLine | null>, ExecutionObserver {
  readonly #places: readonly (BreakpointPlaces | null)[];
  /** The indexes of the open frames. */
  readonly #open: number[] = [];
  #frames = 0;
  #found: SourceLine | null = null;

  /** `places` by index of the frame, in call order. */
  constructor(places: readonly (BreakpointPlaces | null)[]) {
    this.#places = places;
  }

  get #current(): BreakpointPlaces | null {
    return this.#places[this.#open.at(-1) ?? -1] ?? null;
  }

  get skipsFrame(): boolean {
    return this.#found !== null || this.#current === null;
  }

  frameStart(): void {
    this.#open.push(this.#frames++);
  }

  frameEnd(): void {
    this.#open.pop();
  }

  trail(pcs: Uint32Array): void {
    const places = this.#current;
    if (this.#found !== null || places === null) return;
    for (const pc of pcs) {
      const line = places.get(pc);
      if (line === undefined) continue;
      this.#found = line;
      return;
    }
  }

  result(): Steps<SourceLine | null> {
    return ready(this.#found);
  }
}
