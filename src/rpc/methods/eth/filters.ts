import { FilterNotFoundError } from '../../../chain/errors.ts';
import type { InsertedRange, LogChanges } from '../../../chain/filters/filters.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { type Task, waitFor } from '../../../scheduling/task.ts';
import { prepareCriteria } from '../../../storage/log-criteria.ts';
import { locatedLogs } from '../../../storage/log-search.ts';
import { LOG_JSON_SCHEMA, type LocatedLog, logViews } from '../../../wire/log.ts';
import { TRANSACTION_JSON_SCHEMA, transactionView } from '../../../wire/transaction.ts';
import type { Json } from '../../../wire/values.ts';
import { waitingTransaction } from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { filterObject, rangeFilterObject } from '../../codecs/filter-object.ts';
import { hash32, QUANTITY_JSON_SCHEMA, quantity } from '../../codecs/hex-values.ts';
import { findLogs, logsInRange, rangeOf, requireReached } from '../../log-answers.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { LogListJson } from '../../views/log-list.ts';

/** Maximum logs per time slice, and the work units per log. */
const LOGS_AT_ONCE = 128;
const LOG_WORK = 1_000;

/** Yields the removed logs of a filter in short lists. */
function* removedLists({ removed }: LogChanges): Generator<readonly LocatedLog[], void, undefined> {
  for (const logs of removed)
    for (let start = 0; start < logs.length; start += LOGS_AT_ONCE)
      yield logs.slice(start, start + LOGS_AT_ONCE);
}

/** Yields the new local logs of a filter in short lists. */
function* foundLists({ found }: LogChanges): Generator<readonly LocatedLog[], void, undefined> {
  for (const ofBlock of found)
    for (let start = 0; start < ofBlock.logIndexes.length; start += LOGS_AT_ONCE)
      yield locatedLogs([{ ...ofBlock, logIndexes: ofBlock.logIndexes.slice(start, start + LOGS_AT_ONCE) }]);
}

/** Returns the logs of these blocks of the forked chain that a filter selects. */
async function logsOf({ node, settings }: RpcContext, id: bigint, blocks: InsertedRange) {
  const content = node.chain.filters.content(id);
  const fork = node.fork.current;
  if (fork === null || !('range' in content)) return [];
  const { insertedLogs } = await import('../../fork/fork-ranges.ts');
  return insertedLogs(fork, content.range, blocks, settings.fieldNames);
}

/** Work units per transaction without its data. */
const TRANSACTION_WORK = 2_000;

function* transactionViews(context: RpcContext, hashes: readonly Uint8Array[]): Steps<Json[]> {
  const { chain } = context.node;
  const views: Json[] = [];
  for (const hash of hashes) {
    const mined = chain.transaction(hash);
    const transaction = mined?.transaction ?? waitingTransaction(context, hash);
    if (transaction === undefined) continue;
    views.push(transactionView(transaction, mined ?? null, chain.ruleSet));
    yield TRANSACTION_WORK + transaction.data.length;
  }
  return views;
}

/** Returns the new logs, hashes or transactions of a filter as JSON. Yields if there are many. */
function* changesOf(context: RpcContext, id: bigint): Task<unknown> {
  const { filters } = context.node.chain;
  const blocks = filters.inserted(id);
  const inserted = blocks === null ? [] : yield* waitFor(logsOf(context, id, blocks));
  const items = yield* filters.changes(id, blocks?.to);
  if ('hashes' in items)
    return items.isFull ? yield* transactionViews(context, items.hashes) : items.hashes.map(toHex);
  if (!items.hasRemoved && inserted.length === 0) return new LogListJson(items.found);
  const views: unknown[] = [];
  function* view(lists: Iterable<readonly LocatedLog[]>): Steps<void> {
    for (const logs of lists) {
      for (const one of logViews(logs)) views.push(one);
      yield LOG_WORK * logs.length;
    }
  }
  yield* view(removedLists(items));
  for (const log of inserted) views.push(log);
  yield* view(foundLists(items));
  return views;
}

