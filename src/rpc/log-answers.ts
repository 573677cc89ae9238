import { type FoundLogs, foundLogsOf } from '../chain/located-log.ts';
import type { LogCriteria } from '../chain/log-criteria.ts';
import type { LogQuery } from '../chain/log-search.ts';
import { fixedNumber, type LogRange } from '../node/log-range.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import { LATEST } from './codecs/block-selector.ts';
import type { FilterObject, LogFilter } from './codecs/filter-object.ts';
import { LogBlockNotFoundError, LogLimitError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { LogList } from './views/log-list.ts';

/** What a decoded filter asks of a log. */
export function criteriaOf(filter: LogFilter): LogCriteria {
  return { addresses: filter.address ?? [], topics: filter.topics ?? [] };
}

/** The range of blocks that a decoded filter names, and what it asks of a log. An end left out is the newest block. */
export function rangeOf(filter: Omit<FilterObject, 'blockHash'>): LogRange {
  const { fromBlock, toBlock } = filter;
  return { ...criteriaOf(filter), fromBlock: fromBlock ?? LATEST, toBlock: toBlock ?? LATEST };
}

/** Looks into no more blocks than it must to know that there are too many logs. */
function searchWithin({ chain, settings }: RpcContext, query: LogQuery): FoundLogs[] {
  const { logLimits: limits } = settings;
  const blocks = query.toBlock - query.fromBlock + 1;
  const keepsToBlocks = limits.blocks === 0 || blocks <= limits.blocks;
  const most = keepsToBlocks || limits.logs === 0 ? Number.POSITIVE_INFINITY : limits.logs;
  const found: FoundLogs[] = [];
  let count = 0;
  for (const logs of chain.searchLogs(query)) {
    count += logs.logIndexes.length;
    if (count > most) throw new LogLimitError(limits, blocks);
    found.push(logs);
  }
  return found;
}

/**
 * The logs of a range, oldest first; none for an empty one. Throws {@link LogLimitError} when the search keeps to
 * neither limit (service document, Limits).
 */
export function logsInRange(context: RpcContext, range: LogRange): LogList {
  const head = context.chain.head().header.number;
  const fromBlock = fixedNumber(range.fromBlock) ?? head;
  const toBlock = Math.min(fixedNumber(range.toBlock) ?? head, head);
  return new LogList(searchWithin(context, { ...range, fromBlock, toBlock }));
}

/** The logs of the block with that hash. Rejects with {@link LogBlockNotFoundError} for one that is not on the chain. */
async function logsOfHash({ chain }: RpcContext, hash: Uint8Array, criteria: LogCriteria): Promise<LogList> {
  const block = await chain.block({ hash });
  if (block === undefined) throw new LogBlockNotFoundError(toHex(hash));
  const isBeside = (await chain.block({ hash, requireCanonical: true })) === undefined;
  if (isBeside) return new LogList([foundLogsOf(block, criteria)]);
  const { number } = block.header;
  const found = Array.from(chain.searchLogs({ ...criteria, fromBlock: number, toBlock: number }));
  // Another block can have come in its place meanwhile.
  return new LogList(found.filter(({ blockHash }) => equalBytes(blockHash, hash)));
}

/**
 * The logs that a filter asks for, oldest first; none for an empty range. Rejects with {@link LogLimitError} when the search
 * keeps to neither limit (service document, Limits), with {@link LogBlockNotFoundError} for a hash that no block has.
 */
export async function findLogs(context: RpcContext, filter: FilterObject): Promise<LogList> {
  return filter.blockHash === null
    ? logsInRange(context, rangeOf(filter))
    : logsOfHash(context, filter.blockHash, criteriaOf(filter));
}
