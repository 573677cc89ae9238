import { LATEST } from '../chain/block-selector.ts';
import { requireStored } from '../chain/execution/block-resolver.ts';
import { fixedNumber, type LogRange } from '../chain/filters/filters.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import { finish, type Steps, WORK_PER_STEP } from '../primitives/steps.ts';
import type { CanonicalBlocks } from '../storage/canonical-blocks.ts';
import { type LogCriteria, prepareCriteria } from '../storage/log-criteria.ts';
import { type FoundLogs, foundLogsOf, type LogQuery, lookForLogs } from '../storage/log-search.ts';
import type { DecodedLogFilter, FilterObject, TopicFilter } from './codecs/filter-object.ts';
import type { Compat } from './compat.ts';
import { InvalidParamsError, LogBlockNotFoundError, LogLimitError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { LogListJson, lengthOfLogs } from './views/log-list.ts';

/** Returns the conditions of a decoded filter. */
export function criteriaOf({ address, topics }: DecodedLogFilter, compat: Compat): LogCriteria {
  return {
    addresses: address ?? [],
    topics: (topics ?? []).map((alternatives) => wantedTopics(alternatives, compat)),
  };
}

function wantedTopics(alternatives: TopicFilter, { nullTopicMatchesAny }: Compat): Uint8Array[] | null {
  if (alternatives === null) return null;
  const topics = alternatives.filter((topic) => topic !== null);
  const hasNull = topics.length < alternatives.length;
  return topics.length === 0 || (hasNull && nullTopicMatchesAny) ? null : topics;
}

/** Returns the block range and the conditions of a decoded filter. An absent end is the newest block. */
export function rangeOf(filter: Omit<FilterObject, 'blockHash'>, compat: Compat): LogRange {
  const { fromBlock, toBlock } = filter;
  return { ...criteriaOf(filter, compat), fromBlock: fromBlock ?? LATEST, toBlock: toBlock ?? LATEST };
}

/** Maximum bytes of JSON for the logs of one search, unless logs are unlimited. */
const MAX_BYTES = 2 ** 26;

/** Work units per block, and per selected log. */
const BLOCK_WORK = 128;
const LOG_WORK = 64;

/** Maximum logs of a block whose lengths are added in one time slice. */
const MEASURED_AT_ONCE = 1_024;

/** Returns a check that the range has not been reorganized since. */
export function unchanged(
  blocks: CanonicalBlocks,
  { fromBlock, toBlock }: Pick<LogQuery, 'fromBlock' | 'toBlock'>,
): () => boolean {
  const last = Math.min(toBlock, blocks.head.block.header.number);
  const lastHash = last < Math.max(fromBlock, blocks.first) ? null : blocks.summary(last).hash;
  return () =>
    !blocks.isPruned(fromBlock) &&
    (lastHash === null ||
      (last <= blocks.head.block.header.number && equalBytes(blocks.summary(last).hash, lastHash)));
}

/**
 * Returns the logs of a query. It stops early if the limits are exceeded, and yields between blocks. The
 * search restarts if searched blocks are reorganized; `query` then returns the current range.
 */
function* searchWithin(context: RpcContext, query: () => LogQuery): Steps<FoundLogs[]> {
  const { chain } = context.node;
  yield* prepareCriteria(query());
  for (;;) {
    const asked = query();
    requireStored(chain.blocks, asked.fromBlock);
    const found = yield* searchOnce(context, asked, unchanged(chain.blocks, asked));
    if (found !== null) return found;
  }
}

/** Returns `null` if the chain was reorganized. */
function* searchOnce(
  { node: { chain }, settings: { logLimits: limits } }: RpcContext,
  query: LogQuery,
  isAsItWas: () => boolean,
): Steps<FoundLogs[] | null> {
  const blocks = query.toBlock - query.fromBlock + 1;
  const keepsToBlocks = limits.blocks === 0 || blocks <= limits.blocks;
  const most = keepsToBlocks || limits.logs === 0 ? Number.POSITIVE_INFINITY : limits.logs;
  const maxBytes = limits.logs === 0 ? Number.POSITIVE_INFINITY : MAX_BYTES;
  const found: FoundLogs[] = [];
  let [count, bytes, work] = [0, 0, 0];
  for (const logs of lookForLogs(chain.blocks, query)) {
    if (logs !== null) {
      count += logs.logIndexes.length;
      if (limits.logs !== 0) {
        const areMany = logs.logIndexes.length > MEASURED_AT_ONCE;
        bytes += areMany ? yield* lengthOfLogs(logs) : finish(lengthOfLogs(logs));
        if (areMany && !isAsItWas()) return null;
      }
      if (count > most || bytes > maxBytes) throw new LogLimitError(limits, blocks, maxBytes);
      found.push(logs);
    }
    work += BLOCK_WORK + LOG_WORK * (logs?.logIndexes.length ?? 0);
    if (work < WORK_PER_STEP) continue;
    const hasPaused = yield work;
    work = 0;
    if (hasPaused === true && !isAsItWas()) return null;
  }
  return found;
}

/**
 * Requires both ends of a range to be at most the head, under Ethereum rules (execution-apis, eth_getLogs).
 * `path` is the parameter in the {@link InvalidParamsError}.
 */
export function requireReached({ node: { chain } }: RpcContext, range: LogRange, path: string): void {
  if (chain.ruleSet.encoding !== 'ethereum') return;
  const head = chain.head().header.number;
  for (const name of ['fromBlock', 'toBlock'] as const) {
    const number = fixedNumber(range[name]);
    if (number === null || number <= head) continue;
    throw new InvalidParamsError(
      `${path}.${name}`,
      `at most ${head}, the number of the head block`,
      `${number}`,
    );
  }
}

/**
 * Returns the logs of a range, oldest first. Throws, or rejects with, {@link LogLimitError} if the search
 * exceeds both limits (service document, Limits), or if its logs are too long for a response.
 */
export function logsInRange(context: RpcContext, range: LogRange): Awaitable<LogListJson> {
  return context.deadline.run(listInRange(context, range));
}

function* listInRange(context: RpcContext, range: LogRange): Steps<LogListJson> {
  const query = (): LogQuery => {
    const { chain } = context.node;
    const isFromFirst = 'tag' in range.fromBlock && range.fromBlock.tag === 'earliest';
    const fromBlock = isFromFirst
      ? chain.blocks.first
      : (fixedNumber(range.fromBlock) ?? chain.numberOfTag(range.fromBlock));
    const toBlock = Math.min(
      fixedNumber(range.toBlock) ?? chain.numberOfTag(range.toBlock),
      chain.head().header.number,
    );
    return { ...range, fromBlock, toBlock };
  };
  return new LogListJson(yield* searchWithin(context, query));
}

/** Returns the logs of a block by hash. Rejects with {@link LogBlockNotFoundError} if it is unknown. */
async function logsOfHash(
  context: RpcContext,
  hash: Uint8Array,
  criteria: LogCriteria,
): Promise<LogListJson> {
  const block = await context.node.chain.block({ hash });
  if (block === undefined) throw new LogBlockNotFoundError(toHex(hash));
  if (context.node.chain.isBeside(block)) return new LogListJson([foundLogsOf(block, criteria)]);
  const { number } = block.header;
  const query = (): LogQuery => ({ ...criteria, fromBlock: number, toBlock: number });
  const found = await context.deadline.run(searchWithin(context, query));
  // Another block may have replaced it during the search.
  return new LogListJson(found.filter(({ blockHash }) => equalBytes(blockHash, hash)));
}

/**
 * Returns the logs of a filter, oldest first. Rejects with {@link LogLimitError} if the search exceeds both
 * limits (service document, Limits) or its logs are too long. Rejects with {@link LogBlockNotFoundError} for
 * an unknown hash, and with {@link InvalidParamsError} as {@link requireReached}.
 */
export async function findLogs(context: RpcContext, filter: FilterObject): Promise<LogListJson> {
  const { compat } = context.settings;
  if (filter.blockHash !== null) return logsOfHash(context, filter.blockHash, criteriaOf(filter, compat));
  const range = rangeOf(filter, compat);
  requireReached(context, range, 'filter');
  return logsInRange(context, range);
}
