// A JSON parser for texts from outside: it works in pieces, never recurses, and limits nesting and members.

import { runTask, type Task } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import { MANY_MEMBERS, rememberNames } from './json-writer.ts';

/** True if arrays and objects are nested in the JSON value more than `levels` deep. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return children.some((child) => isNestedDeeper(child, levels - 1));
}

/** The limits on JSON from outside, with the message for a text that exceeds one. */
const LIMITS = {
  nesting: (most: number) => `the JSON is nested deeper than ${most} levels`,
  members: (most: number) => `an object of the JSON has more than ${most} members`,
  name: (most: number) => `a name in the JSON has more than ${most} characters`,
} as const;

/** Thrown for JSON that exceeds a limit of reading. */
export class JsonLimitError extends Error {
  override readonly name = 'JsonLimitError';
  readonly limit: keyof typeof LIMITS;
  /** The outermost array or object, as far as it was read. */
  readonly partial: unknown;

  constructor(limit: keyof typeof LIMITS, most: number, partial: unknown) {
    super(LIMITS[limit](most));
    this.limit = limit;
    this.partial = partial;
  }
}

/** The limits and callbacks of reading JSON. */
export interface JsonReading {
  /** The maximum nesting of arrays and objects. */
  readonly levels: number;
  /**
   * The maximum number of members of an object; unlimited by default. Listing the names of very many takes long, and
   * cannot be divided.
   */
  readonly members?: number;
  readonly pieces: WorkPieces;
  /**
   * Called for each member of an object whose value is a number that JavaScript may round (integers beyond 2^53,
   * fractions and exponents), with its spelling.
   */
  readonly onInexact?: (owner: object, name: string, spelling: string) => void;
}

/** An array or object that is still open. */
type Open =
  | { readonly array: unknown[]; readonly object: null }
  | {
      readonly array: null;
      readonly object: Record<string, unknown>;
      name: string;
      members: number;
      /** The names so far in the order of `Object.keys`; absent while they are few, `null` where that is another order. */
      names?: string[] | null;
    };

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

const BACKSLASH = 0x5c;

/** Units of work of a value besides its characters. */
const VALUE_WORK = 8;

/** Characters of a text that is counted as soon as it is read; longer ones are read in pieces, and are no names. */
const LONG_TEXT = 2 ** 16;
/** Characters of the longest escape sequence: a backslash, `u` and four digits. */
const LONGEST_ESCAPE = 6;

/**
 * Returns the same value as `JSON.parse`, but works in pieces and never recurses, so that it is safe for texts of any
 * length from outside. It takes several times as long, so short texts are better parsed at once. Throws
 * {@link JsonLimitError} as soon as a limit is exceeded, also for a name of more than 65,536 characters, and a `SyntaxError` for
 * text that is not JSON.
 */
export function* readJson(text: string, reading: JsonReading): Task<unknown> {
  return yield* new JsonReader(text, reading).read();
}

/** Returns the value of a short text with the same limits and callbacks as {@link readJson}. Throws the same errors. */
export function readJsonAtOnce(text: string, reading: Omit<JsonReading, 'pieces'>): unknown {
  const pieces = new WorkPieces(undefined, Number.POSITIVE_INFINITY);
  return runTask(readJson(text, { ...reading, pieces }));
}

