import { OpcodeGasTracer } from '../../../evm/tracers/opcode-gas-tracer.ts';
import { toHex } from '../../../primitives/hex.ts';
import { type JsonSchema, objectSchema, orNull } from '../../../wire/values.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { arrayOf } from '../../codecs/codec.ts';
import { hash32, index } from '../../codecs/hex-values.ts';
import { TraceFilterError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import {
  findTraces,
  isTraceAt,
  type TraceFilter,
  traceFilter,
  tracesOfBlock,
  tracesOfTransaction,
} from '../../traces.ts';

/** A call, a creation or a self-destruct in a result of trace_*. */
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

const TRACES_JSON_SCHEMA: JsonSchema = orNull({ type: 'array', items: TRACE_JSON_SCHEMA });

const OPCODE_GAS_JSON_SCHEMA: JsonSchema = objectSchema({
  transactionHash: hash32.jsonSchema,
  opcodeGas: {
    type: 'array',
    items: objectSchema({
      opcode: { type: 'string' },
      count: { type: 'integer' },
      gasUsed: { type: 'integer' },
    }),
  },
});

/** Maximum depth of nested calls (the call depth limit). */
const DEEPEST = 1_024;

const createTracer = (): OpcodeGasTracer => new OpcodeGasTracer();

const DIFFERS =
  'Gas that is passed to a call or creation counts only for the opcodes that use this gas. Opcodes are sorted by gas, largest first';

export const TRACE_TRACES: readonly Method[] = [
  defineMethod({
    name: 'trace_block',
    summary: 'The calls and creations of a block',
    priority: 'low',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'tracesOrNull', executes: true },
    result: { description: 'The traces, or null', schema: TRACES_JSON_SCHEMA },
    handler: async (context, selector) => {
      const block = await context.node.chain.block(selector);
      return block === undefined ? null : tracesOfBlock(context, block);
    },
  }),
  /**
   * Returns the calls and creations of transactions in a range of blocks, by the transaction's sender
   * (`fromAddress`) and recipient (`toAddress`). All traces of these transactions are listed. `after` skips
   * traces, and `count` (at most 10000) limits them.
   */
  defineMethod({
    name: 'trace_filter',
    summary: 'The calls and creations of transactions that match a filter',
    priority: 'low',
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
   * Returns the trace of a transaction at a `traceAddress`: `[]` is the transaction itself, `["0x0"]` its
   * first call, `["0x0", "0x2"]` the third call inside it. `null` if it does not exist. Rootstock expects one
   * index into all traces of the block. In compat mode `anvil`, it is one index into the transaction's traces.
   */
  defineMethod({
    name: 'trace_get',
    summary: 'One call or creation of a transaction, by its trace address',
    priority: 'low',
    params: [
      param('transactionHash', hash32),
      param('traceAddress', arrayOf(index, 'an array of the indexes of nested calls', DEEPEST)),
    ],
    fork: {
      kind: 'range',
      answer: async (call) => (await import('../../fork/fork-trace.ts')).traceAt(call),
    },
    result: { description: 'The trace, or null', schema: orNull(TRACE_JSON_SCHEMA) },
    handler: async (context, hash, path) => {
      const traces = await tracesOfTransaction(context, hash);
      if (context.settings.compat.getsTraceByIndex && path.length > 0)
        return (path.length === 1 ? traces?.at(path[0] ?? 0) : null) ?? null;
      return traces?.find(({ traceAddress }) => isTraceAt(traceAddress, path)) ?? null;
    },
  }),
  defineMethod({
    name: 'trace_transaction',
    summary: 'The calls and creations of a transaction',
    priority: 'low',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'tracesOrNull', executes: true },
    result: { description: 'The traces, or null', schema: TRACES_JSON_SCHEMA },
    handler: tracesOfTransaction,
  }),
  defineMethod({
    name: 'trace_blockOpcodeGas',
    summary: 'The gas by opcode of the transactions of a block',
    differs: DIFFERS,
    priority: 'low',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: {
      description: 'The block, and the opcodes of each transaction, or null',
      schema: orNull(
        objectSchema({
          blockHash: hash32.jsonSchema,
          blockNumber: { type: 'integer' },
          transactions: { type: 'array', items: OPCODE_GAS_JSON_SCHEMA },
        }),
      ),
    },
    handler: async ({ node: { chain }, deadline }, selector) => {
      const block = await chain.block(selector);
      if (block === undefined) return null;
      const traced = await chain.tracing.block(block, createTracer, { checkCancelled: deadline });
      return {
        blockHash: toHex(block.hash),
        blockNumber: block.header.number,
        transactions: traced.map(({ transaction, trace }) => ({
          transactionHash: toHex(transaction.hash),
          opcodeGas: trace,
        })),
      };
    },
  }),
  /**
   * Returns the executions and the gas of each opcode by a mined transaction; `null` if unknown. The sum is
   * the gas of the code before refunds, without the intrinsic gas and code deposits.
   */
  defineMethod({
    name: 'trace_transactionOpcodeGas',
    summary: 'The gas by opcode of a transaction',
    differs: DIFFERS,
    priority: 'low',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: {
      description: 'The opcodes with their counts and their gas, or null',
      schema: orNull(OPCODE_GAS_JSON_SCHEMA),
    },
    handler: async ({ node: { chain }, deadline }, hash) => {
      const location = chain.transaction(hash);
      if (location === undefined) return null;
      const { block, index } = location;
      const opcodeGas = await chain.tracing.transaction(block, index, createTracer, deadline);
      return { transactionHash: toHex(hash), opcodeGas };
    },
  }),
];
