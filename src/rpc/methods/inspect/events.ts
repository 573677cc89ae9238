import type { Inspector } from '../../../inspect/inspector.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { finish, type Steps } from '../../../primitives/steps.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import type { CanonicalBlocks } from '../../../storage/canonical-blocks.ts';
import { type LogCriteria, prepareCriteria } from '../../../storage/log-criteria.ts';
import { type FoundLogs, locatedLogs, lookForLogs } from '../../../storage/log-search.ts';
import { type LocatedLog, logViewsInSteps } from '../../../wire/log.ts';
import { exactObjectOf } from '../../codecs/codec.ts';
import { logFilterFields } from '../../codecs/filter-object.ts';
import { countUpTo, index } from '../../codecs/hex-values.ts';
import { criteriaOf, unchanged } from '../../log-answers.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { lengthOfLogs } from '../../views/log-list.ts';

const MAX_EVENTS = 200;
const USUAL = 50;
/** Maximum characters of JSON for the logs of a page, unless it has only one. */
const MAX_LENGTH = 2 ** 23;
/** Maximum blocks per request. */
const MAX_LOOKED_AT = 20_000;
/** Blocks per search step: the first, and the maximum. */
const MIN_BLOCKS = 64;
const MAX_BLOCKS = 2_048;
/** Work units per block, per selected log, per decoded log, and per byte of its data. */
const BLOCK_WORK = 128;
const LOG_WORK = 64;
const DECODING_WORK = 4_000;
const DECODING_WORK_PER_BYTE = 4;

const eventCount = countUpTo(MAX_EVENTS, 'events');

const filter = exactObjectOf(logFilterFields, 'an object with address and topics');

const place = exactObjectOf(
  { blockNumber: index, logIndex: index },
  'an object with blockNumber and logIndex',
);

/** The position of the next log; the search continues with older ones. */
interface Place {
  readonly block: number;
  /** The index in the block; `null` for the last one. */
  readonly index: number | null;
}

interface FoundEvents {
  /** Newest first. */
  readonly logs: readonly LocatedLog[];
  readonly next: Place | null;
}

/** A search that yields. */
interface Search {
  readonly blocks: CanonicalBlocks;
  readonly criteria: LogCriteria;
  /** False if a searched block has left the chain. */
  readonly isAsItWas: () => boolean;
}

/**
 * Returns the last logs from block `from` up to a position, in their order. It returns at least `count` logs,
 * with all logs of the oldest block, or all if there are fewer. Returns `null` if the chain was reorganized.
 */
function* lastLogs(
  { blocks, criteria, isAsItWas }: Search,
  from: number,
  to: Place,
  count: number,
): Steps<FoundLogs[] | null> {
  const found: FoundLogs[] = [];
  let total = 0;
  for (const logs of lookForLogs(blocks, { ...criteria, fromBlock: from, toBlock: to.block })) {
    const hasPaused = yield BLOCK_WORK + LOG_WORK * (logs?.logIndexes.length ?? 0);
    if (hasPaused === true && !isAsItWas()) return null;
    if (logs === null) continue;
    const { index: last } = to;
    const isCut = last !== null && logs.blockNumber === to.block;
    const logIndexes = isCut ? logs.logIndexes.filter((each) => each <= last) : logs.logIndexes;
    found.push({ ...logs, logIndexes });
    total += logIndexes.length;
    for (let [first] = found; first !== undefined; [first] = found) {
      if (total - first.logIndexes.length < count) break;
      total -= first.logIndexes.length;
      found.shift();
    }
  }
  return found;
}

/**
 * Searches backwards from a position until it has enough logs or has searched the maximum of blocks. Returns
 * `null` if the chain was reorganized.
 */
