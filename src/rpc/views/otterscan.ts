import { FrameTracer } from '../../chain/execution/tracing.ts';
import type { FrameStart } from '../../evm/observer.ts';
import { type CallNode, lastingNodes, nodeSize, nodesOf } from '../../evm/tracers/call-tree.ts';
import type { TracerFactory } from '../../evm/tracers/tracer.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { mapInSteps, type Steps } from '../../primitives/steps.ts';
import {
  type Block,
  type BlockHeader,
  locatedTransactions,
  type TransactionLocation,
} from '../../protocol/block.ts';
import { EMPTY_BLOOM, logsOf, withoutLogs } from '../../protocol/receipt.ts';
import { type BlockViewOptions, blockView } from '../../wire/block.ts';
import {
  type ReceiptCompat,
  type ReceiptRules,
  receiptView,
  receiptViewInSteps,
} from '../../wire/receipt.ts';
import { transactionView } from '../../wire/transaction.ts';
import type { Json } from '../../wire/values.ts';
import type { Compat } from '../compat.ts';
import type { RpcContext } from '../rpc-context.ts';
import { requireTransaction } from '../traces.ts';

/** A JSON object for Otterscan. */
export type OtterscanView = Readonly<Record<string, unknown>>;

/** The options of objects for Otterscan. */
export interface OtterscanOptions extends Pick<BlockViewOptions, 'fieldNames' | 'baseEvent'> {
  readonly rules: BlockViewOptions['rules'] & ReceiptRules;
  readonly compat: ReceiptCompat & Pick<Compat, 'otterscanOfAnvil'>;
}

const SELECTOR_SIZE = 4;

/** Work units per transaction without its data, and per receipt without its logs. */
const TRANSACTION_WORK = 2_000;
const RECEIPT_WORK = 2_000;

/**
 * Returns a block without the fields that Otterscan ignores: no bloom, and only the number of transactions.
 */
function slimBlockView(block: Block, options: OtterscanOptions): Json {
  // The hashes of the transactions are not returned, so they are not encoded.
  const withoutHashes = { ...block, transactions: [] };
  const { transactions, ...view } = blockView(withoutHashes, { ...options, full: false, isPending: false });
  return { ...view, logsBloom: null, transactionCount: block.transactions.length };
}

/** Returns a block with the fees of its transactions. The chain issues nothing, so the rewards are 0. */
export function blockDetailsView(block: Block, options: OtterscanOptions): OtterscanView {
  return {
    block: slimBlockView(block, options),
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: toQuantity(block.header.paidFees),
  };
}

/** Returns the indexes of a page: from the last transaction on, as in Erigon, or from the first one on. */
function pageBounds(
  count: number,
  { number, size }: { readonly number: number; readonly size: number },
  startsAtFirst: boolean,
): { readonly start: number; readonly end: number } {
  if (startsAtFirst) return { start: number * size, end: (number + 1) * size };
  const end = Math.max(0, count - number * size);
  return { start: Math.max(0, end - size), end };
}

/** Returns a page of a block's transactions and receipts, without long data. */
export function* blockTransactionsView(
  block: Block,
  page: { readonly number: number; readonly size: number },
  options: OtterscanOptions,
): Steps<OtterscanView> {
  const { otterscanOfAnvil } = options.compat;
  const { start, end } = pageBounds(block.transactions.length, page, otterscanOfAnvil);
  const locations = locatedTransactions(block).slice(start, end);
  const transactions = yield* mapInSteps(
    locations,
    () => TRANSACTION_WORK,
    (location) => {
      // Only the selector is returned, so the other data is not encoded.
      const transaction = {
        ...location.transaction,
        data: location.transaction.data.subarray(0, SELECTOR_SIZE),
      };
      return transactionView(transaction, location, options.rules);
    },
  );
  const receipts = yield* mapInSteps(
    locations,
    () => RECEIPT_WORK,
    (location) => {
      const own = { ...location, receipt: withoutLogs(location.receipt, EMPTY_BLOOM) };
      return { ...receiptView(own, options.compat, options.rules), logs: null, logsBloom: null };
    },
  );
  const counted = otterscanOfAnvil ? { transactionCount: transactions.length } : {};
  return { fullblock: { ...slimBlockView(block, options), ...counted, transactions }, receipts };
}

/** Returns a page of an account's transactions, newest first. */
function* activityView(
  locations: readonly TransactionLocation[],
  page: { readonly isFirst: boolean; readonly isLast: boolean },
  { rules, compat }: OtterscanOptions,
): Steps<OtterscanView> {
  const txs = yield* mapInSteps(
    locations,
    ({ transaction }) => TRANSACTION_WORK + transaction.data.length,
    (location) => transactionView(location.transaction, location, rules),
  );
  const receipts: Json[] = [];
  for (const location of locations) {
    const { timestamp } = location.block.header;
    receipts.push(yield* receiptViewInSteps(location, compat, rules, { timestamp }));
    yield RECEIPT_WORK * (1 + logsOf(location.receipt).length);
  }
  return {
    txs,
    receipts,
    firstPage: page.isFirst,
    lastPage: page.isLast,
  };
}

