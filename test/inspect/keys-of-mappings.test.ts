import { describe, expect, it } from 'vitest';
import {
  elementaryValue,
  type MappingType,
  type StorageType,
  type StorageVariable,
  type ValueType,
} from '../../src/artifacts/layout/storage-type.ts';
import { guessKeys, LikelyKeys } from '../../src/inspect/storage/key-guesses.ts';
import { MAX_PREIMAGE, Preimages } from '../../src/inspect/storage/preimages.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';

const word = (value: bigint): Uint8Array => bigIntToFixedBytes(BigInt.asUintN(256, value), 32);
const baseOf = (input: Uint8Array): bigint => bytesToBigInt(keccak256(input));
const numbered = (number: number, length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
};

function elementary(name: string): ValueType {
  const type = elementaryValue(name);
  if (type === null) throw new Error(name);
  return type;
}

const UINT = elementary('uint256');
const TEXT: StorageType = { kind: 'bytes', label: 'string', isText: true };

function mappingOf(
  key: MappingType['key'],
  value: StorageType = UINT,
  order: MappingType['order'] = 'keyFirst',
): MappingType {
  return { kind: 'mapping', label: 'mapping', key, value: () => value, order };
}

describe('Preimages', () => {
  it('finds the input whose hash is less than 2^64 below a slot', () => {
    const inputs = new Preimages();
    const input = word(7n);
    inputs.add(input);
    const base = baseOf(input);
    const reach = 1n << 64n;
    const found = [-1n, 0n, 1n, reach - 1n, reach, -reach].map((distance) => inputs.below(base + distance));
    const known = { base, bytes: input };
    expect(found).toEqual([null, known, known, known, null, null]);
    expect(inputs.below(0n)).toBeNull();
  });

  it('stores each input once, up to the maximum length', () => {
    const inputs = new Preimages();
    for (const length of [32, MAX_PREIMAGE, MAX_PREIMAGE + 1]) {
      inputs.add(numbered(1, length));
      inputs.add(numbered(1, length));
    }
    expect(Array.from(inputs.all, ({ bytes }) => bytes.length)).toEqual([32, 1024]);
    expect(inputs.of(keccak256(numbered(1, 1024)))).toHaveLength(1024);
    expect(inputs.of(keccak256(numbered(1, 1025)))).toBeNull();
  });

  it.each([
    ['4 MiB', 4_096, 1_024],
    ['50,000 inputs', 50_000, 4],
  ])('evicts the oldest inputs above %s', (_, most, length) => {
    const inputs = new Preimages();
    for (let number = 0; number < most; number++) inputs.add(numbered(number, length));
    const first = numbered(0, length);
    expect(inputs.size).toBe(most);
    expect(inputs.below(baseOf(first))).not.toBeNull();
    inputs.add(numbered(most, length));
    expect(inputs.size).toBe(most);
    expect(inputs.of(keccak256(first))).toBeNull();
    expect(inputs.below(baseOf(first))).toBeNull();
    expect(inputs.of(keccak256(numbered(1, length)))).not.toBeNull();
    // An evicted input makes room for another.
    inputs.add(first);
    expect(inputs.size).toBe(most);
  });
});

/** Returns the likely keys of the type, without the small numbers that are always included. */
function wordsFor(key: MappingType['key'], words: readonly Uint8Array[]): string[] {
  const keys = new LikelyKeys();
  for (const each of words) keys.add(each);
  const small = new Set(new LikelyKeys().of(mappingOf(key)).map((bytes) => toHex(bytes)));
  return keys
    .of(mappingOf(key))
    .map((bytes) => toHex(bytes))
    .filter((each) => !small.has(each));
}

