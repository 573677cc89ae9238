/** The breakpoints that an editor has set, and their places in the build output. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Breakpoint, BreakpointPlace } from './breakpoints.ts';
import { DebugError } from './debug-error.ts';
import type { DebugThread } from './debug-thread.ts';
import { functionDefinitions, functionName } from './function-definitions.ts';
import { hitConditionOf } from './hit-condition.ts';
import { messageParts } from './log-message.ts';
import { numberIn, optionalText, type RequestArguments, textIn } from './request-arguments.ts';
import type { Sources } from './sources.ts';

/** Maximum lines per request of `inspect_breakpoints`. */
const MAX_LINES = 1_000;

const NOT_LAUNCHED = 'the execution is not launched yet';

/** A breakpoint as the editor has set it. */
interface Requested {
  readonly id: number;
  readonly given: RequestArguments;
  /** `null` for a function breakpoint. */
  readonly source: DebugProtocol.Source | null;
}

interface Located {
  readonly breakpoint: Breakpoint;
  readonly shown: DebugProtocol.Breakpoint;
}

/** The launched executions with their sources. */
export interface LaunchedExecutions {
  readonly threads: readonly DebugThread[];
  readonly sources: Sources;
}

interface MappedLine {
  readonly line: number;
  readonly actualLine: number | null;
  readonly reason: string | null;
}

export class BreakpointTable {
  readonly #bySource = new Map<string, Requested[]>();
  #functions: Requested[] = [];
  readonly #located = new Map<number, Located>();
  #ids = 0;

