import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex, toQuantity } from '../../../src/primitives/hex.ts';
import { callObject, transactionObject } from '../../../src/rpc/codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../../src/rpc/codecs/call-overrides.ts';
import { filterObject } from '../../../src/rpc/codecs/filter-object.ts';
import { detailedMineOptions, mineOptions } from '../../../src/rpc/methods/evm/mining.ts';
import { laneOptions } from '../../../src/rpc/methods/lane/lanes.ts';
import { decodeWith, refusalOf } from './decode.ts';

const account = `0x${'12'.repeat(20)}`;
const topic = `0x${'34'.repeat(32)}`;

describe('callObject', () => {
  it('decodes all fields that a client encodes', () => {
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
    const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const call = fc.record({
      from: maybe(address),
      to: maybe(address),
      gas: maybe(word),
      value: maybe(word),
      input: maybe(fc.uint8Array()),
    });
    fc.assert(
      fc.property(call, (fields) => {
        const wire = Object.fromEntries(
          Object.entries(fields)
            .filter(([, value]) => value !== null)
            .map(([name, value]) => [
              name,
              value instanceof Uint8Array ? toHex(value) : toQuantity(value ?? 0n),
            ]),
        );
        expect(decodeWith(callObject, 'call', wire)).toMatchObject(fields);
      }),
    );
  });

  it('treats null as absent and ignores unknown keys', () => {
    const decoded = decodeWith(
      callObject,
      'call',
      JSON.parse('{"to":null,"gas":null,"type":"0x2","chain":"what?","constructor":1}'),
    );
    expect(decoded).toMatchObject({ from: null, to: null, gas: null, input: null });
  });

  it('rejects a __proto__ key', () => {
    const given = JSON.parse(`{"__proto__":{"from":"${account}"}}`);
    expect(() => decodeWith(callObject, 'call', given)).toThrow(
      'invalid params: call.__proto__: expected no key with this name',
    );
  });

  it('accepts input, data, or both with the same bytes', () => {
    for (const given of [{ data: '0x1234' }, { input: '0x1234' }, { data: '0x1234', input: '0x1234' }]) {
      expect(decodeWith(callObject, 'call', given).input).toEqual(Uint8Array.of(0x12, 0x34));
    }
    expect(refusalOf(callObject, 'call', { data: '0x12', input: '0x34' })).toBe(
      'invalid params: call.input: expected only one of input and data, or the same bytes in both, got "0x34"',
    );
  });

  it.each([
    [undefined, 'params: call:'],
    ['0x', 'params: call:'],
    [[], 'params: call:'],
    [{ from: '0x12' }, 'params: call.from:'],
    [{ gas: -1 }, 'params: call.gas:'],
    [{ value: 'much' }, 'params: call.value:'],
    [{ data: '0x1' }, 'params: call.data:'],
    [
      { accessList: [{ address: account, storageKeys: ['0x1'] }] },
      'params: call.accessList[0].storageKeys[0]:',
    ],
    [{ accessList: [{}] }, 'params: call.accessList[0].address:'],
    [
      { blobVersionedHashes: [topic] },
      'params: call.to: expected an address, because a transaction with blobs',
    ],
    [{ blobVersionedHashes: ['0x00'] }, 'params: call.blobVersionedHashes[0]: expected'],
    [{ blobs: ['0x00'] }, 'params: call.blobs[0]: expected'],
    [{ maxFeePerBlobGas: 'much' }, 'params: call.maxFeePerBlobGas: expected an unsigned integer'],
    [{ chainId: 'what?' }, 'params: call.chainId: expected an unsigned integer'],
    [{ nonce: 'what?' }, 'params: call.nonce: expected '],
    [
      { gasPrice: '0x1', maxFeePerGas: '0x1' },
      'params: call.maxFeePerGas: expected only one of gasPrice and maxFeePerGas',
    ],
    [
      { gasPrice: '0x0', maxPriorityFeePerGas: '0x0' },
      'params: call.maxPriorityFeePerGas: expected only one of gasPrice and',
    ],
    [
      { type: '0x0', maxFeePerGas: '0x1' },
      'params: call.type: expected 0x2, 0x3 or 0x4, the types that have',
    ],
    [
      { type: 1, maxPriorityFeePerGas: '0x0' },
      'params: call.type: expected 0x2, 0x3 or 0x4, the types that have',
    ],
    [{ type: 'legacy' }, 'params: call.type: expected a transaction type: 0x0 to 0x7f'],
    [{ type: '0x80' }, 'params: call.type: expected a transaction type: 0x0 to 0x7f'],
  ])('rejects the call %j with the path', (value, place) => {
    expect(refusalOf(callObject, 'call', value)).toContain(place);
  });
});

