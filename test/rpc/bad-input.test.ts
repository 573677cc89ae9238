import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { increaseTime } from '../../src/chain/mining-controls.ts';
import { CodedError } from '../../src/primitives/coded-error.ts';
import type { Method } from '../../src/rpc/method.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { badValues } from './bad-values.ts';
import { createExampleChain, type ExampleChain } from './example-chain.ts';
import { exampleOf } from './method-examples.ts';
import { createRpcHarness, testConnection } from './rpc-harness.ts';

const word = (digits: string, length: number) => `0x${digits.repeat(length)}`;

const odd = fc.constantFrom<unknown>(
  '',
  '0x',
  '0X1',
  '0x1',
  '0x123',
  '-0x1',
  'latest',
  'pending',
  'earliest',
  'newHeads',
  'logs',
  -1,
  0,
  1.5,
  1e300,
  null,
  true,
  {},
  [],
  [[]],
  { blockHash: null },
  { __proto__: null, constructor: 1 },
  JSON.parse('{"__proto__":{"x":1}}'),
  word('ff', 20),
  word('ff', 32),
  word('ff', 33),
  word('00', 32),
  word('Ab', 20),
  '1'.repeat(100),
);

const callFields = fc.record(
  {
    from: odd,
    to: odd,
    gas: odd,
    gasPrice: odd,
    maxFeePerGas: odd,
    value: odd,
    data: odd,
    input: odd,
    nonce: odd,
    fromBlock: odd,
    toBlock: odd,
    address: odd,
    topics: fc.array(odd),
    accessList: fc.array(odd),
    type: odd,
  },
  { requiredKeys: [] },
);

const anything = fc.oneof(odd, callFields, fc.jsonValue() as fc.Arbitrary<unknown>);

it('every method returns a result or a concise error for random parameters', async () => {
  const harness = await createRpcHarness();
  const names = METHODS.map(({ name }) => name);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.oneof(fc.array(anything, { maxLength: 4 }), callFields, odd),
      async (method, params) => {
        const outcome = await harness.call(method, params, testConnection('websocket')).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (outcome === undefined) return;
        if (!(outcome instanceof CodedError)) throw outcome;
        expect(outcome.code).not.toBe(-32603);
        expect(outcome.message.length).toBeLessThan(600);
      },
    ),
    { numRuns: 3_000 },
  );
});

/** Rejected parameters, and the path in the error. */
interface BadParams {
  readonly place: string;
  readonly params: unknown;
}

/** Invalid parameters, each wrong at one path. The other parameters come from the example of the method. */
function badParams({ name: method, params }: Method): BadParams[] {
  const good: unknown[] = params.map((_, position) => exampleOf(method).params[position] ?? null);
  const missing = params.flatMap(({ name, fallback }, position) =>
    fallback === undefined
      ? [
          { place: name, params: good.slice(0, position) },
          { place: name, params: good.with(position, null) },
        ]
      : [],
  );
  const surplus = [
    { place: `params[${params.length}]`, params: [...good, 'surplus'] },
    { place: 'surplus', params: { surplus: 1 } },
    { place: '__proto__', params: JSON.parse('{"__proto__":{}}') },
    { place: 'params', params: 'text' },
  ];
  const wrong = params.flatMap(({ name, codec }, position) =>
    badValues(codec.jsonSchema, name).map(({ place, value }) => ({
      place,
      params: good.with(position, value),
    })),
  );
  return [...missing, ...surplus, ...wrong];
}

/** The state that a rejected call must not change. */
async function condition({ chain }: ExampleChain): Promise<unknown> {
  return {
    head: chain.head().hash,
    pool: chain.pool.version,
    mode: chain.miner.mode,
    offset: await chain.change(increaseTime(0)),
    accounts: chain.wallet.addresses(),
  };
}

describe('bad parameters', () => {
  it.each(METHODS.map((method) => [method.name, method] as const))(
    '%s reports the path of an invalid parameter and changes no state',
    async (name, method) => {
      const example = await createExampleChain();
      const { before: steps = [], option } = exampleOf(name);
      for (const { method: earlier, params } of option === undefined ? steps : [])
        await example.call(earlier, params);
      const before = await condition(example);
      for (const { place, params } of badParams(method)) {
        const outcome = await example.call(name, params).then(
          (result) => ({ result }),
          (error: unknown) => error,
        );
        expect(outcome, `${name} with ${JSON.stringify(params)}`).toMatchObject({
          code: -32602,
          message: expect.stringContaining(`invalid params: ${place}`),
        });
      }
      expect(await condition(example)).toEqual(before);
    },
  );

  it('the invalid parameters cover every kind of client mistake', () => {
    const texts = METHODS.flatMap((method) => badParams(method).map(({ params }) => JSON.stringify(params)));
    for (const wrong of ['-1', '0X', '0x123', '-0x1', '"newest"', '__proto__', `"0x1${'0'.repeat(64)}"`]) {
      expect(
        texts.some((text) => text.includes(wrong)),
        wrong,
      ).toBe(true);
    }
  });
});
