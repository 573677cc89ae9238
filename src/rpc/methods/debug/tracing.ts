import { describeSelector, LATEST } from '../../../chain/block-selector.ts';
import { BlockNotFoundError } from '../../../chain/errors.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { decodeBlock } from '../../../protocol/header-decoding.ts';
import { encodeBlock, headerHash } from '../../../protocol/header-encoding.ts';
import { requireBlock, requireTransactionIndex } from '../../block-answers.ts';
import { blockNumberSelector, blockSelector } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { data, hash32 } from '../../codecs/hex-values.ts';
import {
  DEFAULT_TRACE_CALL_OPTIONS,
  DEFAULT_TRACE_OPTIONS,
  traceBundleOptions,
  traceCallOptions,
  traceOptions,
} from '../../codecs/trace-options.ts';
import { tracedOnce, tracedWith } from '../../decoded-traces.ts';
import { defineMethod, type Method, type MethodResult, optional, param } from '../../method.ts';
import { debugTracesOfBlock, requireTransaction } from '../../traces.ts';
import { callMessage } from '../../transaction-request.ts';
import { bundleRequests, callBundles, callContext } from '../eth/call.ts';

const TRACES: MethodResult = {
  description: 'The traces, in the order of the transactions',
  schema: { type: 'array', items: { type: 'object' } },
};

/**
 * Executes the transactions of a block again. Returns their traces as debug_traceTransaction does, each
 * with its transaction hash. Rootstock's own tracer returns traces only. Rejects for an unknown block.
 */
const TRACE_BLOCK_BY_HASH = defineMethod({
  name: 'debug_traceBlockByHash',
  summary: 'Traces the transactions of a block, by hash',
  priority: 'low',
  params: [param('blockHash', hash32), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
  fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
  result: TRACES,
  handler: async (context, hash, options) =>
    debugTracesOfBlock(context, await requireBlock(context, { hash }), options),
});

export const DEBUG_TRACING: readonly Method[] = [
  /**
   * As debug_traceBlockByHash, for a block from debug_getRawBlock. Rejects if the block is not on the chain.
   */
  defineMethod({
    name: 'debug_traceBlock',
    summary: 'Traces the transactions of an RLP-encoded block',
    priority: 'low',
    params: [param('block', data), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
    fork: {
      kind: 'range',
      answer: async (call) =>
        (await import('../../fork/fork-trace.ts')).tracesOfRawBlock(call, TRACE_BLOCK_BY_HASH),
    },
    result: TRACES,
    handler: async (context, raw, options) => {
      const { chain } = context.node;
      const { encoding } = chain.ruleSet;
      const { header } = decodeBlock(raw, encoding);
      const block = await chain.block({ number: BigInt(header.number) });
      if (block === undefined || !equalBytes(encodeBlock(block, encoding), raw)) {
        const wanted = describeSelector({ hash: headerHash(header, encoding) });
        throw new BlockNotFoundError(wanted, chain.head().header.number);
      }
      return debugTracesOfBlock(context, block, options);
    },
  }),
  TRACE_BLOCK_BY_HASH,
  /** As debug_traceBlockByHash, for a block by number or tag. */
  defineMethod({
    name: 'debug_traceBlockByNumber',
    summary: 'Traces the transactions of a block, by number or tag',
    priority: 'low',
    params: [param('block', blockNumberSelector), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: TRACES,
    handler: async (context, selector, options) =>
      debugTracesOfBlock(context, await requireBlock(context, selector), options),
  }),
  /**
   * Executes a call on the state after a block, as eth_call does, and returns its trace. The options may
   * override accounts (`stateOverrides`) and the block (`blockOverrides`). With `txIndex`, the call runs
   * inside the block, before that transaction.
   */
  defineMethod({
    name: 'debug_traceCall',
    summary: 'Traces a call, with struct logs or a tracer',
    priority: 'low',
    params: [
      param('call', callObject),
      optional('block', blockSelector, LATEST),
      optional('options', traceCallOptions, DEFAULT_TRACE_CALL_OPTIONS),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: { description: 'The trace, in the form of the tracer' },
    handler: async (context, call, selector, options) => {
      const { chain } = context.node;
      const message = callMessage(context, call);
      const { overrides, transactionIndex } = options;
      if (transactionIndex === null) {
        return tracedOnce(context, options, (createTracer, checkCancelled) =>
          chain.tracing.call(message, selector, createTracer, overrides, checkCancelled),
        );
      }
      requireTransactionIndex(await requireBlock(context, selector), transactionIndex);
      const start = { selector, transactionIndex, accounts: overrides.accounts };
      return tracedOnce(context, options, async (createTracer, checkCancelled) => {
        const bundle = { messages: [{ message, createTracer }], block: overrides.block };
        const [traces] = await chain.tracing.bundles([bundle], start, checkCancelled);
        return traces?.[0];
      });
    },
  }),
  /**
   * Traces bundles of calls as eth_callMany executes them: each call runs on the state of the previous one.
   * The options may override accounts (`stateOverrides`); each bundle may override the block. A call that
   * cannot run rejects all.
   */
  defineMethod({
    name: 'debug_traceCallMany',
    summary: 'Traces several calls, each on the state after the previous calls',
    priority: 'low',
    params: [
      param('bundles', callBundles),
      optional('context', callContext, { selector: LATEST, transactionIndex: null }),
      optional('options', traceBundleOptions, DEFAULT_TRACE_CALL_OPTIONS),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: {
      description: 'The traces of the calls of each bundle, in the form of the tracer',
      schema: { type: 'array', items: { type: 'array' } },
    },
    handler: async (context, bundles, start, options) => {
      const { chain } = context.node;
      const { selector, transactionIndex } = start;
      if (transactionIndex !== null)
        requireTransactionIndex(await requireBlock(context, selector), transactionIndex);
      const requests = await context.deadline.run(bundleRequests(context, bundles));
      const { accounts } = options.overrides;
      const traces = await tracedWith(context, options, async (createTracer, checkCancelled) => {
        const traced = requests.map(({ messages, block }) => ({
          messages: messages.map((message) => ({ message, createTracer })),
          block,
        }));
        const ofBundles = await chain.tracing.bundles(traced, { ...start, accounts }, checkCancelled);
        return ofBundles.flat().map((trace) => ({ trace }));
      });
      let first = 0;
      return requests.map(({ messages }) => {
        const ofBundle = traces.slice(first, first + messages.length);
        first += messages.length;
        return ofBundle.map(({ trace }) => trace);
      });
    },
  }),
  /**
   * Executes a mined transaction again on its original state, and returns struct logs or the result of the
   * selected tracer. Rejects for an unknown hash.
   */
  defineMethod({
    name: 'debug_traceTransaction',
    summary: 'Traces a mined transaction, with struct logs or a tracer',
    priority: 'low',
    params: [param('transactionHash', hash32), optional('options', traceOptions, DEFAULT_TRACE_OPTIONS)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: { description: 'The trace, in the form of the tracer' },
    handler: async (context, hash, options) => {
      const { chain } = context.node;
      const { block, index } = requireTransaction(chain, hash);
      return tracedOnce(context, options, (createTracer, checkCancelled) =>
        chain.tracing.transaction(block, index, createTracer, checkCancelled),
      );
    },
  }),
];
