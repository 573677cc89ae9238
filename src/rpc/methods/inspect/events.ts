import type { Inspector } from '../../../inspect/inspector.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { runTask, type Task } from '../../../scheduling/task.ts';
import { inOnePiece, WorkPieces } from '../../../scheduling/work-pieces.ts';
import type { CanonicalBlocks } from '../../../storage/canonical-blocks.ts';
import { type LogCriteria, prepareCriteria } from '../../../storage/log-criteria.ts';
import { type FoundLogs, locatedLogs, lookForLogs } from '../../../storage/log-search.ts';
import { type LocatedLog, logsInPieces } from '../../../wire/log.ts';
import { exactObjectOf } from '../../codecs/codec.ts';
import { logFilterFields } from '../../codecs/filter-object.ts';
import { countUpTo, index } from '../../codecs/hex-values.ts';
import { criteriaOf, unchanged } from '../../log-answers.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { lengthOfLogs } from '../../views/log-list.ts';

const MOST_EVENTS = 200;
const USUAL = 50;
/** Characters of JSON that the logs of a page take at most, where it has more than one. */
const MOST_LENGTH = 2 ** 23;
/** Blocks that one question looks through. */
const MOST_LOOKED_AT = 20_000;
/** Blocks that are looked through at once: at first, and at most. */
const FEWEST_BLOCKS = 64;
const MOST_BLOCKS = 2_048;
/** Units of work for looking into a block, for choosing one of its logs, and for decoding one and each byte of its data. */
const BLOCK_WORK = 128;
const LOG_WORK = 64;
const DECODING_WORK = 4_000;
const DECODING_WORK_PER_BYTE = 4;

const eventCount = countUpTo(MOST_EVENTS, 'events');

const filter = exactObjectOf(logFilterFields, 'an object with address and topics');

const place = exactObjectOf(
  { blockNumber: index, logIndex: index },
  'an object with blockNumber and logIndex',
);

/** The place of a log, from which on older ones are looked for. */
interface Place {
  readonly block: number;
  /** The index in the block; `null` for the last one. */
  readonly index: number | null;
}

interface FoundEvents {
  /** The newest first. */
  readonly logs: readonly LocatedLog[];
  readonly next: Place | null;
}

/** A search that goes on while others get their turns. */
interface Search {
  readonly blocks: CanonicalBlocks;
  readonly criteria: LogCriteria;
  readonly pieces: WorkPieces;
  /** False when blocks that were looked into have left the chain. */
  readonly isAsItWas: () => boolean;
}

/** The last logs of the blocks from `from` up to a place, in their order: `count`, or all of one block more; `null` when the chain has changed. */
function* lastLogs(
  { blocks, criteria, pieces, isAsItWas }: Search,
  from: number,
  to: Place,
  count: number,
): Task<FoundLogs[] | null> {
  const found: FoundLogs[] = [];
  let total = 0;
  for (const logs of lookForLogs(blocks, { ...criteria, fromBlock: from, toBlock: to.block })) {
    const turn = pieces.spend(BLOCK_WORK + LOG_WORK * (logs?.logIndexes.length ?? 0));
    if (turn !== undefined) yield turn;
    if (turn !== undefined && !isAsItWas()) return null;
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

/** Looks backwards from a place until enough logs are found or enough blocks were looked through; `null` when the chain has changed. */
function* findOnce(search: Search, start: Place, lowest: number, count: number): Task<FoundEvents | null> {
  const logs: LocatedLog[] = [];
  let [to, length] = [start, 0];
  for (let size = FEWEST_BLOCKS; to.block >= lowest; size = Math.min(2 * size, MOST_BLOCKS)) {
    const from = Math.max(lowest, to.block - size + 1);
    const wanted = count - logs.length;
    // One more than is wanted is the place to go on from.
    const found = yield* lastLogs(search, from, to, wanted + 1);
    if (found === null) return null;
    const newest = found
      .flatMap((each) => each.logIndexes.slice(-wanted - 1).map((position) => ({ each, position })))
      .slice(-wanted - 1)
      .reverse();
    for (const { each, position } of newest) {
      const log = { ...each, logIndexes: [position] };
      length += inOnePiece((pieces) => lengthOfLogs(log, pieces));
      const isFull = logs.length === count || (logs.length > 0 && length > MOST_LENGTH);
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
    deadline,
  }: RpcContext,
  criteria: LogCriteria,
  from: Pick<Place, 'index'> & { readonly block: number | null },
  count: number,
): Task<FoundEvents> {
  const pieces = new WorkPieces(deadline);
  yield* prepareCriteria(criteria, pieces);
  for (;;) {
    const head = blocks.head.header.number;
    const start = { block: Math.min(from.block ?? head, head), index: from.index };
    const lowest = Math.max(blocks.first, start.block - MOST_LOOKED_AT + 1);
    const isAsItWas = unchanged(blocks, { fromBlock: lowest, toBlock: start.block });
    const found = yield* findOnce({ blocks, criteria, pieces, isAsItWas }, start, lowest, count);
    if (found !== null) return found;
  }
}

/** Returns the logs as JSON, each with the event that it is of. */
async function views(
  { node: { chain }, deadline }: RpcContext,
  inspector: Inspector,
  logs: readonly LocatedLog[],
): Promise<object[]> {
  const pieces = new WorkPieces(deadline);
  const events: object[] = [];
  const name = inspector.eventNames(chain.head(), chain.headState());
  for (const [at, view] of (await runTask(logsInPieces(logs, pieces))).entries()) {
    const log = logs[at]?.log;
    if (log === undefined) continue;
    events.push({ ...view, ...(await name(log)) });
    const turn = pieces.spend(DECODING_WORK + DECODING_WORK_PER_BYTE * log.data.length);
    if (turn !== undefined) await turn;
  }
  return events;
}

export const INSPECT_EVENTS: readonly Method[] = [
  /**
   * Lists logs, the newest first, by emitter and topics: each as `eth_getLogs` answers it, with `contract`, the name of its emitter, and
   * `event`, decoded by the contract, by the one behind a proxy, or as a guess (`isGuess`); both are `null` where nothing fits. A question looks through
   * 20,000 blocks at most, and its answer ends before a log with which the logs would take more than 8 MiB; `next` is where to go on, also where
   * nothing was found yet.
   */
  defineMethod({
    name: 'inspect_events',
    summary: 'Decoded logs, newest first, in pages',
    begins: 'late',
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
      const { logs, next } = await runTask(
        find(context, criteriaOf(wanted, context.settings.compat), start, count),
      );
      return {
        events: await views(context, inspector, logs),
        // Without an index, all logs of the block are meant.
        next: next && {
          blockNumber: toQuantity(next.block),
          ...(next.index === null ? {} : { logIndex: toQuantity(next.index) }),
        },
      };
    },
  }),
];
