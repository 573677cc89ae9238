import { id } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConsoleDecoder, type ConsoleValue, consoleSignatures } from '../../../src/evm/console.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { callData, FORGE_LOGS, FORGE_TABLES, HARDHAT_LOGS } from './signatures.ts';

const decoder = new ConsoleDecoder();
const ALL_LOGS = [...HARDHAT_LOGS, ...FORGE_LOGS];

function bytes(constraints: fc.IntArrayConstraints): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array(constraints);
}

/** An arbitrary value of the type, in decoded form. */
function valueFor(type: string): fc.Arbitrary<ConsoleValue> {
  if (type === 'uint256') return fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
  if (type === 'int256') return fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n });
  if (type === 'bool') return fc.boolean();
  if (type === 'string') return fc.string({ unit: 'grapheme', maxLength: 80 });
  if (type === 'bytes') return bytes({ maxLength: 80 });
  const length = type === 'address' ? 20 : Number(type.slice('bytes'.length));
  return bytes({ minLength: length, maxLength: length });
}

/** The value in the form that ethers encodes. */
function given(value: ConsoleValue): unknown {
  return value instanceof Uint8Array ? toHex(value) : value;
}

const logs = fc
  .constantFrom(...ALL_LOGS)
  .chain((types) => fc.tuple(fc.constant(types), fc.tuple(...types.map(valueFor))));

const tables = fc
  .constantFrom(...FORGE_TABLES)
  .chain((types) =>
    fc.tuple(
      fc.constant(types),
      fc.tuple(...types.map((type) => fc.array(valueFor(type.slice(0, -'[]'.length)), { maxLength: 5 }))),
    ),
  );

describe('ConsoleDecoder', () => {
  it('supports every function of both console.sol files, also with int and uint', () => {
    const legacy = ALL_LOGS.filter((types) => types.some((type) => type.endsWith('int256')));
    const written = [
      ...ALL_LOGS.map((types) => `log(${types.join(',')})`),
      ...legacy.map((types) => `log(${types.join(',').replaceAll('int256', 'int')})`),
      ...FORGE_TABLES.map((types) => `table(${types.join(',')})`),
    ];
    expect(HARDHAT_LOGS).toHaveLength(375);
    const selectors = written.map((signature) => id(signature).slice(2, 10));
    expect([...consoleSignatures().keys()].toSorted()).toEqual(selectors.toSorted());
    expect(new Set(selectors).size).toBe(written.length);
  });

  it.each([
    ['0x51973ec9', []],
    ['0x2d5b6cb9', ['int256']],
    ['0xf82c50f1', ['uint256']],
    ['0x41304fac', ['string']],
    ['0x0be77f56', ['bytes']],
    ['0x6e18a128', ['bytes1']],
    ['0x4e0c1d1d', ['int256']],
    ['0xf5b1bba9', ['uint256']],
    ['0x9710a9d0', ['string', 'uint256']],
    ['0xf161b221', ['bool', 'uint256', 'uint256', 'address']],
  ] as const)('decodes the selector %s as a log of %j', (selector, types) => {
    expect(consoleSignatures().get(selector.slice(2))).toEqual({ kind: 'log', types });
  });

  it('decodes every log that ethers encodes', () => {
    for (const types of ALL_LOGS) {
      fc.assert(
        fc.property(fc.tuple(...types.map(valueFor)), (values) => {
          const input = callData('log', types, values.map(given));
          expect(decoder.decode(input)).toEqual({ kind: 'log', values });
        }),
        { seed: 1, numRuns: 5 },
      );
    }
  });

  it('decodes logs with int and uint selectors', () => {
    fc.assert(
      fc.property(logs, ([types, values]) => {
        const written = types.map((type) => type.replace('int256', 'int'));
        const input = callData('log', types, values.map(given), written);
        expect(decoder.decode(input)).toEqual({ kind: 'log', values });
      }),
      { seed: 2 },
    );
  });

  it('decodes tables', () => {
    fc.assert(
      fc.property(tables, ([types, arrays]) => {
        const input = callData(
          'table',
          types,
          arrays.map((array) => array.map(given)),
        );
        const [keys, values] = arrays.length === 2 ? arrays : [null, arrays[0]];
        expect(decoder.decode(input)).toEqual({ kind: 'table', keys, values });
      }),
      { seed: 3 },
    );
  });

  it('ignores bytes after the arguments', () => {
    const input = concatBytes(callData('log', ['string'], ['here']), new Uint8Array(33).fill(7));
    expect(decoder.decode(input)).toEqual({ kind: 'log', values: ['here'] });
  });

  it('replaces invalid UTF-8 bytes of a string', () => {
    const input = callData('log', ['bytes'], ['0x61ff62'], ['string']);
    expect(decoder.decode(input)).toEqual({ kind: 'log', values: ['a\ufffdb'] });
  });

  it('returns null for functions that are not in console.sol', () => {
    expect(decoder.decode(callData('log', ['uint256[]'], [[1n]]))).toBeNull();
    expect(decoder.decode(fromHex('0x41304f'))).toBeNull();
  });

  it('returns null if the data ends before the arguments', () => {
    fc.assert(
      fc.property(logs, fc.nat({ max: 400 }), ([types, values], cut) => {
        const input = callData('log', types, values.map(given));
        const start = 4 + types.length * 32;
        fc.pre(types.length > 0);
        expect(decoder.decode(input.subarray(0, Math.min(start - 1, 4 + cut)))).toBeNull();
      }),
      { seed: 4 },
    );
  });

  it('decodes arbitrary data without an exception', () => {
    const selectors = [...consoleSignatures().keys()];
    fc.assert(
      fc.property(fc.constantFrom(...selectors), bytes({ maxLength: 300 }), (selector, data) => {
        decoder.decode(concatBytes(fromHex(`0x${selector}`), data));
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });

  it('returns null if items of a table share bytes, which could expand to a long text', () => {
    const count = 100;
    const word = (value: number): Uint8Array => fromHex(`0x${value.toString(16).padStart(64, '0')}`);
    const text = new Uint8Array(3_200).fill(97);
    const input = concatBytes(
      fromHex(id('table(string[])').slice(0, 10)),
      word(32),
      word(count),
      ...Array.from({ length: count }, () => word(count * 32)),
      word(text.length),
      text,
    );
    expect(decoder.decode(input)).toBeNull();
  });
});
