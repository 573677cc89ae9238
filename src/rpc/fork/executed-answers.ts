// Answers about blocks up to the fork block that this node executes, because the upstream does not serve them.

import type { BlockSelector } from '../../chain/block-selector.ts';
import { transactionsOf } from '../../fork/block-replay.ts';
import {
  ForkPointError,
  OfflineError,
  UnservedMethodError,
  UpstreamRejectionError,
} from '../../fork/errors.ts';
import { isUnserved } from '../../fork/served-methods.ts';
import { blockQuestion } from '../../fork/upstream/upstream-call.ts';
import { blockNumberOf } from '../../fork/upstream-block.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { fetchingState } from '../../state/state-source.ts';
import { asObject, tolerantFixedData } from '../../wire/tolerant.ts';
import type { ForkCall } from '../method.ts';
import type { PastNode } from '../rpc-node.ts';
import { matcherOf, type TraceFilter } from '../traces.ts';

/** JSON-RPC 2.0, section 5.1: invalid params. */
const INVALID_PARAMS = -32602;

/**
 * Resolves to the upstream's result, or to the result of `execute` if the upstream does not serve the method.
 * The parameters are valid here, so that "invalid params" only means that the upstream has another form.
 */
export async function servedOr(
  { fork }: ForkCall,
  method: string,
  ask: () => Promise<unknown>,
  execute: () => Promise<unknown>,
): Promise<unknown> {
  const { served } = fork.upstream;
  if (!served.mayServe(method)) return execute();
  try {
    return await ask();
  } catch (error) {
    const isInvalid = error instanceof UpstreamRejectionError && error.code === INVALID_PARAMS;
    if (error instanceof UnservedMethodError || isUnserved(error)) served.drop(method);
    else if (!isInvalid && !(error instanceof OfflineError)) throw error;
    return execute();
  }
}

/** Returns the parameter with the block number in place of a tag. */
function atNumber(decoded: unknown, number: number): unknown {
  const fields = asObject(decoded);
  if (fields === undefined || decoded instanceof Uint8Array || 'hash' in fields) return decoded;
  const selector: BlockSelector = { number: BigInt(number) };
  return fields.selector === undefined
    ? selector
    : { ...fields, selector: atNumber(fields.selector, number) };
}

/** True if the handler needs the transactions of the block, because it starts between two of them. */
function startsInside(decoded: readonly unknown[]): boolean {
  return decoded.some((one) => {
    const index = asObject(one)?.transactionIndex;
    return index !== undefined && index !== null;
  });
}

/**
 * Executes a method about a block, or the state after it. `at` is the index of the block's parameter.
 * `needsBlock` if the handler needs the transactions of the block.
 */
export async function executeAtBlock(
  call: ForkCall,
  at: number,
  number: number,
  needsBlock: boolean,
): Promise<unknown> {
  const decoded = [...call.params.decoded];
  decoded[at] = atNumber(decoded[at], number);
  const needsReplay = needsBlock || startsInside(decoded);
  const replayed = needsReplay ? transactionsOf(await fullBlock(call, number)).length : null;
  return execute({ ...call, params: { ...call.params, decoded } }, number, replayed);
}

/** Executes a method about a mined transaction, as returned by `eth_getTransactionByHash`. */
export async function executeTransaction(call: ForkCall, transaction: unknown): Promise<unknown> {
  const number = blockNumberOf(transaction);
  const hash = String(asObject(transaction)?.hash).toLowerCase();
  if (number === undefined) throw new ForkPointError(`the fork URL has no mined transaction ${hash}`);
  const index = transactionsOf(await fullBlock(call, number)).findIndex(
    (one) => String(asObject(one)?.hash).toLowerCase() === hash,
  );
  if (index === -1)
    throw new ForkPointError(
      `invalid response from the fork URL: block ${number} does not list transaction ${hash}`,
    );
  return execute(call, number, index + 1);
}

/** Blocks that are requested together for a filter. */
const BLOCKS_AT_ONCE = 50;

/**
 * Returns the traces that match a filter in the blocks `from` to `last`. Executes only blocks with a matching
 * transaction, until it has `most` traces.
 */
export async function executeTraceFilter(
  call: ForkCall,
  filter: TraceFilter,
  { from, last, most }: { readonly from: number; readonly last: number; readonly most: number },
): Promise<unknown[]> {
  const isWanted = matcherOf(filter);
  const matches = (transaction: unknown): boolean => {
    const { from: sender, to } = asObject(transaction) ?? {};
    return isWanted({
      sender: tolerantFixedData(sender, 20) ?? EMPTY_BYTES,
      to: tolerantFixedData(to, 20) ?? null,
    });
  };
  const found: unknown[] = [];
  for (let first = from; first <= last && found.length < most; first += BLOCKS_AT_ONCE) {
    const count = Math.min(BLOCKS_AT_ONCE, last - first + 1);
    const blocks = await Promise.all(
      Array.from({ length: count }, (_, index) => fullBlock(call, first + index)),
    );
    for (const [index, block] of blocks.entries()) {
      call.context.deadline();
      const transactions = transactionsOf(block);
      if (found.length >= most || !transactions.some(matches)) continue;
      const selector: BlockSelector = { number: BigInt(first + index) };
      const ofBlock = { ...filter, fromBlock: selector, toBlock: selector, after: null, count: null };
      const params = { values: [], decoded: [ofBlock] };
      const traces = await execute({ ...call, params }, first + index, transactions.length);
      if (Array.isArray(traces)) for (const trace of traces) found.push(trace);
    }
  }
  return found;
}

function fullBlock({ fork }: ForkCall, number: number): Promise<unknown> {
  return fork.upstream.ask(blockQuestion(toQuantity(number), true));
}

/** Runs the handler on a chain at the block. Results of inspections state if a replay is exact. */
async function execute(call: ForkCall, number: number, replayed: number | null): Promise<unknown> {
  const { method, context, fork, params } = call;
  const { deadline } = context;
  const { pasts, owner } = context.node;
  // A request owns its slot before it waits for a replay that other requests share.
  if (replayed !== null) await deadline.yielder?.admission?.();
  try {
    return await pasts.at({ fork, number, replayed }, deadline, async (past) => {
      reportDifference(call, number, past);
      const at = { ...context, deadline, node: past.node.ownedBy(owner) };
      const read = (): Promise<unknown> => method.answerRead(at, params, '') as Promise<unknown>;
      const result = await fetchingState(read, deadline);
      const isMarked = replayed !== null && method.name.startsWith('inspect_');
      return isMarked ? { ...asObject(result), exact: past.isExact } : result;
    });
  } catch (error) {
    if (!(error instanceof ForkPointError)) throw error;
    throw new ForkPointError(`${error.message}; use a fork URL that serves ${method.name}`);
  }
}

/** Reports the first difference of a fork in the log. */
function reportDifference({ context: { node }, fork }: ForkCall, number: number, past: PastNode): void {
  if (past.difference === null || node.pasts.reported.has(fork)) return;
  node.pasts.reported.add(fork);
  node.chain.events.emit(
    'notice',
    `A replay of block ${number} differs from the fork URL: ${past.difference}. Traces of older blocks may be inexact`,
  );
}
