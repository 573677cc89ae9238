/** Maps breakpoints to the code of one execution. */

import type { Execution } from './execution.ts';
import { type FunctionName, functionDefinitions } from './function-definitions.ts';
import type { Sources } from './sources.ts';

/** Lines of a source, at most {@link MAX_LINES}. */
export interface WantedLines {
  /** The name of the file in the build output, or its path. */
  readonly source: string;
  readonly lines: readonly number[];
}

/** All breakpoints of an editor. */
export interface WantedPlaces {
  readonly sources: readonly WantedLines[];
  /** The names of functions, without their contracts. */
  readonly functions: readonly string[];
}

export interface MappedLine {
  readonly line: number;
  readonly actualLine: number | null;
  readonly reason: string | null;
}

/** The result of `inspect_breakpoints`. */
export interface MappedSource {
  /** The name of the file in the build output; `null` if unknown. */
  readonly source: string | null;
  readonly breakpoints: readonly MappedLine[];
}

export interface MappedPlaces {
  /** In the order of the request. */
  readonly sources: readonly MappedSource[];
  /** The functions with one of the names. */
  readonly functions: readonly FunctionName[];
}

/** The code where breakpoints are placed. */
export interface BreakpointScope {
  readonly sources: Sources;
  /** The scope in messages: `the execution`. */
  readonly subject: string;
  map(wanted: WantedPlaces): Promise<MappedPlaces>;
  hasContract(name: string): Promise<boolean>;
}

/** Maximum lines per request of the node. */
export const MAX_LINES = 1_000;

/** The contracts of one execution. */
export class ExecutionScope implements BreakpointScope {
  readonly sources: Sources;
  readonly subject = 'the execution';
  readonly #execution: Execution;
  /** By source and lines, because each request executes the target again. */
  readonly #mapped = new Map<string, Promise<MappedSource>>();

  constructor(execution: Execution, sources: Sources) {
    this.#execution = execution;
    this.sources = sources;
  }

  async map({ sources }: WantedPlaces): Promise<MappedPlaces> {
    const mapped: MappedSource[] = [];
    for (const each of sources) mapped.push(await this.#linesOf(each));
    return { sources: mapped, functions: functionDefinitions(this.#execution.outline.files) };
  }

  async hasContract(name: string): Promise<boolean> {
    return this.#execution.outline.frames.some(({ contract }) => contract === name);
  }

  #linesOf({ source, lines }: WantedLines): Promise<MappedSource> {
    const key = JSON.stringify([source, lines]);
    const { ask, target } = this.#execution;
    const known =
      this.#mapped.get(key) ??
      ask('inspect_breakpoints', [source, lines, target]).then((answer) => answer as MappedSource);
    this.#mapped.set(key, known);
    known.catch(() => this.#mapped.delete(key));
    return known;
  }
}
