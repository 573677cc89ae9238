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

const RESULT = {
  description:
    'The decoded execution. `call` contains the nested calls, events and console output. `failure` and `stackTrace` describe a failed execution. `labels` contains the names of addresses. `changes` lists the changes of storage variables, balances and tokens. With `page`, the `items` of `call` are omitted, and `lines` contains the lines of the page. Each line contains `index`, `depth` and `item`. `below` is the number of lines inside a line. `calls` is the number of direct calls inside a line. `callsBefore` and `gasBefore` are the number and the gas of the earlier calls inside the same call. `lineCount` is the number of all lines. `next` is the first line of the next page, or null. `omitted` contains the number of entries beyond the first 500 of each list: `stackTrace`, `labels`, `storage`, `transientStorage`, `balances`, `tokens`',
  schema: { type: 'object' },
} as const;

const MOST_STEPS = 2_000;
const STEPS = 200;

const stepCount = countUpTo(MOST_STEPS, 'steps', 0);

const stepPage = exactObjectOf(
  { first: index, count: stepCount, memory: flag, sources: flag, variables: flag, outline: boolean },
  'an object with first, count, memory, sources, variables and outline',
);

/**
 * Resolves to the place of a mined transaction, or of one of the pool in the block that would be mined now. Rejects with a
 * {@link WaitingTransactionError} for one that this block would not have, and with a `TransactionNotFoundError` for any other hash.
 */
async function locate(
  chain: Chain,
  hash: Uint8Array,
): Promise<{ readonly block: Block; readonly index: number }> {
  if (chain.transaction(hash) === undefined && chain.pool.byHash(hash) !== undefined) {
    const { block } = await chain.view({ tag: 'pending' });
    const index = block.transactions.findIndex((transaction) => equalBytes(transaction.hash, hash));
    if (index !== -1) return { block, index };
    const waiting = chain.pool.byHash(hash);
    // It can have been mined meanwhile.
    if (waiting !== undefined && chain.transaction(hash) === undefined)
      throw new WaitingTransactionError(waiting, chain.pool.nextNonce(waiting.sender));
  }
  return requireTransaction(chain, hash);
}

export const INSPECT_TRANSACTIONS: readonly Method[] = [
  /**
   * Runs a mined transaction again and reports what it did, in the names and values of the contracts that are known: by
   * `--artifacts`, by the project that the node runs in, by `inspect_addArtifacts`. A transaction of the pool is reported as it would run in the
   * block that would be mined now. An unknown hash is an error, and so is that of a transaction which that block would not have; the
   * error says which nonce is missing where it waits for one.
   *
   * A tree of calls can be large. With `page` the answer has a part of its lines (calls, events, messages; a call before what is inside it):
   * `count` of them, at most 2,000, from the line `first` on. With `leastGas` those are calls only which used as much. In lines, and in the
   * failure and the entries of all lists, texts end after 1,000 characters and lists after 100 items, with `…`. Stack trace, labels and each list of the
   * changes end after 500 entries; `omitted` has by the name of such a list how many more there are. Without `changes` the transaction is gone through faster.
   */
  defineMethod({
    name: 'inspect_transaction',
    summary: 'Decodes a mined transaction: calls, events, failure and stack trace',
    begins: 'late',
    params: [param('transactionHash', hash32), optional('page', linePage, null)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: RESULT,
    handler: async ({ node: { chain, inspector }, deadline }, hash, page) => {
      const { block, index: place } = await locate(chain, hash);
      const loaded = await inspector.ready();
      const hasChanges = page?.changes ?? true;
      return answerOf(
        await loaded.transaction(block, place, { hasChanges, checkInterrupt: deadline }),
        page,
        deadline,
      );
    },
  }),
  /**
   * Runs a message on the state after a block, as eth_call does, and reports what it did, as inspect_transaction does; under another
   * hardfork than the chain's where one is named. The names of hardforks are those of `inspect_hardforks`; `page` is that of
   * inspect_transaction.
   */
  defineMethod({
    name: 'inspect_call',
    summary: 'Decodes a call: nested calls, events, failure and stack trace',
    begins: 'late',
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
      const inspector = await context.node.inspector.ready();
      const overrides = { accounts, block: {} };
      const {
        node: { chain },
        deadline,
      } = context;
      const rules = name === null ? undefined : chain.tracing.rulesOf(ruleSetNamed(name));
      const options = { hasChanges: page?.changes ?? true, checkInterrupt: deadline, rules };
      return answerOf(await inspector.call(message, block, overrides, options), page, deadline);
    },
  }),
  /** Lists the hardforks whose rules calls can be run under, the oldest first, and which of them the chain has. */
  defineMethod({
    name: 'inspect_hardforks',
    summary: 'The supported hardforks',
    begins: 'early',
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
   * Runs a mined transaction again and lists its steps, to go through it in a debugger: `statements` of the whole transaction, each a list of
   * the first step, the frame, the file and the line (the file is -1 where the code comes from none), and `steps`, the opcodes of a
   * page, each before it is executed. `failedAt` is the step at which it failed. With `sources` the files have their content;
   * with `outline: false` statements, frames and files, which are those of the whole transaction, are left out, for pages after the first question.
   *
   * `storage` has, by account, the slots that were touched before the page with their values at its first step, the latest of each account; `storageLimit`
   * says how many at most. The account is the `storageAddress` of the frame, which differs from `address`, whose code runs, in delegate calls. A step that
   * touches a slot has it as `slot` with the value that is read or written, and as `slotBefore` the value before a write. Where frames that
   * wrote slots failed before a step, it has as `undone` the account, the slot and the earlier value of each.
   *
   * With `variables` a step has the parameters, results and locals of the function that runs, each with `name`, `type` and `value`, unless they
   * are the same as at the step before it in the page. They are `null` where nothing says where they lie: they are known of code that solc
   * compiled without optimizer and without the IR pipeline, if the build output has the syntax tree. Of a transaction of the pool are the steps that it would
   * take in the block that would be mined now. An unknown hash is an error.
   */
  defineMethod({
    name: 'inspect_steps',
    summary:
      'The steps of a mined transaction: source statements, and opcodes with stack, memory and storage',
    begins: 'late',
    params: [param('transactionHash', hash32), optional('page', stepPage, null)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: {
      description:
        'The step count, statements, frames, files, the steps of the page, and the failed step. A frame executes the code at `address` and uses the storage of `storageAddress` (they differ in delegate calls). A step that reads or writes storage contains `slot`, an array of slot and value. For a write, `slotBefore` is the earlier value. The list `undone` of a step contains the account, slot and earlier value of writes in failed frames. The field `storage` contains the slots of each account at the first step of the page, at most `storageLimit` per account',
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
