import { blockQuestion } from '../../../fork/upstream/upstream-call.ts';
import { whenReady } from '../../../primitives/awaitable.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import type { Block } from '../../../protocol/block.ts';
import { BLOCK_JSON_SCHEMA, HEADER_JSON_SCHEMA } from '../../../wire/block.ts';
import { asObject } from '../../../wire/tolerant.ts';
import { objectSchema, orNull } from '../../../wire/values.ts';
import {
  answerBlock,
  answerHeader,
  answerUncleAt,
  requireBlock,
  requireServed,
} from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { blockNumber, blockNumberSelector } from '../../codecs/block-selector.ts';
import { hash32, index, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { fromBlocks } from '../../fork/derivations.ts';
import { defineMethod, type ForkCall, type Method, NOT_UPSTREAM, optional, param } from '../../method.ts';

function transactionCount(block: Block | undefined): string | null {
  return block === undefined ? null : toQuantity(block.transactions.length);
}

function uncleCount({ uncles }: Block): string {
  return toQuantity(uncles.length);
}

/** A block of `eth_getBlocksByNumber`. */
const BLOCK_INFORMATION_JSON_SCHEMA = objectSchema({
  hash: hash32.jsonSchema,
  totalDifficulty: QUANTITY_JSON_SCHEMA,
  inMainChain: { type: 'boolean' },
});

/** Returns a block before the fork by a method that every upstream has. */
async function blocksOfUpstream({ context, fork, params }: ForkCall): Promise<unknown> {
  const [number] = params.decoded as [bigint];
  if (number > BigInt(fork.number) || context.node.chain.blocks.isPruned(Number(number))) return NOT_UPSTREAM;
  const { upstreamView } = await import('../../fork/answer-on-fork.ts');
  const answer = await fork.upstream.ask(blockQuestion(toQuantity(number), false));
  const block = asObject(upstreamView('blockOfNumber', answer, context.settings.fieldNames));
  if (block === undefined) return [];
  const { hash, totalDifficulty = block.difficulty } = block;
  return [{ hash, totalDifficulty, inMainChain: true }];
}

export const ETH_BLOCKS: readonly Method[] = [
  defineMethod({
    name: 'eth_blockNumber',
    summary: 'The number of the newest block',
    priority: 'high',
    result: { description: 'The block number', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) => toQuantity(chain.head().header.number),
  }),
  defineMethod({
    name: 'eth_getBlockByHash',
    summary: 'A block by its hash',
    priority: 'high',
    params: [param('blockHash', hash32), optional('fullTransactions', boolean, false)],
    fork: { kind: 'block', at: 0, answer: 'blockOfHash' },
    result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, hash, full) => answerBlock(context, { hash }, full),
  }),
  defineMethod({
    name: 'eth_getBlockByNumber',
    summary: 'A block by its number',
    priority: 'high',
    params: [param('block', blockNumberSelector), optional('fullTransactions', boolean, false)],
    fork: { kind: 'block', at: 0, answer: 'blockOfNumber' },
    result: { description: 'The block, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, block, full) => {
      requireServed(context, 'block', block);
      return answerBlock(context, block, full);
    },
  }),
  /**
   * Returns all blocks with a number: the canonical block, then orphans. Empty above the head. Before a fork
   * block, only the canonical block is known.
   */
  defineMethod({
    name: 'eth_getBlocksByNumber',
    summary: 'All blocks with the given number, including side blocks',
    priority: 'high',
    params: [param('number', blockNumber)],
    fork: { kind: 'range', answer: blocksOfUpstream },
    result: {
      description: 'The blocks; `inMainChain` is true for the canonical block',
      schema: { type: 'array', items: BLOCK_INFORMATION_JSON_SCHEMA },
    },
    handler: ({ node: { chain } }, number) =>
      chain.blocksAt(Number(number)).map((block) => ({
        hash: toHex(block.hash),
        totalDifficulty: toQuantity(block.totalDifficulty),
        inMainChain: !chain.isBeside(block),
      })),
  }),
  defineMethod({
    name: 'eth_getBlockTransactionCountByHash',
    summary: 'The number of transactions in a block, by hash',
    priority: 'high',
    params: [param('blockHash', hash32)],
    fork: {
      kind: 'block',
      at: 0,
      answer: 'count',
      counts: 'transactions',
      derive: fromBlocks('transactionCount'),
    },
    result: { description: 'The number of transactions, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
    handler: ({ node: { chain } }, blockHash) =>
      whenReady(chain.block({ hash: blockHash }), transactionCount),
  }),
  defineMethod({
    name: 'eth_getBlockTransactionCountByNumber',
    summary: 'The number of transactions in a block, by number',
    priority: 'high',
    params: [param('block', blockNumberSelector)],
    fork: {
      kind: 'block',
      at: 0,
      answer: 'count',
      counts: 'transactions',
      derive: fromBlocks('transactionCount'),
    },
    result: { description: 'The number of transactions, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
    handler: ({ node: { chain } }, selector) => whenReady(chain.block(selector), transactionCount),
  }),
  defineMethod({
    name: 'eth_getHeaderByHash',
    summary: 'The header of a block by its hash',
    priority: 'high',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'headerOfHash', derive: fromBlocks('header') },
    result: { description: 'The header, or null', schema: HEADER_JSON_SCHEMA },
    handler: (context, hash) => answerHeader(context, { hash }),
  }),
  defineMethod({
    name: 'eth_getHeaderByNumber',
    aliases: ['erigon_getHeaderByNumber'],
    summary: 'The header of a block by number or tag',
    priority: 'high',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'headerOfNumber', derive: fromBlocks('header') },
    result: { description: 'The header, or null', schema: HEADER_JSON_SCHEMA },
    handler: answerHeader,
  }),
  /** Returns a block without transactions. */
  defineMethod({
    name: 'eth_getUncleByBlockHashAndIndex',
    summary: 'An uncle of a block, by hash and index',
    priority: 'high',
    params: [param('blockHash', hash32), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'header', derive: fromBlocks('uncleAt') },
    result: { description: 'The uncle, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, hash, position) => answerUncleAt(context, { hash }, position),
  }),
  /** Returns a block without transactions. */
  defineMethod({
    name: 'eth_getUncleByBlockNumberAndIndex',
    summary: 'An uncle of a block, by number and index',
    priority: 'high',
    params: [param('block', blockNumberSelector), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'header', derive: fromBlocks('uncleAt') },
    result: { description: 'The uncle, or null', schema: BLOCK_JSON_SCHEMA },
    handler: (context, block, position) => {
      requireServed(context, 'block', block);
      return answerUncleAt(context, block, position);
    },
  }),
  defineMethod({
    name: 'eth_getUncleCountByBlockHash',
    summary: 'The number of uncles of a block, by hash',
    priority: 'high',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'count', counts: 'uncles', derive: fromBlocks('uncleCount') },
    result: { description: 'The number of uncles', schema: QUANTITY_JSON_SCHEMA },
    handler: (context, blockHash) => whenReady(requireBlock(context, { hash: blockHash }), uncleCount),
  }),
  defineMethod({
    name: 'eth_getUncleCountByBlockNumber',
    summary: 'The number of uncles of a block, by number',
    priority: 'high',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'count', counts: 'uncles', derive: fromBlocks('uncleCount') },
    result: { description: 'The number of uncles', schema: QUANTITY_JSON_SCHEMA },
    handler: (context, block) => {
      requireServed(context, 'block', block);
      return whenReady(requireBlock(context, block), uncleCount);
    },
  }),
];
