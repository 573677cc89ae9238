import { FrameTracer } from '../../chain/execution/frame-tracer.ts';
import type { CallNode } from '../../evm/tracers/call-tree.ts';
import type { TracerFactory } from '../../evm/tracers/tracer.ts';
import type { BlockHeader } from '../../protocol/block.ts';
import type { RpcContext } from '../rpc-context.ts';
import { requireTransaction } from '../traces.ts';
import { activityView, type OtterscanOptions, type OtterscanView } from './views-otterscan.ts';

/** How the explorer's objects are shown. */
export function otterscanOptions({ chain, settings }: RpcContext): OtterscanOptions {
  return { fieldNames: settings.fieldNames, rules: chain.ruleSet, dialect: settings.compat };
}

/** The frames of a mined transaction. Rejects with `TransactionNotFoundError`. */
export async function requireFrames(
  { chain, checkInterrupt }: RpcContext,
  hash: Uint8Array,
): Promise<CallNode> {
  const { block, index } = await requireTransaction(chain, hash);
  const createTracer: TracerFactory<CallNode> = ({ budget }) => new FrameTracer(budget);
  return chain.tracing.transaction(block, index, createTracer, checkInterrupt);
}

/** A search for the transactions of an account from a block on, that block left out; 0 for the chain's end. */
export interface ActivitySearch {
  readonly address: Uint8Array;
  readonly blockNumber: number;
  readonly pageSize: number;
}

/** The transactions of an account before a block, the newest first; before block 0 means up to the head. */
export async function activityBefore(context: RpcContext, search: ActivitySearch): Promise<OtterscanView> {
  const { chain, checkInterrupt } = context;
  const { address, blockNumber, pageSize: count } = search;
  const head = chain.head().header.number;
  const first = blockNumber === 0 ? head : Math.min(blockNumber - 1, head);
  const { transactions, hasMore } = await chain.history.activityOf(
    address,
    { first, last: 0, count },
    checkInterrupt,
  );
  const newestFirst = transactions.toSorted(byPlace).reverse();
  const page = { isFirst: blockNumber === 0, isLast: !hasMore };
  return activityView(newestFirst, page, otterscanOptions(context));
}

/** The transactions of an account after a block, the newest first; after block 0 means from the first block on. */
export async function activityAfter(context: RpcContext, search: ActivitySearch): Promise<OtterscanView> {
  const { chain, checkInterrupt } = context;
  const { address, blockNumber, pageSize: count } = search;
  const last = chain.head().header.number;
  const first = blockNumber === 0 ? 0 : blockNumber + 1;
  const page =
    first > last
      ? { transactions: [], hasMore: false }
      : await chain.history.activityOf(address, { first, last, count }, checkInterrupt);
  const newestFirst = page.transactions.toSorted(byPlace).reverse();
  const ends = { isFirst: !page.hasMore, isLast: blockNumber === 0 };
  return activityView(newestFirst, ends, otterscanOptions(context));
}

interface Place {
  readonly block: { readonly header: BlockHeader };
  readonly index: number;
}

function byPlace(left: Place, right: Place): number {
  return left.block.header.number - right.block.header.number || left.index - right.index;
}
