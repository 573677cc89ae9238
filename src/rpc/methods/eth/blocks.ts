import { toQuantity } from '../../../primitives/hex.ts';
import { whenReady } from '../../../primitives/task.ts';
import type { Block } from '../../../protocol/block.ts';
import { BLOCK_JSON_SCHEMA, HEADER_JSON_SCHEMA } from '../../../wire/block.ts';
import { orNull } from '../../../wire/json.ts';
import { answerBlock, answerHeader, requireServed } from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { hash32 } from '../../codecs/data.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

function countOf(block: Block | undefined): string | null {
  return block === undefined ? null : toQuantity(block.transactions.length);
}

export const ETH_BLOCKS: readonly Method[] = [
  /** The number of the newest block. */
  defineMethod({
    name: 'eth_blockNumber',
    summary: 'The number of the newest block',
    params: [],
    result: { description: 'The block number', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ chain }) => toQuantity(chain.head().header.number),
  }),
  /** The block with a hash, its transactions as hashes or in full; `null` when there is none. */
  defineMethod({
    name: 'eth_getBlockByHash',
    summary: 'A block by its hash',
    params: [param('blockHash', hash32), optional('fullTransactions', boolean, false)],
    fork: { kind: 'block', at: 0, answer: 'blockOfHash' },
    result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, hash, full) => answerBlock(context, { hash }, full),
  }),
  /** The block with a number or tag, its transactions as hashes or in full; `null` when there is none. */
  defineMethod({
    name: 'eth_getBlockByNumber',
    summary: 'A block by its number',
    params: [param('block', blockNumberSelector), optional('fullTransactions', boolean, false)],
    fork: { kind: 'block', at: 0, answer: 'blockOfNumber' },
    result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, block, full) => {
      requireServed(context, 'block', block);
      return answerBlock(context, block, full);
    },
  }),
  /** The number of transactions in the block with a hash; `null` when there is no such block. */
  defineMethod({
    name: 'eth_getBlockTransactionCountByHash',
    summary: 'The number of transactions in a block, by hash',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'count', counts: 'transactions' },
    result: { description: 'The number of transactions, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
    handler: ({ chain }, blockHash) => whenReady(chain.block({ hash: blockHash }), countOf),
  }),
  /** The number of transactions in the block with a number or tag; `null` when there is no such block. */
  defineMethod({
    name: 'eth_getBlockTransactionCountByNumber',
    summary: 'The number of transactions in a block, by number',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'count', counts: 'transactions' },
    result: { description: 'The number of transactions, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
    handler: ({ chain }, selector) => whenReady(chain.block(selector), countOf),
  }),
  /** The header of a block by its hash; `null` when there is none. */
  defineMethod({
    name: 'eth_getHeaderByHash',
    summary: 'The header of a block by its hash',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'headerOfHash' },
    result: { description: 'The header, or null', schema: HEADER_JSON_SCHEMA },
    handler: (context, hash) => answerHeader(context, { hash }),
  }),
  /** The header of a block by number or tag; `null` when there is none. */
  defineMethod({
    name: 'eth_getHeaderByNumber',
    aliases: ['erigon_getHeaderByNumber'],
    summary: 'The header of a block by number or tag',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'headerOfNumber' },
    result: { description: 'The header, or null', schema: HEADER_JSON_SCHEMA },
    handler: answerHeader,
  }),
];
