import { TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { type TypedData, type TypedDataField, typedDataHash } from '../../src/wallet/typed-data.ts';

const hexOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);

/** Types without members, each with its values. */
const ATOMS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  uint8: fc.integer({ min: 0, max: 255 }),
  uint256: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  int256: fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }).map(String),
  bool: fc.boolean(),
  address: hexOf(20),
  bytes: fc.uint8Array({ maxLength: 70 }).map(toHex),
  bytes4: hexOf(4),
  bytes32: hexOf(32),
  string: fc.string({ unit: 'grapheme', maxLength: 40 }),
};

interface Sample {
  readonly types: Readonly<Record<string, readonly TypedDataField[]>>;
  readonly message: fc.Arbitrary<Readonly<Record<string, unknown>>>;
}

/** Array suffixes of a type: no array, any length, two items, or both. */
const SUFFIXES = ['', '[]', '[2]', '[2][]'] as const;

function arbitraryOf(item: fc.Arbitrary<unknown>, suffix: (typeof SUFFIXES)[number]): fc.Arbitrary<unknown> {
  const pair = (value: fc.Arbitrary<unknown>) => fc.array(value, { minLength: 2, maxLength: 2 });
  switch (suffix) {
    case '':
      return item;
    case '[]':
      return fc.array(item, { maxLength: 3 });
    case '[2]':
      return pair(item);
    case '[2][]':
      return fc.array(pair(item), { maxLength: 2 });
  }
}

const NAMES = ['Zebra', 'Apple', 'Mail'] as const;
const PRIMARY = 'Mail';

/** Three struct types. The last one has members of the other two, so that all are used. */
const sample: fc.Arbitrary<Sample> = fc
  .array(
    fc.array(fc.tuple(fc.constantFrom(...Object.keys(ATOMS)), fc.constantFrom(...SUFFIXES)), {
      minLength: 1,
      maxLength: 4,
    }),
    { minLength: NAMES.length, maxLength: NAMES.length },
  )
  .map((members) => {
    const types: Record<string, TypedDataField[]> = {};
    const values: Record<string, fc.Arbitrary<Readonly<Record<string, unknown>>>> = {};
    for (const [position, name] of NAMES.entries()) {
      const fields: TypedDataField[] = [];
      const record: Record<string, fc.Arbitrary<unknown>> = {};
      const add = (type: string, suffix: (typeof SUFFIXES)[number], value: fc.Arbitrary<unknown>) => {
        const field = `member${fields.length}`;
        fields.push({ name: field, type: `${type}${suffix}` });
        record[field] = arbitraryOf(value, suffix);
      };
      for (const [type, suffix] of members[position] ?? [])
        add(type, suffix, ATOMS[type] ?? fc.constant(null));
      if (name === PRIMARY) {
        add('Zebra', '[]', values.Zebra ?? fc.constant(null));
        add('Apple', '', values.Apple ?? fc.constant(null));
      }
      types[name] = fields;
      values[name] = fc.record(record, { noNullPrototype: true });
    }
    return { types, message: values[PRIMARY] ?? fc.constant({}) };
  });

