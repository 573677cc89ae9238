import { type BlockSelector, LATEST } from '../../../chain/block-selector.ts';
import type { CallOverrides } from '../../../chain/execution/state-overrides.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { type CallObject, callObject } from '../../codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../codecs/call-overrides.ts';
import { arrayOf } from '../../codecs/codec.ts';
import { data, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

/** Maximum calls of a bundle. */
const MAX_CALLS = 1_000;

const calls = arrayOf(callObject, `an array of at most ${MAX_CALLS} call objects`, MAX_CALLS);

const SIMULATION_JSON_SCHEMA: JsonSchema = objectSchema({
  status: { type: 'boolean' },
  gasUsed: QUANTITY_JSON_SCHEMA,
  cumulativeGasUsed: QUANTITY_JSON_SCHEMA,
  blockNumber: QUANTITY_JSON_SCHEMA,
  type: QUANTITY_JSON_SCHEMA,
  logsBloom: data.jsonSchema,
  logs: { type: 'array' },
  trace: { type: 'array' },
});

const SIMULATED =
  'status, gas, decoded logs and calls, and `assetChanges`, `balanceChanges` and `stateChanges` (absent without changes)';

const DIFFERS =
  'Names come from the artifacts of the node. There are no prices: `dollarValue` is "0" in `balanceChanges` and absent elsewhere';

/** Simulates calls, one after another. The code of the results is loaded with the first call. */
async function simulated(
  context: RpcContext,
  given: readonly CallObject[],
  selector: BlockSelector,
  overrides: CallOverrides,
): Promise<readonly object[]> {
  const { simulateCalls } = await import('../../views/tenderly-simulation.ts');
  return simulateCalls(context, given, selector, overrides);
}

export const TENDERLY_SIMULATION: readonly Method[] = [
  /**
   * Executes a call as eth_call does, and returns decoded logs and calls, transfers of coins and tokens, and
   * changed accounts. A failed call has the status false. An invalid call rejects.
   */
  defineMethod({
    name: 'tenderly_simulateTransaction',
    summary: 'Simulates a transaction: logs, calls, and changes of assets and state',
    differs: DIFFERS,
    priority: 'low',
    params: [
      param('transaction', callObject),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('blockOverrides', blockOverrides, {}),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: { description: `The result: ${SIMULATED}`, schema: SIMULATION_JSON_SCHEMA },
    handler: async (context, call, selector, accounts, block) => {
      const [result] = await simulated(context, [call], selector, { accounts, block });
      return result;
    },
  }),
  /** As tenderly_simulateTransaction, each call on the state after the previous one, in one block. */
  defineMethod({
    name: 'tenderly_simulateBundle',
    summary: 'Simulates several transactions in one block',
    differs: DIFFERS,
    priority: 'low',
    params: [
      param('transactions', calls),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('blockOverrides', blockOverrides, {}),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: {
      description: `The result of each transaction: ${SIMULATED}`,
      schema: { type: 'array', items: SIMULATION_JSON_SCHEMA },
    },
    handler: (context, given, selector, accounts, block) =>
      simulated(context, given, selector, { accounts, block }),
  }),
];
