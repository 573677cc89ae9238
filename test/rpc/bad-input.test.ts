import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CodedError } from '../../src/primitives/coded-error.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
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

it('whatever the parameters, a method answers or says what is wrong with them', async () => {
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
    { numRuns: 3_000, seed: 33 },
  );
});