export const ETH_FILTERS: readonly Method[] = [
  /**
   * Returns the logs of a range of blocks, or of a block by hash, by emitter and topics, oldest first. The
   * search must not exceed both the block limit and the log limit. Under Ethereum rules, it rejects for a
   * range beyond the head.
   */
  defineMethod({
    name: 'eth_getLogs',
    summary: 'The logs that match a filter',
    priority: 'low',
    params: [param('filter', filterObject)],
    fork: {
      kind: 'range',
      answer: async (call) => (await import('../../fork/fork-ranges.ts')).logs(call),
    },
    result: { description: 'The logs', schema: { type: 'array', items: LOG_JSON_SCHEMA } },
    handler: findLogs,
  }),
  /**
   * Creates a log filter. eth_getFilterChanges then returns the logs of new blocks in its range, and
   * eth_getFilterLogs all logs in its range. A filter expires after some minutes without a request.
   */
  defineMethod({
    name: 'eth_newFilter',
    summary: 'Creates a log filter',
    params: [param('filter', rangeFilterObject)],
    fork: {
      kind: 'own',
      because: 'reading the filter combines the logs of the forked chain and of this chain',
    },
    result: { description: 'The id of the filter', schema: QUANTITY_JSON_SCHEMA },
    handler: async ({ node: { chain }, settings, deadline }, filter) => {
      const range = rangeOf(filter, settings.compat);
      await deadline.run(prepareCriteria(range));
      return toQuantity(chain.filters.addLogs(range));
    },
  }),
  defineMethod({
    name: 'eth_newBlockFilter',
    summary: 'Creates a filter for new blocks',
    result: { description: 'The id of the filter', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) => toQuantity(chain.filters.addBlocks()),
  }),
  /**
   * eth_getFilterChanges returns the hashes of executable transactions that have entered the pool. With `full`,
   * it returns transaction objects, without transactions that left the pool unmined.
   */
  defineMethod({
    name: 'eth_newPendingTransactionFilter',
    summary: 'Creates a filter for new pending transactions',
    params: [optional('full', boolean, false)],
    result: { description: 'The id of the filter', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }, full) => toQuantity(chain.filters.addPendingTransactions(full)),
  }),
  /**
   * Returns the logs, block hashes or transaction hashes since the last poll. Logs that were returned earlier
   * appear again with `removed: true`, before the new logs, if their block left the chain (`evm_revert`).
   */
  defineMethod({
    name: 'eth_getFilterChanges',
    summary: 'The results of a filter since its last poll',
    // It changes the results of eth_getFilterLogs only, and that method keeps the order of arrival.
    priority: 'high',
    params: [param('filterId', quantity)],
    result: {
      description: 'Logs, transactions, or hashes of blocks or transactions',
      schema: {
        type: 'array',
        items: { oneOf: [LOG_JSON_SCHEMA, TRANSACTION_JSON_SCHEMA, hash32.jsonSchema] },
      },
    },
    handler: (context, id) => context.deadline.run(changesOf(context, id)),
    withoutLane: () => {
      throw new FilterNotFoundError();
    },
  }),
  /**
   * Returns all logs of a log filter: the result or error of eth_getLogs for the same filter object. For
   * other filters, it returns the hashes that eth_getFilterChanges returns next, and does not consume them.
   */
  defineMethod({
    name: 'eth_getFilterLogs',
    summary: 'All logs that match a filter',
    params: [param('filterId', quantity)],
    fork: {
      kind: 'range',
      answer: async (call) => (await import('../../fork/fork-ranges.ts')).filterLogs(call),
    },
    result: {
      description: 'Logs, or hashes of blocks or transactions',
      schema: { type: 'array', items: { oneOf: [LOG_JSON_SCHEMA, hash32.jsonSchema] } },
    },
    handler: (context, id) => {
      const content = context.node.chain.filters.content(id);
      if (!('range' in content)) return content.hashes.map(toHex);
      requireReached(context, content.range, 'filterId');
      return logsInRange(context, content.range);
    },
    withoutLane: () => {
      throw new FilterNotFoundError();
    },
  }),
  defineMethod({
    name: 'eth_uninstallFilter',
    summary: 'Deletes a filter',
    params: [param('filterId', quantity)],
    result: { description: 'true if the filter existed', schema: boolean.jsonSchema },
    handler: ({ node: { chain } }, id) => chain.filters.remove(id),
    withoutLane: () => false,
  }),
];
