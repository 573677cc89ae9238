import { LATEST } from '../../../chain/block-selector.ts';
import type { TracedMessage } from '../../../chain/execution/tracing.ts';
import {
  REPLAY_PARTS,
  type Replay,
  type ReplayPart,
  replayTracer,
} from '../../../evm/tracers/parity-tracers.ts';
import { toHex } from '../../../primitives/hex.ts';
import { mapInSteps } from '../../../primitives/steps.ts';
import { type JsonSchema, objectSchema, orNull } from '../../../wire/values.ts';
import { pairOf } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../codecs/call-overrides.ts';
import { arrayOf, leaf } from '../../codecs/codec.ts';
import { data, hash32 } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { decodeSent } from '../../sending.ts';
import { callMessage } from '../../transaction-request.ts';

const PART_WORDS = REPLAY_PARTS.join(', ');

const replayPart = leaf<ReplayPart>(`one of ${PART_WORDS}`, { type: 'string', enum: REPLAY_PARTS }, (value) =>
  REPLAY_PARTS.find((part) => part === value),
);

/** The requested parts of a replay; an empty list for the output only. */
const replayParts = arrayOf(replayPart, `an array of ${PART_WORDS}`);

/** The calls of trace_callMany. */
const tracedCalls = arrayOf(
  pairOf(callObject, replayParts, `an array of two items: a call object and an array of ${PART_WORDS}`),
  'an array of pairs, each with a call object and an array of trace types',
);

const REPLAY_MEMBERS: Readonly<Record<keyof Replay, JsonSchema>> = {
  output: data.jsonSchema,
  stateDiff: orNull({ type: 'object' }),
  trace: { type: 'array', items: { type: 'object' } },
  vmTrace: orNull({ type: 'object' }),
};

const REPLAY_JSON_SCHEMA: JsonSchema = objectSchema(REPLAY_MEMBERS);

const REPLAY_RESULT = {
  description: 'The output and the requested trace types',
  schema: REPLAY_JSON_SCHEMA,
} as const;

/** Work units per message of a call. */
const CALL_WORK = 128;

export const TRACE_REPLAYS: readonly Method[] = [
  /**
   * Executes a call on the state after a block, as eth_call does, and returns the requested parts of its
   * trace. The parts are the frames (`trace`), each step (`vmTrace`), and the state changes (`stateDiff`).
   * Accounts and the block may be overridden.
   */
  defineMethod({
    name: 'trace_call',
    summary: 'Traces a call: frames, steps, state changes',
    priority: 'low',
    params: [
      param('call', callObject),
      param('traceTypes', replayParts),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('blockOverrides', blockOverrides, {}),
    ],
    fork: { kind: 'state', at: 2, answer: 'anything', executes: true },
    result: REPLAY_RESULT,
    handler: (context, call, parts, selector, accounts, block) => {
      const { chain } = context.node;
      const { deadline } = context;
      const message = callMessage(context, call);
      return chain.tracing.call(message, selector, replayTracer(parts), { accounts, block }, deadline);
    },
  }),
  /** Traces each call as trace_call does. A call that cannot run rejects all. */
  defineMethod({
    name: 'trace_callMany',
    summary: 'Traces several calls, each on the state after the previous calls',
    priority: 'low',
    params: [param('calls', tracedCalls), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'traces', executes: true },
    result: {
      description: 'The output and the requested trace types of each call',
      schema: { type: 'array', items: REPLAY_JSON_SCHEMA },
    },
    handler: async (context, calls, selector) => {
      const { chain } = context.node;
      const { deadline } = context;
      let index = 0;
      const messages = await deadline.run(
        mapInSteps(
          calls,
          () => CALL_WORK,
          ([call, parts]): TracedMessage<Replay> => ({
            message: callMessage(context, call, `calls[${index++}][0]`),
            createTracer: replayTracer(parts),
          }),
        ),
      );
      const start = { selector, transactionIndex: null, accounts: [] };
      const [replays = []] = await chain.tracing.bundles([{ messages, block: {} }], start, deadline);
      return replays;
    },
  }),
  /**
   * Executes a signed transaction on the state after a block without sending it, and traces it as trace_call
   * does. As for a call, its nonce and its sender's balance are not checked.
   */
  defineMethod({
    name: 'trace_rawTransaction',
    summary: 'Traces a signed transaction without sending it',
    priority: 'low',
    params: [
      param('transaction', data),
      param('traceTypes', replayParts),
      optional('block', blockSelector, LATEST),
    ],
    fork: { kind: 'state', at: 2, answer: 'anything', executes: true },
    result: REPLAY_RESULT,
    handler: (context, raw, parts, selector) => {
      const { chain } = context.node;
      const { deadline } = context;
      const overrides = { accounts: [], block: {} };
      const transaction = decodeSent(context, raw);
      return chain.tracing.call(transaction, selector, replayTracer(parts), overrides, deadline);
    },
  }),
  /** Traces each transaction as trace_call does; `null` for an unknown block. */
  defineMethod({
    name: 'trace_replayBlockTransactions',
    summary: 'Traces the transactions of a block: frames, steps, state changes',
    priority: 'low',
    params: [param('block', blockSelector), param('traceTypes', replayParts)],
    fork: { kind: 'block', at: 0, answer: 'tracesOrNull', executes: true },
    result: {
      description: 'The hash, output and requested trace types of each transaction, or null',
      schema: orNull({
        type: 'array',
        items: objectSchema({ ...REPLAY_MEMBERS, transactionHash: hash32.jsonSchema }),
      }),
    },
    handler: async ({ node: { chain }, deadline }, selector, parts) => {
      const block = await chain.block(selector);
      if (block === undefined) return null;
      const traced = await chain.tracing.block(block, replayTracer(parts), { checkCancelled: deadline });
      return traced.map(({ transaction, trace }) => ({ ...trace, transactionHash: toHex(transaction.hash) }));
    },
  }),
  /** Traces the transaction as trace_call does; `null` if unknown. */
  defineMethod({
    name: 'trace_replayTransaction',
    summary: 'Traces a mined transaction: frames, steps, state changes',
    priority: 'low',
    params: [param('transactionHash', hash32), param('traceTypes', replayParts)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: { ...REPLAY_RESULT, schema: orNull(REPLAY_JSON_SCHEMA) },
    handler: async ({ node: { chain }, deadline }, hash, parts) => {
      const location = chain.transaction(hash);
      if (location === undefined) return null;
      return chain.tracing.transaction(location.block, location.index, replayTracer(parts), deadline);
    },
  }),
];
