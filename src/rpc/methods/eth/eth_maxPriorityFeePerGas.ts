import { toQuantity } from '../../../primitives/hex.ts';
import { SUGGESTED_PRIORITY_FEE } from '../../../protocol/fees.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod } from '../../method.ts';

/**
 * What a transaction should offer above the base fee. Where there is none, all of the gas price goes to the miner, so
 * that is the answer; clients tell from the blocks that they have to send legacy transactions.
 */
export const eth_maxPriorityFeePerGas = defineMethod({
  name: 'eth_maxPriorityFeePerGas',
  summary: 'The priority fee per gas in wei that a transaction should offer',
  params: [],
  result: { description: 'Wei per gas', schema: QUANTITY_JSON_SCHEMA },
  example: { params: [], result: '0x0' },
  handler: ({ chain }) =>
    toQuantity(chain.ruleSet.hasBaseFee ? SUGGESTED_PRIORITY_FEE : chain.fees.gasPrice()),
});
