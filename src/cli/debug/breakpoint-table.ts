/** The breakpoints that an editor has set, and their places in the build output. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  type BreakpointScope,
  MAX_LINES,
  type MappedLine,
  type MappedPlaces,
  type WantedLines,
} from './breakpoint-scope.ts';
import type { Breakpoint } from './breakpoints.ts';
import { DebugError } from './debug-error.ts';
import { functionName } from './function-definitions.ts';
import { hitConditionOf } from './hit-condition.ts';
import { messageParts } from './log-message.ts';
import { numberIn, optionalText, type RequestArguments, textIn } from './request-arguments.ts';

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

/** The places of all breakpoints in a scope. */
interface Mapping {
  readonly scope: BreakpointScope;
  readonly functions: MappedPlaces['functions'];
  /** By source of the request. */
  readonly files: ReadonlyMap<string, MappedFile>;
}

interface MappedFile {
  /** The name in the build output; `null` if unknown. */
  readonly file: string | null;
  readonly byLine: ReadonlyMap<number, MappedLine>;
}

export class BreakpointTable {
  readonly #bySource = new Map<string, Requested[]>();
  #functions: Requested[] = [];
  readonly #located = new Map<number, Located>();
  readonly #onChange: (breakpoint: DebugProtocol.Breakpoint) => void;
  #ids = 0;

  /** `onChange` receives breakpoints that the editor knows, after a change of their place. */
  constructor(onChange: (breakpoint: DebugProtocol.Breakpoint) => void) {
    this.#onChange = onChange;
  }

