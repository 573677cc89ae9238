import { NoAccountError, TransactionIndexError } from '../../../chain/errors.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { address, hash32, storageSlot } from '../../codecs/data.ts';
import { index, pageSize } from '../../codecs/quantity.ts';
import { PartialStateError } from '../../errors.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';
import { storageRangeView } from '../../views/storage-range.ts';

/**
 * The storage of a contract as it stands in a block before the transaction at an index, from the slot on whose hash is
 * not below the start: as many slots as asked for, and the hash of the next one. An index that no transaction of the block
 * has is refused, but for 0 in a block without any, and so is an address without an account.
 */
export const debug_storageRangeAt = defineMethod({
  name: 'debug_storageRangeAt',
  summary: 'The storage of a contract inside a block, slot by slot',
  params: [
    param('block', blockSelector),
    param('transactionIndex', index),
    param('address', address),
    param('start', storageSlot),
    param('limit', pageSize),
  ],
  result: {
    description: 'Slots and values by the hash of the slot, and where to go on',
    schema: {
      type: 'object',
      properties: { storage: { type: 'object' }, nextKey: orNull(hash32.jsonSchema) },
      required: ['storage', 'nextKey'],
    },
  },
  example: {
    params: [
      '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
      0,
      '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
      '0x0',
      10,
    ],
    result: {
      storage: {
        '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563': {
          key: '0x0000000000000000000000000000000000000000000000000000000000000000',
          value: '0x000000000000000000000000000000000000000000000000000000000000002a',
        },
      },
      nextKey: null,
    },
  },
  handler: async (context, selector, transactionIndex, contract, start, limit) => {
    const block = await requireBlock(context, selector);
    const { chain, checkInterrupt } = context;
    const count = block.transactions.length;
    if (transactionIndex > 0 && transactionIndex >= count)
      throw new TransactionIndexError(transactionIndex, block.header.number, count);
    const state = await chain.simulation.stateBefore(block, transactionIndex, checkInterrupt);
    const account = state.account(contract);
    if (account === undefined) throw new NoAccountError(contract);
    if (account.storageElsewhere !== undefined)
      throw new PartialStateError('storage of a contract of the upstream');
    return storageRangeView(account.storage, start, limit);
  },
});
