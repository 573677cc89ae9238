import type { UncalledBlocks } from '../evm/engine.ts';
import type { Block } from '../protocol/block.ts';
import { RING_SIZE } from '../protocol/hardforks/system-contracts.ts';
import { lowerBound } from './log-index.ts';
import { isReservedHash, type ReservedRange } from './reserved-range.ts';

/** The blocks among which those are looked for that made no calls of the protocol. */
export interface BlocksBelow {
  /** The number of the lowest block that is here. */
  readonly lowest: number;
  /** Returns the range of reserved blocks that the block with that number is in, or `undefined`. */
  rangeAt(number: number): ReservedRange | undefined;
  /** Returns the hash of the block with that number, which is here and in no range. */
  hash(number: number): Uint8Array;
  /** Returns the block with that number, or `undefined`. */
  block(number: number): Block | undefined;
}

/** A range of reserved blocks, or a block by itself, with the number of its highest block that is meant. */
interface UncalledPart extends UncalledBlocks {
  readonly last: number;
}

/** True for a block that made no calls of the protocol: one that is, or was when it was made, in a range of reserved blocks. */
export function isUncalled({ hash, header }: Block): boolean {
  return isReservedHash(hash, header.number);
}

/** Returns the block, which made no calls of the protocol, with those right below it that made none. */
export function uncalledThrough({ header }: Block, below: UncalledBlocks | undefined): UncalledBlocks {
  const { number: last, parentHash } = header;
  return {
    first: below?.first ?? last,
    parentHashOf: (number) =>
      below === undefined || number >= last ? parentHash : below.parentHashOf(number),
  };
}

/**
 * Returns the blocks right below the block with that number that made no calls of the protocol, as far as EIP-2935 looks back;
 * `undefined` when there are none. They are reserved blocks, and blocks that were reserved until the chain was cut there, which are found
 * by their hashes: what is returned does not change with the chain, and is the same for as long as the block is on it.
 */
export function uncalledBelow(number: number, blocks: BlocksBelow): UncalledBlocks | undefined {
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
