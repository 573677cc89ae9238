import type { Timeline } from '../../../chain/execution/timeline.ts';
import { isCreation } from '../../../evm/observer.ts';
import type { Inspector } from '../../../inspect/inspector.ts';
import type { RecentFailure } from '../../../inspect/recent-failures.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import type { Block } from '../../../protocol/block.ts';
import { isRemascTransaction } from '../../../protocol/remasc.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { fetchingState } from '../../../state/state-source.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { boolean, textUpTo } from '../../codecs/basic.ts';
import { exactObjectOf, leaf, refined } from '../../codecs/codec.ts';
import { countUpTo, index, QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { answerOf, linePage } from './line-page.ts';

const MAX_TRANSACTIONS = 200;
const USUAL = 50;
const MAX_TEXT_LENGTH = 200;

/** Maximum transactions and blocks per request. */
const MAX_LOOKED_AT = 2_000;
const MAX_BLOCKS = 20_000;
/** Timeline cells per read; empty blocks are combined. */
const CELLS = 200;
/** The index of the last transaction of a block. */
const LAST_INDEX = 0xffffffff;
/** Work units per named transaction. */
const NAMING_WORK = 4_000;

const transactionCount = countUpTo(MAX_TRANSACTIONS, 'transactions');

const searchText = refined(textUpTo(MAX_TEXT_LENGTH, 'a string'), (text) => ({ value: text.toLowerCase() }));

const filter = exactObjectOf({ text: searchText, failed: boolean }, 'an object with text and failed');

const place = exactObjectOf(
  { blockNumber: index, transactionIndex: index },
  'an object with blockNumber and transactionIndex',
);

/** The position of the next transaction; the search continues with older ones. */
interface Place {
  readonly block: number;
  /** `null` for the last one of the block. */
  readonly index: number | null;
}

interface Wanted {
  /** In lower case; empty for any. */
  readonly text: string;
  /** `null` for any. */
  readonly failed: boolean | null;
}

/** The properties of a transaction that need no execution. */
interface MinedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly contractAddress: string | null;
  readonly selector: string | null;
  readonly purpose: 'deployment' | 'call' | 'transfer';
  readonly subject: string | null;
  readonly events: readonly string[];
  readonly [fact: string]: unknown;
}

const SELECTOR_SIZE = 4;

async function describe(
  block: Block,
  at: number,
  state: WorldState,
  inspector: Inspector,
  failed: boolean,
): Promise<MinedTransaction | null> {
  const [transaction, receipt] = [block.transactions[at], block.receipts[at]];
  if (transaction === undefined || receipt === undefined || isRemascTransaction(transaction)) return null;
  const { to, data } = transaction;
  const hasCode =
    to !== null &&
    ((await fetchingState(() => (state.account(to)?.code.bytes.length ?? 0) > 0)) ||
      (await inspector.hasPrecompile(state, to)));
  const created = { createdAddress: to === null ? receipt.contractAddress : null, logs: receipt.logs };
  return {
    hash: toHex(transaction.hash),
    blockNumber: toQuantity(block.header.number),
    transactionIndex: toQuantity(at),
    timestamp: toQuantity(block.header.timestamp),
    purpose: to === null ? 'deployment' : data.length > 0 || hasCode ? 'call' : 'transfer',
    from: toHex(transaction.sender),
    to: to === null ? null : toHex(to),
    value: toQuantity(transaction.value),
    selector: hasCode && data.length >= SELECTOR_SIZE ? toHex(data.subarray(0, SELECTOR_SIZE)) : null,
    contractAddress: receipt.contractAddress === null ? null : toHex(receipt.contractAddress),
    gasUsed: toQuantity(receipt.gasUsed),
    failed,
    ...(await inspector.names(transaction, created, block, state)),
  };
}

