import { describe, expect, it } from 'vitest';
import {
  elementaryValue,
  type StorageType,
  type ValueType,
  valueType,
} from '../../../src/artifacts/layout/storage-type.ts';
import type { DataLocation } from '../../../src/inspect/variables/syntax-nodes.ts';
import { variableValue } from '../../../src/inspect/variables/variable-value.ts';
import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';

const word = (value: bigint): Uint8Array => bigIntToFixedBytes(BigInt.asUintN(256, value), 32);
const hex = (value: bigint): string => `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}`;

function elementary(name: string): ValueType {
  const type = elementaryValue(name);
  if (type === null) throw new Error(name);
  return type;
}

const UINT8 = elementary('uint8');
const INT16 = elementary('int16');
const TEXT: StorageType = { kind: 'bytes', label: 'string', isText: true };
const BYTES: StorageType = { kind: 'bytes', label: 'bytes', isText: false };
const MAPPING: StorageType = {
  kind: 'mapping',
  label: 'mapping(uint8 => uint8)',
  key: UINT8,
  value: () => UINT8,
  order: 'keyFirst',
};
const PAIR: StorageType = {
  kind: 'struct',
  label: 'struct Pair',
  slots: 1n,
  members: [
    { name: 'left', slot: 0n, offset: 0, type: UINT8 },
    { name: 'right', slot: 0n, offset: 1, type: INT16 },
  ],
};
const NAMED: StorageType = {
  kind: 'struct',
  label: 'struct Named',
  slots: 3n,
  members: [
    { name: 'seen', slot: 0n, offset: 0, type: MAPPING },
    { name: 'id', slot: 1n, offset: 0, type: UINT8 },
    { name: 'name', slot: 2n, offset: 0, type: TEXT },
  ],
};
const listOf = (item: StorageType): StorageType => ({
  kind: 'dynamicArray',
  label: `${item.label}[]`,
  item: () => item,
});
const fixedOf = (item: StorageType, count: bigint): StorageType => ({
  kind: 'fixedArray',
  label: `${item.label}[${count}]`,
  slots: count,
  count,
  item,
});

/** Returns the value of the variable at stack item 1. `stack` has this item and the items above it. */
function valueRead(
  type: StorageType | null,
  location: DataLocation,
  { stack = [0n], memory = [], items = 1 }: { stack?: bigint[]; memory?: Uint8Array[]; items?: 1 | 2 } = {},
): unknown {
  const bytes = concatBytes(...memory);
  const range = { start: 0, length: 1, file: 0 };
  const variable = { name: 'it', label: 'the type', location, type, items, range };
  const decoded = variableValue(
    { variable, item: 1 },
    {
      item: (index) => [0xbadn, ...stack][index] ?? 0n,
      memory: (start, length) => bytes.subarray(start, start + length),
      input: bytes,
    },
  );
  expect(decoded).toMatchObject({ name: 'it', type: 'the type' });
  return decoded.value;
}

const items = (label: string, values: readonly unknown[]): unknown =>
  values.map((value) => ({ name: '', type: label, value }));

describe('variables on the stack', () => {
  it.each([
    [UINT8, 255n, '255'],
    [INT16, -2n, '-2'],
    [INT16, 0x7fffn, '32767'],
    [elementary('bool'), 0n, false],
    [elementary('bool'), 1n, true],
    [elementary('address'), 0xabn, '0x00000000000000000000000000000000000000ab'.replace('ab', 'AB')],
    [elementary('bytes4'), 0x12345678n << 224n, '0x12345678'],
    [elementary('byte'), 0x12n << 248n, '0x12'],
    [valueType('enum Color', 1, 'enum', ['Red', 'Green']), 1n, 'Green'],
    [valueType('enum Color', 1, 'enum', ['Red', 'Green']), 2n, '2'],
    [valueType('enum Color', 1, 'enum'), 1n, '1'],
    [valueType('decimal', 21, 'decimal'), 15_000_000_000n, '1.5000000000'],
    [valueType('decimal', 21, 'decimal'), -1n, '-0.0000000001'],
    [valueType('decimal', 21, 'decimal'), 0n, '0.0000000000'],
    [TEXT, 5n, hex(5n)],
    [null, 5n, hex(5n)],
  ])('decodes %o of %s', (type, item, value) => {
    expect(valueRead(type, 'stack', { stack: [item] })).toBe(value);
  });

  it('two items are the address of an external function, and a storage variable is its slot', () => {
    expect(valueRead(null, 'stack', { stack: [0xabn, 7n], items: 2 })).toBe(`0x${'ab'.padStart(40, '0')}`);
    expect(valueRead(UINT8, 'storage', { stack: [5n] })).toBe(`storage ${hex(5n)}`);
  });
});

