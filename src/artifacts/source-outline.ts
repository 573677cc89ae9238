/**
 * Finds the contract and function at a place of a source. The outline is read from the text, because many
 * build outputs have no syntax tree. Both give the same names and ranges.
 */

import { mapInSteps, type Steps } from '../primitives/steps.ts';

export interface SourceDefinition {
  readonly kind:
    | 'contract'
    | 'library'
    | 'interface'
    | 'function'
    | 'modifier'
    | 'constructor'
    | 'fallback'
    | 'receive';
  /** The name of a contract, function or modifier; the kind itself for the others. */
  readonly name: string;
  /** The contract around the definition; `null` for a free function and for a contract itself. */
  readonly contract: string | null;
  /** The first byte, and the byte after the last one (UTF-8). */
  readonly start: number;
  readonly end: number;
  readonly isPayable: boolean;
}

/** Line and column from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Matches comments and strings, to skip them, and the tokens of the outline. An unterminated string ends with
 * its line. A very long string matches in parts, to avoid backtracking.
 */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n]){0,100000}"?|'(?:\\[\s\S]|[^'\\\n]){0,100000}'?|[{};]|[A-Za-z_$][\w$]*|\S/g;

const CONTRACT_KINDS: ReadonlySet<string> = new Set(['contract', 'library', 'interface']);
const FUNCTION_KINDS: ReadonlySet<string> = new Set([
  'function',
  'modifier',
  'constructor',
  'fallback',
  'receive',
]);
const NAME = /^[A-Za-z_$]/;
/** Units of work per character of a source, and per line and definition besides their characters. */
const CHARACTER_WORK = 16;
const LINE_WORK = 4;
const DEFINITION_WORK = 128;
/** Maximum definitions in a file. Later definitions are ignored. */
const MAX_DEFINITIONS = 20_000;
const LINE_BREAK = 0x0a;
const LINE_END = /\r?\n$/;
/** Maximum UTF-8 bytes of a UTF-16 unit. */
const MAX_BYTES_OF_UNIT = 3;
/** Bytes to search for line breaks per step. */
const BYTES_AT_ONCE = 2 ** 16;

interface OpenDefinition {
  readonly kind: SourceDefinition['kind'];
  readonly name: string;
  readonly start: number;
  /** The number of open braces before its own. */
  readonly depth: number;
  isPayable: boolean;
  hasBody: boolean;
}

export class SourceOutline {
  readonly #definitions: readonly SourceDefinition[];
  /** The index of the definition around each definition; -1 for none. */
  readonly #parents: Int32Array;
  /** The first byte of each line. */
  readonly #lines: Uint32Array;
  readonly #bytes: Uint8Array;

  private constructor(bytes: Uint8Array, definitions: readonly SourceDefinition[], lines: Uint32Array) {
    this.#bytes = bytes;
    this.#definitions = definitions;
    this.#parents = parentsOf(this.#definitions);
    this.#lines = lines;
  }

