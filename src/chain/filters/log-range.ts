import type { LogCriteria } from '../../storage/log-criteria.ts';
import type { BlockSelector } from '../execution/block-selector.ts';

/** The logs of a range of blocks, both ends included, as a caller names them. */
export interface LogRange extends LogCriteria {
  readonly fromBlock: BlockSelector;
  readonly toBlock: BlockSelector;
}

/** The number that an end of a range stands for; `null` for one that moves with the head. */
export function fixedNumber(end: BlockSelector): number | null {
  if ('number' in end) return Number(end.number);
  return 'tag' in end && end.tag === 'earliest' ? 0 : null;
}
