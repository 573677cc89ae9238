import { CallRejectedError, EstimateFailedError } from '../../../chain/errors.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { intrinsicGas } from '../../../protocol/intrinsic-gas.ts';
import { blockSelector, PENDING } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../codecs/call-overrides.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { executionErrorOf } from '../../execution-error.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { callMessage } from '../../transaction-request.ts';

/**
 * The least gas with which a message succeeds, by default in the next block, after what waits in the pool. The sender's
 * balance is not looked at, except in the dialect anvil, nor, as on the network, the gas that the caller gives; with
 * `--compat anvil` or `hardhat` that is the most that is tried. A message that always fails is an error as in
 * `eth_call`, except on a hosted node, which gives an estimate in every case. Accounts and the block may be overridden
 * for this once.
 */
export const eth_estimateGas = defineMethod({
  name: 'eth_estimateGas',
  summary: 'The gas that a transaction needs',
  params: [
    param('call', callObject),
    optional('block', blockSelector, PENDING),
    optional('stateOverrides', stateOverrides, []),
    optional('blockOverrides', blockOverrides, {}),
  ],
  result: { description: 'The gas', schema: QUANTITY_JSON_SCHEMA },
  example: {
    params: [
      {
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        value: '0x1',
      },
    ],
    result: '0x5208',
  },
  handler: async (context, call, block, accounts, environment) => {
    const { chain, settings, checkInterrupt } = context;
    const overrides = { accounts, block: environment };
    const asked = callMessage(context, call);
    const message = settings.compat.estimateKeepsToGas ? asked : { ...asked, gasLimit: null };
    try {
      return toQuantity(await chain.calls.estimateGas(message, block, overrides, checkInterrupt));
    } catch (error) {
      if (error instanceof EstimateFailedError) {
        if (settings.hosted) return toQuantity(error.result.gasBeforeRefund);
        throw executionErrorOf(settings.compat, error.result);
      }
      if (error instanceof CallRejectedError && settings.hosted) {
        const least = intrinsicGas(chain.ruleSet, message);
        const most = chain.fees.nextLimits().transactionGasLimit;
        return toQuantity(most > least ? most : least);
      }
      throw error;
    }
  },
});
