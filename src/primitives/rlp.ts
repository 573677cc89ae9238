// Recursive Length Prefix encoding (Ethereum yellow paper, appendix B).

import { bigIntToBytes, EMPTY_BYTES } from './bytes.ts';

/** An RLP item: a byte string or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[];

/** Thrown by {@link decodeRlp} if the bytes are not one canonical RLP item. */
export class RlpError extends Error {
  override readonly name: string = 'RlpError';
}

/** Thrown by {@link decodeRlp} if bytes follow the item. */
export class SurplusBytesError extends RlpError {
  override readonly name = 'SurplusBytesError';
}

const SHORT_STRING = 0x80;
const SHORT_LIST = 0xc0;
const MAX_SHORT_LENGTH = 55;

/** Maximum nesting of decoded lists: more than any chain data has, and safe for recursion. */
const DEEPEST = 64;

// A short suite runs this code in V8's interpreter, where a function call takes longer than a few bytes.
// Therefore short byte strings are measured and written inline.

/** Returns the length of an unsigned integer in bytes; 0 for 0. */
function byteCount(value: number): number {
  let count = 0;
  for (let limit = 1; value >= limit; limit *= 256) count++;
  return count;
}

/** Up to this length, a loop is faster than `set`. */
const MAX_OWN_COPY_LENGTH = 8;

function contentLength(items: readonly RlpItem[]): number {
  let length = 0;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] ?? EMPTY_BYTES;
    const isShort = item.length !== 1 && item.length <= MAX_SHORT_LENGTH && item instanceof Uint8Array;
    length += isShort ? 1 + item.length : rlpLength(item);
  }
  return length;
}

/** Returns the encoded size of a list whose encoded items have `length` bytes in total. */
export function rlpListLength(length: number): number {
  if (length <= MAX_SHORT_LENGTH) return 1 + length;
  return length < 256 ? 2 + length : 1 + byteCount(length) + length;
}

/** Returns the size of {@link encodeRlp}'s result. */
export function rlpLength(item: RlpItem): number {
  if (!(item instanceof Uint8Array)) return rlpListLength(contentLength(item));
  const { length } = item;
  if (length === 1) return (item[0] ?? 0) < SHORT_STRING ? 1 : 2;
  return rlpListLength(length);
}

/** Integers up to this one are written without an intermediate array. */
const SMALL_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the encoded size of an unsigned integer (its shortest big-endian bytes). */
export function rlpIntegerLength(value: bigint): number {
  if (value > SMALL_INTEGER) return rlpLength(bigIntToBytes(value));
  const number = Number(value);
  return number < SHORT_STRING ? 1 : 1 + byteCount(number);
}

// Encodings are written from their end, so that lists need not be measured first. The target must have room.

/** Writes the encoding of an item before `end`; returns its start. */
export function prependRlp(target: Uint8Array, end: number, item: RlpItem): number {
  if (!(item instanceof Uint8Array)) {
    let first = end;
    for (let index = item.length - 1; index >= 0; index--)
      first = prependRlp(target, first, item[index] ?? EMPTY_BYTES);
    return prependListPrefix(target, first, end);
  }
  const { length } = item;
  let start = end - length;
  if (length > MAX_OWN_COPY_LENGTH) target.set(item, start);
  else for (let index = 0; index < length; index++) target[start + index] = item[index] ?? 0;
  if (length === 1 && (item[0] ?? 0) < SHORT_STRING) return start;
  if (length > MAX_SHORT_LENGTH) return prependLongPrefix(target, start, length, SHORT_STRING);
  target[--start] = SHORT_STRING + length;
  return start;
}

/** Writes the encoding of an unsigned integer up to 2^53 - 1 before `end`; returns its start. */
export function prependRlpNumber(target: Uint8Array, end: number, value: number): number {
  let start = end;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) target[--start] = rest;
  if (value > 0 && value < SHORT_STRING) return start;
  const prefix = SHORT_STRING + end - start;
  target[--start] = prefix;
  return start;
}

/** Writes the encoding of an unsigned integer before `end`; returns its start. */
export function prependRlpInteger(target: Uint8Array, end: number, value: bigint): number {
  if (value > SMALL_INTEGER) return prependRlp(target, end, bigIntToBytes(value));
  return prependRlpNumber(target, end, Number(value));
}

/** Writes the prefix of a list whose encoded items go from `start` to `end`; returns its start. */
export function prependListPrefix(target: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length > MAX_SHORT_LENGTH) return prependLongPrefix(target, start, length, SHORT_LIST);
  target[start - 1] = SHORT_LIST + length;
  return start - 1;
}

function prependLongPrefix(target: Uint8Array, end: number, length: number, kind: number): number {
  let start = end;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) target[--start] = rest;
  const prefix = kind + MAX_SHORT_LENGTH + end - start;
  target[--start] = prefix;
  return start;
}

/** Encodes a byte string or nested lists. Returns a new array, or the item if it is its own encoding. */
export function encodeRlp(item: RlpItem): Uint8Array {
  const length = rlpLength(item);
  if (length === 1 && item.length === 1 && item instanceof Uint8Array) return item;
  const encoded = new Uint8Array(length);
  prependRlp(encoded, length, item);
  return encoded;
}

/** Writes the encoding of a byte string at `start`; returns its end. */
export function writeRlp(target: Uint8Array, start: number, bytes: Uint8Array): number {
  const end = start + rlpLength(bytes);
  prependRlp(target, end, bytes);
  return end;
}

/** Writes the encoding of an unsigned integer at `start`; returns its end. */
export function writeRlpInteger(target: Uint8Array, start: number, value: bigint): number {
  const end = start + rlpIntegerLength(value);
  prependRlpInteger(target, end, value);
  return end;
}

