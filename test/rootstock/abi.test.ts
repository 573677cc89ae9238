import { AbiCoder, id } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrecompileError } from '../../src/evm/precompiles/precompiled-contract.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { type AbiType, abiSelector, decodeAbi, encodeAbi, trimAbi } from '../../src/rootstock/abi.ts';

const coder = AbiCoder.defaultAbiCoder();

const TYPES = [
  'int256',
  'uint32',
  'bool',
  'address',
  'bytes32',
  'bytes',
  'string',
  'bytes[]',
  'int256[]',
] as const satisfies readonly AbiType[];

const sized = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const filled = fc.uint8Array({ minLength: 1, maxLength: 100 });
const int256 = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n });

const values = fc.tuple(
  int256,
  fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  fc.boolean(),
  sized(20),
  sized(32),
  filled,
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.array(filled, { maxLength: 5 }),
  fc.array(int256, { maxLength: 5 }),
);

/** Words of 32 bytes. */
function words(...numbers: readonly (number | bigint)[]): Uint8Array {
  return fromHex(
    `0x${numbers.map((number) => BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0')).join('')}`,
  );
}

describe('the ABI of precompiled contracts', () => {
  it('encodes non-empty values like other libraries, and decodes them', () => {
    fc.assert(
      fc.property(values, (list) => {
        const encoded = encodeAbi(TYPES, list);
        const plain = list.map((value) => (value instanceof Uint8Array ? toHex(value) : value));
        expect(toHex(encoded)).toBe(coder.encode(TYPES, plain));
        expect(decodeAbi(TYPES, encoded)).toEqual(list);
      }),
    );
  });

  it('computes selectors like compilers', () => {
    expect(toHex(abiSelector('getMultisigScriptHash', ['int256', 'bytes[]']))).toBe(
      id('getMultisigScriptHash(int256,bytes[])').slice(0, 10),
    );
    expect(toHex(abiSelector('getCallStackDepth', []))).toBe(id('getCallStackDepth()').slice(0, 10));
  });

  it('encodes empty bytes with an extra zero word, like Rootstock', () => {
    expect(encodeAbi(['bytes'], [new Uint8Array(0)])).toEqual(words(0x20, 0, 0));
    expect(encodeAbi(['string'], [''])).toEqual(words(0x20, 0, 0));
  });

  it('decodes missing bytes as zeros, like Rootstock', () => {
    expect(decodeAbi(['int256', 'bytes', 'bytes[]'], new Uint8Array(0))).toEqual([0n, new Uint8Array(0), []]);
  });

  it('decodes signed numbers', () => {
    expect(decodeAbi(['int256', 'uint256'], words(-2, -3))).toEqual([-2n, -3n]);
  });

  it('keeps a byte order mark in a string', () => {
    expect(decodeAbi(['string'], encodeAbi(['string'], ['\ufeffx']))).toEqual(['\ufeffx']);
  });

  it.each<[string, readonly AbiType[], Uint8Array]>([
    ['a number of 31 bytes', ['int256'], new Uint8Array(31)],
    ['a missing second word', ['int256', 'int256'], words(1)],
    ['an offset behind the end', ['bytes'], words(0x40, 1)],
    ['a negative offset', ['bytes'], words(-32, 1)],
    ['bytes that are longer than what is there', ['bytes'], words(0x20, 33, 0)],
    ['a negative length', ['bytes'], words(0x20, -1, 0)],
    ['a list with more items than there is room for', ['bytes[]'], words(0x20, 1_000_000_000, 0)],
    ['an item that stands outside', ['bytes[]'], words(0x20, 1, 0x40)],
  ])('rejects %s', (_name, types, data) => {
    expect(() => decodeAbi(types, data)).toThrow(PrecompileError);
  });

  it('decodes or rejects damaged bytes', () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.nat(255) });
    const lists = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 });
    let [reads, refusals] = [0, 0];
    const isEither = fc.property(lists, fc.array(damage, { maxLength: 3 }), (list, changes) => {
      const data = encodeAbi(['int256', 'bytes[]'], [1n, list]);
      for (const { at, byte } of changes) data[at % data.length] = byte;
      let read: readonly Uint8Array[];
      try {
        [, read] = decodeAbi(['int256', 'bytes[]'], data);
      } catch (error) {
        expect(error).toBeInstanceOf(PrecompileError);
        refusals++;
        return;
      }
      reads++;
      for (const { length } of read) expect(length).toBeLessThan(data.length);
    });
    fc.assert(isEither, { numRuns: 300 });
    expect(Math.min(reads, refusals)).toBeGreaterThan(5);
  });
});

describe('trimAbi', () => {
  const types = ['uint256', 'bytes', 'string[]'] as const;
  const encoded = encodeAbi(types, [7n, new Uint8Array(33).fill(1), ['a', 'bc']]);

  it('removes bytes that no argument uses, and pads the last word', () => {
    const padding = new Uint8Array(100).fill(9);
    const dirty = encoded.slice();
    dirty[dirty.length - 1] = 9;

    for (const data of [encoded, concatBytes(encoded, padding), dirty, encoded.subarray(0, -30)]) {
      expect(trimAbi(types, data)).toEqual(encoded);
    }
    expect(trimAbi([], padding)).toEqual(new Uint8Array(0));
    expect(trimAbi(types, new Uint8Array(0))).toEqual(new Uint8Array(0));
  });

  it('rejects arguments that are too short', () => {
    expect(() => trimAbi(types, encoded.subarray(0, -31))).toThrow('too short');
  });
});
