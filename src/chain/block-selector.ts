import { toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { CanonicalBlocks } from '../storage/canonical-blocks.ts';
import { PrunedHistoryError } from './errors.ts';

/** A name for a block that moves with the chain. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** The names by which callers ask for a block. */
export type BlockSelector =
  | { readonly tag: BlockTag }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array; readonly requireCanonical?: boolean };

/** The selector of the newest block: what stands for a selector that a caller leaves out. */
export const LATEST: BlockSelector = { tag: 'latest' };

/** The selector of the block that would be mined now. */
export const PENDING: BlockSelector = { tag: 'pending' };

/** Returns true when the selector asks for the block that is not mined yet. */
export function isPending(selector: BlockSelector): boolean {
  return 'tag' in selector && selector.tag === 'pending';
}

/**
 * Returns the sealed block of a selector, or `undefined`. On a lone node every block is final, so `safe` and `finalized` are
 * the head; `pending` is not sealed and has no block here. Throws a {@link PrunedHistoryError} for the number of a block that
 * the chain gave up.
 */
export function selectBlock(blockchain: CanonicalBlocks, selector: BlockSelector): Block | undefined {
  if ('hash' in selector) return blockchain.blockByHash(selector.hash);
  if ('number' in selector) {
    requireKept(blockchain, Number(selector.number));
    return selector.number <= BigInt(blockchain.head.header.number)
      ? blockchain.block(Number(selector.number))
      : undefined;
  }
  if (selector.tag === 'pending') return undefined;
  return selector.tag === 'earliest' ? blockchain.block(blockchain.first) : blockchain.head;
}

/** Throws a {@link PrunedHistoryError} for the number of a block that the chain gave up. */
export function requireKept(blockchain: CanonicalBlocks, number: number): void {
  if (blockchain.isPruned(number)) throw new PrunedHistoryError(number, blockchain.first);
}

/** Returns the selector as a person would write it. */
export function describeSelector(selector: BlockSelector): string {
  if ('hash' in selector) return `with hash ${toHex(selector.hash)}`;
  return 'number' in selector ? selector.number.toString() : selector.tag;
}
