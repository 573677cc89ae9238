import type { Abi, AbiEvent, AbiFunction, AbiParameter } from 'abitype';
import fc from 'fast-check';
import { concatHex, encodeEventTopics, type Hex, keccak256, parseAbi, toHex } from 'viem';
import { encodeFunctionData, toFunctionSelector } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { ArtifactBoundError } from '../../src/artifacts/artifact-bound.ts';
import { AbiTable } from '../../src/artifacts/decoding.ts';
import { abiOf } from '../../src/artifacts/formats/contract-json.ts';
import { wellKnown } from '../../src/artifacts/well-known.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import { BRIDGE_METHODS } from '../../src/rootstock/bridge/bridge-contract.ts';
import { bytesOf, encoded, samples, textOf } from './abi-samples.ts';

function functionOf(inputs: readonly AbiParameter[], outputs: readonly AbiParameter[] = []): AbiFunction {
  return { type: 'function', name: 'f', stateMutability: 'nonpayable', inputs, outputs };
}

function tableOf(...signatures: readonly string[]): AbiTable {
  return tableOfAbi(parseAbi(signatures as readonly string[] & readonly [string]) as Abi);
}

function tableOfAbi(abi: Abi): AbiTable {
  return finish(AbiTable.read(abi, []));
}

const word = (value: number | bigint): Hex => toHex(value, { size: 32 });