describe('type of a call', () => {
  it.each([
    { type: '0x2', gasPrice: '0x1' },
    { type: '0x0', gasPrice: '0x1' },
    { type: '0x7f', maxFeePerGas: '0x1' },
    { type: null, maxFeePerGas: '0x1' },
  ])('accepts any type with other fees in a call: %j', (value) => {
    expect(() => decodeWith(callObject, 'call', value)).not.toThrow();
  });
});

describe('transactionObject', () => {
  it('requires a sender', () => {
    expect(refusalOf(transactionObject, 'transaction', { to: account })).toContain(
      'params: transaction.from:',
    );
  });

  it('reads gasLimit if gas is absent', () => {
    expect(decodeWith(transactionObject, 'transaction', { from: account, gasLimit: '0x10' }).gas).toBe(16n);
    expect(decodeWith(callObject, 'call', { gas: 7, gasLimit: '0x7' }).gas).toBe(7n);
    expect(refusalOf(transactionObject, 'transaction', { from: account, gas: 1, gasLimit: 2 })).toBe(
      'invalid params: transaction.gasLimit: expected only one of gas and gasLimit, or the same amount in both, got 2',
    );
  });

  it('accepts blobs to an account and rejects contradictory fields', () => {
    const transaction = { from: account, to: account, blobVersionedHashes: [topic] };
    expect(decodeWith(transactionObject, 'transaction', transaction).blobVersionedHashes).toHaveLength(1);
    expect(decodeWith(transactionObject, 'transaction', { from: account, blobVersionedHashes: [] }).gas).toBe(
      null,
    );
    const refusal = (fields: object): string =>
      refusalOf(transactionObject, 'transaction', { ...transaction, ...fields });
    expect(refusal({ to: null })).toContain('params: transaction.to: expected an address');
    expect(refusal({ gasPrice: '0x1' })).toContain(
      'params: transaction.gasPrice: expected no value (a transaction with blobs requires maxFeePerGas)',
    );
    expect(refusal({ type: '0x2' })).toContain('params: transaction.type: expected 0x3');
  });

  it('rejects a type that cannot be signed', () => {
    expect(refusalOf(transactionObject, 'transaction', { from: account, type: '0x7' })).toContain(
      'params: transaction.type:',
    );
  });
});