/** Returns all calls of a transaction in the order of their start, without precompiled contracts. */
export function* callEntryViews(
  root: CallNode,
  { otterscanOfAnvil }: Pick<Compat, 'otterscanOfAnvil'>,
): Steps<OtterscanView[]> {
  // Erigon gives calls without a value of their own none.
  const hasValue = ({ value, kind }: FrameStart): boolean => value !== null && kind !== 'DELEGATECALL';
  const views: OtterscanView[] = [];
  for (const node of nodesOf(root)) {
    const { start, end } = node;
    yield nodeSize(node);
    if (start.isPrecompile) continue;
    views.push({
      type: start.kind,
      depth: start.depth,
      from: toHex(start.from),
      to: toHex(start.to),
      value: otterscanOfAnvil || hasValue(start) ? toQuantity(start.value ?? 0n) : null,
      input: toHex(start.input),
      output: toHex(end.output),
    });
  }
  return views;
}

const TRANSFER = 0;
const SELF_DESTRUCT = 1;
const CREATE = 2;
const CREATE2 = 3;

function operationType({ start }: CallNode): number | undefined {
  switch (start.kind) {
    case 'CALL':
      return (start.value ?? 0n) > 0n ? TRANSFER : undefined;
    case 'SELFDESTRUCT':
      return SELF_DESTRUCT;
    case 'CREATE':
      return CREATE;
    case 'CREATE2':
      return CREATE2;
    default:
      return undefined;
  }
}

/**
 * Returns the permanent transfers, creations and self-destructs of a transaction, in order. Erigon omits the
 * transaction itself.
 */
export function internalOperationViews(
  root: CallNode,
  { otterscanOfAnvil }: Pick<Compat, 'otterscanOfAnvil'>,
): OtterscanView[] {
  return Array.from(lastingNodes(root)).flatMap((frame) => {
    const type = frame === root && !otterscanOfAnvil ? undefined : operationType(frame);
    if (type === undefined) return [];
    const { from, to, value } = frame.start;
    return [{ type, from: toHex(from), to: toHex(to), value: toQuantity(value ?? 0n) }];
  });
}

export function otterscanOptions({ node: { chain }, settings }: RpcContext): OtterscanOptions {
  return { fieldNames: settings.fieldNames, rules: chain.ruleSet, compat: settings.compat };
}

/** Resolves to the frames of a mined transaction. Rejects with `TransactionNotFoundError`. */
export async function requireFrames(
  { node: { chain }, deadline }: RpcContext,
  hash: Uint8Array,
): Promise<CallNode> {
  const { block, index } = requireTransaction(chain, hash);
  const createTracer: TracerFactory<CallNode> = ({ budget }) => new FrameTracer(budget);
  return chain.tracing.transaction(block, index, createTracer, deadline);
}

/** A search for an account's transactions before or after a block; 0 for the end of the chain. */
export interface ActivitySearch {
  readonly address: Uint8Array;
  readonly blockNumber: number;
  readonly pageSize: number;
}

/** Resolves to the transactions of an account before a block, newest first; 0 starts at the head. */
export async function activityBefore(context: RpcContext, search: ActivitySearch): Promise<OtterscanView> {
  const { chain } = context.node;
  const { deadline } = context;
  const { address, blockNumber, pageSize: count } = search;
  const head = chain.head().header.number;
  const first = blockNumber === 0 ? head : Math.min(blockNumber - 1, head);
  const { transactions, hasMore } = await chain.history.activityOf(
    address,
    { first, last: 0, count },
    deadline,
  );
  const newestFirst = transactions.toSorted(byPlace).reverse();
  const page = { isFirst: blockNumber === 0, isLast: !hasMore };
  return deadline.run(activityView(newestFirst, page, otterscanOptions(context)));
}

/** Resolves to the transactions of an account after a block, newest first; 0 starts at the first block. */
export async function activityAfter(context: RpcContext, search: ActivitySearch): Promise<OtterscanView> {
  const { chain } = context.node;
  const { deadline } = context;
  const { address, blockNumber, pageSize: count } = search;
  const last = chain.head().header.number;
  const first = blockNumber === 0 ? 0 : blockNumber + 1;
  const page =
    first > last
      ? { transactions: [], hasMore: false }
      : await chain.history.activityOf(address, { first, last, count }, deadline);
  const newestFirst = page.transactions.toSorted(byPlace).reverse();
  const ends = { isFirst: !page.hasMore, isLast: blockNumber === 0 };
  return deadline.run(activityView(newestFirst, ends, otterscanOptions(context)));
}

interface Place {
  readonly block: { readonly header: BlockHeader };
  readonly index: number;
}

function byPlace(left: Place, right: Place): number {
  return left.block.header.number - right.block.header.number || left.index - right.index;
}
