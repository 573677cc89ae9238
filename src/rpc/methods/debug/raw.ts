import { toHex } from '../../../primitives/hex.ts';
import { runTask } from '../../../primitives/task.ts';
import { mapInPieces, WorkPieces } from '../../../primitives/work-pieces.ts';
import { encodeBlock, encodeHeader } from '../../../protocol/header-encoding.ts';
import { encodeReceipt } from '../../../protocol/receipt.ts';
import type { Transaction } from '../../../protocol/transaction.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/data.ts';
import { defineMethod, type Method, param } from '../../method.ts';

/** Units of work for encoding a receipt, and for each of its logs; for writing a transaction, besides its bytes. */
const RECEIPT_WORK = 2_000;
const TRANSACTION_WORK = 128;

export const DEBUG_RAW: readonly Method[] = [
  /** The encoding of a block: header, transactions and uncles. */
  defineMethod({
    name: 'debug_getRawBlock',
    summary: 'The encoding of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The block in RLP', schema: data.jsonSchema },
    handler: async (context, selector) => {
      const block = await requireBlock(context, selector);
      return toHex(encodeBlock(block, context.chain.ruleSet.encoding));
    },
  }),
  /** The encoding of a block's header; its hash is the block's. */
  defineMethod({
    name: 'debug_getRawHeader',
    summary: 'The encoding of the header of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The header in RLP', schema: data.jsonSchema },
    handler: async (context, selector) => {
      const { header } = await requireBlock(context, selector);
      return toHex(encodeHeader(header, context.chain.ruleSet.encoding));
    },
  }),
  /** The encodings of a block's receipts, as they stand in the trie whose root is in the header. */
  defineMethod({
    name: 'debug_getRawReceipts',
    summary: 'The encodings of the receipts of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The receipts in RLP', schema: { type: 'array', items: data.jsonSchema } },
    handler: async (context, selector) => {
      const { receipts, transactions } = await requireBlock(context, selector);
      const { encoding } = context.chain.ruleSet;
      let index = 0;
      const encoded = mapInPieces(
        receipts,
        new WorkPieces(context.checkInterrupt),
        ({ logs }) => RECEIPT_WORK * (1 + logs.length),
        (receipt) => toHex(encodeReceipt(receipt, transactions[index++]?.type ?? 0, encoding)),
      );
      return runTask(encoded);
    },
  }),
  /** The encodings of a block's transactions. */
  defineMethod({
    name: 'debug_getRawTransactions',
    summary: 'The encodings of the transactions of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The signed transactions', schema: { type: 'array', items: data.jsonSchema } },
    handler: async (context, selector) => {
      const { transactions } = await requireBlock(context, selector);
      const pieces = new WorkPieces(context.checkInterrupt);
      const work = ({ raw }: Transaction): number => TRANSACTION_WORK + raw.length;
      return runTask(mapInPieces(transactions, pieces, work, ({ raw }) => toHex(raw)));
    },
  }),
];
