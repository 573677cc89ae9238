import { LATEST } from '../../../chain/block-selector.ts';
import type { Chain } from '../../../chain/chain.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import type { Block } from '../../../protocol/block.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../protocol/hardforks/registry.ts';
import { boolean, flag, hardfork } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { exactObjectOf } from '../../codecs/codec.ts';
import { countUpTo, hash32, index } from '../../codecs/hex-values.ts';
import { WaitingTransactionError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';
import { callMessage } from '../../transaction-request.ts';
import { answerOf, linePage } from './line-page.ts';

/** The member of results about transactions of the forked chain that were executed again here. */
const EXACT = { exact: { type: 'boolean' } } as const;
const EXACT_TEXT =
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

const MAX_STEPS = 2_000;
const STEPS = 200;

const stepCount = countUpTo(MAX_STEPS, 'steps', 0);

const stepPage = exactObjectOf(
  { first: index, count: stepCount, memory: flag, sources: flag, variables: flag, outline: boolean },
  'an object with first, count, memory, sources, variables and outline',
);

/**
 * Resolves to the block and index of a mined transaction. A pool transaction is located in the pending block.
 * Rejects with {@link WaitingTransactionError} if the pending block does not contain it, and with
 * `TransactionNotFoundError` for an unknown hash.
 */
export async function locate(
  chain: Chain,
  hash: Uint8Array,
): Promise<{ readonly block: Block; readonly index: number }> {
  if (chain.transaction(hash) === undefined && chain.pool.byHash(hash) !== undefined) {
    const { block } = await chain.view({ tag: 'pending' });
    const index = block.transactions.findIndex((transaction) => equalBytes(transaction.hash, hash));
    if (index !== -1) return { block, index };
    const waiting = chain.pool.byHash(hash);
    // It may have been mined during the await.
    if (waiting !== undefined && chain.transaction(hash) === undefined)
      throw new WaitingTransactionError(waiting, chain.pool.nextNonce(waiting.sender));
  }
  return requireTransaction(chain, hash);
}

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
      const {
        node: { chain },
        deadline,
      } = context;
      const rules = name === null ? undefined : chain.tracing.rulesOf(ruleSetNamed(name));
      const options = { hasChanges: page?.changes ?? true, checkCancelled: deadline, rules };
      return answerOf(await inspector.call(message, block, overrides, options), page, deadline);
    },
  }),
  defineMethod({
    name: 'inspect_hardforks',
    summary: 'The supported hardforks',
    priority: 'high',
    params: [],
    result: {
      description:
        "The hardforks. `isOwn` marks the chain's hardfork; `isPreview` marks a hardfork that is not final",
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
    handler: ({ node: { chain } }) =>
      RULE_SET_NAMES.map((name) => ({
        name,
        isOwn: name === chain.ruleSet.name,
        isPreview: ruleSetNamed(name).preview !== null,
      })),
  }),
  /**
   * Executes a mined transaction again and lists its steps for a debugger. A pool transaction runs in the
   * pending block. `statements` covers the whole transaction: first step, frame, file and line of each (file
   * -1 if there is no source). `steps` contains the opcodes of a page, each before its execution. `failedAt`
   * is the failing step. With `sources`, `files` includes the contents. With `outline: false`, statements,
   * frames and files are omitted, for later pages.
   *
   * The map `storage` lists, by account, the slots touched before the page, with their values at its first
   * step (at most the latest `storageLimit`). The account is the `storageAddress` of the frame, which differs
   * from the code's `address` in delegate calls. A step that touches a slot has the slot and the read or
   * written value in `slot`; for a write, `slotBefore` is the value before. The list `undone` has the
   * account, slot and earlier value of writes in frames that failed before the step.
   *
   * With `variables`, a step has the parameters, results and locals of the running function, unless they are
   * unchanged since the step before. They are `null` if their location is unknown. Locations need the syntax
   * tree in the build output, and code of solc without optimizer and IR pipeline.
   */
  defineMethod({
    name: 'inspect_steps',
    summary:
      'The steps of a mined transaction: source statements, and opcodes with stack, memory and storage',
    priority: 'low',
    params: [param('transactionHash', hash32), optional('page', stepPage, null)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: {
      description:
        'The step count, statements, frames, files, the steps of the page, and the failed step. A frame executes the code at `address` and uses the storage of `storageAddress` (they differ in delegate calls). A step that reads or writes storage contains `slot`, an array of slot and value. For a write, `slotBefore` is the earlier value. The list `undone` of a step contains the account, slot and earlier value of writes in failed frames. The field `storage` contains the slots of each account at the first step of the page, at most `storageLimit` per account. ' +
        EXACT_TEXT,
      schema: {
        type: 'object',
        properties: {
          count: { type: 'integer' },
          statements: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
          frames: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                type: { type: 'string' },
                depth: { type: 'integer' },
                address: { type: 'string' },
                storageAddress: { type: 'string' },
                contract: { anyOf: [{ type: 'string' }, { type: 'null' }] },
              },
              required: ['type', 'depth', 'address', 'storageAddress', 'contract'],
            },
          },
          files: { type: 'array', items: { type: 'object' } },
          steps: { type: 'array', items: { type: 'object' } },
          storage: { type: 'object' },
          storageLimit: { type: 'integer' },
          failedAt: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
          ...EXACT,
        },
        required: ['count', 'steps', 'storage', 'storageLimit', 'failedAt'],
      },
    },
    handler: async ({ node: { chain, inspector }, deadline }, hash, page) => {
      const { block, index } = await locate(chain, hash);
      await inspector.ready();
      const wanted = {
        first: page?.first ?? 0,
        count: page?.count ?? STEPS,
        memory: page?.memory === true,
        variables: page?.variables === true,
      };
      const found = await (await inspector.load()).steps(block, index, wanted, deadline);
      const { count, statements, frames, files, steps, storage, storageLimit, failedAt } = found;
      const outline = {
        statements: statements.map(({ first, frame, file, line }) => [first, frame, file, line]),
        frames,
        files: page?.sources === true ? files : files.map(({ name }) => ({ name })),
      };
      return { count, ...(page?.outline === false ? {} : outline), steps, storage, storageLimit, failedAt };
    },
  }),
];
