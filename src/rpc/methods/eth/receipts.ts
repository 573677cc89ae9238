import { runTask, whenReady } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { orNull } from '../../../wire/json.ts';
import { blockReceiptsInPieces, RECEIPT_JSON_SCHEMA, receiptInPieces } from '../../../wire/receipt.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, param } from '../../method.ts';

export const ETH_RECEIPTS: readonly Method[] = [
  /** The receipt of a mined transaction; `null` for one that is unknown or still pending. */
  defineMethod({
    name: 'eth_getTransactionReceipt',
    summary: 'The receipt of a mined transaction',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'receiptOfHash' },
    result: { description: 'The receipt, or null', schema: RECEIPT_JSON_SCHEMA },
    handler: ({ chain, checkInterrupt, settings }, hash) => {
      const mined = chain.transaction(hash);
      if (mined === undefined) return null;
      return runTask(receiptInPieces(mined, settings.compat, chain.ruleSet, new WorkPieces(checkInterrupt)));
    },
  }),
  /** The receipts of all transactions of a block, in their order; `null` for a block that is not there. */
  defineMethod({
    name: 'eth_getBlockReceipts',
    summary: 'The receipts of all transactions of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'receipts' },
    result: {
      description: 'The receipts, or null',
      schema: orNull({ type: 'array', items: RECEIPT_JSON_SCHEMA }),
    },
    handler: ({ chain, checkInterrupt, settings: { compat } }, selector) =>
      whenReady(chain.block(selector), (block) =>
        block === undefined
          ? null
          : runTask(blockReceiptsInPieces(block, compat, chain.ruleSet, new WorkPieces(checkInterrupt))),
      ),
  }),
];
