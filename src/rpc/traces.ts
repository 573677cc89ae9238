import type { BlockSelector } from '../chain/block-selector.ts';
import { LATEST } from '../chain/block-selector.ts';
import type { Chain } from '../chain/chain.ts';
import { TransactionNotFoundError } from '../chain/errors.ts';
import type { BlockTraceOptions } from '../chain/execution/tracing.ts';
import { fixedNumber } from '../chain/filters/filters.ts';
import { type TransactionTrace, TransactionTracer } from '../evm/tracers/parity-tracers.ts';
import { TraceBudget, type TraceSubject } from '../evm/tracers/tracer.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import type { Block, TransactionLocation } from '../protocol/block.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { blockSelector } from './codecs/block-selector.ts';
import { arrayOf, type Decoded, historic, leaf, objectOf } from './codecs/codec.ts';
import { address, readQuantity } from './codecs/hex-values.ts';
import type { TraceOptions } from './codecs/trace-options.ts';
import { tracedWith } from './decoded-traces.ts';
import { TraceFilterError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** A count that may be negative, because trace_filter has its own errors for it. */
const wholeNumber = leaf('a whole number', { type: 'integer' }, (value) => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  const read = readQuantity(value);
  return read === undefined ? undefined : Number(read);
});

const addresses = arrayOf(address, 'an array of addresses');

/** The filter of trace_filter; `null` if absent. */
export const traceFilter = historic(
  objectOf(
    {
      fromBlock: blockSelector,
      toBlock: blockSelector,
      fromAddress: addresses,
      toAddress: addresses,
      after: wholeNumber,
      count: wholeNumber,
    },
    'a filter object with fromBlock, toBlock, fromAddress, toAddress, after and count',
  ),
);

export type TraceFilter = Decoded<typeof traceFilter>;

const EARLIEST: BlockSelector = { tag: 'earliest' };
const MAX_TRACES = 10_000;
/** Work units per block, and per transaction. */
const BLOCK_WORK = 1_024;
const TRANSACTION_WORK = 256;

/** Returns the traces of all transactions of a block in the form of debug_traceBlock*. */
export async function debugTracesOfBlock(
  context: RpcContext,
  block: Block,
  options: TraceOptions,
): Promise<unknown[]> {
  const { chain } = context.node;
  const { isNetworkForm } = options;
  const traced = await tracedWith(context, options, (createTracer, checkCancelled) =>
    chain.tracing.block(block, createTracer, { checkCancelled }),
  );
  return traced.map(({ transaction, trace }) =>
    isNetworkForm ? trace : { txHash: toHex(transaction.hash), result: trace },
  );
}

/** Returns the location of a mined transaction. Throws {@link TransactionNotFoundError}. */
export function requireTransaction(chain: Chain, hash: Uint8Array): TransactionLocation {
  const location = chain.transaction(hash);
  if (location === undefined) throw new TransactionNotFoundError(toHex(hash));
  return location;
}

function createTransactionTracer(subject: TraceSubject): TransactionTracer {
  return new TransactionTracer(subject);
}

/** Returns the traces of the selected transactions of a block in one list. */
export async function tracesOfBlock(
  { node: { chain }, deadline }: RpcContext,
  block: Block,
  options: Pick<BlockTraceOptions, 'isWanted' | 'budget'> = {},
): Promise<TransactionTrace[]> {
  const traced = await chain.tracing.block(block, createTransactionTracer, {
    ...options,
    checkCancelled: deadline,
  });
  return traced.flatMap(({ trace }) => trace);
}

/** Returns the traces of a mined transaction; `null` if unknown. */
export async function tracesOfTransaction(
  { node: { chain }, deadline }: RpcContext,
  hash: Uint8Array,
): Promise<readonly TransactionTrace[] | null> {
  const location = chain.transaction(hash);
  if (location === undefined) return null;
  const { block, index } = location;
  return chain.tracing.transaction(block, index, createTransactionTracer, deadline);
}

/** True if a trace address in JSON equals a path of indexes. */
export function isTraceAt(traceAddress: unknown, path: readonly number[]): boolean {
  if (!Array.isArray(traceAddress) || traceAddress.length !== path.length) return false;
  return path.every((step, depth) => Number(traceAddress[depth]) === step);
}