/** Writes the prefix of a list with `length` bytes of encoded items; returns the first item's offset. */
export function writeListPrefix(target: Uint8Array, start: number, length: number): number {
  const first = start + rlpListLength(length) - length;
  prependListPrefix(target, first, first + length);
  return first;
}

/** Returns the RLP list of encoded items. */
export function encodeRlpList(encodedItems: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (let index = 0; index < encodedItems.length; index++) length += encodedItems[index]?.length ?? 0;
  const encoded = new Uint8Array(rlpListLength(length));
  let end = writeListPrefix(encoded, 0, length);
  for (let index = 0; index < encodedItems.length; index++) {
    const item = encodedItems[index] ?? EMPTY_BYTES;
    encoded.set(item, end);
    end += item.length;
  }
  return encoded;
}

/** Returns the encoded items of a list as a view of its encoding, for use in {@link encodeRlpList}. */
export function listPayload(encoded: Uint8Array): Uint8Array {
  const first = encoded[0] ?? SHORT_LIST;
  return encoded.subarray(
    first <= SHORT_LIST + MAX_SHORT_LENGTH ? 1 : 1 + first - SHORT_LIST - MAX_SHORT_LENGTH,
  );
}

interface Span {
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
}

function byteAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw new RlpError('the data ends inside an item');
  return byte;
}

function longLength(bytes: Uint8Array, start: number, count: number): number {
  let length = 0;
  for (let index = 0; index < count; index++) length = length * 256 + byteAt(bytes, start + index);
  if (bytes[start] === 0 || length <= MAX_SHORT_LENGTH)
    throw new RlpError('a length is not in its shortest form');
  if (!Number.isSafeInteger(length)) throw new RlpError('a length exceeds the data');
  return length;
}

function spanAt(bytes: Uint8Array, offset: number, end: number): Span {
  const first = byteAt(bytes, offset);
  if (first < SHORT_STRING) return { isList: false, start: offset, end: offset + 1 };
  const isList = first >= SHORT_LIST;
  const base = isList ? SHORT_LIST : SHORT_STRING;
  const short = first - base;
  const count = short <= MAX_SHORT_LENGTH ? 0 : short - MAX_SHORT_LENGTH;
  const length = count === 0 ? short : longLength(bytes, offset + 1, count);
  const start = offset + 1 + count;
  if (start + length > end) throw new RlpError('the data ends inside an item');
  if (!isList && length === 1 && byteAt(bytes, start) < SHORT_STRING) {
    throw new RlpError('a single byte is not in its shortest form');
  }
  return { isList, start, end: start + length };
}

interface Decoding {
  /** The remaining number of items to decode. */
  items: number;
  /** True to return byte strings as views of the input, false to copy them. */
  readonly views: boolean;
}

/** A shared empty list, because data can have millions of them. */
const NO_ITEMS: readonly RlpItem[] = [];

/** Shared single bytes that encode themselves, because data can have millions of them. */
const SINGLE_BYTES = Array.from({ length: SHORT_STRING }, (_, byte) => Uint8Array.of(byte));

function decodeSpan(bytes: Uint8Array, span: Span, depth: number, decoding: Decoding): RlpItem {
  if (!span.isList) {
    if (span.start === span.end) return EMPTY_BYTES;
    if (span.end === span.start + 1) {
      const single = SINGLE_BYTES[bytes[span.start] ?? SHORT_STRING];
      if (single !== undefined) return single;
    }
    return decoding.views ? bytes.subarray(span.start, span.end) : bytes.slice(span.start, span.end);
  }
  if (depth === DEEPEST) throw new RlpError(`lists are nested deeper than ${DEEPEST} levels`);
  if (span.start === span.end) return NO_ITEMS;
  const items: RlpItem[] = [];
  for (let offset = span.start; offset < span.end; ) {
    if (--decoding.items < 0) throw new RlpError('the list has too many items');
    const item = spanAt(bytes, offset, span.end);
    items.push(decodeSpan(bytes, item, depth + 1, decoding));
    offset = item.end;
  }
  return items;
}

/**
 * Decodes one item. Its byte strings must not be changed. Throws {@link RlpError} unless the bytes are
 * exactly one canonical item with at most 64 levels of lists and at most `maxItems` items.
 */
export function decodeRlp(bytes: Uint8Array, maxItems = Number.POSITIVE_INFINITY): RlpItem {
  return decodeWhole(bytes, { items: maxItems, views: false });
}

/** Like {@link decodeRlp}, but byte strings are views of the input, which must not change afterwards. */
export function viewRlp(bytes: Uint8Array, maxItems: number): RlpItem {
  return decodeWhole(bytes, { items: maxItems, views: true });
}

function decodeWhole(bytes: Uint8Array, decoding: Decoding): RlpItem {
  const span = spanAt(bytes, 0, bytes.length);
  if (span.end !== bytes.length)
    throw new SurplusBytesError(`unexpected bytes after the item: ${bytes.length - span.end}`);
  return decodeSpan(bytes, span, 0, decoding);
}

function childSpan(bytes: Uint8Array, list: Span, index: number): Span {
  let offset = list.start;
  for (let position = 0; list.isList && offset < list.end; position++) {
    const item = spanAt(bytes, offset, list.end);
    if (position === index) return item;
    offset = item.end;
  }
  throw new RlpError(`there is no item ${index}`);
}

/** Returns the byte string at a path of indexes, decoding only it. Throws {@link RlpError} if absent. */
export function decodeRlpField(bytes: Uint8Array, path: readonly number[]): Uint8Array {
  let span = spanAt(bytes, 0, bytes.length);
  for (const index of path) span = childSpan(bytes, span, index);
  if (span.isList) throw new RlpError('found a list, expected bytes');
  return bytes.slice(span.start, span.end);
}
