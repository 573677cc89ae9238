/** Reads coverage items from the text of a source if the build output has no syntax tree. */

import type { SourceOutline } from '../../artifacts/source-outline.ts';
import type { Steps } from '../../primitives/steps.ts';
import {
  type BlockEntry,
  type BranchItem,
  type FunctionItem,
  type SourceItems,
  type Span,
  type StatementItem,
  withUniqueNames,
} from './source-items.ts';

/** Matches comments and strings, to skip them, and all other tokens. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n]){0,100000}"?|'(?:\\[\s\S]|[^'\\\n]){0,100000}'?|[A-Za-z_$][\w$]*|\S/g;
const DEEPEST = 400;
const LOOPS: ReadonlySet<string> = new Set(['for', 'while', 'do']);
const ENDS: ReadonlySet<string> = new Set(['return', 'revert', 'break', 'continue', 'throw']);
const COVERED_KINDS: ReadonlySet<string> = new Set([
  'function',
  'modifier',
  'constructor',
  'fallback',
  'receive',
]);

interface Token extends Span {
  readonly text: string;
}

/** Units of work per character of a function. */
const CHARACTER_WORK = 32;

/**
 * Returns the items of a file. Without a syntax tree, ternary expressions and short circuits are not found.
 * Yields between time slices.
 */
export function* outlineItems(content: string, outline: SourceOutline): Steps<SourceItems> {
  // Offsets are in bytes, so decode each byte as one character.
  const text = Buffer.from(content).toString('latin1');
  const reader = new OutlineReader(outline);
  for (const definition of outline.definitions) {
    if (!COVERED_KINDS.has(definition.kind)) continue;
    const { contract, name, start, end } = definition;
    const tokens = tokensOf(text, start, end);
    reader.function(contract === null ? name : `${contract}.${name}`, { start, end }, tokens);
    yield CHARACTER_WORK * (end - start);
  }
  return reader.items();
}

function tokensOf(text: string, start: number, end: number): Token[] {
  const tokens: Token[] = [];
  for (const { 0: token, index } of text.slice(start, end).matchAll(TOKEN)) {
    if (/^(?:\/\/|\/\*)/.test(token)) continue;
    tokens.push({ text: token, start: start + index, end: start + index + token.length });
  }
  return tokens;
}

class OutlineReader {
  readonly #outline: SourceOutline;
  readonly #statements: StatementItem[] = [];
  readonly #functions: FunctionItem[] = [];
  readonly #branches: BranchItem[] = [];
  #tokens: readonly Token[] = [];
  #at = 0;

  constructor(outline: SourceOutline) {
    this.#outline = outline;
  }

  items(): SourceItems {
    const functions = withUniqueNames(this.#functions);
    return {
      contracts: [],
      statements: this.#statements,
      functions,
      branches: this.#branches,
      calls: [],
      modified: [],
    };
  }

  function(name: string, span: Span, tokens: readonly Token[]): void {
    this.#tokens = tokens;
    this.#at = 0;
    // Parentheses or braces before the body belong to parameters and modifiers.
    while (this.#isBefore('{')) {
      if (this.#text === '(') this.#passGroup();
      else this.#at++;
    }
    if (this.#text !== '{') return;
    const first = this.#statements.length;
    this.#block({ kind: 'function', index: this.#functions.length }, 0);
    const hasStatements = this.#statements.length > first;
    this.#functions.push({
      line: this.#lineOf(span),
      name,
      span,
      first: hasStatements ? first : -1,
      selector: null,
      hasModifiers: false,
      kind: 'function',
      overrides: [],
      declaration: null,
    });
  }

  /** Returns true if there is a current token and it is none of these texts. */
  #isBefore(...texts: readonly string[]): boolean {
    return this.#text !== '' && !texts.includes(this.#text);
  }

