import { toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { CanonicalBlocks } from '../storage/canonical-blocks.ts';
import { PrunedHistoryError } from './errors.ts';

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** Selects a block by tag, number or hash. */
export type BlockSelector =
  | { readonly tag: BlockTag }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array; readonly requireCanonical?: boolean };

/** The default selector. */
export const LATEST: BlockSelector = { tag: 'latest' };

export const PENDING: BlockSelector = { tag: 'pending' };

export function isPending(selector: BlockSelector): boolean {
  return 'tag' in selector && selector.tag === 'pending';
}

/**
 * Returns the sealed block of a selector, or `undefined`. On a single node every block is final, so `safe`
 * and `finalized` are the head. `pending` is not sealed and returns `undefined`. Throws
 * {@link PrunedHistoryError} for the number of a pruned block.
 */
export function selectBlock(blockchain: CanonicalBlocks, selector: BlockSelector): Block | undefined {
  if ('hash' in selector) return blockchain.blockByHash(selector.hash);
  if ('number' in selector) {
    requireStored(blockchain, Number(selector.number));
    return selector.number <= BigInt(blockchain.head.block.header.number)
      ? blockchain.block(Number(selector.number))
      : undefined;
  }
  if (selector.tag === 'pending') return undefined;
  return selector.tag === 'earliest' ? blockchain.block(blockchain.first) : blockchain.head.block;
}

/** Throws {@link PrunedHistoryError} for the number of a pruned block. */
export function requireStored(blockchain: CanonicalBlocks, number: number): void {
  if (blockchain.isPruned(number)) throw new PrunedHistoryError(number, blockchain.first);
}

export function describeSelector(selector: BlockSelector): string {
  if ('hash' in selector) return `with hash ${toHex(selector.hash)}`;
  return 'number' in selector ? selector.number.toString() : selector.tag;
}
