import { toQuantity } from '../../../primitives/hex.ts';
import { whenReady } from '../../../primitives/task.ts';
import type { Block } from '../../../protocol/block.ts';
import { BLOCK_JSON_SCHEMA } from '../../../wire/block.ts';
import { answerUncleAt, requireBlock, requireServed } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { hash32 } from '../../codecs/data.ts';
import { index, QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, type Method, param } from '../../method.ts';

function countOf({ uncles }: Block): string {
  return toQuantity(uncles.length);
}

export const ETH_UNCLES: readonly Method[] = [
  /** The uncle at an index of the block with a hash, as a block without transactions; `null` when there is none. */
  defineMethod({
    name: 'eth_getUncleByBlockHashAndIndex',
    summary: 'An uncle of a block, by hash and index',
    params: [param('blockHash', hash32), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'header' },
    result: { description: 'The uncle, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, hash, position) => answerUncleAt(context, { hash }, position),
  }),
  /** The uncle at an index of the block with a number or tag, as a block without transactions; `null` when there is none. */
  defineMethod({
    name: 'eth_getUncleByBlockNumberAndIndex',
    summary: 'An uncle of a block, by number and index',
    params: [param('block', blockNumberSelector), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'header' },
    result: { description: 'The uncle, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, block, position) => {
      requireServed(context, 'block', block);
      return answerUncleAt(context, block, position);
    },
  }),
  /** The number of uncles of the block with a hash. */
  defineMethod({
    name: 'eth_getUncleCountByBlockHash',
    summary: 'The number of uncles of a block, by hash',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'count', counts: 'uncles' },
    result: { description: 'The number of uncles', schema: QUANTITY_JSON_SCHEMA },
    handler: (context, blockHash) => whenReady(requireBlock(context, { hash: blockHash }), countOf),
  }),
  /** The number of uncles of the block with a number or tag. */
  defineMethod({
    name: 'eth_getUncleCountByBlockNumber',
    summary: 'The number of uncles of a block, by number',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'count', counts: 'uncles' },
    result: { description: 'The number of uncles', schema: QUANTITY_JSON_SCHEMA },
    handler: (context, block) => {
      requireServed(context, 'block', block);
      return whenReady(requireBlock(context, block), countOf);
    },
  }),
];