/** True if the text has so few arrays and objects that they cannot be nested deeper than `levels`. */
function isSurelyShallow(text: string, levels: number): boolean {
  if (text.length <= levels) return true;
  const opening = /[[{]/g;
  for (let count = 0; count <= levels; count++) if (!opening.test(text)) return true;
  return false;
}

/**
 * Returns the value of a JSON text at the speed of `JSON.parse` if the text has few arrays and objects. Throws a
 * {@link JsonLimitError} if they are nested deeper than `levels`, and a `SyntaxError` for text that is not JSON.
 */
export function parseShallowJson(text: string, levels: number): unknown {
  return isSurelyShallow(text, levels) ? JSON.parse(text) : readJsonAtOnce(text, { levels });
}

/** The names of array elements, which come first among the names of an object. */
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** Adds the name of the member that is about to be added to an object of many members. */
function noteName(top: Open & { readonly array: null }): void {
  const { object, name } = top;
  if (top.names === undefined) top.names = Object.keys(object);
  if (top.names === null || Object.hasOwn(object, name)) return;
  if (ARRAY_INDEX.test(name)) top.names = null;
  else top.names.push(name);
}

/** True for a character after an odd number of backslashes, of which the first is not before `start`. */
function isEscaped(text: string, at: number, start = 0): boolean {
  let first = at;
  while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** Returns the place of the quotation mark that ends a string, whose content the text begins with; -1 for none. */
function endOfString(text: string): number {
  let end = text.indexOf('"');
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Returns the text without an escape sequence that may go on after its end; a text of no more than one as it is. */
function wholeEscapes(text: string): string {
  const backslash = text.lastIndexOf('\\');
  if (backslash < Math.max(1, text.length - LONGEST_ESCAPE + 1)) return text;
  return isEscaped(text, backslash) ? text : text.slice(0, backslash);
}

class JsonReader {
  readonly #text: string;
  readonly #levels: number;
  readonly #members: number;
  readonly #pieces: WorkPieces;
  readonly #onInexact: JsonReading['onInexact'];
  readonly #open: Open[] = [];
  #at = 0;
  /** The number of characters that have been counted as work. */
  #counted = 0;

  constructor(text: string, { levels, members = Number.POSITIVE_INFINITY, pieces, onInexact }: JsonReading) {
    this.#text = text;
    this.#levels = levels;
    this.#members = members;
    this.#pieces = pieces;
    this.#onInexact = onInexact;
  }

  *read(): Task<unknown> {
    for (;;) {
      const turn = this.#spend();
      if (turn !== undefined) yield turn;
      if (this.#begin()) continue;
      let value = this.#isLongString() ? yield* this.#longString() : this.#value();
      // Nothing may follow a long text, and what is done with it takes long too.
      if (this.#at - this.#counted >= LONG_TEXT) {
        const turn = this.#spend();
        if (turn !== undefined) yield turn;
      }
      // A value can be the last one of several arrays and objects.
      for (
        let top = this.#open.at(-1);
        top !== undefined && this.#isLast(top, value);
        top = this.#open.at(-1)
      ) {
        this.#open.pop();
        value = top.array ?? top.object;
      }
      if (this.#open.length > 0) continue;
      if (this.#peek() !== '') throw this.#fault();
      return value;
    }
  }

  #spend(): Promise<void> | undefined {
    const units = this.#at - this.#counted + VALUE_WORK;
    this.#counted = this.#at;
    return this.#pieces.spend(units);
  }

  /** Skips spaces and returns the next character; empty at the end. */
  #peek(): string {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #take(expected: string): void {
    if (this.#peek() !== expected) throw this.#fault();
    this.#at++;
  }

  #fault(): SyntaxError {
    const token = this.#text.charAt(this.#at);
    return token === ''
      ? new SyntaxError('Unexpected end of JSON input')
      : new SyntaxError(`Unexpected token ${JSON.stringify(token)} in JSON at position ${this.#at}`);
  }

  /** Goes to the first value of an array or object; returns false before any other value, and before empty ones. */
  #begin(): boolean {
    const first = this.#peek();
    if (first !== '[' && first !== '{') return false;
    if (this.#open.length === this.#levels)
      throw new JsonLimitError('nesting', this.#levels, this.#partial());
    const start = this.#at++;
    if (this.#peek() === (first === '[' ? ']' : '}')) {
      this.#at = start;
      return false;
    }
    if (first === '[') this.#open.push({ array: [], object: null });
    else this.#open.push({ array: null, object: {}, name: this.#name(), members: 1 });
    return true;
  }

  #partial(): unknown {
    const [outermost] = this.#open;
    return outermost?.array ?? outermost?.object;
  }

  #name(): string {
    if (this.#peek() !== '"') throw this.#fault();
    if (this.#isLongString()) throw new JsonLimitError('name', LONG_TEXT, this.#partial());
    const name = this.#string();
    this.#take(':');
    return name;
  }

  /** Returns a value that is neither an array nor an object. */
  #value(): unknown {
    switch (this.#peek()) {
      case '"':
        return this.#string();
      case '[':
        this.#at++;
        this.#take(']');
        return [];
      case '{':
        this.#at++;
        this.#take('}');
        return {};
      case 't':
      case 'f':
      case 'n':
        return WORDS[this.#match(WORD)];
      default:
        return this.#number();
    }
  }

  #match(pattern: RegExp): string {
    const start = this.#at;
    pattern.lastIndex = start;
    if (!pattern.test(this.#text)) throw this.#fault();
    this.#at = pattern.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #number(): number {
    const spelling = this.#match(NUMBER);
    const number = Number(spelling);
    const top = this.#open.at(-1);
    if (!Number.isSafeInteger(number) && top?.object) this.#onInexact?.(top.object, top.name, spelling);
    return number;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(text, end, start + 1)) end = text.indexOf('"', end + 1);
    if (end === -1) {
      this.#at = text.length;
      throw this.#fault();
    }
    this.#at = end + 1;
    // Resolves escapes, refuses control characters, and does not keep the whole text in memory for a part of it.
    return JSON.parse(text.slice(start, this.#at)) as string;
  }

  /** True before a string that is too long to be read at once. */
  #isLongString(): boolean {
    const text = this.#text;
    if (text.length - this.#at <= LONG_TEXT || this.#peek() !== '"') return false;
    const start = this.#at + 1;
    const quote = text.indexOf('"', start);
    if (quote === -1) return true;
    if (quote - start < LONG_TEXT && !isEscaped(text, quote, start)) return false;
    return endOfString(text.slice(start, start + LONG_TEXT)) === -1;
  }

  *#longString(): Task<string> {
    const parts: string[] = [];
    let close = -1;
    this.#at++;
    while (close === -1) {
      if (this.#at === this.#text.length) throw this.#fault();
      const part = wholeEscapes(this.#text.slice(this.#at, this.#at + LONG_TEXT));
      close = endOfString(part);
      const content = close === -1 ? part : part.slice(0, close);
      parts.push(JSON.parse(`"${content}"`) as string);
      this.#at += content.length;
      const turn = this.#spend();
      if (turn !== undefined) yield turn;
    }
    this.#at++;
    return parts.join('');
  }

  /** Adds the value to the open array or object. Returns true when it was the last one; otherwise goes to the next. */
  #isLast(top: Open, value: unknown): boolean {
    if (top.array === null && top.members >= MANY_MEMBERS) noteName(top);
    if (top.array !== null) {
      top.array.push(value);
    } else if (top.name === '__proto__') {
      Object.defineProperty(top.object, top.name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else {
      top.object[top.name] = value;
    }
    const next = this.#peek();
    if (next === (top.array === null ? '}' : ']')) {
      this.#at++;
      if (top.array === null && top.names) rememberNames(top.object, top.names);
      return true;
    }
    this.#take(',');
    if (top.array === null) {
      if (++top.members > this.#members) throw new JsonLimitError('members', this.#members, this.#partial());
      top.name = this.#name();
    }
    return false;
  }
}
