import { type JsonSchema, orNull } from '../../../wire/json.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { arrayOf } from '../../codecs/codec.ts';
import { hash32 } from '../../codecs/data.ts';
import { index } from '../../codecs/quantity.ts';
import { TraceFilterError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import {
  findTraces,
  type TraceFilter,
  traceFilter,
  tracesOfBlock,
  tracesOfTransaction,
} from '../../traces.ts';

/** A call, a creation or the end of a contract, as the trace_* methods give it. */
const TRACE_JSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    action: { type: 'object' },
    blockHash: hash32.jsonSchema,
    blockNumber: { type: 'integer' },
    transactionHash: hash32.jsonSchema,
    transactionPosition: { type: 'integer' },
    type: { type: 'string', enum: ['call', 'create', 'suicide'] },
    subtraces: { type: 'integer' },
    traceAddress: { type: 'array', items: { type: 'integer' } },
    result: orNull({ type: 'object' }),
    error: { type: 'string' },
  },
  required: [
    'action',
    'blockHash',
    'blockNumber',
    'transactionHash',
    'transactionPosition',
    'type',
    'subtraces',
    'traceAddress',
    'result',
  ],
};

/** The traces of a transaction or a block, or `null`. */
const TRACES_JSON_SCHEMA: JsonSchema = orNull({ type: 'array', items: TRACE_JSON_SCHEMA });

export const TRACE_TRACES: readonly Method[] = [
  /** The calls and creations of all transactions of a block in a flat list; `null` for an unknown block. */
  defineMethod({
    name: 'trace_block',
    summary: 'The calls and creations of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'tracesOrNull' },
    result: { description: 'The traces, or null', schema: TRACES_JSON_SCHEMA },
    handler: async (context, selector) => {
      const block = await context.chain.block(selector);
      return block === undefined ? null : tracesOfBlock(context, block);
    },
  }),
  /**
   * The calls and creations of the transactions in a range of blocks, from any of `fromAddress` and to any of
   * `toAddress`. All traces of such a transaction are listed; `after` skips traces, `count` (at most 10000) limits them.
   */
  defineMethod({
    name: 'trace_filter',
    summary: 'The calls and creations of transactions that match a filter',
    params: [optional<TraceFilter | null>('filter', traceFilter, null)],
    fork: {
      kind: 'range',
      answer: async (call) => (await import('../../fork/fork-ranges.ts')).traces(call),
    },
    result: { description: 'The traces', schema: { type: 'array', items: TRACE_JSON_SCHEMA } },
    handler: async (context, filter) => {
      if (filter === null) throw new TraceFilterError('Invalid trace_filter parameters.');
      return findTraces(context, filter);
    },
  }),
  /**
   * One of the traces that trace_transaction lists, by its position there; `null` when there is none. Of several
   * positions the first counts. The network counts in all traces of the block instead.
   */
  defineMethod({
    name: 'trace_get',
    summary: 'One call or creation of a transaction',
    params: [
      param('transactionHash', hash32),
      param('positions', arrayOf(index, 'an array of positions, of which the first counts')),
    ],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: { description: 'The trace, or null', schema: orNull(TRACE_JSON_SCHEMA) },
    handler: async (context, hash, [position]) => {
      const traces = await tracesOfTransaction(context, hash);
      return (position === undefined ? undefined : traces?.[position]) ?? null;
    },
  }),
  /** The calls and creations of a mined transaction in a flat list; `null` for an unknown one. */
  defineMethod({
    name: 'trace_transaction',
    summary: 'The calls and creations of a transaction',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'tracesOrNull' },
    result: { description: 'The traces, or null', schema: TRACES_JSON_SCHEMA },
    handler: tracesOfTransaction,
  }),
];
