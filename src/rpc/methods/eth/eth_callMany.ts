import { CallRejectedError } from '../../../chain/errors.ts';
import type { ExecutionResult } from '../../../evm/engine.ts';
import { toHex } from '../../../primitives/hex.ts';
import { LATEST } from '../../codecs/block-selector.ts';
import { callBundles, callContext } from '../../codecs/call-bundles.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import type { Compat } from '../../compat.ts';
import { executionErrorOf } from '../../execution-error.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { callMessage } from '../../transaction-request.ts';

function outcomeView(compat: Compat, outcome: ExecutionResult | CallRejectedError): unknown {
  if (outcome instanceof CallRejectedError) return { error: outcome.message };
  if (outcome.outcome === 'success') return { value: toHex(outcome.returnData) };
  return { error: executionErrorOf(compat, outcome).message };
}

/**
 * Runs bundles of calls one after the other, each call on the state that the one before left, without changing
 * anything. They begin at the end of a block, or before one of its transactions. A call that fails gives an `error` in
 * words in the place of its `value`, and the next one goes on.
 */
export const eth_callMany = defineMethod({
  name: 'eth_callMany',
  summary: 'Runs several calls, each on what the ones before left',
  params: [
    param('bundles', callBundles),
    optional('context', callContext, { selector: LATEST, transactionIndex: null }),
    optional('stateOverrides', stateOverrides, []),
  ],
  result: {
    description: 'For each bundle the value or the error of each of its calls',
    schema: { type: 'array', items: { type: 'array', items: { type: 'object' } } },
  },
  example: {
    params: [
      [
        {
          transactions: [
            { to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', data: '0xd09de08a' },
            { to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', data: '0x06661abd' },
          ],
        },
      ],
      { blockNumber: 'latest' },
    ],
    result: [
      [{ value: '0x' }, { value: '0x000000000000000000000000000000000000000000000000000000000000002b' }],
    ],
  },
  handler: async (context, bundles, start, accounts) => {
    const { chain, settings, checkInterrupt } = context;
    const requests = bundles.map(({ calls, block }, bundle) => ({
      messages: calls.map((call, index) =>
        callMessage(context, call, `bundles[${bundle}].transactions[${index}]`),
      ),
      block,
    }));
    const results = await chain.simulation.bundles(requests, { ...start, accounts }, checkInterrupt);
    return results.map((ofBundle) => ofBundle.map((outcome) => outcomeView(settings.compat, outcome)));
  },
});