  get #text(): string {
    return this.#tokens[this.#at]?.text ?? '';
  }

  get #start(): number {
    return this.#tokens[this.#at]?.start ?? 0;
  }

  /** The end of the previous token. */
  get #end(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }

  /** Skips a group in parentheses, brackets or braces. Returns its range. */
  #passGroup(): Span {
    const start = this.#start;
    let depth = 0;
    do {
      if ('([{'.includes(this.#text)) depth++;
      else if (')]}'.includes(this.#text)) depth--;
      this.#at++;
    } while (depth > 0 && this.#isBefore());
    return { start, end: this.#end };
  }

  #block(entry: BlockEntry, depth: number): void {
    this.#at++;
    let before = -1;
    while (this.#isBefore('}')) before = this.#statement(before, entry, depth + 1);
    this.#at++;
  }

  /** Reads a statement. Returns its index. */
  #statement(before: number, entry: BlockEntry, depth: number): number {
    const start = this.#start;
    const index = this.#statements.length;
    const span = { start, end: start };
    const word = depth > DEEPEST ? '' : this.#text;
    const item = {
      line: this.#lineOf(span),
      span,
      isLoop: LOOPS.has(word),
      isEnd: ENDS.has(word),
      before,
      entry,
    };
    this.#statements.push(item);
    const inside: BlockEntry = { kind: 'statement', index };
    if (word === 'if') this.#if(item, span, depth);
    else if (word === 'for' || word === 'while') {
      this.#at++;
      this.#passGroup();
      this.#body(inside, depth);
    } else if (word === 'do') {
      this.#at++;
      this.#body(inside, depth);
      while (this.#isBefore(';')) this.#at++;
    } else if (word === 'try') {
      this.#at++;
      while (this.#isBefore('{')) this.#passToken();
      this.#block(inside, depth);
      while (this.#text === 'catch') {
        while (this.#isBefore('{')) this.#passToken();
        this.#block({ kind: 'catch', index }, depth);
      }
    } else if (word === '{' || (word === 'unchecked' && this.#tokens[this.#at + 1]?.text === '{')) {
      if (word === 'unchecked') this.#at++;
      this.#block(inside, depth);
    } else if (word === 'assembly') {
      while (this.#isBefore('{')) this.#passToken();
      this.#passGroup();
    } else this.#simple(item.line);
    span.end = this.#end;
    if (this.#text === ';') this.#at++;
    return index;
  }

  /** Reads a statement without a body, up to its semicolon. */
  #simple(line: number): void {
    const start = this.#start;
    const isCheck = this.#text === 'require' || this.#text === 'assert';
    if (isCheck && this.#tokens[this.#at + 1]?.text === '(') {
      this.#at++;
      const { end } = this.#passGroup();
      this.#branches.push({ line, kind: 'require', span: { start, end }, sides: [null, null] });
    }
    while (this.#isBefore(';', '}')) this.#passToken();
  }

  #if(item: { readonly line: number }, span: { readonly start: number; end: number }, depth: number): void {
    this.#at++;
    this.#passGroup();
    const branch = this.#branches.length;
    const sides: [Span | null, Span | null] = [null, null];
    this.#branches.push({ line: item.line, kind: 'if', span, sides });
    sides[0] = this.#body({ kind: 'branch', index: branch, side: 0 }, depth);
    if (this.#text === 'else') {
      this.#at++;
      sides[1] = this.#body({ kind: 'branch', index: branch, side: 1 }, depth);
    }
  }

  /** Reads the body of a statement. Returns the range of its first statement; `null` for none. */
  #body(entry: BlockEntry, depth: number): Span | null {
    const first = this.#statements.length;
    if (this.#text === '{') this.#block(entry, depth);
    else if (this.#text !== '') this.#statement(-1, entry, depth + 1);
    return this.#statements[first]?.span ?? null;
  }

  #passToken(): void {
    if ('([{'.includes(this.#text)) this.#passGroup();
    else this.#at++;
  }

  #lineOf({ start }: Span): number {
    return this.#outline.positionOf(start).line;
  }
}