  /** Breakpoints that stop. */
  get verified(): Breakpoint[] {
    return Array.from(this.#located.values(), ({ breakpoint }) => breakpoint);
  }

  /** Replaces the breakpoints of a source. Resolves to them in the order of the request. */
  async setLines(
    source: DebugProtocol.Source,
    given: readonly RequestArguments[],
    launched: LaunchedExecutions | null,
  ): Promise<DebugProtocol.Breakpoint[]> {
    const key = source.path ?? `#${source.sourceReference}`;
    const requested = given.map((each) => ({ id: ++this.#ids, given: each, source }));
    for (const { given: each } of requested) numberIn(each, 'line');
    this.#forget(this.#bySource.get(key) ?? []);
    this.#bySource.set(key, requested);
    return this.#locate(requested, launched);
  }

  /** Replaces the function breakpoints. */
  async setFunctions(
    given: readonly RequestArguments[],
    launched: LaunchedExecutions | null,
  ): Promise<DebugProtocol.Breakpoint[]> {
    const requested = given.map((each) => ({ id: ++this.#ids, given: each, source: null }));
    for (const { given: each } of requested) textIn(each, 'name');
    this.#forget(this.#functions);
    this.#functions = requested;
    return this.#locate(requested, launched);
  }

  /** Finds the places of all breakpoints again, after a launch. */
  async relocate(launched: LaunchedExecutions): Promise<DebugProtocol.Breakpoint[]> {
    return this.#locate([...[...this.#bySource.values()].flat(), ...this.#functions], launched);
  }

  #forget(requested: readonly Requested[]): void {
    for (const { id } of requested) this.#located.delete(id);
  }

  async #locate(
    requested: readonly Requested[],
    launched: LaunchedExecutions | null,
  ): Promise<DebugProtocol.Breakpoint[]> {
    const shown: DebugProtocol.Breakpoint[] = [];
    const lines = launched === null ? null : new LineMapping(launched, requested);
    for (const each of requested) {
      const located = lines === null ? unverified(each.id, NOT_LAUNCHED) : await locatedIn(each, lines);
      this.#located.set(each.id, located);
      shown.push(located.shown);
    }
    return shown;
  }
}

function unverified(id: number, message: string, line?: number): Located {
  return {
    breakpoint: { id, place: null, condition: null, hitCondition: null, message: null },
    shown: { id, verified: false, message, ...(line === undefined ? {} : { line }) },
  };
}

/** Maps all lines of a source with one request per execution. */
class LineMapping {
  readonly launched: LaunchedExecutions;
  readonly #lines = new Map<string, Set<number>>();
  readonly #answers = new Map<string, Promise<{ file: string | null; byLine: Map<number, MappedLine> }>>();

  constructor(launched: LaunchedExecutions, requested: readonly Requested[]) {
    this.launched = launched;
    for (const { source, given } of requested) {
      const name = source === null ? null : launched.sources.nameOf(source);
      if (name === null) continue;
      const lines = this.#lines.get(name) ?? new Set();
      this.#lines.set(name, lines.add(numberIn(given, 'line')));
    }
  }

  /** Resolves to the name of the file in the build output, and the line. */
  async of({ id, execution }: DebugThread, name: string, line: number) {
    const key = `${id} ${name}`;
    const answer = this.#answers.get(key) ?? this.#ask(execution, name);
    this.#answers.set(key, answer);
    const { file, byLine } = await answer;
    return { file, mapped: byLine.get(line) };
  }

  async #ask({ target, ask }: DebugThread['execution'], name: string) {
    const byLine = new Map<number, MappedLine>();
    const lines = [...(this.#lines.get(name) ?? [])];
    let file: string | null = null;
    for (let first = 0; first < lines.length; first += MAX_LINES) {
      const part = lines.slice(first, first + MAX_LINES);
      const answer = await ask('inspect_breakpoints', [name, part, target]);
      const { source, breakpoints } = answer as { source: string | null; breakpoints: MappedLine[] };
      file = source;
      for (const each of breakpoints) byLine.set(each.line, each);
    }
    return { file, byLine };
  }
}

async function locatedIn(requested: Requested, lines: LineMapping): Promise<Located> {
  const { id, given, source } = requested;
  try {
    const hit = optionalText(given, 'hitCondition');
    const message = optionalText(given, 'logMessage');
    const settings = {
      id,
      condition: optionalText(given, 'condition'),
      hitCondition: hit === null ? null : hitConditionOf(hit),
      message: message === null ? null : messageParts(message),
    };
    if (source === null) return locatedFunction(settings, textIn(given, 'name'), lines.launched);
    return await locatedLine(settings, source, numberIn(given, 'line'), lines);
  } catch (error) {
    if (error instanceof DebugError) return unverified(id, error.message);
    throw error;
  }
}

type Settings = Omit<Breakpoint, 'place'>;

async function locatedLine(
  settings: Settings,
  source: DebugProtocol.Source,
  line: number,
  lines: LineMapping,
): Promise<Located> {
  const { threads, sources } = lines.launched;
  const name = sources.nameOf(source);
  if (name === null) return unverified(settings.id, 'the source has no path', line);
  let reason = 'no execution has code of the file';
  for (const thread of threads) {
    const { file, mapped } = await lines.of(thread, name, line);
    if (mapped?.reason != null) reason = mapped.reason;
    if (file === null || mapped?.actualLine == null) continue;
    const place: BreakpointPlace = { kind: 'line', file, line: mapped.actualLine };
    return {
      breakpoint: { ...settings, place },
      shown: { id: settings.id, verified: true, line: mapped.actualLine, source },
    };
  }
  return unverified(settings.id, reason, line);
}

function locatedFunction(settings: Settings, text: string, { threads }: LaunchedExecutions): Located {
  const name = functionName(text);
  if (name === null)
    return unverified(settings.id, `expected "Contract.function" or "function", got ${JSON.stringify(text)}`);
  const isKnown = threads.some(({ execution: { outline } }) => {
    const contracts = new Set(outline.frames.map(({ contract }) => contract));
    return functionDefinitions(outline.files).some(
      (each) =>
        each.name === name.name &&
        (name.contract === null || each.contract === name.contract || contracts.has(name.contract)),
    );
  });
  if (!isKnown) return unverified(settings.id, `the execution has no function ${text.trim()}`);
  return {
    breakpoint: { ...settings, place: { kind: 'function', ...name } },
    shown: { id: settings.id, verified: true },
  };
}
