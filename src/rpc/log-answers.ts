import { type LocatedLog, type LogCriteria, logsOfBlock } from '../chain/log-search.ts';
import type { BlockSelector } from '../node/block-selector.ts';
import type { Chain } from '../node/chain.ts';
import { LATEST } from './codecs/block-selector.ts';
import type { FilterObject, LogFilter } from './codecs/filter-object.ts';
import { LogLimitError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { type LogView, logView } from './views/log.ts';

/** What a decoded filter asks of a log. */
export function criteriaOf(filter: LogFilter): LogCriteria {
  return { addresses: filter.address ?? [], topics: filter.topics ?? [] };
}

/** The number of a selector; one beyond the head counts as the block after it, which has no logs. */
function blockNumberOf(selector: BlockSelector, head: number): number {
  if ('number' in selector) return selector.number > BigInt(head) ? head + 1 : Number(selector.number);
  return 'tag' in selector && selector.tag === 'earliest' ? 0 : head;
}

async function logsOfBlockWithHash(
  chain: Chain,
  hash: Uint8Array,
  criteria: LogCriteria,
): Promise<LocatedLog[]> {
  const block = await chain.block({ hash });
  return block === undefined ? [] : logsOfBlock(block, criteria);
}

/**
 * The logs that a filter asks for, oldest first; none for an empty range or an unknown block. Rejects with
 * {@link LogLimitError} when the search keeps to neither limit (service document, Limits).
 */
export async function findLogs({ chain, settings }: RpcContext, filter: FilterObject): Promise<LogView[]> {
  const criteria = criteriaOf(filter);
  if (filter.blockHash !== null) {
    return (await logsOfBlockWithHash(chain, filter.blockHash, criteria)).map(logView);
  }
  const head = chain.head().header.number;
  const fromBlock = blockNumberOf(filter.fromBlock ?? LATEST, head);
  const toBlock = Math.min(blockNumberOf(filter.toBlock ?? LATEST, head), head);
  const found = await chain.searchLogs({ ...criteria, fromBlock, toBlock });
  const { logLimits: limits } = settings;
  const blocks = toBlock - fromBlock + 1;
  const keepsToBlocks = limits.blocks === 0 || blocks <= limits.blocks;
  const keepsToLogs = limits.logs === 0 || found.length <= limits.logs;
  if (!keepsToBlocks && !keepsToLogs) throw new LogLimitError(limits, blocks, found.length);
  return found.map(logView);
}
