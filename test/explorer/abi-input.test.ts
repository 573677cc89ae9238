import { encodeAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  ArgumentError,
  argumentOf,
  argumentText,
  encodable,
  expectedOf,
  nameOf,
  typeOf,
} from '../../src/explorer/abi-input.ts';

const read = (type: string, text: unknown, rest: object = {}): unknown =>
  argumentOf({ type, name: 'value', ...rest }, text);

describe('an argument typed by the user', () => {
  it.each([
    ['uint8', '255', 255n],
    ['uint8', ' 0xff ', 255n],
    ['int8', '127', 127n],
    ['int8', '-128', -128n],
    ['int256', `-${2n ** 255n}`, -(2n ** 255n)],
    ['uint256', `${2n ** 256n - 1n}`, 2n ** 256n - 1n],
    ['uint', '0', 0n],
    ['bool', 'true', true],
    ['string', ' a ', ' a '],
    ['bytes2', '0x1234', '0x1234'],
    ['uint256[]', '[1, "2", 12345678901234567890]', [1n, 2n, 12_345_678_901_234_567_890n]],
    [
      'uint8[2][]',
      '[[1, 2], [3, 4]]',
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ],
  ])('parses an argument of type %s: %s', (type, text, value) => {
    expect(read(type, text)).toEqual(value);
  });

  it('parses a struct by the names of its members', () => {
    const components = [
      { type: 'uint256', name: 'id' },
      { type: 'address', name: 'owner' },
    ];
    const owner = `0x${'ab'.repeat(20)}`;
    const text = `{"id": 7, "owner": "${owner}"}`;
    expect(read('tuple', text, { components })).toEqual([7n, owner]);
    expect(() => read('tuple', '{"id": 7}', { components })).toThrow(/owner/);
  });

  it.each([
    ['uint8', '256', 'a number in the range of uint8'],
    ['uint8', '-1', 'a number in the range of uint8'],
    ['int8', '128', 'a number in the range of int8'],
    ['int8', '-129', 'a number in the range of int8'],
    ['int16', `${2 ** 15}`, 'a number in the range of int16'],
    ['uint256', `${2n ** 256n}`, 'a number in the range of uint256'],
    ['uint256', '1.5', 'a whole number'],
    ['uint256', '', 'a whole number'],
    ['bool', 'yes', 'true or false'],
    ['address', '0x12', '0x and 40 hex digits'],
    ['bytes2', '0x123456', '0x and 4 hex digits'],
    ['function', '0x12', '0x and 48 hex digits'],
    ['bytes', '0x123', 'an even number'],
    ['uint256[]', '[1', 'a JSON array'],
    ['uint256[2]', '[1]', 'an array of 2 items'],
  ])('rejects an argument of type %s with its name and the expected form: %s', (type, text, expected) => {
    const reading = (): unknown => read(type, text);
    expect(reading).toThrow(ArgumentError);
    expect(reading).toThrow('value');
    expect(reading).toThrow(expected);
  });

  it('parses the text of a decoded value to the same value', () => {
    for (const [type, value] of [
      ['uint256', 5n],
      ['int64', -5n],
      ['bool', false],
      ['string', 'a'],
      ['uint256[]', [1n, 2n ** 200n]],
    ] as const)
      expect(read(type, argumentText(value))).toEqual(value);
  });

  it('uses the position of an argument without a name', () => {
    expect([nameOf({ type: 'bool', name: 'on' }, 1), nameOf({ type: 'bool', name: '' }, 1)]).toEqual([
      'on',
      'argument 2',
    ]);
  });
});

describe('the field of an argument', () => {
  const pair = [
    { type: 'uint8', name: 'id' },
    { type: 'tuple[]', name: 'parts', components: [{ type: 'string', name: 'text' }] },
  ];

  it('lists the members of a struct', () => {
    expect(expectedOf({ type: 'tuple', name: 'value', components: pair })).toBe(
      'a JSON object, for example {"id": uint8, "parts": [{"text": string}, …]}',
    );
    expect(expectedOf({ type: 'tuple[2]', name: 'value', components: pair })).toBe(
      'a JSON array, for example [{"id": uint8, "parts": [{"text": string}, …]}, …]',
    );
    expect(
      typeOf({ type: 'tuple[]', name: 'value', internalType: 'struct Shop.Pair[]', components: pair }),
    ).toBe('Shop.Pair[]');
    expect(typeOf({ type: 'uint8', name: 'value', internalType: 'enum Shop.Mood' })).toBe('uint8');
  });

  it('shortens the form of a struct with many long member names', () => {
    const components = Array.from({ length: 5_000 }, (_, index) => ({
      type: 'uint256',
      name: `${index}`.repeat(1_000),
    }));
    expect(expectedOf({ type: 'tuple', name: 'value', components }).length).toBeLessThan(500);
  });

  it('accepts external functions, which are encoded as 24 bytes', () => {
    const code = `0x${'ab'.repeat(24)}`;
    const inputs = [
      { type: 'function', name: 'one' },
      { type: 'tuple', name: 'more', components: [{ type: 'function[]', name: 'all' }] },
    ];
    const values = [
      argumentOf(inputs[0] ?? { type: '' }, code),
      argumentOf(inputs[1] ?? { type: '' }, `{"all": ["${code}"]}`),
    ];
    expect(values).toEqual([code, [[code]]]);
    const word = `${'ab'.repeat(24)}${'0'.repeat(16)}`;
    const encoded = encodeAbiParameters(encodable(inputs), values);
    expect(encoded.split(word)).toHaveLength(3);
  });
});
