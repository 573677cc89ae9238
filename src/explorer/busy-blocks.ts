/** Blocks with transactions, and the transactions in them. */

import { client } from './chain.ts';
import { numberOf } from './format.ts';

/** A block with transactions. */
export interface BusyBlock {
  readonly number: number;
  readonly hash: string;
  readonly timestamp: number;
  readonly gasUsed: number;
  readonly transactions: number;
  readonly failed: number;
}

interface Cell {
  readonly kind: 'block' | 'empty';
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly transactions: number;
  readonly failed: number;
}

interface Line {
  readonly cells: readonly Cell[];
  readonly next: string | null;
}

/** A page of the transactions of a block: the last ones first. */
export interface PageOfBlock {
  readonly fullblock: {
    readonly hash: string;
    readonly transactions: readonly { readonly to: string | null; readonly input: string }[];
  };
  readonly receipts: readonly {
    readonly gasUsed: string;
    readonly status: string;
    readonly contractAddress: string | null;
  }[];
}

/** Cells of the time line that are asked for at once. */
const CELLS = 400;

/** Resolves to the newest blocks with transactions, the oldest first. Runs of empty blocks are one cell, so that few questions are needed. */
export async function newestBlocks(
  count: number,
  last: number | null,
): Promise<{ readonly blocks: readonly BusyBlock[]; readonly hasOlder: boolean }> {
  const found: Cell[] = [];
  let next: string | null = last === null ? null : `0x${last.toString(16)}`;
  do {
    const line: Line = await client.read<Line>('inspect_timeline', [next, CELLS]);
    found.push(...line.cells.filter(({ kind, transactions }) => kind === 'block' && transactions > 0));
    next = line.next;
  } while (next !== null && found.length <= count);
  const blocks = found
    .slice(0, count)
    .reverse()
    .map(({ number, hash, timestamp, gasUsed, transactions, failed }) => ({
      number: numberOf(number),
      hash,
      timestamp: numberOf(timestamp),
      gasUsed: numberOf(gasUsed),
      transactions,
      failed,
    }));
  return { blocks, hasOlder: found.length > count };
}

/**
 * Resolves to a page of the transactions of a block: page 0 has the last ones. `null` when another block has taken its place since it
 * was listed; the next reading finds that.
 */
export async function transactionsOf(
  { number, hash }: BusyBlock,
  page: number,
  size: number,
): Promise<PageOfBlock | null> {
  const found = await client.read<PageOfBlock>('ots_getBlockTransactions', [
    `0x${number.toString(16)}`,
    page,
    size,
  ]);
  return found.fullblock.hash === hash ? found : null;
}