  /** All breakpoints. Unverified ones never stop. */
  get located(): Breakpoint[] {
    return Array.from(this.#located.values(), ({ breakpoint }) => breakpoint);
  }

  /** True if a verified breakpoint is on the line. A function breakpoint can be on any line. */
  hasBreakpointAt({ source, line }: { readonly source: string; readonly line: number }): boolean {
    return this.located.some(
      ({ place }) => place?.kind === 'function' || (place?.file === source && place.line === line),
    );
  }

  /** Replaces the breakpoints of a source. Resolves to them in the order of the request. */
  async setLines(
    source: DebugProtocol.Source,
    given: readonly RequestArguments[],
    scope: BreakpointScope | null,
  ): Promise<DebugProtocol.Breakpoint[]> {
    const key = source.path ?? `#${source.sourceReference}`;
    const requested = given.map((each) => ({ id: ++this.#ids, given: each, source }));
    for (const { given: each } of requested) numberIn(each, 'line');
    this.#forget(this.#bySource.get(key) ?? []);
    this.#bySource.set(key, requested);
    await this.relocate(scope);
    return this.#shown(requested);
  }

  /** Replaces the function breakpoints. */
  async setFunctions(
    given: readonly RequestArguments[],
    scope: BreakpointScope | null,
  ): Promise<DebugProtocol.Breakpoint[]> {
    const requested = given.map((each) => ({ id: ++this.#ids, given: each, source: null }));
    for (const { given: each } of requested) textIn(each, 'name');
    this.#forget(this.#functions);
    this.#functions = requested;
    await this.relocate(scope);
    return this.#shown(requested);
  }

  /** Finds the places of all breakpoints again. */
  async relocate(scope: BreakpointScope | null): Promise<void> {
    const requested = this.#requested;
    const mapping = scope === null ? null : await mappingOf(requested, scope);
    for (const each of requested) {
      const before = this.#located.get(each.id);
      const located = mapping === null ? unverified(each.id, NOT_LAUNCHED) : await locatedIn(each, mapping);
      this.#located.set(each.id, located);
      if (before !== undefined && JSON.stringify(before.shown) !== JSON.stringify(located.shown))
        this.#onChange(located.shown);
    }
  }

  get #requested(): Requested[] {
    return [...[...this.#bySource.values()].flat(), ...this.#functions];
  }

  #shown(requested: readonly Requested[]): DebugProtocol.Breakpoint[] {
    return requested.flatMap(({ id }) => this.#located.get(id)?.shown ?? []);
  }

  #forget(requested: readonly Requested[]): void {
    for (const { id } of requested) this.#located.delete(id);
  }
}

function unverified(id: number, message: string, line?: number): Located {
  return {
    breakpoint: { id, place: null, condition: null, hitCondition: null, message: null },
    shown: { id, verified: false, message, ...(line === undefined ? {} : { line }) },
  };
}

/** Maps all breakpoints with one request of the scope. */
async function mappingOf(requested: readonly Requested[], scope: BreakpointScope): Promise<Mapping> {
  const lines = new Map<string, Set<number>>();
  const functions = new Set<string>();
  for (const { source, given } of requested) {
    const name = source === null ? null : scope.sources.nameOf(source);
    if (name !== null) lines.set(name, (lines.get(name) ?? new Set()).add(numberIn(given, 'line')));
    const called = source === null ? functionName(textIn(given, 'name')) : null;
    if (called !== null) functions.add(called.name);
  }
  const sources = [...lines].flatMap(([source, each]) => inParts(source, [...each]));
  const mapped = await scope.map({ sources, functions: [...functions] });
  const files = new Map<string, MappedFile>();
  for (const [index, { source }] of sources.entries()) {
    const { source: file = null, breakpoints = [] } = mapped.sources[index] ?? {};
    const byLine = new Map([
      ...(files.get(source)?.byLine ?? []),
      ...breakpoints.map((each) => [each.line, each] as const),
    ]);
    files.set(source, { file, byLine });
  }
  return { scope, functions: mapped.functions, files };
}

function inParts(source: string, lines: readonly number[]): WantedLines[] {
  const parts: WantedLines[] = [];
  for (let first = 0; first < lines.length; first += MAX_LINES)
    parts.push({ source, lines: lines.slice(first, first + MAX_LINES) });
  return parts;
}

async function locatedIn(requested: Requested, mapping: Mapping): Promise<Located> {
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
    if (source === null) return await locatedFunction(settings, textIn(given, 'name'), mapping);
    return locatedLine(settings, source, numberIn(given, 'line'), mapping);
  } catch (error) {
    if (error instanceof DebugError) return unverified(id, error.message);
    throw error;
  }
}

type Settings = Omit<Breakpoint, 'place'>;

function locatedLine(
  settings: Settings,
  source: DebugProtocol.Source,
  wanted: number,
  { scope, files }: Mapping,
): Located {
  const { id } = settings;
  const name = scope.sources.nameOf(source);
  const mapped = name === null ? undefined : files.get(name);
  if (mapped === undefined) return unverified(id, 'the source has no path', wanted);
  const { actualLine: line = null, reason = null } = mapped.byLine.get(wanted) ?? {};
  const { file } = mapped;
  if (file === null || line === null)
    return unverified(id, reason ?? 'no execution has code of the file', wanted);
  return {
    breakpoint: { ...settings, place: { kind: 'line', file, line } },
    shown: { id, verified: true, line, source },
  };
}

async function locatedFunction(
  settings: Settings,
  text: string,
  { functions, scope }: Mapping,
): Promise<Located> {
  const name = functionName(text);
  if (name === null)
    return unverified(settings.id, `expected "Contract.function" or "function", got ${JSON.stringify(text)}`);
  const { contract } = name;
  const found = functions.filter((each) => each.name === name.name);
  const isKnown =
    found.length > 0 &&
    (contract === null ||
      found.some((each) => each.contract === contract) ||
      (await scope.hasContract(contract)));
  if (!isKnown) return unverified(settings.id, `${scope.subject} has no function ${text.trim()}`);
  return {
    breakpoint: { ...settings, place: { kind: 'function', ...name } },
    shown: { id: settings.id, verified: true },
  };
}