describe('blockOverrides', () => {
  it('reads number and time under the names of geth and Erigon', () => {
    const expected = { number: 100, timestamp: 1_000 };
    expect(decodeWith(blockOverrides, 'block', { number: '0x64', time: '0x3e8' })).toEqual(expected);
    expect(decodeWith(blockOverrides, 'block', { blockNumber: '0x64', timestamp: '0x3e8' })).toEqual(
      expected,
    );
  });

  it.each([
    ['number', 'blockNumber', '0x1'],
    ['time', 'timestamp', '0x1'],
    ['feeRecipient', 'coinbase', account],
    ['prevRandao', 'random', topic],
    ['baseFeePerGas', 'baseFee', '0x1'],
  ])('rejects %s together with its other name %s', (name, otherName, value) => {
    expect(refusalOf(blockOverrides, 'block', { [name]: value, [otherName]: value })).toContain(
      `invalid params: block.${otherName}: expected only one of ${name} and ${otherName}`,
    );
  });

  it('reads PREVRANDAO as a quantity too, as viem writes it', () => {
    const { prevRandao } = decodeWith(blockOverrides, 'block', { prevRandao: '0x5' });
    expect(prevRandao).toEqual(Uint8Array.of(...new Uint8Array(31), 5));
  });

  it('rejects an unknown key', () => {
    expect(refusalOf(blockOverrides, 'block', { numbr: '0x64' })).toBe(
      `invalid params: block.numbr: expected no key with this name, got "0x64"`,
    );
    expect(refusalOf(stateOverrides, 'state', { [account]: { storage: {} } })).toBe(
      `invalid params: state.${account}.storage: expected no key with this name, got an empty object`,
    );
    expect(refusalOf(blockOverrides, 'block', [])).toContain('invalid params: block');
  });
});

describe('objects with known keys only', () => {
  it.each([[null], [undefined], [5], ['0x5'], [true], [[]], [[{}]]])(
    'override and lane objects reject %j',
    (value) => {
      for (const codec of [stateOverrides, blockOverrides, laneOptions])
        expect(refusalOf(codec, 'given', value)).toMatch(/^invalid params: given: /);
      expect(refusalOf(stateOverrides, 'state', { [account]: value })).toMatch(
        new RegExp(`params: state.${account}: expected an object with`),
      );
    },
  );
});

describe('filterObject', () => {
  it('reads one or several addresses, and topics with alternatives and gaps', () => {
    const bytes = new Uint8Array(20).fill(0x12);
    const topicBytes = new Uint8Array(32).fill(0x34);
    const topics = [null, topic, [topic, topic], []];
    expect(decodeWith(filterObject, 'filter', { address: account, topics })).toMatchObject({
      address: [bytes],
      topics: [null, [topicBytes], [topicBytes, topicBytes], null],
    });
    expect(decodeWith(filterObject, 'filter', { address: [account, account] }).address).toEqual([
      bytes,
      bytes,
    ]);
  });

  it.each([
    [{ topics: [topic, '0x12'] }, 'params: filter.topics[1]:'],
    [{ topics: [[topic, '0x12']] }, 'params: filter.topics[0][1]:'],
    [{ topics: topic }, 'params: filter.topics:'],
    [{ topics: [null, null, null, null, null] }, 'params: filter.topics:'],
    [{ address: [account, 5] }, 'params: filter.address[1]:'],
    [{ address: {} }, 'params: filter.address:'],
    [{ fromBlock: 'first' }, 'params: filter.fromBlock:'],
    [{ blockHash: topic, fromBlock: '0x1' }, 'params: filter.blockHash:'],
    [null, 'params: filter:'],
  ])('rejects the filter %j with the path', (value, place) => {
    expect(refusalOf(filterObject, 'filter', value)).toContain(place);
  });
});

describe('mineOptions', () => {
  it('reads a bare timestamp and an object', () => {
    expect(decodeWith(mineOptions, 'options', 1000)).toEqual({ timestamp: 1000 });
    expect(decodeWith(mineOptions, 'options', '0x3e8')).toEqual({ timestamp: 1000 });
    expect(decodeWith(mineOptions, 'options', { blocks: 3 })).toEqual({ count: 3 });
    expect(decodeWith(mineOptions, 'options', { blocks: '0x3', timestamp: 5 })).toEqual({
      count: 3,
      timestamp: 5,
    });
  });

  it('rejects more blocks than the limit', () => {
    expect(refusalOf(mineOptions, 'options', { blocks: 10 ** 12 + 1 })).toContain('params: options.blocks:');
    expect(refusalOf(detailedMineOptions, 'options', { blocks: 100_001 })).toContain(
      'params: options.blocks:',
    );
  });
});
