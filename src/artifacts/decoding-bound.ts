/**
 * Bounds the cost of decoding. ABI data contain pointers to their parts. A few kilobytes can point to the
 * same part thousands of times, or declare 2^255 items without bytes.
 */

import type { AbiParameter } from 'abitype';

const WORD = 32;
/**
 * Maximum size of the data with all pointers resolved, as a multiple of their length. Encoders never point to
 * a part twice.
 */
const MAX_REPEATED = 8;

const ARRAY = /^(?<item>.*)\[(?<count>\d*)\]$/;

/** The parts of an ABI type that determine its size. */
interface Shape {
  /** Bytes in the head of the encoding; for a dynamic type, the size of its pointer. */
  readonly headSize: number;
  readonly isDynamic: boolean;
  /** `bytes` or `string`. */
  readonly isText: boolean;
  /** `null` for types other than arrays. `count` is `null` for an array of any length. */
  readonly array: { readonly item: Shape; readonly count: number | null } | null;
  readonly members: readonly Shape[];
}

function shapeOf(parameter: AbiParameter): Shape {
  const { type } = parameter;
  const groups = ARRAY.exec(type)?.groups;
  if (groups?.item !== undefined) {
    const item = shapeOf({ ...parameter, type: groups.item });
    const count = groups.count ? Number(groups.count) : null;
    const isDynamic = count === null || item.isDynamic;
    const headSize = isDynamic ? WORD : item.headSize * (count ?? 0);
    return { headSize, isDynamic, isText: false, array: { item, count }, members: [] };
  }
  const components = 'components' in parameter ? (parameter.components ?? []) : [];
  if (type === 'tuple') return structOf(components.map(shapeOf));
  const isText = type === 'bytes' || type === 'string';
  return { headSize: WORD, isDynamic: isText, isText, array: null, members: [] };
}

function structOf(members: readonly Shape[]): Shape {
  const isDynamic = members.some((member) => member.isDynamic);
  const headSize = isDynamic ? WORD : members.reduce((sum, member) => sum + member.headSize, 0);
  return { headSize, isDynamic, isText: false, array: null, members };
}

/** Returns true if the time and memory to decode the parameters are proportional to the data. */
export function isBounded(parameters: readonly AbiParameter[], data: Uint8Array): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let left = MAX_REPEATED * (data.length + WORD);
  /** Returns the number in a word; -1 if the word is outside the data, or if the number exceeds 32 bits. */
  const numberAt = (offset: number): number => {
    if (offset < 0 || offset + WORD > data.length) return -1;
    for (let at = offset; at < offset + WORD - 4; at++) if (data[at] !== 0) return -1;
    return view.getUint32(offset + WORD - 4);
  };
  /** Visits the values at an offset. Returns false if they exceed the bound. The decoder rejects bad data. */
  const visitList = (shapes: Iterable<Shape>, start: number): boolean => {
    let offset = start;
    for (const shape of shapes) {
      if (!shape.isDynamic) {
        if (!visit(shape, offset)) return false;
      } else {
        const pointer = numberAt(offset);
        left -= WORD;
        if (pointer >= 0 && !visit(shape, start + pointer)) return false;
      }
      // The decoder fails at missing data before it reads further.
      if (offset > data.length) return true;
      offset += shape.headSize;
    }
    return left >= 0;
  };
  const visit = (shape: Shape, offset: number): boolean => {
    left -= WORD;
    if (left < 0) return false;
    if (shape.isText) {
      left -= Math.max(0, Math.min(numberAt(offset), data.length));
      return left >= 0;
    }
    if (shape.array === null) return visitList(shape.members, offset);
    const { item, count } = shape.array;
    const length = count ?? numberAt(offset);
    if (length * WORD > left) return false;
    return visitList(repeated(item, length), count === null ? offset + WORD : offset);
  };
  return visitList(parameters.map(shapeOf), 0);
}

function* repeated(shape: Shape, count: number): Generator<Shape, void, undefined> {
  for (let index = 0; index < count; index++) yield shape;
}
