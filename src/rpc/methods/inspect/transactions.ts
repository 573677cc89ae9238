import type { Inspection } from '../../../inspect/inspection.ts';
import type { CheckInterrupt } from '../../../primitives/interrupt.ts';
import { type Awaitable, runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../protocol/hardforks/registry.ts';
import { boolean } from '../../codecs/basic.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { type Decoded, exactObjectOf, leaf } from '../../codecs/codec.ts';
import { hash32 } from '../../codecs/data.ts';
import { hardfork } from '../../codecs/hardfork.ts';
import { index, QUANTITY_JSON_SCHEMA, quantity, readQuantity } from '../../codecs/quantity.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';
import { callMessage } from '../../transaction-request.ts';
import { inspectionPageView, inspectionView } from '../../views/inspection.ts';

const MOST_LINES = 2_000;
const LINES = 200;

const lineCount = leaf(`a number of lines from 0 to ${MOST_LINES}`, QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > MOST_LINES ? undefined : Number(count);
});

/** A part of the lines of a call tree. */
const linePage = exactObjectOf(
  { first: index, count: lineCount, leastGas: quantity, changes: boolean },
  'an object with first, count, leastGas and changes',
);

type LinePage = Decoded<typeof linePage> | null;

/** Resolves to the form of an inspection: whole, or with the page of the lines of its tree. */
function answerOf(made: Inspection, page: LinePage, checkInterrupt: CheckInterrupt): Awaitable<object> {
  const pieces = new WorkPieces(checkInterrupt);
  if (page === null) return runTask(inspectionView(made, pieces));
  const { first, count, leastGas } = page;
  return runTask(inspectionPageView(made, { first: first ?? 0, count: count ?? LINES, leastGas }, pieces));
}

const RESULT = {
  description:
    'The account of the execution: `call` with the calls, events and console output inside it, decoded; `failure` and `stackTrace` when it failed; `labels` of addresses among the values; `changes` of storage by variable, of balances and of tokens. With `page`, `call` has no `items`, and `lines` are those of the page, each with `index`, `depth`, `below` (how many lines are inside it), `calls` (how many it made itself), `callsBefore` and `gasBefore` (of the calls before it inside the same call) and `item`; `lineCount` is the number of all, `next` the first one of the page after it, null at the end, and `omitted` by the name of a list (`stackTrace`, `labels`, `storage`, `transientStorage`, `balances`, `tokens`) how many entries it would have after the first 500',
  schema: { type: 'object' },
} as const;

export const INSPECT_TRANSACTIONS: readonly Method[] = [
  /**
   * Runs a mined transaction again and tells what it did, in the names and values of the contracts that are known: by
   * `--artifacts`, by the project that the node runs in, by `inspect_addArtifacts`. An unknown hash is an error.
   *
   * A tree of calls can be large. With `page` the answer has a part of its lines (calls, events, messages; a call before what is inside it):
   * `count` of them, at most 2,000, from the line `first` on. With `leastGas` those are calls only which used as much. In lines, and in the
   * failure and the entries of all lists, texts end after 1,000 characters and lists after 100 items, with `…`. Stack trace, labels and each list of the
   * changes end after 500 entries; `omitted` has by the name of such a list how many more there are. Without `changes` the transaction is gone through faster.
   */
  defineMethod({
    name: 'inspect_transaction',
    summary: 'Decodes a mined transaction: calls, events and failures, with a stack trace',
    params: [param('transactionHash', hash32), optional('page', linePage, null)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: RESULT,
    handler: async ({ chain, inspector, checkInterrupt }, hash, page) => {
      const { block, index: place } = requireTransaction(chain, hash);
      const loaded = await inspector.ready();
      const hasChanges = page?.changes ?? true;
      return answerOf(
        await loaded.transaction(block, place, { hasChanges, checkInterrupt }),
        page,
        checkInterrupt,
      );
    },
  }),
  /**
   * Runs a message on the state after a block, as eth_call does, and tells what it did, as inspect_transaction does; under another
   * hardfork than the chain's where one is named. The names of hardforks are those of `inspect_hardforks`; `page` is that of
   * inspect_transaction.
   */
  defineMethod({
    name: 'inspect_call',
    summary: 'Decodes a call: calls inside it, events and failures, with a stack trace',
    params: [
      param('call', callObject),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('hardfork', hardfork, null),
      optional('page', linePage, null),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything' },
    result: RESULT,
    handler: async (context, call, block, accounts, name, page) => {
      const message = callMessage(context, call);
      const inspector = await context.inspector.ready();
      const overrides = { accounts, block: {} };
      const { chain, checkInterrupt } = context;
      const rules = name === null ? undefined : chain.tracing.rulesOf(ruleSetNamed(name));
      const options = { hasChanges: page?.changes ?? true, checkInterrupt, rules };
      return answerOf(await inspector.call(message, block, overrides, options), page, checkInterrupt);
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
