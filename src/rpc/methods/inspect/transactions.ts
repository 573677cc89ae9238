import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../protocol/hardforks/registry.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { hash32 } from '../../codecs/data.ts';
import { hardfork } from '../../codecs/hardfork.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';
import { callMessage } from '../../transaction-request.ts';
import { inspectionView } from '../../views/inspection.ts';

const RESULT = {
  description:
    'The account of the execution: `call` with the calls, events and console output inside it, decoded; `failure` and `stackTrace` when it failed; `labels` of addresses among the values; `changes` of storage by variable, of balances and of tokens',
  schema: { type: 'object' },
} as const;

export const INSPECT_TRANSACTIONS: readonly Method[] = [
  /**
   * Runs a mined transaction again and tells what it did, in the names and values of the contracts that are known: by
   * `--artifacts`, by the project that the node runs in, by `inspect_addArtifacts`. An unknown hash is an error.
   */
  defineMethod({
    name: 'inspect_transaction',
    summary: 'Decodes a mined transaction: calls, events and failures, with a stack trace',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: RESULT,
    handler: async ({ chain, inspector, checkInterrupt }, hash) => {
      const { block, index } = requireTransaction(chain, hash);
      const loaded = await inspector.ready();
      const made = await loaded.transaction(block, index, { hasChanges: true, checkInterrupt });
      return runTask(inspectionView(made, new WorkPieces(checkInterrupt)));
    },
  }),
  /**
   * Runs a message on the state after a block, as eth_call does, and tells what it did, as inspect_transaction does; under another
   * hardfork than the chain's where one is named. The names of hardforks are those of `inspect_hardforks`.
   */
  defineMethod({
    name: 'inspect_call',
    summary: 'Decodes a call: calls inside it, events and failures, with a stack trace',
    params: [
      param('call', callObject),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('hardfork', hardfork, null),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything' },
    result: RESULT,
    handler: async (context, call, block, accounts, name) => {
      const message = callMessage(context, call);
      const inspector = await context.inspector.ready();
      const overrides = { accounts, block: {} };
      const { chain, checkInterrupt } = context;
      const rules = name === null ? undefined : chain.tracing.rulesOf(ruleSetNamed(name));
      const options = { hasChanges: true, checkInterrupt, rules };
      const made = await inspector.call(message, block, overrides, options);
      return runTask(inspectionView(made, new WorkPieces(checkInterrupt)));
    },
  }),
  /** Lists the hardforks whose rules calls can be run under, the oldest first, and which of them the chain has. */
  defineMethod({
    name: 'inspect_hardforks',
    summary: 'The hardforks that calls and transactions can be run under',
    params: [],
    result: {
      description: 'The hardforks: `isOwn` for that of the chain, `isPreview` for one that is not final',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            isOwn: { type: 'boolean' },
            isPreview: { type: 'boolean' },
          },
          required: ['name', 'isOwn', 'isPreview'],
        },
      },
    },
    handler: ({ chain }) =>
      RULE_SET_NAMES.map((name) => ({
        name,
        isOwn: name === chain.ruleSet.name,
        isPreview: ruleSetNamed(name).preview !== null,
      })),
  }),
];
