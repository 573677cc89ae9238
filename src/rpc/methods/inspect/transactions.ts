import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';
import { callMessage } from '../../transaction-request.ts';
import { inspectionView } from '../../views/inspection.ts';

const RESULT = {
  description:
    'What happened: `call` with the calls, events and console output inside it, decoded; `failure` and `stackTrace` when it failed; `changes` of storage by variable, of balances and of tokens',
  schema: { type: 'object' },
} as const;

export const INSPECT_TRANSACTIONS: readonly Method[] = [
  /**
   * Runs a mined transaction again and tells what it did, in the names and values of the contracts that are known: by
   * `--artifacts`, by the project that the node runs in, by `inspect_addArtifacts`. An unknown hash is an error.
   */
  defineMethod({
    name: 'inspect_transaction',
    summary: 'What a mined transaction did: calls, events and failures decoded, with a stack trace',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: RESULT,
    handler: async ({ chain, inspector, checkInterrupt }, hash) => {
      const { block, index } = requireTransaction(chain, hash);
      await (await inspector.artifacts.load()).ready();
      const loaded = await inspector.load();
      const made = await loaded.transaction(block, index, { hasChanges: true, checkInterrupt });
      return runTask(inspectionView(made, new WorkPieces(checkInterrupt)));
    },
  }),
  /** Runs a message on the state after a block, as eth_call does, and tells what it did, as inspect_transaction does. */
  defineMethod({
    name: 'inspect_call',
    summary: 'What a call would do: calls, events and failures decoded, with a stack trace',
    params: [
      param('call', callObject),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything' },
    result: RESULT,
    handler: async (context, call, block, accounts) => {
      const message = callMessage(context, call);
      await (await context.inspector.artifacts.load()).ready();
      const inspector = await context.inspector.load();
      const overrides = { accounts, block: {} };
      const { checkInterrupt } = context;
      const made = await inspector.call(message, block, overrides, { hasChanges: true, checkInterrupt });
      return runTask(inspectionView(made, new WorkPieces(checkInterrupt)));
    },
  }),
];
