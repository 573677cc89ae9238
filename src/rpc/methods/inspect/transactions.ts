import { LATEST } from '../../../chain/block-selector.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../protocol/hardforks/registry.ts';
import type { RuleSet } from '../../../protocol/hardforks/rule-set.ts';
import { ruleTitle } from '../../../protocol/hardforks/single-rule.ts';
import { hardfork } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { hash32 } from '../../codecs/hex-values.ts';
import { locate } from '../../executions.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { callMessage } from '../../transaction-request.ts';
import { answerOf, linePage } from './line-page.ts';

/** The member of results about transactions of the forked chain that were executed again here. */
/** Returns the hardforks, and the chain's own rules if single proposals differ from a hardfork. */
function knownRuleSets(own: RuleSet): readonly RuleSet[] {
  const hardforks = RULE_SET_NAMES.map(ruleSetNamed);
  return hardforks.some(({ name }) => name === own.name) ? hardforks : [own, ...hardforks];
}

/** Returns the proposals of a preview and the EIPs that were added on their own, for example `RSKIP-546`. */
function proposalsOf({ preview, addedEips }: RuleSet): string[] {
  const included = Object.keys(preview?.included ?? {}).map(Number);
  const ofPreview = included.map((number) => ruleTitle({ kind: preview?.kind ?? 'EIP', number }));
  return [...ofPreview, ...addedEips.map((number) => ruleTitle({ kind: 'EIP', number }))];
}

export const EXACT = { exact: { type: 'boolean' } } as const;
export const EXACT_TEXT =
  'On a fork, `exact` is present if this node executed an older transaction again. It is false if gas, status or logs differ from the receipts of the forked chain';

const RESULT = {
  description:
    'The decoded execution. `call` contains the nested calls, events and console output. `failure` and `stackTrace` describe a failed execution. `labels` contains the names of addresses. `changes` lists the changes of storage variables, balances and tokens. With `page`, the `items` of `call` are omitted, and `lines` contains the lines of the page. Each line contains `index`, `depth` and `item`. `below` is the number of lines inside a line. `calls` is the number of direct calls inside a line. `callsBefore` and `gasBefore` are the number and the gas of the earlier calls inside the same call. `lineCount` is the number of all lines. `next` is the first line of the next page, or null. `omitted` contains the number of entries beyond the first 500 of each list: `stackTrace`, `labels`, `storage`, `transientStorage`, `balances`, `tokens`',
  schema: { type: 'object' },
} as const;

const TRANSACTION_RESULT = {
  description: `${RESULT.description}. ${EXACT_TEXT}`,
  schema: { type: 'object', properties: EXACT },
} as const;

export const INSPECT_TRANSACTIONS: readonly Method[] = [
  /**
   * Executes a mined transaction again and decodes it. Contract names come from `--artifacts`, the project of
   * the working directory and inspect_addArtifacts. A pool transaction runs in the pending block. If the
   * pending block does not contain it, the error reports the missing nonce.
   *
   * With `page`, the result has only some lines of the call tree (calls, events, messages; a call precedes
   * its contents). The page starts at the line `first` and has at most `count` lines (up to 2,000). With
   * `leastGas`, it has only calls that used at least that gas. Texts over 1,000 characters and lists over 100
   * items are cut and end in an ellipsis. Stack trace, labels and each list of changes have at most 500
   * entries; `omitted` counts the others. Decoding is faster if `changes` is false.
   */
  defineMethod({
    name: 'inspect_transaction',
    summary: 'Decodes a mined transaction: calls, events, failure and stack trace',
    priority: 'low',
    params: [param('transactionHash', hash32), optional('page', linePage, null)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: TRANSACTION_RESULT,
    handler: async ({ node: { chain, inspector }, deadline }, hash, page) => {
      const { block, index: place } = await locate(chain, hash);
      const loaded = await inspector.ready();
      const hasChanges = page?.changes ?? true;
      return answerOf(
        await loaded.transaction(block, place, { hasChanges, checkCancelled: deadline }),
        page,
        deadline,
      );
    },
  }),
  /**
   * Executes a call on the state after a block, as eth_call does, and decodes it, as inspect_transaction
   * does. `hardfork` replaces the chain's hardfork; inspect_hardforks lists the names.
   */
  defineMethod({
    name: 'inspect_call',
    summary: 'Decodes a call: nested calls, events, failure and stack trace',
    priority: 'low',
    params: [
      param('call', callObject),
      optional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('hardfork', hardfork, null),
      optional('page', linePage, null),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: RESULT,
    handler: async (context, call, block, accounts, name, page) => {
      const message = callMessage(context, call);
      const inspector = await context.node.inspector.ready();
      const overrides = { accounts, block: {} };
      const { chain } = context.node;
      const { deadline } = context;
      const rules = name === null ? undefined : chain.tracing.rulesOf(ruleSetNamed(name));
      const options = { hasChanges: page?.changes ?? true, checkCancelled: deadline, rules };
      return answerOf(await inspector.call(message, block, overrides, options), page, deadline);
    },
  }),
  defineMethod({
    name: 'inspect_hardforks',
    summary: 'The supported hardforks',
    priority: 'high',
    result: {
      description:
        "The hardforks. `isOwn` marks the chain's hardfork; `isPreview` marks a hardfork that is not final. `proposals` are the EIPs or RSKIPs of a preview, and single EIPs",
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            isOwn: { type: 'boolean' },
            isPreview: { type: 'boolean' },
            proposals: { type: 'array', items: { type: 'string' } },
          },
          required: ['name', 'isOwn', 'isPreview'],
        },
      },
    },
    handler: ({ node: { chain } }) =>
      knownRuleSets(chain.ruleSet).map((ruleSet) => {
        const { name, preview } = ruleSet;
        const proposals = proposalsOf(ruleSet);
        return {
          name,
          isOwn: name === chain.ruleSet.name,
          isPreview: preview !== null,
          ...(proposals.length === 0 ? {} : { proposals }),
        };
      }),
  }),
];
