import type { BlockCell, SideCell, TimelineCell } from '../../../chain/execution/timeline.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { leaf } from '../../codecs/codec.ts';
import { index, QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/quantity.ts';
import { defineMethod, type Method, optional } from '../../method.ts';

const MOST_CELLS = 1_000;
const CELLS = 200;

const cellCount = leaf(`a number of cells from 1 to ${MOST_CELLS}`, QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count === 0n || count > MOST_CELLS ? undefined : Number(count);
});

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

/** Returns a cell as methods answer it. */
export function cellView(cell: TimelineCell): object {
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

export const INSPECT_TIMELINE: readonly Method[] = [
  /**
   * Lists blocks from the number `from`, or from the newest, downwards: the number, gas and failures of each, and a run of blocks without transactions as one. `side`
   * has blocks of the same heights that lost against others, and those that left the chain by a revert. The node remembers 256 of the
   * latter until it ends.
   */
  defineMethod({
    name: 'inspect_timeline',
    summary: 'The line of blocks, with runs of empty ones folded, and the blocks beside it',
    params: [optional('from', index, null), optional('count', cellCount, CELLS)],
    result: {
      description:
        'Cells, the newest first; the block to go on from, null at the first one; blocks beside the chain',
      schema: {
        type: 'object',
        properties: {
          cells: { type: 'array', items: { type: 'object' } },
          next: { anyOf: [QUANTITY_JSON_SCHEMA, { type: 'null' }] },
          side: { type: 'array', items: { type: 'object' } },
        },
        required: ['cells', 'next', 'side'],
      },
    },
    handler: async ({ chain, checkInterrupt }, from, count) => {
      const highest = chain.head().header.number;
      const { cells, next, side } = await chain.timeline.read(from ?? highest, count, checkInterrupt);
      return {
        cells: cells.map(cellView),
        next: next === null ? null : toQuantity(next),
        side: side.map(sideView),
      };
    },
  }),
];