describe('variables in memory', () => {
  const text = (value: string): Uint8Array[] => [
    word(BigInt(value.length)),
    Uint8Array.from({ ...Buffer.from(value), length: Math.ceil(value.length / 32) * 32 }),
  ];

  it.each<[string, StorageType | null, Uint8Array[], unknown]>([
    ['text', TEXT, text('hello'), 'hello'],
    ['bytes', BYTES, text('hello'), '0x68656c6c6f'],
    ['no text', TEXT, text(''), ''],
    ['the longest text that is shown whole', TEXT, text('a'.repeat(1024)), 'a'.repeat(1024)],
    ['a longer one', TEXT, text('a'.repeat(1025)), `${'a'.repeat(1024)}… (1025 bytes)`],
    ['text that the memory ends in', TEXT, [word(4n), Buffer.from('he')], 'he… (4 bytes)'],
    ['text of an impossible length', TEXT, [word(1n << 32n)], 'memory 0'],
    ['text of almost that length', TEXT, [word(0xffffffffn)], '… (4294967295 bytes)'],
    ['a list', listOf(INT16), [word(2n), word(1n), word(-1n)], items('int16', ['1', '-1'])],
    ['an empty list', listOf(INT16), [word(0n)], []],
    ['a list of an impossible length', listOf(INT16), [word(1n << 32n)], 'memory 0'],
    ['an array', fixedOf(UINT8, 2n), [word(3n), word(4n)], items('uint8', ['3', '4'])],
    [
      'an array of texts',
      fixedOf(TEXT, 2n),
      [word(64n), word(128n), ...text('one'), ...text('two')],
      items('string', ['one', 'two']),
    ],
    [
      'a list with a place that is none',
      listOf(TEXT),
      [word(1n), word(1n << 32n)],
      items('string', [hex(1n << 32n)]),
    ],
    [
      'a struct, without its mappings',
      NAMED,
      [word(9n), word(64n), ...text('nine')],
      [
        { name: 'id', type: 'uint8', value: '9' },
        { name: 'name', type: 'string', value: 'nine' },
      ],
    ],
    ['what is not known', null, [word(9n)], 'memory 0'],
    ['a mapping', MAPPING, [word(9n)], 'memory 0'],
  ])('decodes %s', (_, type, memory, value) => {
    expect(valueRead(type, 'memory', { memory })).toEqual(value);
  });

  it('reads the memory at the stack item, and returns the item if it is out of range', () => {
    expect(valueRead(TEXT, 'memory', { stack: [32n], memory: [word(1n), ...text('hello')] })).toBe('hello');
    expect(valueRead(TEXT, 'memory', { stack: [1n << 32n] })).toBe(hex(1n << 32n));
  });

  it.each([32, 33])('returns at most 32 items of a list of %i', (length) => {
    const memory = [word(BigInt(length)), ...Array.from({ length }, (_, index) => word(BigInt(index)))];
    const shown = Array.from({ length: 32 }, (_, index) => ({ name: '', type: 'uint8', value: `${index}` }));
    const rest = length > 32 ? [{ name: '', type: '', value: '… 1 more' }] : [];
    expect(valueRead(listOf(UINT8), 'memory', { memory })).toEqual([...shown, ...rest]);
  });

  it('stops at depth 256 for a list that contains itself', () => {
    const self: StorageType = { kind: 'dynamicArray', label: 'Self[]', item: () => self };
    let value = valueRead(self, 'memory', { memory: [word(1n), word(0n)] });
    let depth = 0;
    for (; Array.isArray(value); depth++) ({ value } = value[0]);
    expect({ depth, value }).toEqual({ depth: 256, value: hex(0n) });
  });
});

describe('variables in calldata', () => {
  it.each<[string, StorageType | null, bigint[], Uint8Array[], unknown]>([
    ['text', TEXT, [1n, 5n], [Buffer.from('-hello-')], 'hello'],
    ['bytes', BYTES, [1n, 2n], [Buffer.from('-hello-')], '0x6865'],
    [
      'a longer text than is shown',
      TEXT,
      [0n, 1025n],
      [Buffer.alloc(1025, 'a')],
      `${'a'.repeat(1024)}… (1025 bytes)`,
    ],
    ['a list', listOf(INT16), [32n, 2n], [word(9n), word(1n), word(-1n)], items('int16', ['1', '-1'])],
    ['a list that the data ends in', listOf(UINT8), [0n, 2n], [word(1n)], items('uint8', ['1', '0'])],
    [
      'a list of texts',
      listOf(TEXT),
      [32n, 2n],
      [word(9n), word(64n), word(1n << 40n), word(2n), Buffer.from('hi')],
      items('string', ['hi', 'calldata 64']),
    ],
    ['a list of an impossible length', listOf(UINT8), [4n, 1n << 32n], [], hex(4n)],
    ['a list at an impossible place', listOf(UINT8), [1n << 32n, 1n], [], hex(1n << 32n)],
    ['what is not known', null, [4n, 2n], [], 'calldata 4, 2 items'],
  ])('decodes two items as %s', (_, type, stack, memory, value) => {
    expect(valueRead(type, 'calldata', { stack, memory, items: 2 })).toEqual(value);
  });

  it.each<[string, StorageType | null, unknown]>([
    ['an array', fixedOf(UINT8, 2n), items('uint8', ['3', '254'])],
    [
      'a struct',
      PAIR,
      [
        { name: 'left', type: 'uint8', value: '3' },
        { name: 'right', type: 'int16', value: '254' },
      ],
    ],
    ['what is not known', null, 'calldata 32'],
  ])('decodes one item as %s', (_, type, value) => {
    expect(
      valueRead(type, 'calldata', { stack: [32n, 1n], memory: [word(0n), word(3n), word(254n)] }),
    ).toEqual(value);
  });
});
