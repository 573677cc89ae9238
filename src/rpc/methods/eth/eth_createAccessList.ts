import { toQuantity } from '../../../primitives/hex.ts';
import { blockSelector, PENDING } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { executionErrorOf } from '../../execution-error.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { callMessage } from '../../transaction-request.ts';
import { accessListView } from '../../views/transaction.ts';

/**
 * The access list (EIP-2930) of what a message touches, without its sender, its recipient, precompiles and the console,
 * which cost nothing to touch or are not there; and the gas that it uses with this list. Under rule sets without access
 * lists the gas is that of the message as it is. A message that fails has its list too, and an `error` in words. By default
 * it runs in the next block, after what waits in the pool.
 */
export const eth_createAccessList = defineMethod({
  name: 'eth_createAccessList',
  summary: 'The accounts and storage that a call touches',
  params: [
    param('call', callObject),
    optional('block', blockSelector, PENDING),
    optional('stateOverrides', stateOverrides, []),
  ],
  result: {
    description: 'The access list, the gas used with it, and the error of a call that fails',
    schema: {
      type: 'object',
      properties: {
        accessList: { type: 'array', items: { type: 'object' } },
        gasUsed: QUANTITY_JSON_SCHEMA,
        error: { type: 'string' },
      },
      required: ['accessList', 'gasUsed'],
    },
  },
  example: {
    params: [{ to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', data: '0x06661abd' }, 'latest'],
    result: {
      accessList: [
        {
          address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          storageKeys: ['0x0000000000000000000000000000000000000000000000000000000000000000'],
        },
      ],
      gasUsed: '0x53af',
    },
  },
  handler: async (context, call, block, accounts) => {
    const { chain, settings, checkInterrupt } = context;
    const overrides = { accounts, block: {} };
    const { accessList, result } = await chain.simulation.accessList(
      callMessage(context, call),
      block,
      overrides,
      checkInterrupt,
    );
    const failure =
      result.outcome === 'success' ? {} : { error: executionErrorOf(settings.compat, result).message };
    return { accessList: accessListView(accessList), gasUsed: toQuantity(result.gasUsed), ...failure };
  },
});