describe('AbiTable', () => {
  it('decodes values of any type that viem encodes', () => {
    const isSame = fc.property(fc.array(samples, { minLength: 1, maxLength: 4 }), (list) => {
      const parameters = list.map(({ parameter }) => parameter);
      const entry = functionOf(parameters, parameters);
      const table = tableOfAbi([
        entry,
        { type: 'constructor', stateMutability: 'payable', inputs: parameters },
      ]);
      const [selector = '0x'] = table.functions.keys();
      const data = fromHex(encoded(list));
      const call = fromHex(concatHex([selector as Hex, encoded(list)]));
      const expected = list.map(({ text }) => text);
      expect(table.call(call)?.parameters.map(textOf)).toEqual(expected);
      expect(table.result(call, data)?.map(textOf)).toEqual(expected);
      expect(table.constructorArguments(data)?.map(textOf)).toEqual(expected);
      expect(table.call(call)?.parameters.map(({ name, type }) => ({ name, type }))).toEqual(
        parameters.map(({ name, type }) => ({ name, type })),
      );
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('decodes or rejects any call data in bounded time', () => {
    const isAnswered = fc.property(
      fc.array(samples, { minLength: 1, maxLength: 3 }),
      fc.array(fc.oneof(fc.nat(300).map(word), bytesOf(32)), { maxLength: 30 }),
      (list, words) => {
        const parameters = list.map(({ parameter }) => parameter);
        const table = tableOfAbi([functionOf(parameters)]);
        const [selector = '0x'] = table.functions.keys();
        table.call(fromHex(concatHex([selector as Hex, ...words])));
      },
    );
    fc.assert(isAnswered, { numRuns: 500 });
  });

  it('rejects data that refer to the same long item repeatedly', () => {
    const pointers = 1_500;
    const item = [word(32 * 1_000), ...new Array(1_000).fill(word(7))];
    const data = concatHex([
      word(32),
      word(pointers),
      ...new Array(pointers).fill(word(32 * pointers)),
      ...item,
    ]);
    const table = tableOf('function f(bytes[] list)');
    expect(table.call(fromHex(concatHex([toFunctionSelector('f(bytes[])'), data])))).toBeNull();
  });

  it('rejects counts of zero-size items above the limit', () => {
    for (const item of [
      'uint256[0][]',
      'tuple[]',
      'tuple[][]',
      'uint256[0][1000000000]',
      'string[1000000000]',
    ]) {
      const parameter = item.startsWith('tuple') ? { type: item, components: [] } : { type: item };
      const table = tableOfAbi([functionOf([parameter])]);
      const [selector = '0x'] = table.functions.keys();
      const data = concatHex([selector as Hex, word(32), word(2n ** 32n - 1n), word(0), word(0)]);
      expect(table.call(fromHex(data))).toBeNull();
    }
  });

  it('distinguishes overloaded functions, and empty results of functions with and without outputs', () => {
    const table = tableOf(
      'function f(uint256 a) returns (bool)',
      'function f(string a)',
      'fallback() external payable',
    );
    const call = fromHex(encodeFunctionData({ abi: parseAbi(['function f(string a)']), args: ['x'] }));
    expect(table.call(call)).toEqual({
      name: 'f',
      signature: 'f(string)',
      parameters: [{ name: 'a', type: 'string', value: 'x' }],
    });
    expect(table.result(call, new Uint8Array())).toEqual([]);
    const other = fromHex(encodeFunctionData({ abi: parseAbi(['function f(uint256 a)']), args: [1n] }));
    expect(table.result(other, new Uint8Array())).toBeNull();
    expect(table.hasFallback && table.isFallbackPayable).toBe(true);
    expect(table.call(new Uint8Array([1, 2, 3]))).toBeNull();
  });

  it('returns the topic hash for an indexed value longer than a word', () => {
    const signature =
      'event E(string indexed text, uint256 amount, uint8[2] indexed pair, address indexed who)';
    const [event] = parseAbi([signature]);
    const hash = keccak256(toHex('text'));
    const who = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const topics = [
      ...(encodeEventTopics({ abi: [event], eventName: 'E' }) as [Hex]),
      hash,
      hash,
      word(BigInt(who)),
    ].map(fromHex);
    expect(tableOf(signature).event({ topics, data: fromHex(word(5)) })?.parameters).toEqual([
      { name: 'text', type: 'bytes32', value: hash },
      { name: 'amount', type: 'uint256', value: '5' },
      { name: 'pair', type: 'bytes32', value: hash },
      { name: 'who', type: 'address', value: who },
    ]);
  });

  it('decodes an anonymous event if no other anonymous event matches', () => {
    const anonymous = (name: string): AbiEvent => ({
      type: 'event',
      name,
      anonymous: true,
      inputs: [
        { name: 'first', type: 'uint256', indexed: true },
        { name: 'second', type: 'uint256', indexed: false },
      ],
    });
    const log = { topics: [fromHex(word(1))], data: fromHex(word(2)) };
    const decoded = tableOfAbi([anonymous('E')]).event(log);
    expect(decoded?.parameters.map(({ name, value }) => `${name} ${String(value)}`)).toEqual([
      'first 1',
      'second 2',
    ]);
    expect(tableOfAbi([anonymous('E'), anonymous('F')]).event(log)).toBeNull();
    expect(tableOfAbi([anonymous('E')]).event({ topics: [], data: log.data })).toBeNull();
    // A named event must match topic 0.
    const named: AbiEvent = { ...anonymous('E'), anonymous: false };
    expect(tableOfAbi([named]).event(log)).toBeNull();
  });

  it('rejects an ABI with more than 64 levels of nested structs', () => {
    const nested = (levels: number): object => {
      let inner: object = { name: '', type: 'uint8' };
      for (let level = 0; level < levels; level++) inner = { name: '', type: 'tuple', components: [inner] };
      return { type: 'function', name: 'f', inputs: [inner], outputs: [] };
    };
    const read = (levels: number): number => finish(abiOf([nested(levels)])).length;
    expect(read(64)).toBe(1);
    expect(() => read(65)).toThrow(ArtifactBoundError);
  });

  it('ignores entries with a type of more than 256 characters', () => {
    const entry = (dimensions: number): object => ({
      type: 'function',
      name: 'f',
      inputs: [{ name: '', type: `uint8${'[]'.repeat(dimensions)}` }],
      outputs: [],
    });
    const read = (dimensions: number): number => finish(abiOf([entry(dimensions)])).length;
    expect([read(125), read(126)]).toEqual([1, 0]);
  });

  it('ignores invalid entries of an ABI', () => {
    const [good] = parseAbi(['function f(uint256 a)']);
    const damaged = [
      null,
      7,
      { type: 'function' },
      { type: 'function', name: 'g', inputs: [{ type: 5 }], outputs: [] },
      { type: 'function', name: 'g', inputs: [], outputs: 'none' },
      { type: 'event', name: {}, inputs: [] },
      { type: 'function', name: 'h', inputs: [{ type: `uint${'[]'.repeat(50_000)}` }], outputs: [] },
      good,
    ];
    const table = tableOfAbi(finish(abiOf(damaged)));
    expect(table.functions.get('0xb3de648b')?.entry).toEqual(good);
    expect(finish(abiOf('none'))).toEqual([]);
  });
});

describe('the well-known ABI entries', () => {
  it('contain every method of the Bridge with its selector', () => {
    const unknown = BRIDGE_METHODS.filter(({ selector }) => !wellKnown.table.functions.has(toHex(selector)));
    expect(unknown.map(({ name }) => name)).toEqual([]);
    for (const { name, selector } of BRIDGE_METHODS) {
      expect(wellKnown.table.functions.get(toHex(selector))?.entry.name).toBe(name);
    }
  });

  it('contain no duplicate selectors', () => {
    const named = (kind: string): string[] =>
      wellKnown.abi.flatMap((entry) => (entry.type === kind && 'name' in entry ? [entry.name] : []));
    expect(wellKnown.table.functions.size).toBe(named('function').length);
    expect(wellKnown.table.errors.size).toBe(named('error').length);
    const events = [...wellKnown.table.events.values()];
    expect(events.flat()).toHaveLength(named('event').length);
    for (const sharing of events) {
      const counts = sharing.map(({ entry: { inputs } }) => inputs.filter((input) => input.indexed).length);
      expect(new Set(counts).size).toBe(counts.length);
    }
  });

  it.each([
    ['transfer', '0xa9059cbb'],
    ['permit', '0xd505accf'],
    ['aggregate', '0x252dba42'],
    ['tryAggregate', '0xbce38bd7'],
    ['tryBlockAndAggregate', '0x399542e9'],
    ['blockAndAggregate', '0xc3077fa9'],
    ['aggregate3', '0x82ad56cb'],
    ['aggregate3Value', '0x174dea71'],
    ['getEthBalance', '0x4d2301cc'],
    ['permitTransferFrom', '0x30f28b7a'],
    ['permit', '0x2b67b570'],
    ['approve', '0x87517c45'],
    ['transferFrom', '0x36c78516'],
    ['deployCreate', '0x27fe1822'],
    ['deployCreate2', '0x26307668'],
    ['deployCreate3', '0x9c36a286'],
    ['handleOps', '0x765e827f'],
    ['handleAggregatedOps', '0xdbed18e0'],
    ['depositTo', '0xb760faf9'],
    ['validateUserOp', '0x19822f7c'],
  ])('contain %s with its published selector %s', (name, selector) => {
    expect(wellKnown.table.functions.get(selector)?.entry.name).toBe(name);
  });

  it.each([
    ['FailedOp', '0x220266b6'],
    ['FailedOpWithRevert', '0x65c8fd4d'],
    ['ERC20InsufficientBalance', '0xe450d38c'],
    ['OwnableUnauthorizedAccount', '0x118cdaa7'],
  ])('contain the error %s with the selector %s', (name, selector) => {
    expect(wellKnown.table.errors.get(selector)?.entry.name).toBe(name);
  });

  it.each([
    ['Transfer', '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
    ['UserOperationEvent', '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'],
  ])('contain the event %s with the topic %s', (name, topic) => {
    expect(wellKnown.table.events.get(topic)?.[0]?.entry.name).toBe(name);
  });
});
