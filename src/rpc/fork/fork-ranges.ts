import type { BlockSelector } from '../../chain/block-selector.ts';
import { LATEST } from '../../chain/block-selector.ts';
import type { InsertedRange, LogRange } from '../../chain/filters/filters.ts';
import type { Fork } from '../../fork/fork.ts';
import { blockNumberOf } from '../../fork/upstream-block.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { LogCriteria } from '../../storage/log-criteria.ts';
import type { FieldNames } from '../../wire/header.ts';
import { asObject, type JsonObject, tolerantQuantity } from '../../wire/tolerant.ts';
import type { FilterObject } from '../codecs/filter-object.ts';
import { InvalidParamsError, LogLimitError, TraceFilterError } from '../errors.ts';
import { logsInRange, rangeOf, requireReached } from '../log-answers.ts';
import { type ForkCall, NOT_UPSTREAM } from '../method.ts';
import type { RpcContext } from '../rpc-context.ts';
import { DESCENDING_RANGE, type TraceFilter } from '../traces.ts';
import { MAX_FEE_BLOCKS } from '../views/fee-history.ts';
import { answerByRule, askedOrDerived, numberOfBlock, upstreamView } from './answer-on-fork.ts';
import { executeTraceFilter, servedOr } from './executed-answers.ts';

/**
 * Returns the filter of a range as JSON, without the range. Trailing wildcards are omitted, because geth
 * requires a topic for each position of the filter, also for `null`.
 */
function criteriaJson({ addresses, topics }: LogCriteria): JsonObject {
  const last = topics.findLastIndex((alternatives) => alternatives !== null && alternatives.length > 0);
  const constrained = topics.slice(0, last + 1);
  return {
    ...(addresses.length === 0 ? {} : { address: addresses.map(toHex) }),
    ...(constrained.length === 0
      ? {}
      : { topics: constrained.map((alternatives) => alternatives?.map(toHex) ?? null) }),
  };
}

function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

async function upstreamLogs(
  fork: Fork,
  filter: JsonObject,
  fieldNames: FieldNames,
): Promise<readonly unknown[]> {
  const logs = await fork.upstream.ask({ method: 'eth_getLogs', params: [filter], expects: 'logs' });
  return listOf(upstreamView('logs', logs, fieldNames));
}

/** Returns the logs of inserted blocks of the forked chain. */
export function insertedLogs(
  fork: Fork,
  criteria: LogCriteria,
  { from, to }: InsertedRange,
  fieldNames: FieldNames,
): Promise<readonly unknown[]> {
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  return upstreamLogs(fork, { ...criteriaJson(criteria), ...range }, fieldNames);
}

/**
 * Returns the logs of a range that starts on the upstream. The local logs are read first, because the base can move
 * during a request; `null` if it has moved before.
 */
async function logsOnBothSides(
  { context, fork }: Pick<ForkCall, 'context' | 'fork'>,
  range: LogRange,
  from: number,
): Promise<unknown> {
  const { node } = context;
  const head = node.chain.head().header.number;
  const to = Math.min((await numberOfBlock(node.chain, fork, range.toBlock)) ?? head, head);
  const own = await logsInRange(context, { ...range, fromBlock: { number: BigInt(fork.number + 1) } });
  if (node.fork.current !== fork) return null;
  const filter = {
    ...criteriaJson(range),
    fromBlock: toQuantity(from),
    toBlock: toQuantity(Math.min(to, fork.number)),
  };
  const before = from > to ? [] : await upstreamLogs(fork, filter, context.settings.fieldNames);
  const logs = [...before, ...own.toJSON()];
  checkLimits(context, to - from + 1, logs.length);
  return logs;
}

/** As on one chain, one of the two limits must not be exceeded (service document, Limits). */
function checkLimits({ settings: { logLimits } }: RpcContext, blocks: number, logs: number): void {
  const keepsToBlocks = logLimits.blocks === 0 || blocks <= logLimits.blocks;
  const keepsToLogs = logLimits.logs === 0 || logs <= logLimits.logs;
  if (!keepsToBlocks && !keepsToLogs) throw new LogLimitError(logLimits, blocks);
}

/** `path` is the parameter with the range. */
async function rangeAnswer(call: ForkCall, range: LogRange, path: string): Promise<unknown> {
  requireReached(call.context, range, path);
  const from = await numberOfBlock(call.context.node.chain, call.fork, range.fromBlock);
  if (from === undefined || from > call.fork.number) return NOT_UPSTREAM;
  // Then the call starts again on the new base.
  return (await logsOnBothSides(call, range, from)) ?? NOT_UPSTREAM;
}

/** Returns the logs of a filter object, the first parameter. */
export async function logs(call: ForkCall): Promise<unknown> {
  const { context, fork, params } = call;
  const filter = params.decoded[0] as FilterObject;
  const { compat } = context.settings;
  if (filter.blockHash === null) return rangeAnswer(call, rangeOf(filter, compat), 'filter');
  const number = await numberOfBlock(context.node.chain, fork, { hash: filter.blockHash });
  if (number === undefined || number > fork.number) return NOT_UPSTREAM;
  const block = { fromBlock: toQuantity(number), toBlock: toQuantity(number) };
  const criteria = criteriaJson(rangeOf({ ...filter, fromBlock: null, toBlock: null }, compat));
  return upstreamLogs(fork, { ...criteria, ...block }, context.settings.fieldNames);
}

