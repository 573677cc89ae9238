import type { BlocksWithoutCalls } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import { RING_SIZE } from '../protocol/hardforks/system-contracts.ts';
import { type EmptyBlockRange, isReservedHash } from './empty-block-range.ts';
import { lowerBound } from './log-index.ts';

/** A lookup of blocks, used to find blocks without system calls. */
export interface BlocksBelow {
  /** The number of the lowest available block. */
  readonly lowest: number;
  /** Returns the range that contains the block, or `undefined`. */
  rangeAt(number: number): EmptyBlockRange | undefined;
  /** The block must be available and in no range. */
  hash(number: number): Uint8Array;
  block(number: number): Block | undefined;
}

/** A range of reserved blocks or a single block, with its highest relevant number. */
interface UncalledPart extends BlocksWithoutCalls {
  readonly last: number;
}

/** True for a block without system calls: a reserved block, or a former one. */
export function isUncalled({ hash, header }: Block): boolean {
  return isReservedHash(hash, header.number);
}

/** Returns a block without system calls, together with the ones directly below it. */
export function uncalledThrough(
  { header }: Block,
  below: BlocksWithoutCalls | undefined,
): BlocksWithoutCalls {
  const { number: last, parentHash } = header;
  return {
    first: below?.first ?? last,
    parentHashOf: (number) =>
      below === undefined || number >= last ? parentHash : below.parentHashOf(number),
  };
}

/**
 * Returns the blocks without system calls directly below a block, within the history window of EIP-2935;
 * `undefined` if there are no such blocks. They are reserved blocks and former reserved blocks, recognized by
 * their hashes. The result stays valid while the block is canonical.
 */
export function uncalledBelow(number: number, blocks: BlocksBelow): BlocksWithoutCalls | undefined {
  const lowest = Math.max(blocks.lowest, number - RING_SIZE);
  const parts: UncalledPart[] = [];
  let first = number;
  while (first > lowest) {
    const part = partAt(first - 1, blocks);
    if (part === undefined) break;
    parts.push(part);
    first = part.first;
  }
  if (parts.length === 0) return undefined;
  parts.reverse();
  const lasts = parts.map(({ last }) => last);
  return {
    first,
    parentHashOf: (wanted) => {
      const part = parts[lowerBound(lasts, wanted)];
      if (part === undefined) throw new RangeError(`block ${wanted} is not below block ${number}`);
      return part.parentHashOf(wanted);
    },
  };
}

function partAt(number: number, blocks: BlocksBelow): UncalledPart | undefined {
  const range = blocks.rangeAt(number);
  if (range !== undefined) {
    return { first: range.first, last: number, parentHashOf: (wanted) => range.parentHashOf(wanted) };
  }
  if (!isReservedHash(blocks.hash(number), number)) return undefined;
  const parentHash = blocks.block(number)?.header.parentHash;
  return parentHash && { first: number, last: number, parentHashOf: () => parentHash };
}