describe('LikelyKeys', () => {
  it.each([
    ['uint16', [256n, 0xffffn, 0x10000n], [256n, 0xffffn]],
    ['int16', [-1n, -0x8000n, -0x10001n, 0x10000n, 256n], [-1n, -0x8000n, 256n]],
    ['bytes2', [0x12n << 248n, 0x1234n << 240n, 0x123456n << 232n], [0x12n << 248n, 0x1234n << 240n]],
    ['address', [256n, (1n << 160n) - 1n, 1n << 160n], [256n, (1n << 160n) - 1n]],
    ['bytes20', [1n << 96n, 1n << 95n], [1n << 96n]],
    ['uint256', [-1n, 1n << 255n], [-1n, 1n << 255n]],
    ['bool', [256n, -1n], []],
  ])('keys of %s fit the type', (name, words, fitting) => {
    expect(wordsFor(elementary(name), words.map(word))).toEqual(fitting.map((each) => toHex(word(each))));
  });

  it.each([
    ['uint256', 256],
    ['uint8', 256],
    ['int8', 256],
    ['bytes1', 1],
    ['address', 22],
    ['bool', 2],
  ])('keys of %s include the small numbers: %i', (name, count) => {
    const small = new LikelyKeys().of(mappingOf(elementary(name)));
    expect(small).toHaveLength(count);
    const first = Array.from({ length: Math.min(count, 20) }, (_, number) => word(BigInt(number)));
    expect(small.slice(0, first.length)).toEqual(first);
  });

  it('keys of strings are empty', () => {
    expect(new LikelyKeys().of(mappingOf(TEXT as MappingType['key']))).toEqual([]);
  });

  it('keys are the last 1,000 words, and a repeated word counts as new', () => {
    const keys = new LikelyKeys();
    for (let number = 1; number <= 1_000; number++) keys.add(word(BigInt(number) << 8n));
    keys.add(word(1n << 8n));
    keys.add(word(1n << 80n));
    for (const each of [keys, keys.copy()]) {
      const words = each.of(mappingOf(UINT)).map(bytesToBigInt);
      expect(words).toHaveLength(1_000 + 256);
      expect(words.slice(0, 1_000)).toEqual([
        ...Array.from({ length: 998 }, (_, index) => BigInt(index + 3) << 8n),
        1n << 8n,
        1n << 80n,
      ]);
    }
  });

  const added = (add: (keys: LikelyKeys) => void): bigint[] => {
    const keys = new LikelyKeys();
    add(keys);
    return keys.of(mappingOf(UINT)).map(bytesToBigInt).slice(0, -256);
  };
  const large = Array.from({ length: 70 }, (_, index) => BigInt(index + 256));

  it('keys include the arguments of a call, and the end of the data of a creation', () => {
    const input = concatBytes(new Uint8Array(4).fill(9), ...large.map(word));
    const shorter = input.subarray(0, 4 + 2 * 32 + 31);
    expect(added((keys) => keys.addArguments(shorter, false))).toEqual(large.slice(0, 2));
    expect(added((keys) => keys.addArguments(input, false))).toEqual(large.slice(0, 64));
    expect(added((keys) => keys.addArguments(input, true))).toEqual(large.slice(-64));
    expect(added((keys) => keys.addArguments(input.subarray(0, 4 + 3 * 32), true))).toEqual(
      large.slice(0, 3),
    );
  });

  it('keys include the constants of a code above two bytes', () => {
    const push = (value: bigint, size: number): number[] => [0x5f + size, ...word(value).subarray(32 - size)];
    const code = [0x5f, ...push(0x62n, 1), ...push(0x6262n, 2), ...push(0x60_5f_01n, 3), 0x80];
    const whole = Uint8Array.from([...code, ...push(1n << 255n, 32), 0x63, 0x01, 0x02]);
    expect(added((keys) => keys.addConstants(whole))).toEqual([0x60_5f_01n, 1n << 255n, 0x0102n]);
  });
});