function matches(transaction: MinedTransaction, text: string): boolean {
  const { hash, from, to, contractAddress, selector, purpose, subject, events } = transaction;
  const facts = [hash, from, to, contractAddress, selector, purpose, subject, ...events];
  return text === '' || facts.some((fact) => fact?.toLowerCase().includes(text));
}

/** Finds transactions from a position towards older blocks, until it has enough or reaches a limit. */
async function find(
  { node: { chain, inspector }, deadline }: RpcContext,
  from: Place,
  { text, failed }: Wanted,
  count: number,
): Promise<{ readonly found: readonly MinedTransaction[]; readonly next: Place | null }> {
  const slice = new TimeSlice(deadline);
  const loaded = await inspector.load();
  const hidesFailures = chain.ruleSet.precompiles.failureInTransactionSucceeds;
  const found: MinedTransaction[] = [];
  let looked = 0;
  let blocks = 0;
  let start: number | null = from.block;
  while (start !== null) {
    if (blocks >= MAX_BLOCKS) return { found, next: { block: start, index: null } };
    const line: Timeline = await chain.timeline.read(start, CELLS, deadline);
    blocks += line.looked;
    for (const cell of line.cells) {
      if (cell.kind === 'empty' || cell.transactions === 0) continue;
      // Under these rules, receipts do not show the failure of a precompiled contract.
      if (failed === true && cell.failed === 0 && !hidesFailures) {
        if (looked >= MAX_LOOKED_AT) return { found, next: { block: cell.number, index: null } };
        looked += cell.transactions;
        continue;
      }
      const block = await chain.block({ hash: cell.hash });
      // The block left the chain during the search.
      if (block === undefined) continue;
      const { state } = await chain.view({ hash: cell.hash });
      const highest = block.transactions.length - 1;
      const first = cell.number === from.block ? Math.min(from.index ?? highest, highest) : highest;
      for (let at = first; at >= 0; at--) {
        if (found.length >= count || looked >= MAX_LOOKED_AT)
          return { found, next: { block: cell.number, index: at } };
        const hasSucceeded = block.receipts[at]?.succeeded === true;
        if (failed === false && !hasSucceeded) continue;
        looked++;
        const isFailure = !hasSucceeded || (await loaded.failedAtPrecompile(block, at, state, deadline));
        if (failed !== null && failed !== isFailure) continue;
        const transaction = await describe(block, at, state, loaded, isFailure);
        if (transaction !== null && matches(transaction, text)) found.push(transaction);
        await slice.spend(NAMING_WORK);
      }
    }
    start = line.next;
  }
  return { found, next: null };
}

/** Maximum failures per response; each is executed again. */
const MAX_FAILURES = 16;

const howMany = countUpTo(MAX_FAILURES, 'failures', 0);

const failureNumber = leaf('the number of a failure', QUANTITY_JSON_SCHEMA, (value) => {
  const number = readQuantity(value);
  return number === undefined || number > Number.MAX_SAFE_INTEGER ? undefined : Number(number);
});

/** Returns the block number of a failed execution. */
function blockOf(execution: RecentFailure['execution']): number {
  return 'call' in execution ? execution.call.site.environment.number : execution.block.block.header.number;
}

/** Returns the input data of a failed execution. */
function inputOf(execution: RecentFailure['execution']): Uint8Array {
  if ('call' in execution) return execution.call.message.data;
  const { block, index } = execution;
  const transaction = block.block.transactions[index];
  if (transaction === undefined) throw new RangeError(`the block has no transaction ${index}`);
  return transaction.data;
}

