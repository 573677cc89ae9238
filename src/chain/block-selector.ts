import { toHex } from '../primitives/hex.ts';

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

export function describeSelector(selector: BlockSelector): string {
  if ('hash' in selector) return `with hash ${toHex(selector.hash)}`;
  return 'number' in selector ? selector.number.toString() : selector.tag;
}