  /** Reads the outline of a source. `vyperModule` names a Vyper module; `null` for Solidity. */
  static *read(text: string, vyperModule: string | null): Steps<SourceOutline> {
    const bytes = Buffer.from(text);
    // Offsets are in bytes, so decode each byte as one character.
    const latin = bytes.toString('latin1');
    const definitions =
      vyperModule === null ? yield* definitionsOf(latin) : yield* vyperDefinitions(latin, vyperModule);
    const named = yield* mapInSteps(definitions, () => DEFINITION_WORK, withOwnNames);
    return new SourceOutline(bytes, named, yield* linesOf(bytes));
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  /** All definitions, in source order. */
  get definitions(): readonly SourceDefinition[] {
    return this.#definitions;
  }

  /** Returns the innermost function, modifier or constructor around the byte; `null` for none. */
  functionAt(offset: number): SourceDefinition | null {
    return this.#innermost(offset, (kind) => FUNCTION_KINDS.has(kind));
  }

  /** Returns the contract around the byte; `null` for none. */
  contractAt(offset: number): SourceDefinition | null {
    return this.#innermost(offset, (kind) => CONTRACT_KINDS.has(kind));
  }

  /** Returns the function with exactly this range; `null` for none. */
  functionOf(start: number, length: number): SourceDefinition | null {
    const around = this.functionAt(start);
    return around !== null && around.start === start && around.end === start + length ? around : null;
  }

  /** Returns the contract with that name; `null` for none. */
  contractNamed(name: string): SourceDefinition | null {
    return this.#definitions.find((found) => CONTRACT_KINDS.has(found.kind) && found.name === name) ?? null;
  }

  /** Returns the line and column of the byte. Columns count UTF-16 units, like editors. */
  positionOf(offset: number): SourcePosition {
    const line = this.lineOf(offset);
    const before = this.#bytes.subarray(this.#lines[line - 1] ?? 0, offset);
    return { line, column: Buffer.from(before).toString('utf8').length + 1 };
  }

  /** Returns the line of the byte, from 1. */
  lineOf(offset: number): number {
    const last = lastAtMost(this.#lines.length, (index) => this.#lines[index] ?? 0, offset);
    return Math.max(0, last) + 1;
  }

  get text(): string {
    return this.textOf(0, this.#bytes.length);
  }

  textOf(start: number, length: number): string {
    return Buffer.from(this.#bytes.subarray(start, start + length)).toString('utf8');
  }

  /**
   * Returns lines from the number `first`, without line breaks. Fewer lines at the end of the file. A line is cut
   * after `maxLength` characters, with an ellipsis.
   */
  linesFrom(first: number, count: number, maxLength: number): string[] {
    const numbers = Array.from(
      { length: Math.min(count, this.lineCount - first + 1) },
      (_, at) => first + at,
    );
    return numbers.map((line) => {
      const start = this.#lines[line - 1] ?? 0;
      const end = this.#lines[line] ?? this.#bytes.length;
      // Only the start of a long line is decoded, because minified files have lines of millions of characters.
      const text = this.textOf(start, Math.min(end - start, MAX_BYTES_OF_UNIT * (maxLength + 1)));
      const shown = text.replace(LINE_END, '');
      return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
    });
  }

  #innermost(offset: number, isWanted: (kind: string) => boolean): SourceDefinition | null {
    const startAt = (index: number): number => this.#definitions[index]?.start ?? 0;
    let at = lastAtMost(this.#definitions.length, startAt, offset);
    for (; at >= 0; at = this.#parents[at] ?? -1) {
      const definition = this.#definitions[at];
      if (definition !== undefined && offset < definition.end && isWanted(definition.kind)) return definition;
    }
    return null;
  }
}

/** Copies the names of a definition, because a substring keeps the whole source text in memory (V8). */
function withOwnNames(definition: SourceDefinition): SourceDefinition {
  const { name, contract } = definition;
  return { ...definition, name: copyOf(name), contract: contract === null ? null : copyOf(contract) };
}

/** Returns a copy of a Latin-1 text. */
function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Returns the first byte of each line. Yields between time slices. */
function* linesOf(bytes: Uint8Array): Steps<Uint32Array> {
  let count = 1;
  for (let start = 0; start < bytes.length; start += BYTES_AT_ONCE) {
    const end = Math.min(bytes.length, start + BYTES_AT_ONCE);
    for (let at = start; at < end; at++) if (bytes[at] === LINE_BREAK) count++;
    yield end - start;
  }
  const lines = new Uint32Array(count);
  let line = 1;
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) {
    lines[line++] = at + 1;
    yield LINE_WORK;
  }
  return lines;
}

/** Returns the last index whose value is at most `limit`; -1 for none. Values must be in ascending order. */
function lastAtMost(count: number, valueAt: (index: number) => number, limit: number): number {
  let [low, high] = [-1, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (valueAt(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Matches the start of a function, or an unindented line that is no comment and so ends the previous one. */
const VYPER_LINE = /^(?:def[ \t]+([A-Za-z_]\w*)|[^\s#)])/gm;

/** Returns the functions of a Vyper module, and the module as the contract around them. */
function* vyperDefinitions(text: string, module: string): Steps<SourceDefinition[]> {
  const whole = {
    kind: 'contract',
    name: module,
    contract: null,
    start: 0,
    end: text.length,
    isPayable: false,
  } as const;
  const definitions: SourceDefinition[] = [whole];
  let open: { readonly name: string; readonly start: number } | null = null;
  const close = (next: number): void => {
    if (open === null) return;
    const { name, start } = open;
    const end = start + text.slice(start, next).trimEnd().length;
    const kind = name === '__init__' ? 'constructor' : name === '__default__' ? 'fallback' : 'function';
    definitions.push({
      kind,
      name: kind === 'function' ? name : kind,
      contract: module,
      start,
      end,
      isPayable: false,
    });
    open = null;
  };
  let passed = 0;
  for (const { 1: name, index } of text.matchAll(VYPER_LINE)) {
    close(index);
    if (definitions.length >= MAX_DEFINITIONS) break;
    if (name !== undefined) open = { name, start: index };
    yield CHARACTER_WORK * (index - passed);
    passed = index;
  }
  close(text.length);
  return definitions;
}

function parentsOf(definitions: readonly SourceDefinition[]): Int32Array {
  const parents = new Int32Array(definitions.length);
  const around: number[] = [];
  for (const [index, { start }] of definitions.entries()) {
    while (around.length > 0 && (definitions[around.at(-1) ?? 0]?.end ?? 0) <= start) around.pop();
    parents[index] = around.at(-1) ?? -1;
    around.push(index);
  }
  return parents;
}

function* definitionsOf(text: string): Steps<SourceDefinition[]> {
  const definitions: SourceDefinition[] = [];
  const open: OpenDefinition[] = [];
  let depth = 0;
  /** A keyword whose name follows. */
  let pending: { readonly kind: SourceDefinition['kind']; readonly start: number } | null = null;
  let contract: string | null = null;
  const close = (definition: OpenDefinition, end: number): void => {
    const isContract = CONTRACT_KINDS.has(definition.kind);
    const { kind, name, start, isPayable } = definition;
    definitions.push({ kind, name, start, end, isPayable, contract: isContract ? null : contract });
    if (isContract) contract = null;
  };
  let passed = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    yield CHARACTER_WORK * (index - passed);
    passed = index;
    if (definitions.length + open.length >= MAX_DEFINITIONS) break;
    const innermost = open.at(-1);
    const isInBody = innermost?.hasBody === true && FUNCTION_KINDS.has(innermost.kind);
    if (token === '{') {
      if (pending !== null) pending = begin(pending, '');
      const latest = open.at(-1);
      if (latest !== undefined && !latest.hasBody) latest.hasBody = true;
      depth++;
    } else if (token === '}') {
      depth = Math.max(0, depth - 1);
      const ended = open.at(-1);
      if (ended?.hasBody === true && ended.depth === depth) {
        open.pop();
        close(ended, index + 1);
      }
    } else if (token === ';') {
      // A function without a body ends here.
      if (innermost !== undefined && !innermost.hasBody) {
        open.pop();
        if (!CONTRACT_KINDS.has(innermost.kind)) close(innermost, index + 1);
      }
      pending = null;
    } else if (isInBody) continue;
    else if (pending !== null) pending = begin(pending, token);
    else if (innermost !== undefined && !innermost.hasBody) {
      if (token === 'payable') innermost.isPayable = true;
    } else if (isKeyword(token, depth, contract)) {
      pending = { kind: token as SourceDefinition['kind'], start: startOf(text, token, index) };
    }
  }
  // The file ends too early: all open definitions end with it.
  for (const definition of open.reverse()) close(definition, text.length);
  return definitions.sort((left, right) => left.start - right.start || right.end - left.end);

  function begin({ kind, start }: NonNullable<typeof pending>, token: string): null {
    const isNamed = NAME.test(token);
    const isOldFallback = kind === 'function' && !isNamed;
    const name = isNamed ? token : isOldFallback ? 'fallback' : kind;
    const actual = isOldFallback
      ? 'fallback'
      : kind === 'function' && name === contract
        ? 'constructor'
        : kind;
    open.push({ kind: actual, name, start, depth, isPayable: false, hasBody: false });
    if (CONTRACT_KINDS.has(kind)) contract = name;
    return null;
  }
}

/**
 * Returns true if the keyword starts a definition: contracts and free functions at the top level, others
 * within a contract.
 */
function isKeyword(token: string, depth: number, contract: string | null): boolean {
  if (CONTRACT_KINDS.has(token)) return depth === 0;
  if (!FUNCTION_KINDS.has(token)) return false;
  return contract === null ? depth === 0 && token === 'function' : depth === 1;
}

/** A preceding `abstract` is part of the contract. */
function startOf(text: string, token: string, index: number): number {
  if (token !== 'contract') return index;
  const before = /abstract\s+$/.exec(text.slice(Math.max(0, index - 100), index));
  return before === null ? index : index - before[0].length;
}
