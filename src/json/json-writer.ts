// Writes long JSON: objects with many members, a serializer that yields between time slices, and a buffer for
// hex digits.

import type { Steps } from '../primitives/steps.ts';
import { JsonList } from './json-list.ts';

/**
 * Minimum members of an object whose names are remembered. V8 sorts names by insertion, which takes tens of
 * milliseconds for ten thousand names. The builder of a large object already has the list.
 */
export const MANY_MEMBERS = 1_024;

/** The names of an object's members in order, and its member stored as JSON. */
interface KnownMembers {
  readonly names: readonly string[];
  /** A member that is stored as JSON until its first access. */
  list?: { readonly name: string; readonly items: JsonList } | undefined;
}

/** The key for this data in the object itself. It is not enumerable, so readers of members do not see it. */
const KNOWN = Symbol('known members');

interface WithKnownMembers {
  readonly [KNOWN]?: KnownMembers;
}

/** Remembers the names of an object if there are many. The object must not change afterwards. */
export function rememberNames(object: object, names: readonly string[]): void {
  if (names.length >= MANY_MEMBERS) remember(object, { names });
}

function remember(object: object, known: KnownMembers): void {
  Object.defineProperty(object, KNOWN, { value: known });
}

/** Returns the remembered names of an object in the order of `Object.keys`; `undefined` if not remembered. */
export function rememberedNames(object: WithKnownMembers): readonly string[] | undefined {
  return object[KNOWN]?.names;
}

/** Returns the names of an object's members, like `Object.keys`. */
export function namesOf(object: WithKnownMembers): readonly string[] {
  return rememberedNames(object) ?? Object.keys(object);
}

/**
 * Adds a list as member `name`, or replaces this member. The object must not get other members later. The
 * JSON serializer copies the list's text. For other readers it is a normal member, parsed at its first
 * access.
 */
export function withJsonList<Item, Others extends object, Name extends string>(
  others: Others,
  name: Name,
  items: JsonList<Item>,
): Others & { [Member in Name]: Item[] } {
  const names = Object.keys(others);
  if (!names.includes(name)) names.push(name);
  const known: KnownMembers = { names, list: { name, items } };
  const become = (value: unknown): void => {
    known.list = undefined;
    Object.defineProperty(others, name, { value, writable: true, enumerable: true, configurable: true });
  };
  const get = (): Item[] => {
    const value = items.values();
    become(value);
    return value;
  };
  Object.defineProperty(others, name, { get, set: become, enumerable: true, configurable: true });
  remember(others, known);
  return others as Others & { [Member in Name]: Item[] };
}

/** Returns the value of a member; the list itself if it is stored as JSON. */
function memberOf(object: WithKnownMembers, name: string): unknown {
  const list = object[KNOWN]?.list;
  return list?.name === name ? list.items : Reflect.get(object, name);
}

/** Maximum characters of JSON to write without yielding. */
const MAX_AT_ONCE = 2 ** 16;

/**
 * The weight of an array or object besides its members. It is large enough that a value below the limit is
 * never nested too deep for recursion.
 */
const NEST_WEIGHT = 32;
/** The weight of a number, a boolean or `null`. */
const WORD_WEIGHT = 8;

/** Estimates the characters of JSON of a value. Stops at about `limit`. */
function weightOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return WORD_WEIGHT;
  // A list is always written from its text, because `JSON.stringify` would parse it.
  if (value instanceof JsonList) return limit + 1;
  let weight = NEST_WEIGHT;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= limit; index++)
      weight += weightOf(value[index], limit - weight);
    return weight;
  }
  const remembered = rememberedNames(value);
  if (remembered !== undefined) {
    for (let index = 0; index < remembered.length && weight <= limit; index++) {
      const name = remembered[index] ?? '';
      weight += name.length + weightOf(memberOf(value, name), limit - weight);
    }
    return weight;
  }
  for (const name in value) {
    if (weight > limit) break;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    // Most members are strings, and a call takes longer than the addition.
    weight += name.length + (typeof member === 'string' ? member.length : weightOf(member, limit - weight));
  }
  return weight;
}

/** Returns true if the JSON is too long to write without yielding. */
export function isLongJson(value: unknown): boolean {
  return (typeof value === 'string' ? value.length : weightOf(value, MAX_AT_ONCE)) > MAX_AT_ONCE;
}

interface Open {
  readonly members: Iterator<readonly [string | null, unknown]>;
  readonly close: ']' | '}';
  isEmpty: boolean;
}

function* itemsOf(array: readonly unknown[]): Generator<readonly [null, unknown], void, undefined> {
  for (const item of array) yield [null, item];
}

function* membersOf(object: object): Generator<readonly [string, unknown], void, undefined> {
  for (const name of namesOf(object)) yield [name, memberOf(object, name)];
}

/** Returns the value to serialize, after `toJSON` if present. */
function shown(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const toJson: unknown = Reflect.get(value, 'toJSON');
  return typeof toJson === 'function' ? toJson.call(value, name) : value;
}

/**
 * Returns the text of `JSON.stringify` in consecutive parts, in steps. Does not recurse into long values. Calls `onLength` with the number of characters so far; it may throw.
 */
