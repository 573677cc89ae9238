import type { Chain } from '../../../chain/chain.ts';
import type { BlockCell, SideCell, TimelineCell } from '../../../chain/execution/timeline.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { orNull } from '../../../wire/values.ts';
import { countUpTo, index, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import { requireLanes } from '../lane/lanes.ts';

const MAX_LANES = 32;
const LANES = 8;
const NEWEST_CELLS = 60;

const laneCount = countUpTo(MAX_LANES, 'lanes');

/** A chain of the node; the key is `null` for the base chain. */
interface NamedChain {
  readonly key: string | null;
  readonly chain: Chain;
}

/** The parent chain of a fork, and the last shared block. */
interface Fork {
  readonly from: NamedChain;
  readonly block: number;
}

/** Returns the highest common block number of two chains; `null` if they share no block. */
function lastShared(one: Chain, other: Chain): number | null {
  const isShared = (number: number): boolean =>
    equalBytes(one.blocks.summary(number).hash, other.blocks.summary(number).hash);
  let low = Math.max(one.blocks.first, other.blocks.first);
  let high = Math.min(one.head().header.number, other.head().header.number);
  if (high < low || !isShared(low)) return null;
  // Chains that share a block share all blocks below it.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isShared(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the chain with the highest common block (the first if equal), `undefined` if there is none. */
function forkOf(chain: Chain, others: readonly NamedChain[]): Fork | undefined {
  let best: Fork | undefined;
  for (const from of others) {
    const block = lastShared(chain, from.chain);
    if (block !== null && (best === undefined || block > best.block)) best = { from, block };
  }
  return best;
}

/** Returns the part of a cell above a block; empty if the cell is not above it. */
function above(cell: TimelineCell, block: number): TimelineCell[] {
  if (cell.kind === 'block') return cell.number > block ? [cell] : [];
  return cell.last > block ? [{ ...cell, first: Math.max(cell.first, block + 1) }] : [];
}

const MAX_CELLS = 1_000;
const DEFAULT_CELLS = 200;

const cellCount = countUpTo(MAX_CELLS, 'cells');

function blockCellView({ kind, ...cell }: BlockCell): object {
  return {
    kind,
    number: toQuantity(cell.number),
    hash: toHex(cell.hash),
    parentHash: toHex(cell.parentHash),
    timestamp: toQuantity(cell.timestamp),
    gasUsed: toQuantity(cell.gasUsed),
    gasLimit: toQuantity(cell.gasLimit),
    transactions: cell.transactions,
    failed: cell.failed,
  };
}

function cellView(cell: TimelineCell): object {
  if (cell.kind === 'block') return blockCellView(cell);
  return {
    kind: cell.kind,
    first: toQuantity(cell.first),
    last: toQuantity(cell.last),
    firstTimestamp: toQuantity(cell.firstTimestamp),
    lastTimestamp: toQuantity(cell.lastTimestamp),
  };
}

function sideView({ reason, ...cell }: SideCell): object {
  return { ...blockCellView(cell), reason };
}

export const INSPECT_LANES: readonly Method[] = [
  /**
   * Returns the other chains of the node: the base chain and the newest lanes. Each has its last shared block
   * with another chain, and its later blocks in the form of inspect_timeline. If keys are API keys, the list
   * is empty, because a client may see only its own lane.
   */
  defineMethod({
    name: 'inspect_lanes',
    summary: 'The blocks of the other lanes, and the last block that each lane shares with another chain',
    priority: 'high',
    params: [optional('count', laneCount, LANES)],
    asksBase: true,
    result: {
      description: 'The lanes, each with its last shared block and the cells of its own blocks, newest first',
      schema: {
        type: 'object',
        properties: {
          lanes: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                key: orNull({ type: 'string' }),
                from: orNull({ type: 'string' }),
                sharedBlock: orNull(QUANTITY_JSON_SCHEMA),
                blockNumber: QUANTITY_JSON_SCHEMA,
                cells: { type: 'array', items: { type: 'object' } },
                isCut: { type: 'boolean' },
              },
              required: ['key', 'from', 'sharedBlock', 'blockNumber', 'cells', 'isCut'],
            },
          },
          more: { type: 'integer' },
        },
        required: ['lanes', 'more'],
      },
    },
    handler: async (context, count) => {
      const { lanes, areKeysSecret } = requireLanes(context);
      if (areKeysSecret) return { lanes: [], more: 0 };
      const own = context.connection.key ?? null;
      const all: NamedChain[] = [
        { key: null, chain: context.node.chain },
        ...lanes.list().map(({ key, node }) => ({ key, chain: node.chain })),
      ];
      const called = all.find(({ key }) => key === own);
      const others = all.filter(({ key }) => key !== own);
      // The base chain comes first, then the newest lanes.
      const shown = others.filter(({ key }, index) => key === null || index >= others.length - count);
      const drawn = called === undefined ? [] : [called];
      const answers: object[] = [];
      for (const { key, chain } of shown) {
        const fork = forkOf(chain, drawn);
        drawn.push({ key, chain });
        const head = chain.head().header.number;
        const { cells, next } = await chain.timeline.read(head, NEWEST_CELLS, context.deadline);
        const shared = fork?.block ?? -1;
        answers.push({
          key,
          from: fork?.from.key ?? null,
          sharedBlock: fork === undefined ? null : toQuantity(fork.block),
          blockNumber: toQuantity(head),
          cells: cells.flatMap((cell) => above(cell, shared)).map(cellView),
          isCut: next !== null && next > shared,
        });
      }
      return { lanes: answers, more: others.length - shown.length };
    },
  }),
  /**
   * Returns blocks from number `from`, or from the newest, downwards, with gas and failures. A series of
   * empty blocks is one cell. `side` contains orphans at the same heights, and blocks that a revert removed.
   * The node stores the latest 256 removed blocks in memory.
   */
  defineMethod({
    name: 'inspect_timeline',
    summary:
      'The timeline of the chain: series of empty blocks are combined, and side blocks are listed separately',
    priority: 'high',
    params: [optional('from', index, null), optional('count', cellCount, DEFAULT_CELLS)],
    result: {
      description:
        'Cells, newest first. Each cell is a block or a series of empty blocks. Also the start of the next page (null after the last page), side blocks, and the chain time in Unix seconds',
      schema: {
        type: 'object',
        properties: {
          cells: { type: 'array', items: { type: 'object' } },
          next: { anyOf: [QUANTITY_JSON_SCHEMA, { type: 'null' }] },
          side: { type: 'array', items: { type: 'object' } },
          time: QUANTITY_JSON_SCHEMA,
        },
        required: ['cells', 'next', 'side', 'time'],
      },
    },
    handler: async ({ node: { chain }, deadline }, from, count) => {
      const highest = chain.head().header.number;
      const { cells, next, side } = await chain.timeline.read(from ?? highest, count, deadline);
      return {
        cells: cells.map(cellView),
        next: next === null ? null : toQuantity(next),
        side: side.map(sideView),
        time: toQuantity(chain.time),
      };
    },
  }),
];
