import { describe, expect, it } from 'vitest';
import { type Compared, kindOf } from './differences.ts';
import { type Schema, schemaFaults } from './schema-faults.ts';

function kind(parts: Partial<Compared>): string | null {
  return kindOf({ file: 'eth_call/a.io', isSpecOnly: false, expected: {}, actual: {}, ...parts });
}

describe('kinds of differences from recorded exchanges', () => {
  it('equal results and equal error codes are no difference', () => {
    expect(kind({ expected: { result: { a: 1, b: 2 } }, actual: { result: { b: 2, a: 1 } } })).toBeNull();
    const error = { code: 3, message: 'reverted' };
    expect(kind({ expected: { error }, actual: { error: { ...error, message: 'other' } } })).toBeNull();
    expect(kind({ isSpecOnly: true, expected: { result: 1 }, actual: { result: 2 } })).toBeNull();
  });

  it('a block with fields of Rootstock differs only by them', () => {
    const actual = { result: { number: '0x1', minimumGasPrice: '0x0', totalDifficulty: '0x1' } };
    expect(kind({ expected: { result: { number: '0x1' } }, actual })).toBe('fields of Rootstock');
  });

  it('other differences are unexplained', () => {
    expect(kind({ expected: { result: '0x1' }, actual: { result: '0x2' } })).toBe('unexplained');
    const actual = { error: { code: -32000, message: 'failed' } };
    expect(kind({ expected: { result: '0x1' }, actual })).toBe('unexplained');
  });
});

describe('faults by a schema', () => {
  const schemas: Readonly<Record<string, Schema>> = { hex: { type: 'string', pattern: '^0x[0-9a-f]+$' } };
  const faults = (schema: Schema, value: unknown): string[] => schemaFaults({ schemas }, schema, value);
  const hex: Schema = { $ref: '#/components/schemas/hex' };

  it('names the places of missing, wrong and unknown members', () => {
    const schema: Schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: hex, list: { type: 'array', items: { type: 'object', properties: { c: hex } } } },
      additionalProperties: false,
    };
    expect(faults(schema, { a: '1', list: [{ c: '0x1' }, { c: 2 }], d: 1 })).toEqual([
      'b',
      'a',
      'list[].c',
      'd',
    ]);
  });

  it('uses the alternative that fits best, and accepts only one of several', () => {
    const choice: Schema = { oneOf: [{ type: 'null' }, { type: 'object', properties: { a: hex } }] };
    expect(faults(choice, null)).toEqual([]);
    expect(faults(choice, { a: 1 })).toEqual(['a']);
    expect(faults({ oneOf: [{ type: 'array' }, { type: 'array', items: hex }] }, [])).toEqual(['']);
  });
});