export function* jsonParts(root: unknown, onLength: (length: number) => void): Steps<string[]> {
  const texts: string[] = [];
  let [text, length] = ['', 0];
  const flush = (): number => {
    const written = text.length;
    length += written;
    onLength(length);
    texts.push(text);
    text = '';
    return written;
  };
  const open: Open[] = [];
  let value = shown(root, '');
  for (;;) {
    if (typeof value === 'string' && value.length > MAX_AT_ONCE) {
      for (const part of partsOf(value)) {
        text += part;
        yield flush();
      }
    } else if (value instanceof JsonList) {
      for (const part of value.texts()) {
        text += part;
        yield flush();
      }
    } else if (typeof value === 'object' && value !== null && isLongJson(value)) {
      yield MAX_AT_ONCE / NEST_WEIGHT;
      text += Array.isArray(value) ? '[' : '{';
      open.push(
        Array.isArray(value)
          ? { members: itemsOf(value), close: ']', isEmpty: true }
          : { members: membersOf(value), close: '}', isEmpty: true },
      );
    } else {
      text += JSON.stringify(value) ?? 'null';
      if (text.length > MAX_AT_ONCE) {
        yield flush();
      }
    }
    // Find the next value: in the innermost open array or object, or in an outer one.
    for (;;) {
      const top = open.at(-1);
      if (top === undefined) {
        yield flush();
        return texts;
      }
      const next = top.members.next();
      if (next.done === true) {
        text += top.close;
        open.pop();
        continue;
      }
      const [name, member] = next.value;
      value = shown(member, name ?? '');
      if (name !== null && (value === undefined || typeof value === 'function')) continue;
      if (!top.isEmpty) text += ',';
      top.isEmpty = false;
      if (name !== null) text += `${JSON.stringify(name)}:`;
      break;
    }
  }
}

/** Yields the JSON of a long string in parts. */
function* partsOf(text: string): Generator<string, void, undefined> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + MAX_AT_ONCE);
    // Keep surrogate pairs together: separate halves would be escaped.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** The two hex digits of each byte; the code of the first digit is in the high eight bits. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1').readUInt16BE(),
);

/** The codes of the hex digits. */
const DIGIT_CODES = Buffer.from('0123456789abcdef', 'latin1');

/** Bytes whose hex digits are written in one step. */
const HEX_AT_ONCE = 2 ** 14;

/** Returns the codes of ASCII characters, for {@link JsonWriter.codes}. */
export function asciiCodes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

/**
 * Writes long JSON with many hex digits as UTF-8 into one buffer. This is several times faster than joining
 * strings, and creates no garbage.
 */
export class JsonWriter {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #onFull: ((part: Uint8Array) => void) | undefined;
  #length = 0;

  /**
   * `capacity` is the maximum number of bytes. Writing more throws a `RangeError`. With `onFull`, the JSON can be
   * longer: `onFull` gets a copy of each full part.
   */
  constructor(capacity: number, onFull?: (part: Uint8Array) => void) {
    this.#onFull = onFull;
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** Writes ASCII characters by their codes. */
  codes(codes: Uint8Array): void {
    this.#reserve(codes.length);
    this.#bytes.set(codes, this.#length);
    this.#length += codes.length;
  }

  /** Writes the digits of bytes that may be long. Yields between parts, which may be passed on. */
  *longHex(bytes: Uint8Array): Steps<void> {
    for (let start = 0; start < bytes.length; start += HEX_AT_ONCE) {
      const end = Math.min(bytes.length, start + HEX_AT_ONCE);
      this.hex(bytes, start, end);
      if (bytes.length > HEX_AT_ONCE) yield HEX_AT_ONCE;
    }
  }

  /**
   * Writes two hex digits per byte from `start` (inclusive) to `end` (exclusive). Throws a `RangeError` if
   * the range exceeds the bytes.
   */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (start < 0 || end > bytes.length) throw new RangeError(`there are ${bytes.length} bytes, not ${end}`);
    this.#reserve(2 * (end - start));
    const view = this.#view;
    let at = this.#length;
    let index = start;
    // Write two bytes per store, because the store is the slowest part.
    for (; index + 1 < end; index += 2) {
      view.setUint32(at, ((DIGITS[bytes[index] ?? 0] ?? 0) << 16) | (DIGITS[bytes[index + 1] ?? 0] ?? 0));
      at += 4;
    }
    if (index < end) {
      view.setUint16(at, DIGITS[bytes[index] ?? 0] ?? 0);
      at += 2;
    }
    this.#length = at;
  }

  /** Writes the hex digits of an integer from 0 to 2^53 - 1 as in a QUANTITY, without `0x`. */
  quantity(value: number): void {
    let digits = 1;
    for (let bound = 16; value >= bound; bound *= 16) digits++;
    this.#reserve(digits);
    const end = this.#length + digits;
    for (let at = end - 1, rest = value; at >= this.#length; at--, rest = Math.floor(rest / 16))
      this.#bytes[at] = DIGIT_CODES[rest % 16] ?? 0;
    this.#length = end;
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    if (length > this.#bytes.length && this.#onFull !== undefined) {
      this.flush();
      this.#onFull(Buffer.from(text));
      return;
    }
    this.#reserve(length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Copies the written bytes from `start` (inclusive) to `end` (exclusive) to the end. */
  repeat(start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.copyWithin(this.#length, start, end);
    this.#length += end - start;
  }

  /**
   * Makes room for this number of bytes: passes the written part on if they would exceed the capacity. Throws a
   * `RangeError` without room, because some write methods of `Buffer` would truncate.
   */
  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    this.flush();
    if (this.#onFull === undefined || length > this.#bytes.length)
      throw new RangeError(`more than ${this.#bytes.length} bytes are written`);
  }

  /** Passes the written part on, if there is a function for it. */
  flush(): void {
    if (this.#onFull === undefined || this.#length === 0) return;
    this.#onFull(new Uint8Array(this.written));
    this.#length = 0;
  }

  /** The written bytes, not copied. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
