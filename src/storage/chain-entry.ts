import type { Block } from '../protocol/block.ts';
import type { WorldState } from '../state/world-state.ts';
import type { ReservedRange } from './reserved-range.ts';

/** What a chain is put together of: a block and the state after it, or a range of reserved blocks. */
export type ChainEntry =
  | { readonly block: Block; readonly state: WorldState }
  | { readonly range: ReservedRange };

/** The lowest block of an entry: all that matters of a range that goes. */
export function lowestOf(entry: ChainEntry): Block {
  return 'block' in entry ? entry.block : entry.range.block(entry.range.first);
}

/** The ranges among the entries. */
export function rangesOf(entries: readonly ChainEntry[]): ReservedRange[] {
  return entries.flatMap((entry) => ('range' in entry ? [entry.range] : []));
}
