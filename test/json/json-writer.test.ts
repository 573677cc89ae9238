import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiCodes, JsonWriter } from '../../src/json/json-writer.ts';

const piece = fc.oneof(
  fc.record({ kind: fc.constant('codes' as const), text: fc.string({ unit: 'grapheme-ascii' }) }),
  fc.record({ kind: fc.constant('text' as const), text: fc.string({ unit: 'grapheme' }) }),
  fc.record({ kind: fc.constant('hex' as const), bytes: fc.uint8Array({ maxLength: 50 }), cut: fc.nat(5) }),
  fc.record({ kind: fc.constant('quantity' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('repeat' as const), start: fc.nat(20), length: fc.nat(20) }),
);

describe('JsonWriter', () => {
  it('writes the concatenation of all texts', () => {
    const isSame = fc.property(fc.array(piece), (pieces) => {
      const writer = new JsonWriter(100_000);
      let expected = Buffer.alloc(0);
      for (const next of pieces) {
        let text = Buffer.alloc(0);
        if (next.kind === 'codes') {
          writer.codes(asciiCodes(next.text));
          text = Buffer.from(next.text);
        } else if (next.kind === 'text') {
          writer.text(next.text);
          text = Buffer.from(next.text);
        } else if (next.kind === 'hex') {
          const end = Math.max(next.cut, next.bytes.length - next.cut);
          writer.hex(next.bytes, next.cut, Math.min(end, next.bytes.length));
          text = Buffer.from(Buffer.from(next.bytes.subarray(next.cut, end)).toString('hex'));
        } else if (next.kind === 'quantity') {
          writer.quantity(next.value);
          text = Buffer.from(next.value.toString(16));
        } else {
          const start = Math.min(next.start, expected.length);
          const end = Math.min(start + next.length, expected.length);
          writer.repeat(start, end);
          text = Buffer.from(expected.subarray(start, end));
        }
        expected = Buffer.concat([expected, text]);
        expect(writer.length).toBe(expected.length);
      }
      expect(writer.written.equals(expected)).toBe(true);
    });
    fc.assert(isSame, { numRuns: 100 });
  });

  it.each([
    ['codes', (writer: JsonWriter) => writer.codes(asciiCodes('1234'))],
    ['digits', (writer: JsonWriter) => writer.hex(Uint8Array.of(1, 2))],
    ['a text', (writer: JsonWriter) => writer.text('1234')],
    ['a repetition', (writer: JsonWriter) => writer.repeat(0, 2)],
  ])('rejects %s beyond its capacity', (_, write) => {
    const writer = new JsonWriter(3);
    expect(() => {
      for (let time = 0; time < 2; time++) write(writer);
    }).toThrow(RangeError);
  });

  it.each([
    ['past the end', 0, 3],
    ['before the beginning', -1, 1],
  ])('rejects hex digits of bytes %s', (_, start, end) => {
    const writer = new JsonWriter(100);
    expect(() => writer.hex(Uint8Array.of(1, 2), start, end)).toThrow(RangeError);
    expect(writer.length).toBe(0);
  });
});