function limitsOf({ after, count }: TraceFilter): { readonly after: number; readonly count: number } {
  const limits = { after: after ?? 0, count: count ?? MAX_TRACES };
  if (limits.count > MAX_TRACES) {
    throw new TraceFilterError(`Count value too big. Maximum ${MAX_TRACES} traces allowed.`);
  }
  if (limits.count < 0) throw new TraceFilterError('Count value cannot be negative.');
  if (limits.after < 0) throw new TraceFilterError('After value cannot be negative.');
  if (limits.after > MAX_TRACES) {
    throw new TraceFilterError(`After value too big. Maximum ${MAX_TRACES} traces allowed.`);
  }
  return limits;
}

/** Returns a test for addresses in the list; an empty list matches all. */
function memberOf(addresses: readonly Uint8Array[] | null): (address: Uint8Array | null) => boolean {
  if (addresses === null || addresses.length === 0) return () => true;
  const keys = new Set(addresses.map(hexKey));
  return (address) => address !== null && keys.has(hexKey(address));
}

/** Returns a test for transactions that match the addresses of a filter. */
export function matcherOf({
  fromAddress,
  toAddress,
}: Pick<TraceFilter, 'fromAddress' | 'toAddress'>): (
  transaction: Pick<Transaction, 'sender' | 'to'>,
) => boolean {
  const [isSender, isRecipient] = [memberOf(fromAddress), memberOf(toAddress)];
  return ({ sender, to }) => isSender(sender) && isRecipient(to);
}

/** Rootstock's message for a range that starts above its end. */
export const DESCENDING_RANGE = 'fromBlock cannot be greater than toBlock';

/**
 * Requires a range not to start above its end. On Rootstock, a range from beyond the head to a tag is empty,
 * so that clients can follow the head. Throws {@link TraceFilterError}.
 */
async function requireAscending(
  chain: Chain,
  fromBlock: BlockSelector,
  toBlock: BlockSelector,
  mostAhead: number | null,
): Promise<void> {
  const numberOf = async (selector: BlockSelector): Promise<number | undefined> =>
    'number' in selector ? Number(selector.number) : (await chain.block(selector))?.header.number;
  const [from, to] = [await numberOf(fromBlock), await numberOf(toBlock)];
  if (from === undefined || to === undefined) return;
  if (mostAhead !== null && to - chain.head().header.number > mostAhead)
    throw new TraceFilterError(`toBlock cannot be more than ${mostAhead} blocks above the head`);
  if (from <= to) return;
  const isBeyond = 'number' in fromBlock && from > chain.head().header.number;
  const isFollowed = isBeyond && fixedNumber(toBlock) === null;
  if (isFollowed && chain.ruleSet.encoding === 'network') return;
  throw new TraceFilterError(DESCENDING_RANGE);
}

/**
 * Returns the traces of a filter. Its addresses select whole transactions by sender and recipient, and all
 * their traces are listed. `after` skips traces and `count` limits them. Empty if the first block is unknown;
 * the head replaces an unknown last block. Throws {@link TraceFilterError}.
 */
export async function findTraces(context: RpcContext, filter: TraceFilter): Promise<TransactionTrace[]> {
  const { chain } = context.node;
  const { after, count } = limitsOf(filter);
  const { traceRangeAhead } = context.settings.compat;
  await requireAscending(chain, filter.fromBlock ?? EARLIEST, filter.toBlock ?? LATEST, traceRangeAhead);
  const first = await chain.block(filter.fromBlock ?? EARLIEST);
  if (first === undefined) return [];
  const last = (await chain.block(filter.toBlock ?? LATEST)) ?? chain.head();
  const numbers = { from: first.header.number, to: last.header.number };
  const isWanted = matcherOf(filter);
  const found: TransactionTrace[] = [];
  const budget = new TraceBudget();
  const slice = new TimeSlice(context.deadline);
  for (let number = numbers.from; number <= numbers.to && found.length < after + count; number++) {
    const range = chain.blocks.rangeAt(number);
    if (range !== undefined) {
      // Reserved blocks have no transactions.
      number = range.last;
      continue;
    }
    const block = number === last.header.number ? last : await chain.block({ number: BigInt(number) });
    const transactions = block?.transactions.length ?? 0;
    await slice.spend(BLOCK_WORK + TRANSACTION_WORK * transactions);
    if (block === undefined || transactions === 0) continue;
    for (const trace of await tracesOfBlock(context, block, { isWanted, budget })) found.push(trace);
  }
  return found.slice(after, after + count);
}