function* findOnce(search: Search, start: Place, lowest: number, count: number): Steps<FoundEvents | null> {
  const logs: LocatedLog[] = [];
  let [to, length] = [start, 0];
  for (let size = MIN_BLOCKS; to.block >= lowest; size = Math.min(2 * size, MAX_BLOCKS)) {
    const from = Math.max(lowest, to.block - size + 1);
    const wanted = count - logs.length;
    // One more log is the start of the next page.
    const found = yield* lastLogs(search, from, to, wanted + 1);
    if (found === null) return null;
    const newest = found
      .flatMap((each) => each.logIndexes.slice(-wanted - 1).map((position) => ({ each, position })))
      .slice(-wanted - 1)
      .reverse();
    for (const { each, position } of newest) {
      const log = { ...each, logIndexes: [position] };
      length += finish(lengthOfLogs(log));
      const isFull = logs.length === count || (logs.length > 0 && length > MAX_LENGTH);
      if (isFull) return { logs, next: { block: each.blockNumber, index: position } };
      logs.push(...locatedLogs([log]));
    }
    to = { block: from - 1, index: null };
  }
  return { logs, next: to.block < search.blocks.first ? null : to };
}

function* find(
  {
    node: {
      chain: { blocks },
    },
  }: RpcContext,
  criteria: LogCriteria,
  from: Pick<Place, 'index'> & { readonly block: number | null },
  count: number,
): Steps<FoundEvents> {
  yield* prepareCriteria(criteria);
  for (;;) {
    const head = blocks.head.block.header.number;
    const start = { block: Math.min(from.block ?? head, head), index: from.index };
    const lowest = Math.max(blocks.first, start.block - MAX_LOOKED_AT + 1);
    const isAsItWas = unchanged(blocks, { fromBlock: lowest, toBlock: start.block });
    const found = yield* findOnce({ blocks, criteria, isAsItWas }, start, lowest, count);
    if (found !== null) return found;
  }
}

/** Returns the logs as JSON, each with its decoded event. */
async function views(
  { node: { chain }, deadline }: RpcContext,
  inspector: Inspector,
  logs: readonly LocatedLog[],
): Promise<object[]> {
  const slice = new TimeSlice(deadline);
  const events: object[] = [];
  const name = inspector.eventNames(chain.head(), chain.headState());
  for (const [at, view] of (await deadline.run(logViewsInSteps(logs))).entries()) {
    const log = logs[at]?.log;
    if (log === undefined) continue;
    events.push({ ...view, ...(await name(log)) });
    await slice.spend(DECODING_WORK + DECODING_WORK_PER_BYTE * log.data.length);
  }
  return events;
}

export const INSPECT_EVENTS: readonly Method[] = [
  /**
   * Returns logs by emitter and topics, newest first, each as in eth_getLogs. `contract` is the name of the
   * emitter. `event` is decoded by the contract, by its implementation, or as a guess (`isGuess`). Both are
   * `null` if unknown. A request searches at most 20,000 blocks, and a page has at most 8 MiB of logs. `next`
   * is the start of the next page, also if this page is empty.
   */
  defineMethod({
    name: 'inspect_events',
    summary: 'Decoded logs, newest first, in pages',
    priority: 'low',
    params: [
      optional('filter', filter, { address: null, topics: null }),
      optional('from', place, null),
      optional('count', eventCount, USUAL),
    ],
    fork: { kind: 'own', because: 'eth_getLogs with a block range finds the logs of the forked chain' },
    result: {
      description: 'Logs with their events, and the start of the next page (null after the last page)',
      schema: {
        type: 'object',
        properties: {
          events: { type: 'array', items: { type: 'object' } },
          next: { anyOf: [{ type: 'object' }, { type: 'null' }] },
        },
        required: ['events', 'next'],
      },
    },
    handler: async (context, wanted, from, count) => {
      await context.node.inspector.ready();
      const inspector = await context.node.inspector.load();
      const start = { block: from?.blockNumber ?? null, index: from?.logIndex ?? null };
      const { logs, next } = await context.deadline.run(
        find(context, criteriaOf(wanted, context.settings.compat), start, count),
      );
      return {
        events: await views(context, inspector, logs),
        // Without an index, the page starts with the last log of the block.
        next: next && {
          blockNumber: toQuantity(next.block),
          ...(next.index === null ? {} : { logIndex: toQuantity(next.index) }),
        },
      };
    },
  }),
];