describe('search for keys', () => {
  const keys = new LikelyKeys();
  keys.add(word(1_000n));

  /** Returns the inputs that lead to the wanted slots. Each slot must be found. */
  async function guess(type: StorageType, slot: bigint, wanted: readonly bigint[]): Promise<string[]> {
    const root: StorageVariable = { name: 'root', slot, offset: 0, type };
    const into = new Preimages();
    await guessKeys([root], wanted, keys, into, neverCancelled);
    return Array.from(into.all, ({ bytes }) => toHex(bytes));
  }
  const keyFirst = (key: bigint, slot: bigint): Uint8Array => concatBytes(word(key), word(slot));

  it.each([
    ['a mapping', mappingOf(UINT), [keyFirst(1_000n, 5n)]],
    ['one of Vyper', mappingOf(UINT, UINT, 'slotFirst'), [keyFirst(5n, 1_000n)]],
    ['a list', { kind: 'dynamicArray', label: 'uint256[]', item: () => UINT } as const, [word(5n)]],
    ['a text', TEXT, [word(5n)]],
    [
      'a mapping of mappings',
      mappingOf(elementary('bool'), mappingOf(UINT)),
      [keyFirst(1n, 5n), keyFirst(1_000n, baseOf(keyFirst(1n, 5n)))],
    ],
    [
      'a mapping of structs with a text',
      mappingOf(UINT, {
        kind: 'struct',
        label: 'struct',
        slots: 3n,
        members: [{ name: 'text', slot: 2n, offset: 0, type: TEXT }],
      }),
      [keyFirst(1_000n, 5n), word(baseOf(keyFirst(1_000n, 5n)) + 2n)],
    ],
    [
      'the last of an array of mappings',
      { kind: 'fixedArray', label: '', slots: 3n, count: 3n, item: mappingOf(UINT) } as const,
      [keyFirst(1_000n, 7n)],
    ],
  ])('finds the path into %s', async (_, type, path) => {
    const slot = baseOf(path.at(-1) ?? new Uint8Array(0));
    expect(await guess(type, 5n, [slot])).toEqual(path.map((input) => toHex(input)));
    // The words of a value follow its slot, up to the next multiple of 2^64.
    expect(await guess(type, 5n, [(slot >> 64n) << 64n])).toHaveLength(path.length);
    expect(await guess(type, 5n, [((slot >> 64n) + 1n) << 64n])).toEqual([]);
  });

  it('the search skips arrays of values, and stops at the end of arrays', async () => {
    const values: StorageType = { kind: 'fixedArray', label: '', slots: 3n, count: 3n, item: UINT };
    const mappings: StorageType = {
      kind: 'fixedArray',
      label: '',
      slots: 2n,
      count: 2n,
      item: mappingOf(UINT),
    };
    expect(await guess(values, 5n, [baseOf(word(5n))])).toEqual([]);
    expect(await guess(mappings, 5n, [baseOf(keyFirst(1_000n, 7n))])).toEqual([]);
  });

  it('stops after 30,000 hashes', async () => {
    // The outer mapping and each inner mapping take 257 hashes.
    const nested = mappingOf(UINT, mappingOf(UINT));
    const inner = (outer: bigint): bigint => baseOf(keyFirst(255n, baseOf(keyFirst(outer, 5n))));
    const whole = BigInt(Math.floor((30_000 - 257) / 257));
    // The added key is the first key, followed by the small numbers.
    expect(await guess(nested, 5n, [inner(whole - 2n)])).toHaveLength(2);
    expect(await guess(nested, 5n, [inner(whole - 1n)])).toHaveLength(0);
  });

  it('stops after 200,000 visits without hashes', async () => {
    const item = mappingOf(TEXT as MappingType['key']);
    const array: StorageType = { kind: 'fixedArray', label: '', slots: 1n << 200n, count: 1n << 200n, item };
    let turns = 0;
    const countTurn = (): void => {
      turns++;
    };
    const root: StorageVariable = { name: 'root', slot: 5n, offset: 0, type: array };

    await guessKeys([root], [1n], keys, new Preimages(), countTurn);

    expect(turns).toBeLessThan(40);
  });

  it('stops if it is interrupted', async () => {
    const interrupted = (): never => {
      throw new Error('interrupted');
    };
    const root: StorageVariable = {
      name: 'root',
      slot: 5n,
      offset: 0,
      type: mappingOf(UINT, mappingOf(UINT)),
    };
    const search = guessKeys([root], [1n], keys, new Preimages(), interrupted);
    await expect(search).rejects.toThrow('interrupted');
  });
});
