import { toHex } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../codecs/call-overrides.ts';
import { data } from '../../codecs/data.ts';
import { executionErrorOf } from '../../execution-error.ts';
import { defineMethod, optional, param, peerOptional } from '../../method.ts';
import { callMessage } from '../../transaction-request.ts';

/**
 * Runs a message on the state after a block without changing anything and gives what it returns. A revert is an error
 * with its reason and data. So is any other failure, in words and without data, except on a hosted node, which answers
 * `0x` to it. Without `to` the data run as the code of a creation. Accounts and the block may be overridden for this
 * once.
 */
export const eth_call = defineMethod({
  name: 'eth_call',
  summary: 'Runs a call without changing anything',
  params: [
    param('call', callObject),
    peerOptional('block', blockSelector, LATEST),
    optional('stateOverrides', stateOverrides, []),
    optional('blockOverrides', blockOverrides, {}),
  ],
  result: { description: 'What the call returns', schema: data.jsonSchema },
  example: {
    params: [{ to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', data: '0x06661abd' }, 'latest'],
    result: '0x000000000000000000000000000000000000000000000000000000000000002a',
  },
  handler: async (context, call, block, accounts, environment) => {
    const { chain, settings, checkInterrupt } = context;
    const overrides = { accounts, block: environment };
    const result = await chain.calls.call(callMessage(context, call), block, overrides, checkInterrupt);
    if (result.outcome === 'success') return toHex(result.returnData);
    if (result.outcome === 'halt' && settings.hosted) return '0x';
    throw executionErrorOf(settings.compat, result);
  },
});
