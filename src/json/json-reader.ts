// A JSON parser for untrusted texts. It yields between time slices, does not recurse, and limits nesting and
// members.

import { finish, type Steps } from '../primitives/steps.ts';
import { MANY_MEMBERS, rememberNames } from './json-writer.ts';

/** Returns true if arrays and objects are nested more than `levels` deep. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const child of children)
    if (typeof child === 'object' && child !== null && isNestedDeeper(child, levels - 1)) return true;
  return false;
}

/** The limits on untrusted JSON, with their error messages. */
const LIMITS = {
  nesting: (most: number) => `the JSON is nested deeper than ${most} levels`,
  members: (most: number) => `an object of the JSON has more than ${most} members`,
  name: (most: number) => `a name in the JSON has more than ${most} characters`,
  values: (most: number) => `the JSON has more than ${most} values`,
} as const;

/** Thrown if JSON exceeds a limit. */
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

export interface JsonReading {
  /** Maximum nesting of arrays and objects. */
  readonly levels: number;
  /** Maximum members of an object (default: no limit). Listing many names cannot be split into slices. */
  readonly members?: number;
  /** Maximum values (default: no limit). Short values take many times the memory of their text. */
  readonly values?: number;
  /** Called with the spelling of each member value that JavaScript may round, for example above 2^53. */
  readonly onInexact?: (owner: object, name: string, spelling: string) => void;
}

type Open =
  | { readonly array: unknown[]; readonly object: null }
  | {
      readonly array: null;
      readonly object: Record<string, unknown>;
      name: string;
      members: number;
      /** Names in the order of `Object.keys`; absent while there are few, `null` if the order differs. */
      names?: string[] | null;
    };

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

const BACKSLASH = 0x5c;

/** Units of work per value, besides its characters. */
const VALUE_WORK = 8;
/** Units of work per step. */
const STEP_WORK = 2 ** 12;

/** Maximum characters of a name, and of a string read without yielding. Longer strings are read in parts. */
const LONG_TEXT = 2 ** 16;
/** Maximum characters of an escape sequence: a backslash, `u` and four digits. */
const MAX_ESCAPE_LENGTH = 6;

/**
 * Parses like `JSON.parse`, but yields between time slices and does not recurse. It is therefore safe for
 * untrusted texts of any length. It is several times slower, so use `JSON.parse` for short texts. Throws
 * {@link JsonLimitError} as soon as a limit is exceeded, also for a name of more than 65,536 characters.
 * Throws `SyntaxError` for invalid JSON.
 */
export function* readJson(text: string, reading: JsonReading): Steps<unknown> {
  return yield* new JsonReader(text, reading).read();
}

/** Parses a short text with the limits and callbacks of {@link readJson}. Throws the same errors. */
export function readJsonSync(text: string, reading: JsonReading): unknown {
  return finish(readJson(text, reading));
}

/** Returns true if the text has at most `levels` opening brackets. It then cannot be nested deeper. */
function isSurelyShallow(text: string, levels: number): boolean {
  if (text.length <= levels) return true;
  const opening = /[[{]/g;
  for (let count = 0; count <= levels; count++) if (!opening.test(text)) return true;
  return false;
}

/**
 * Parses a JSON text at the speed of `JSON.parse` if it has few arrays and objects. Throws {@link
 * JsonLimitError} if they are nested deeper than `levels`, and `SyntaxError` for invalid JSON.
 */
export function parseShallowJson(text: string, levels: number): unknown {
  return isSurelyShallow(text, levels) ? JSON.parse(text) : readJsonSync(text, { levels });
}

/** Array indexes. `Object.keys` lists them first. */
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** Records the name of the next member of an object with many members. */
function noteName(top: Open & { readonly array: null }): void {
  const { object, name } = top;
  if (top.names === undefined) top.names = Object.keys(object);
  if (top.names === null || Object.hasOwn(object, name)) return;
  if (ARRAY_INDEX.test(name)) top.names = null;
  else top.names.push(name);
}

/** Returns true if an odd number of backslashes, counted from `start`, precedes the character. */
function isEscaped(text: string, at: number, start = 0): boolean {
  let first = at;
  while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** Returns the index of the quote that ends the string; -1 for none. `text` begins inside the string. */
function endOfString(text: string): number {
  let end = text.indexOf('"');
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Removes an incomplete escape sequence at the end of the text, unless it is the whole text. */
function wholeEscapes(text: string): string {
  const backslash = text.lastIndexOf('\\');
  if (backslash < Math.max(1, text.length - MAX_ESCAPE_LENGTH + 1)) return text;
  return isEscaped(text, backslash) ? text : text.slice(0, backslash);
}

class JsonReader {
  readonly #text: string;
  readonly #levels: number;
  readonly #members: number;
  readonly #values: number;
  readonly #onInexact: JsonReading['onInexact'];
  readonly #open: Open[] = [];
  #at = 0;
  /** The number of values that were begun. */
  #begun = 0;
  /** The number of characters already counted as work. */
  #counted = 0;
  /** The work units since the last step, without characters. */
  #work = 0;

  constructor(text: string, reading: JsonReading) {
    const {
      levels,
      members = Number.POSITIVE_INFINITY,
      values = Number.POSITIVE_INFINITY,
      onInexact,
    } = reading;
    this.#text = text;
    this.#levels = levels;
    this.#members = members;
    this.#values = values;
    this.#onInexact = onInexact;
  }

  *read(): Steps<unknown> {
    for (;;) {
      this.#work += VALUE_WORK;
      if (++this.#begun > this.#values) throw new JsonLimitError('values', this.#values, this.#partial());
      if (this.#work + this.#at - this.#counted >= STEP_WORK) yield this.#endStep();
      if (this.#begin()) continue;
      let value = this.#isLongString() ? yield* this.#longString() : this.#value();
      // Count a long string immediately: it may be the last value, and its consumer may also be slow.
      if (this.#at - this.#counted >= LONG_TEXT) {
        yield this.#endStep();
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

  /** Returns the work units since the last step. */
  #endStep(): number {
    const units = this.#work + this.#at - this.#counted;
    this.#counted = this.#at;
    this.#work = 0;
    return units;
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

  /** Opens a non-empty array or object, up to its first value. Returns false before any other value. */
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

  /** Reads a value that is not an array or object, or an empty one. */
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
    // `JSON.parse` resolves escapes, rejects control characters, and makes a copy that does not keep the
    // whole text in memory.
    return JSON.parse(text.slice(start, this.#at)) as string;
  }

  /** Returns true before a string that is too long to read without yielding. */
  #isLongString(): boolean {
    const text = this.#text;
    if (text.length - this.#at <= LONG_TEXT || this.#peek() !== '"') return false;
    const start = this.#at + 1;
    const quote = text.indexOf('"', start);
    if (quote === -1) return true;
    if (quote - start < LONG_TEXT && !isEscaped(text, quote, start)) return false;
    return endOfString(text.slice(start, start + LONG_TEXT)) === -1;
  }

  *#longString(): Steps<string> {
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
      this.#work += VALUE_WORK;
      yield this.#endStep();
    }
    this.#at++;
    return parts.join('');
  }

  /** Adds the value to the open array or object. Returns true if it was the last; else moves to the next. */
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
