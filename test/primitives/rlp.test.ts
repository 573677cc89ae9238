import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigIntToBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import {
  decodeRlp,
  encodeRlp,
  encodeRlpList,
  listPayload,
  prependListPrefix,
  prependRlp,
  prependRlpInteger,
  RlpError,
  type RlpItem,
  rlpIntegerLength,
  writeRlpInteger,
} from '../../src/primitives/rlp.ts';

const text = (value: string) => new TextEncoder().encode(value);
const LOREM = 'Lorem ipsum dolor sit amet, consectetur adipisicing elit';

/** From the Ethereum wiki and the public RLP tests. */
const VECTORS: readonly [string, RlpItem, string][] = [
  ['the empty string', text(''), '0x80'],
  ['a zero byte', Uint8Array.of(0), '0x00'],
  ['the largest single byte', Uint8Array.of(0x7f), '0x7f'],
  ['the smallest byte with a prefix', Uint8Array.of(0x80), '0x8180'],
  ['a short string', text('dog'), '0x83646f67'],
  ['two bytes', Uint8Array.of(4, 0), '0x820400'],
  ['55 bytes', new Uint8Array(55).fill(1), `0xb7${'01'.repeat(55)}`],
  ['56 bytes', text(LOREM), `0xb838${Buffer.from(LOREM).toString('hex')}`],
  ['256 bytes', new Uint8Array(256).fill(2), `0xb90100${'02'.repeat(256)}`],
  ['65536 bytes', new Uint8Array(65536).fill(3), `0xba010000${'03'.repeat(65536)}`],
  ['the empty list', [], '0xc0'],
  ['a list of strings', [text('cat'), text('dog')], '0xc88363617483646f67'],
  ['nested lists', [[], [[]], [[], [[]]]], '0xc7c0c1c0c3c0c1c0'],
  ['a list of 55 bytes', Array(55).fill(Uint8Array.of(1)), `0xf7${'01'.repeat(55)}`],
  ['a list of 56 bytes', Array(56).fill(Uint8Array.of(1)), `0xf838${'01'.repeat(56)}`],
];

const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.uint8Array({ maxLength: 70 }),
    fc.uint8Array({ minLength: 250, maxLength: 260 }),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
}));

describe('RLP', () => {
  it.each(VECTORS)('encodes and decodes %s', (_, decoded, encoded) => {
    expect(toHex(encodeRlp(decoded))).toBe(encoded);
    expect(decodeRlp(fromHex(encoded))).toEqual(decoded);
  });

  it('decodes an encoded item to the same item', () => {
    fc.assert(
      fc.property(item, (value) => {
        expect(decodeRlp(encodeRlp(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it('encodes an integer of any size as its shortest bytes', () => {
    const edges = [
      0n,
      1n,
      0x7fn,
      0x80n,
      0xffn,
      0x100n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 64n,
      2n ** 256n - 1n,
    ];
    const integers = fc.oneof(
      fc.constantFrom(...edges),
      fc.bigInt(0n, 2n ** 256n - 1n),
      fc.bigInt(0n, 2n ** 56n),
    );
    fc.assert(
      fc.property(integers, (value) => {
        const target = new Uint8Array(40).fill(0xee);
        const end = writeRlpInteger(target, 2, value);
        expect(end).toBe(2 + rlpIntegerLength(value));
        expect(toHex(target.slice(2, end))).toBe(toHex(encodeRlp(bigIntToBytes(value))));
        expect([...target.slice(0, 2), ...target.slice(end)].every((byte) => byte === 0xee)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts only the canonical encoding of an item', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
        let decoded: RlpItem;
        try {
          decoded = decodeRlp(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RlpError);
          return;
        }
        expect(encodeRlp(decoded)).toEqual(bytes);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['no bytes', '0x'],
    ['bytes after the item', '0x8000'],
    ['bytes after a list', '0xc000'],
    ['a string that ends early', '0x83646f'],
    ['a list that ends early', '0xc883636174'],
    ['an item that leaves its list', '0xc283646f'],
    ['an item that leaves its list into the next item', '0xc5c283616263'],
    ['a single byte with a prefix', '0x8100'],
    ['the largest single byte with a prefix', '0x817f'],
    ['a long form for a short string', `0xb837${'01'.repeat(55)}`],
    ['a long form for a short list', `0xf837${'01'.repeat(55)}`],
    ['a length with a leading zero', `0xb90038${'01'.repeat(56)}`],
    ['a list length with a leading zero', `0xf90038${'01'.repeat(56)}`],
    ['a length that ends early', '0xb9'],
    ['a length beyond any data', '0xbfffffffffffffffff'],
    ['a list length beyond any data', '0xffffffffffffffffff'],
  ])('rejects %s', (_, encoded) => {
    expect(() => decodeRlp(fromHex(encoded))).toThrow(RlpError);
  });

  it.each([
    ['bytes of 0', '00'],
    ['the largest single byte', '7f'],
    ['empty strings', '80'],
    ['empty lists', 'c0'],
  ])('decodes many equal items to one array: %s', (_, item) => {
    const items = decodeRlp(fromHex(`0xf903e8${item.repeat(1_000)}`)) as RlpItem[];
    expect(items).toHaveLength(1_000);
    expect(new Set(items).size).toBe(1);
  });

  it('decodes into copies of the input bytes', () => {
    const bytes = fromHex('0x83646f67');
    const decoded = decodeRlp(bytes);
    bytes.fill(0);
    expect(decoded).toEqual(text('dog'));
  });
});

describe('an encoding that is written from its end', () => {
  it('equals the encoding of the list', () => {
    const fields = fc.array(
      fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.bigInt({ min: 0n, max: 2n ** 70n })),
    );
    const isSame = fc.property(fields, (values) => {
      const target = new Uint8Array(values.length * 310 + 10);
      let start = target.length;
      for (const value of [...values].reverse()) {
        start =
          typeof value === 'bigint'
            ? prependRlpInteger(target, start, value)
            : prependRlp(target, start, value);
      }
      const items = values.map((value) => (typeof value === 'bigint' ? bigIntToBytes(value) : value));
      const list = target.subarray(prependListPrefix(target, start, target.length));
      expect(toHex(list)).toBe(toHex(encodeRlp(items)));
    });
    fc.assert(isSame);
  });

  it.each([0n, 1n, 0x7fn, 0x80n, 0xffn, 0x100n, 2n ** 53n - 1n, 2n ** 53n])(
    'equals the encoding of %d',
    (value) => {
      const target = new Uint8Array(40);
      const bytes = target.subarray(prependRlpInteger(target, 40, value));
      expect(toHex(bytes)).toBe(toHex(encodeRlp(bigIntToBytes(value))));
    },
  );
});

describe('an RLP list of encoded items', () => {
  it.each([0, 1, 18, 90, 400])('encodes %i encoded items like the items', (count) => {
    const items = Array.from({ length: count }, (_, index) => text(`${index}`));
    const encoded = encodeRlp(items);
    expect(encodeRlpList(items.map((item) => encodeRlp(item)))).toEqual(encoded);
  });

  it.each([0, 1, 54, 55, 56, 255, 256, 70_000])(
    'joins the payload of a list of %s bytes with another item',
    (size) => {
      // Items of one byte, which are their own encodings.
      const items = Array.from({ length: size }, () => Uint8Array.of(1));
      const more = text('and more');
      const encoded = encodeRlpList([listPayload(encodeRlp(items)), encodeRlp(more)]);
      expect(encoded).toEqual(encodeRlp([...items, more]));
    },
  );
});
