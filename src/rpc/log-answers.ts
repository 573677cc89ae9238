import { type LocatedLog, logsOfBlock } from '../chain/located-log.ts';
import type { LogCriteria } from '../chain/log-criteria.ts';
import type { LogQuery } from '../chain/log-search.ts';
import { fixedNumber, type LogRange } from '../node/log-range.ts';
import { LATEST } from './codecs/block-selector.ts';
import type { FilterObject, LogFilter } from './codecs/filter-object.ts';
import { LogLimitError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { type LogView, logViews } from './views/log.ts';

/** What a decoded filter asks of a log. */
export function criteriaOf(filter: LogFilter): LogCriteria {
  return { addresses: filter.address ?? [], topics: filter.topics ?? [] };
}

/** The range of blocks that a decoded filter names, and what it asks of a log. An end left out is the newest block. */
export function rangeOf(filter: Omit<FilterObject, 'blockHash'>): LogRange {
  const { fromBlock, toBlock } = filter;
  return { ...criteriaOf(filter), fromBlock: fromBlock ?? LATEST, toBlock: toBlock ?? LATEST };
}

/** Finds no more logs than it must to know that there are too many. */
function searchWithin({ chain, settings }: RpcContext, query: LogQuery): LocatedLog[] {
  const { logLimits: limits } = settings;
  const blocks = query.toBlock - query.fromBlock + 1;
  const keepsToBlocks = limits.blocks === 0 || blocks <= limits.blocks;
  const most = keepsToBlocks || limits.logs === 0 ? Number.POSITIVE_INFINITY : limits.logs;
  const found: LocatedLog[] = [];
  for (const log of chain.searchLogs(query)) {
    if (found.length === most) throw new LogLimitError(limits, blocks);
    found.push(log);
  }
  return found;
}

/**
 * The logs of a range, oldest first; none for an empty one. Throws {@link LogLimitError} when the search keeps to
 * neither limit (service document, Limits).
 */
export function logsInRange(context: RpcContext, range: LogRange): LogView[] {
  const head = context.chain.head().header.number;
  const fromBlock = fixedNumber(range.fromBlock) ?? head;
  const toBlock = Math.min(fixedNumber(range.toBlock) ?? head, head);
  return logViews(searchWithin(context, { ...range, fromBlock, toBlock }));
}

/**
 * The logs that a filter asks for, oldest first; none for an empty range or an unknown block. Rejects with
 * {@link LogLimitError} when the search keeps to neither limit (service document, Limits).
 */
export async function findLogs(context: RpcContext, filter: FilterObject): Promise<LogView[]> {
  if (filter.blockHash === null) return logsInRange(context, rangeOf(filter));
  const block = await context.chain.block({ hash: filter.blockHash });
  return block === undefined ? [] : logViews(logsOfBlock(block, criteriaOf(filter)));
}
