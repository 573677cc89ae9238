import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/artifacts/formats/contract-json.ts';
import { type PointedMachine, pointedBytes } from '../../../src/inspect/variables/program-pointer.ts';
import { toHex } from '../../../src/primitives/hex.ts';

/** Returns a word whose bytes count up from the number. */
function wordOf(number: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => number + index);
}

const MEMORY = Uint8Array.from({ length: 96 }, (_, index) => index);

const MACHINE: PointedMachine = {
  stackHeight: 3,
  item: (index) => wordOf(0x10 * index),
  memory: (start, length) => MEMORY.subarray(start, start + length),
  slot: (slot) => (slot < 4n ? wordOf(0x40 + 0x10 * Number(slot)) : new Uint8Array(32).fill(0xee)),
  input: MEMORY.subarray(0, 68).toReversed(),
};

function read(pointer: JsonObject): string | null {
  const pointed = pointedBytes(pointer, MACHINE);
  if (pointed === null) return null;
  expect(pointed.length).toBeGreaterThanOrEqual(pointed.bytes.length);
  return toHex(pointed.bytes);
}

/** Evaluates the expression as a memory index; `null` if it is invalid. */
function placeOf(offset: unknown, named: readonly JsonObject[] = []): number | null {
  const region = { location: 'memory', offset, length: 1 };
  const pointed = pointedBytes(named.length === 0 ? region : { group: [...named, region] }, MACHINE);
  return pointed?.bytes[0] ?? null;
}

const ONE_BELOW_ALL = `0x${'f'.repeat(64)}`;

describe('pointer expressions', () => {
  it.each([
    [0, 0],
    [7, 7],
    [-1, null],
    [1.5, null],
    ['0x10', 16],
    ['0x0B', 11],
    ['0x', null],
    ['16', null],
    ['$wordsize', 32],
    [{ $sum: [1, 2, 3] }, 6],
    [{ $sum: [] }, 0],
    [{ $product: [2, 3, 4] }, 24],
    [{ $product: [] }, 1],
    [{ $difference: [9, 4] }, 5],
    [{ $difference: [4, 4] }, 0],
    [{ $difference: [4, 9] }, 0],
    [{ $quotient: [9, 4] }, 2],
    [{ $quotient: [9, 0] }, null],
    [{ $quotient: [0, 1] }, 0],
    [{ $remainder: [9, 4] }, 1],
    [{ $remainder: [9, 0] }, null],
    [{ $remainder: [9, 1] }, 0],
    [{ $keccak256: [1] }, null],
    [{ $sum: [1], $product: [1] }, null],
    [{ $sum: 1 }, null],
    [{}, null],
    [null, null],
    // Intermediate numbers are words that do not wrap around.
    [{ $remainder: [ONE_BELOW_ALL, 16] }, 15],
    [{ $remainder: [{ $sum: [ONE_BELOW_ALL, 1] }, 16] }, null],
  ])('evaluates %j to %s', (expression, place) => {
    expect(placeOf(expression)).toBe(place);
  });

  it.each([
    [16, 16],
    [17, null],
  ])('accepts up to 16 operands: %i', (count, place) => {
    expect(placeOf({ $sum: Array.from({ length: count }, () => 1) })).toBe(place);
  });

  it.each([
    [15, 1],
    [16, null],
  ])('accepts up to 16 nested expressions: %i', (depth, place) => {
    let expression: unknown = 1;
    for (let level = 0; level < depth; level++) expression = { $sum: [expression] };
    expect(placeOf(expression)).toBe(place);
  });

  it('thousands of expressions are not evaluated', () => {
    const many = (inner: unknown): unknown => ({ $sum: Array.from({ length: 16 }, () => inner) });
    expect(placeOf(many(1))).toBe(16);
    expect(placeOf(many(many(0)))).toBeNull();
  });

  it('expressions can refer to earlier regions and read them', () => {
    const named = { name: 'other', location: 'memory', offset: 5, length: 2 };
    expect(placeOf({ '.offset': 'other' }, [named])).toBe(5);
    expect(placeOf({ '.length': 'other' }, [named])).toBe(2);
    expect(placeOf({ $remainder: [{ $read: 'other' }, 64] }, [named])).toBe(0x0506 % 64);
    expect(placeOf({ '.slot': 'place' }, [{ name: 'place', location: 'stack', slot: 1 }])).toBe(1);
    expect(placeOf({ '.offset': 'missing' }, [named])).toBeNull();
    expect(placeOf({ '.name': 'other' }, [named])).toBeNull();
  });
});

describe('pointer regions', () => {
  it.each<[JsonObject, string | null]>([
    [{ location: 'memory', offset: 30, length: 3 }, '0x1e1f20'],
    [{ location: 'memory', offset: 94, length: 4 }, '0x5e5f0000'],
    [{ location: 'memory', offset: 0xffffffff, length: 1 }, '0x00'],
    [{ location: 'memory', offset: 0x100000000, length: 1 }, null],
    [{ location: 'memory', offset: 0 }, null],
    [{ location: 'calldata', offset: 1, length: 2 }, '0x4241'],
    [{ location: 'calldata', offset: 67, length: 2 }, '0x0000'],
    [{ location: 'stack', slot: 2 }, toHex(wordOf(0x20))],
    [{ location: 'stack', slot: 3 }, null],
    [{ location: 'stack', slot: 0, offset: 30 }, '0x1e1f'],
    [{ location: 'stack', slot: 0, offset: 30, length: 1 }, '0x1e'],
    [{ location: 'stack', slot: 0, offset: 31, length: 3 }, '0x1f1011'],
    [{ location: 'stack', slot: 2, offset: 31, length: 2 }, null],
    [{ location: 'storage', slot: 1 }, toHex(wordOf(0x50))],
    [{ location: 'storage', slot: 0, offset: 64, length: 2 }, '0x6061'],
    [{ location: 'storage', slot: 1, offset: 33 }, toHex(wordOf(0x60).subarray(1))],
    [{ location: 'storage', slot: ONE_BELOW_ALL, length: 1 }, '0xee'],
    [{ location: 'storage', slot: ONE_BELOW_ALL, length: 33 }, null],
    [{ location: 'transient', slot: 1 }, null],
    [{ location: 'code', offset: 0, length: 1 }, null],
    [{}, null],
  ])('reads %j as %s', (region, bytes) => {
    expect(read(region)).toBe(bytes);
  });

  it('regions are truncated after 4096 bytes, with the full length', () => {
    for (const location of ['memory', 'calldata', 'storage']) {
      const pointed = pointedBytes({ location, slot: 8, offset: 0, length: 5_000 }, MACHINE);
      expect(pointed).toMatchObject({ length: 5_000, bytes: { length: 4_096 } });
    }
  });

  const offset = { name: 'offset', location: 'stack', slot: 0, offset: 31 };
  const text = { name: 'text', location: 'memory', offset: { $read: 'offset' }, length: 1 };

  it('regions of a group are used to find another region', () => {
    expect(read({ group: [offset, text] })).toBe('0x1f');
    expect(read({ group: [offset, { ...text, name: undefined }] })).toBe('0x1f');
    expect(read({ group: [offset] })).toBe('0x1f');
  });

  it('regions of a group without a unique result are not read', () => {
    expect(read({ group: [offset, { ...text, offset: 1 }] })).toBeNull();
    expect(read({ group: [text, offset] })).toBeNull();
    expect(read({ group: [] })).toBeNull();
  });
});