const domain = fc.record(
  {
    name: fc.string({ maxLength: 20 }),
    version: fc.string({ maxLength: 5 }),
    chainId: fc.integer({ min: 0, max: 2 ** 31 }),
    verifyingContract: hexOf(20),
    salt: hexOf(32),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const withMessage = sample.chain(({ types, message }) =>
  fc.record({ types: fc.constant(types), message, domain }, { noNullPrototype: true }),
);

const MAIL: TypedData = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};

/** The hash of data, computed without yields. */
function hashOf(data: TypedData): Uint8Array {
  return finish(typedDataHash(data));
}

/** Typed data with one member of a type. */
function single(type: string, value: unknown): TypedData {
  return {
    types: { Thing: [{ name: 'it', type }] },
    primaryType: 'Thing',
    domain: {},
    message: { it: value },
  };
}

describe('typedDataHash', () => {
  it('returns the hash of the EIP-712 example', () => {
    expect(toHex(hashOf(MAIL))).toBe('0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2');
  });

  it('returns the same hash as ethers for random types and values', () => {
    fc.assert(
      fc.property(withMessage, ({ types, message, domain: ofDomain }) => {
        const expected = TypedDataEncoder.hash(
          ofDomain,
          Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]])),
          message,
        );
        expect(toHex(hashOf({ types, primaryType: PRIMARY, domain: ofDomain, message }))).toBe(expected);
      }),
      { numRuns: 300, seed: 712 },
    );
  });

  it('ignores the message if the primary type is the domain', () => {
    const alone = hashOf({ ...MAIL, primaryType: 'EIP712Domain' });
    expect(alone).toEqual(hashOf({ ...MAIL, primaryType: 'EIP712Domain', message: {} }));
    expect(alone).not.toEqual(hashOf(MAIL));
  });

  it('treats a missing struct as zero, so that types can be recursive', () => {
    const types = {
      Person: [
        { name: 'name', type: 'string' },
        { name: 'mother', type: 'Person' },
      ],
    };
    const hash = (message: TypedData['message']) =>
      hashOf({ types, primaryType: 'Person', domain: {}, message });
    expect(hash({ name: 'a', mother: { name: 'b' } })).toEqual(
      hash({ name: 'a', mother: { name: 'b', mother: null } }),
    );
    expect(hash({ name: 'a' })).not.toEqual(hash({ name: 'a', mother: { name: 'b' } }));
  });

  it.each([
    ['0x10', 16],
    ['16', 16],
    [16n, 16],
  ])('reads the integer %s as %i', (given, number) => {
    expect(hashOf(single('uint256', given))).toEqual(hashOf(single('uint256', number)));
  });

  it.each([
    ['uint8', 256],
    ['uint8', -1],
    ['int8', 128],
    ['int8', '-129'],
    ['uint256', 1.5],
    ['uint256', 'ten'],
    ['uint256', null],
    ['uint256', 2 ** 60],
    ['uint7', 1],
    ['uint264', 1],
    ['uint', 1],
    ['bytes33', '0x00'],
    ['bytes4', '0x0102'],
    ['bytes', 'text'],
    ['bytes', '0x1'],
    ['address', '0x01'],
    ['bool', 'true'],
    ['string', 5],
    ['string', undefined],
    ['uint8[2]', [1]],
    ['uint8[]', 1],
    ['uint8[', []],
    ['Other', {}],
    ['__proto__', {}],
    ['toString', {}],
  ])('rejects a member of type %s with the value %j', (type, value) => {
    expect(() => hashOf(single(type, value))).toThrow(/^Invalid typed data: .*(it|known)/);
  });

  it('rejects an unknown primary type and a struct that is no object', () => {
    expect(() => hashOf({ ...MAIL, primaryType: 'Letter' })).toThrow(/unknown type "Letter"/);
    const message = { ...MAIL.message, to: 'Bob' };
    expect(() => hashOf({ ...MAIL, message })).toThrow(/message\.to must be an object/);
  });

  it('rejects deeply nested data', async () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 5_000; depth++) nested = [nested];
    const hash = async () => hashOf(single(`uint8${'[]'.repeat(5_000)}`, nested));
    await expect(hash).rejects.toThrow(/nested deeper/);
  });

  it('hashes 130,000 items and yields', async () => {
    const items = Array.from({ length: 130_000 }, (_, index) => index % 256);
    let turns = 0;
    const data = single('uint8[]', items);
    const hash = await runTask(typedDataHash(data), new TimeSlice(() => void turns++));
    expect(turns).toBeGreaterThan(10);
    const types = { Thing: [{ name: 'it', type: 'uint8[]' }] };
    expect(toHex(hash)).toBe(TypedDataEncoder.hash({}, types, data.message));
  });
});

describe('typedDataHash of mutually recursive structs', () => {
  /** Types that all refer to each other, and a message with a value of each type. */
  function entangled(count: number): TypedData {
    const names = Array.from({ length: count }, (_, at) => `T${at}`);
    const fields = names.map((name) => ({ name: name.toLowerCase(), type: name }));
    const types = Object.fromEntries(names.map((name) => [name, fields]));
    const message = Object.fromEntries(fields.map(({ name }) => [name, {}]));
    return { types, primaryType: 'T0', domain: {}, message };
  }

  it('hashes structs with short type texts', async () => {
    expect(hashOf(entangled(20)).length).toBe(32);
  });

  it('rejects type texts with too many fields', async () => {
    const hash = async () => hashOf(entangled(100));
    await expect(hash).rejects.toThrow('are too large');
  });

  it('rejects long type texts', async () => {
    const name = 'n'.repeat(100_000);
    const types = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `T${at}`,
        at === 0
          ? Array.from({ length: 299 }, (_, index) => ({ name: `f${index}`, type: `T${index + 1}` }))
          : [{ name, type: 'uint256' }],
      ]),
    );
    const hash = async () => hashOf({ types, primaryType: 'T0', domain: {}, message: {} });
    await expect(hash).rejects.toThrow('are too large');
  });
});