/** Returns all logs of a filter by its id, the first parameter. */
export async function filterLogs(call: ForkCall): Promise<unknown> {
  const content = call.context.node.chain.filters.content(call.params.decoded[0] as bigint);
  return 'range' in content ? rangeAnswer(call, content.range, 'filterId') : NOT_UPSTREAM;
}

/** A fee history, oldest block first. */
interface Fees {
  /** The number of the first block; `undefined` if the response omits it. */
  readonly oldest: number | undefined;
  readonly baseFeePerGas: readonly unknown[];
  readonly gasUsedRatio: readonly unknown[];
  readonly reward: readonly unknown[] | null;
  /** Both are `null` for hardforks without blobs, and for older nodes. */
  readonly baseFeePerBlobGas: readonly unknown[] | null;
  readonly blobGasUsedRatio: readonly unknown[] | null;
}

function listOrNull(answer: unknown): readonly unknown[] | null {
  return Array.isArray(answer) ? answer : null;
}

function feesOf(answer: unknown): Fees {
  const fields = asObject(answer) ?? {};
  return {
    oldest: blockNumberOf(fields, 'oldestBlock'),
    baseFeePerGas: listOf(fields.baseFeePerGas),
    gasUsedRatio: listOf(fields.gasUsedRatio),
    reward: listOrNull(fields.reward),
    baseFeePerBlobGas: listOrNull(fields.baseFeePerBlobGas),
    blobGasUsedRatio: listOrNull(fields.blobGasUsedRatio),
  };
}

/** Returns the blob members: `count` blocks of the upstream, followed by the local blocks of `after`. */
function blobMembers(before: Fees, count: number, after: Fees | null): object {
  const [fees, ratios] = [before.baseFeePerBlobGas, before.blobGasUsedRatio];
  if (fees === null || ratios === null) return {};
  if (after === null) return { baseFeePerBlobGas: fees, blobGasUsedRatio: ratios };
  const [ownFees, ownRatios] = [after.baseFeePerBlobGas, after.blobGasUsedRatio];
  if (ownFees === null || ownRatios === null) return {};
  return {
    baseFeePerBlobGas: [...fees.slice(0, count), ...ownFees],
    blobGasUsedRatio: [...ratios, ...ownRatios],
  };
}

/** Returns the fees of a range of blocks; its newest block may be on either chain. */
export async function feeHistory(call: ForkCall): Promise<unknown> {
  const { context, fork, params, method } = call;
  const [wanted, selector = LATEST] = params.decoded as [number, BlockSelector?];
  const count = Math.min(wanted, MAX_FEE_BLOCKS);
  const newest = await numberOfBlock(context.node.chain, fork, selector);
  const oldest = newest === undefined ? undefined : Math.max(0, newest - count + 1);
  if (newest === undefined || oldest === undefined || count === 0 || oldest > fork.number)
    return NOT_UPSTREAM;
  const percentiles = params.values[2] ?? [];
  const given = Array.isArray(percentiles) && percentiles.length === 0 ? [] : [percentiles];
  const last = Math.min(newest, fork.number);
  const question = {
    method: 'eth_feeHistory',
    params: [toQuantity(last - oldest + 1), toQuantity(last), ...given],
    expects: 'feeHistory',
  } as const;
  const derive = async (): Promise<unknown> =>
    (await import('./derived-fees.ts')).feeHistory(call, { oldest, last });
  const answer = await askedOrDerived(call, question, derive);
  const own = toQuantity(newest - fork.number > 0 ? newest - fork.number : 0);
  const after =
    newest > fork.number
      ? await method.answer(context, [own, toQuantity(newest), ...given])
      : { baseFeePerGas: [toQuantity(await nextFee(context, fork, newest, answer))] };
  const [before, rest] = [feesOf(answer), feesOf(after)];
  const ratios = [...before.gasUsedRatio, ...rest.gasUsedRatio];
  // The upstream may have fewer blocks than requested, or limit a response to fewer.
  const first = Math.min(Math.max(before.oldest ?? oldest, oldest), last);
  return {
    oldestBlock: toQuantity(first),
    // The upstream's last fee is for its block after the fork block, which differs from the local block.
    baseFeePerGas: [...before.baseFeePerGas.slice(0, last - first + 1), ...rest.baseFeePerGas],
    gasUsedRatio: ratios,
    ...(given.length === 0 ? {} : { reward: [...(before.reward ?? []), ...(rest.reward ?? [])] }),
    ...blobMembers(before, last - first + 1, newest > fork.number ? rest : null),
  };
}

/**
 * Wei per gas of the block after `newest`. It is a local block if `newest` is the fork block.
 */
