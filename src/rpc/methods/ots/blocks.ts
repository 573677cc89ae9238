import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { hash32 } from '../../codecs/data.ts';
import { index, pageSize } from '../../codecs/quantity.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { blockDetailsView, blockTransactionsView, otterscanOptions } from '../../views/otterscan.ts';

/** The level that the explorer Otterscan asks for before it talks to a node. */
const API_LEVEL = 8;

export const OTS_BLOCKS: readonly Method[] = [
  /** The version of the methods `ots_…` that the node has, by which the block explorer Otterscan knows it. */
  defineMethod({
    name: 'ots_getApiLevel',
    summary: 'The version of the methods for the explorer Otterscan',
    params: [],
    result: { description: 'The version', schema: { type: 'integer' } },
    handler: () => API_LEVEL,
  }),
  /** A block by number without its transactions, and what their senders paid for gas. */
  defineMethod({
    name: 'ots_getBlockDetails',
    summary: 'A block by number, with the number of its transactions and their fees',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The block, its issuance and its fees', schema: { type: 'object' } },
    handler: async (context, selector) =>
      blockDetailsView(await requireBlock(context, selector), otterscanOptions(context)),
  }),
  /** A block by hash without its transactions, and what their senders paid for gas. */
  defineMethod({
    name: 'ots_getBlockDetailsByHash',
    summary: 'A block by hash, with the number of its transactions and their fees',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The block, its issuance and its fees', schema: { type: 'object' } },
    handler: async (context, hash) =>
      blockDetailsView(await requireBlock(context, { hash }), otterscanOptions(context)),
  }),
  /**
   * A page of a block's transactions with their receipts. Page 0 ends with the last transaction. Inputs are cut to the
   * selector, and logs are left out.
   */
  defineMethod({
    name: 'ots_getBlockTransactions',
    summary: 'A page of the transactions of a block, with receipts',
    params: [param('block', blockNumberSelector), param('page', index), param('pageSize', pageSize)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The block under fullblock, and the receipts', schema: { type: 'object' } },
    handler: async (context, selector, number, size) => {
      const block = await requireBlock(context, selector);
      const pieces = new WorkPieces(context.checkInterrupt);
      return runTask(blockTransactionsView(block, { number, size }, otterscanOptions(context), pieces));
    },
  }),
];