export const INSPECT_MINED_TRANSACTIONS: readonly Method[] = [
  /**
   * Returns mined transactions, newest first, with the names of call and events if the contract is known.
   * `text` matches hashes, addresses, selectors and names; `failed` selects by outcome. A request reads about
   * 2,000 transactions and 20,000 blocks. `next` is the start of the next page, also if this page is empty.
   */
  defineMethod({
    name: 'inspect_transactions',
    summary: 'Decoded mined transactions, newest first, with filters',
    priority: 'low',
    params: [
      optional('filter', filter, { text: null, failed: null }),
      optional('from', place, null),
      optional('count', transactionCount, USUAL),
    ],
    result: {
      description: 'Transactions, and the start of the next page (null after the last page)',
      schema: {
        type: 'object',
        properties: {
          transactions: { type: 'array', items: { type: 'object' } },
          next: { anyOf: [{ type: 'object' }, { type: 'null' }] },
        },
        required: ['transactions', 'next'],
      },
    },
    handler: async (context, { text, failed }, from, count) => {
      await context.node.inspector.ready();
      const highest = context.node.chain.head().header.number;
      const start = { block: from?.blockNumber ?? highest, index: from?.transactionIndex ?? null };
      const wanted = { text: text ?? '', failed };
      const { found, next } = await find(context, start, wanted, count);
      return {
        transactions: found,
        next: next && {
          blockNumber: toQuantity(next.block),
          transactionIndex: toQuantity(next.index ?? LAST_INDEX),
        },
      };
    },
  }),
  /**
   * Lists the latest failures on the chain, newest first: calls, estimates and mined transactions. Each
   * failure is reported as `inspect_transaction` reports a transaction. A revert to a snapshot does not
   * remove failures. The chain keeps failures within a memory limit, at least the newest 200 calls. `count` is
   * the number of all failures, and `oldest` is the number of the oldest kept one. A test runner reads `count`
   * before a test (`[0]`). If the test fails, the runner requests the failures after this number. `before` is
   * the lowest number of the previous page of older failures. `page` is the parameter of
   * `inspect_transaction`; it applies to each failure.
   */
  defineMethod({
    name: 'inspect_failures',
    summary:
      'The latest failed calls, estimates and transactions: method, block, decoded call and stack trace',
    params: [
      optional('most', howMany, 1),
      optional('after', failureNumber, 0),
      optional('page', linePage, null),
      optional<number | null>('before', failureNumber, null),
    ],
    isLogged: false,
    fork: { kind: 'own', because: 'the list contains only failures of requests to this node' },
    result: {
      description:
        'The total count, the number of the oldest kept failure (`null` without failures), and the newest failures. Each failure contains `number`, `blockNumber` and the result of `inspect_transaction`. `method` is null for a transaction, and `transactionHash` is null for a call. Without `page`, a failed deployment also contains `initcode`',
      schema: {
        type: 'object',
        properties: {
          count: QUANTITY_JSON_SCHEMA,
          oldest: { anyOf: [QUANTITY_JSON_SCHEMA, { type: 'null' }] },
          failures: { type: 'array', items: { type: 'object' } },
        },
        required: ['count', 'oldest', 'failures'],
      },
    },
    handler: async ({ node: { failures, inspector, owner }, deadline }, most, after, page, before) => {
      const { count, oldest } = failures;
      const listed = failures.list(after, owner, before ?? undefined).slice(0, most);
      if (listed.length > 0) await inspector.ready();
      const told: object[] = [];
      for (const failure of listed) {
        const { number, execution } = failure;
        const inspection = await failures.explain(failure, inspector, {
          hasChanges: page?.changes ?? true,
          checkCancelled: deadline,
        });
        told.push({
          number: toQuantity(number),
          method: 'call' in execution ? execution.method : null,
          blockNumber: toQuantity(blockOf(execution)),
          transactionHash: 'hash' in execution ? toHex(execution.hash) : null,
          ...(inspection && (await answerOf(inspection, page, deadline))),
          // The call tree omits the initcode of known contracts.
          ...(page === null && inspection !== null && isCreation(inspection.call.type)
            ? { initcode: toHex(inputOf(execution)) }
            : {}),
        });
      }
      return {
        count: toQuantity(count),
        oldest: oldest === null ? null : toQuantity(oldest),
        failures: told,
      };
    },
  }),
];