async function nextFee(
  { node: { chain } }: RpcContext,
  fork: Fork,
  newest: number,
  answer: unknown,
): Promise<bigint> {
  if (newest < fork.number) return tolerantQuantity(feesOf(answer).baseFeePerGas.at(-1)) ?? 0n;
  const next = await chain.block({ number: BigInt(newest + 1) });
  const fee = next === undefined ? chain.fees.nextBaseFee() : next.header.ethereum.baseFeePerGas;
  return fee ?? 0n;
}

/** Returns the traces of a filter, the first parameter. `after` and `count` apply to both chains together. */
export async function traces(call: ForkCall): Promise<unknown> {
  const { context, fork, params, method } = call;
  const filter = asObject(params.values[0]);
  const decoded = asObject(params.decoded[0]);
  if (filter === undefined || decoded === undefined) return NOT_UPSTREAM;
  const { chain } = context.node;
  const end = async (name: 'fromBlock' | 'toBlock'): Promise<number | undefined> =>
    numberOfBlock(chain, fork, (decoded[name] as BlockSelector | null) ?? LATEST);
  const [from, to] = [await end('fromBlock'), await end('toBlock')];
  if (from === undefined || to === undefined || from > fork.number) return NOT_UPSTREAM;
  if (from > to) throw new TraceFilterError(DESCENDING_RANGE);
  const { after, count, ...criteria } = filter;
  const last = Math.min(to, fork.number);
  const start = Number(after ?? 0);
  const most = count === undefined || count === null ? Number.POSITIVE_INFINITY : start + Number(count);
  const ask = (): Promise<unknown> =>
    fork.upstream.ask({
      method: 'trace_filter',
      params: [{ ...criteria, fromBlock: toQuantity(from), toBlock: toQuantity(last) }],
      expects: 'traces',
    });
  const before = await servedOr(call, 'trace_filter', ask, () =>
    executeTraceFilter(call, decoded as TraceFilter, { from, last, most }),
  );
  const own =
    to > fork.number
      ? await method.answer(context, [
          { ...criteria, fromBlock: toQuantity(fork.number + 1), toBlock: toQuantity(to) },
        ])
      : [];
  return [...listOf(before), ...listOf(own)].slice(start, most);
}

/**
 * Returns the accounts that blocks changed (debug_getModifiedAccountsBy*). The upstream answers for blocks up
 * to the fork block. Neither chain has all changes of a range across it. Throws {@link InvalidParamsError}
 * for that range.
 */
export async function modifiedAccounts({ method, context, fork, params }: ForkCall): Promise<unknown> {
  const ends: { readonly number: number; readonly decoded: Uint8Array | BlockSelector }[] = [];
  for (const decoded of params.decoded as readonly (Uint8Array | BlockSelector | null)[]) {
    if (decoded === null) continue;
    const selector = decoded instanceof Uint8Array ? { hash: decoded } : decoded;
    const number = (await numberOfBlock(context.node.chain, fork, selector)) ?? Number.POSITIVE_INFINITY;
    ends.push({ number, decoded });
  }
  const [start, end] = ends;
  if (start === undefined) return NOT_UPSTREAM;
  // The range starts after the block `below` and ends with `last`.
  const [below, last] = end === undefined ? [start.number - 1, start.number] : [start.number, end.number];
  if (below >= fork.number) return NOT_UPSTREAM;
  if (last > fork.number) {
    const expected = `the fork block ${fork.number} or a later block, because the end of the range is after the fork block`;
    throw new InvalidParamsError('start', expected, `block ${below}`);
  }
  const asked = ends.map(({ number, decoded }) =>
    decoded instanceof Uint8Array ? toHex(decoded) : toQuantity(number),
  );
  return fork.upstream.ask({ method: method.name, params: asked, expects: 'anything' });
}

/**
 * Returns the code with a hash (debug_codeByHash, debug_dbGet): from the local state, else from the upstream. Only the
 * upstream has the states before the fork block. `null` if the upstream does not have the code or does not serve the
 * method.
 */
export async function codeByHash(call: ForkCall): Promise<unknown> {
  const { method, context, fork, params } = call;
  const [hash] = params.values;
  const selector = params.decoded[1] as BlockSelector | undefined;
  const number = selector === undefined ? undefined : await numberOfBlock(context.node.chain, fork, selector);
  const isBefore = number !== undefined && number < fork.number;
  const own = isBefore ? null : await method.answerRead(context, params);
  if (own !== null) return own;
  const place = isBefore ? [toQuantity(number)] : [];
  const asked = { method: method.name, params: [hash, ...place], expects: 'dataOrNull' } as const;
  return askedOrDerived(call, asked, () => Promise.resolve(null));
}

/**
 * Returns a comparison of hardforks (inspect_compare) for a transaction, or for a call after the block in the third
 * parameter.
 */
export function comparison(call: ForkCall): Promise<unknown> {
  const place =
    call.params.decoded[0] instanceof Uint8Array
      ? ({ kind: 'transaction', at: 0 } as const)
      : ({ kind: 'state', at: 2 } as const);
  return answerByRule(call, { ...place, answer: 'anything', executes: true });
}
