import { type BlockSelector, describeSelector, isPending } from '../chain/block-selector.ts';
import { BlockNotFoundError, TransactionIndexError } from '../chain/errors.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { type Hex, toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import { networkUpgradesOf } from '../protocol/hardforks/rootstock.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { type Awaitable, runTask, type Task, whenReady } from '../scheduling/task.ts';
import { mapInPieces, WorkPieces } from '../scheduling/work-pieces.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import { type BlockViewOptions, blockView, headerView, uncleView } from '../wire/block.ts';
import { transactionView } from '../wire/transaction.ts';
import type { Json } from '../wire/values.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** True when what only a seal fixes is `null` in the block: that of the sample of the next one, unless the dialect seals it. */
function isUnsealed({ settings }: RpcContext, selector: BlockSelector): boolean {
  return isPending(selector) && !settings.compat.pendingLooksMined;
}

function hasBaseEvents({ node: { chain }, settings }: RpcContext): boolean {
  const isNative = settings.fieldNames === 'native' && chain.ruleSet.encoding === 'network';
  return isNative && networkUpgradesOf(chain.settings.chainId).has('RSKIP529');
}

/** Resolves to what reads the event of {@link baseEventOf} from the state after a block; to `null` where headers have none. */
export async function baseEventReader(
  context: RpcContext,
): Promise<((state: WorldState) => Uint8Array) | null> {
  if (!hasBaseEvents(context)) return null;
  const { baseEventIn } = await import('../rootstock/bridge/bridge-contract.ts');
  return baseEventIn;
}

/**
 * Returns the event that the header of a block has under the network's own field names (RSKIP-535); `undefined` for none,
 * for a block that was loaded without its state, and under other names. The network takes it from the state after the block, and so does this.
 */
export function baseEventOf(
  context: RpcContext,
  selector: BlockSelector,
  block: Block,
): Awaitable<Uint8Array | undefined> {
  if (block.header.number === 0 || !hasBaseEvents(context)) return undefined;
  const at = isPending(selector) ? selector : { hash: block.hash };
  return whenReady(context.node.chain.view(at), async ({ state }) =>
    state.isKnown ? (await baseEventReader(context))?.(state) : undefined,
  );
}

/** Returns the event of {@link baseEventOf} from the state after a block; `undefined` if the upstream of a fork does not answer. */
export async function baseEventAfter(
  read: (state: WorldState) => Uint8Array,
  state: WorldState,
): Promise<Uint8Array | undefined> {
  try {
    return state.isKnown ? await fetchingState(() => read(state)) : undefined;
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

/** The block of the selector as JSON; `null` when there is none. */
export function answerBlock(
  context: RpcContext,
  selector: BlockSelector,
  full: boolean,
): Awaitable<Json | null> {
  const {
    node: { chain },
    settings,
    deadline,
  } = context;
  const { fieldNames } = settings;
  return whenReady(chain.block(selector), (block) => {
    if (block === undefined) return null;
    const isPending = isUnsealed(context, selector);
    return whenReady(baseEventOf(context, selector, block), (baseEvent) => {
      const options = { full, isPending, fieldNames, rules: chain.ruleSet, baseEvent };
      return full && block.transactions.length > TRANSACTIONS_AT_ONCE
        ? runTask(blockInPieces(block, options, new WorkPieces(deadline)))
        : blockView(block, options);
    });
  });
}

/** Whole transactions of a block that are shown at once; showing one takes so many units of work. */
const TRANSACTIONS_AT_ONCE = 64;

const TRANSACTION_WORK = 1_000;

/** Returns a block as JSON, as `blockView` does; in pieces where whole transactions are shown. */
export function* blockInPieces(block: Block, options: BlockViewOptions, pieces: WorkPieces): Task<Json> {
  if (!options.full) return blockView(block, options);
  let index = 0;
  const transactions = yield* mapInPieces(
    block.transactions,
    pieces,
    ({ data }) => TRANSACTION_WORK + 2 * data.length,
    (transaction) => {
      const place = options.isPending ? null : { block, index };
      index++;
      return transactionView(transaction, place, options.rules);
    },
  );
  return { ...blockView(block, { ...options, full: false }), transactions };
}

/** The header of the block of the selector as JSON; `null` when there is none. */
export function answerHeader(context: RpcContext, selector: BlockSelector): Awaitable<Json | null> {
  const {
    node: { chain },
    settings,
  } = context;
  const { fieldNames } = settings;
  return whenReady(chain.block(selector), (block) => {
    if (block === undefined) return null;
    const isPending = isUnsealed(context, selector);
    return whenReady(baseEventOf(context, selector, block), (baseEvent) =>
      headerView(block, { isPending, fieldNames, baseEvent }),
    );
  });
}

/** The block of the selector. Throws {@link BlockNotFoundError}. */
export function requireBlock({ node: { chain } }: RpcContext, selector: BlockSelector): Awaitable<Block> {
  return whenReady(chain.block(selector), (block) => {
    if (block === undefined)
      throw new BlockNotFoundError(describeSelector(selector), chain.head().header.number);
    return block;
  });
}

/**
 * Throws {@link TransactionIndexError} for an index that no transaction of the block has; 0 stands for the beginning of a
 * block without any.
 */
export function requireTransactionIndex({ header, transactions }: Block, index: number): void {
  const count = transactions.length;
  if (index > 0 && index >= count) throw new TransactionIndexError(index, header.number, count);
}

/** The uncle at an index of the block as JSON; `null` when there is no such block or uncle. */
export function answerUncleAt(
  { node: { chain }, settings }: RpcContext,
  selector: BlockSelector,
  index: number,
): Awaitable<Json | null> {
  const { fieldNames } = settings;
  const { encoding } = chain.ruleSet;
  return whenReady(chain.block(selector), (block) => {
    const uncle = block?.uncles[index];
    if (uncle === undefined) return null;
    return whenReady(chain.block({ hash: uncle.parentHash }), (parent) =>
      uncleView(uncle, { encoding, parentDifficulty: parent?.totalDifficulty ?? 0n, fieldNames }),
    );
  });
}

/** The transaction at an index of the block as JSON; `null` when there is no such block or transaction. */
export function answerTransactionAt(
  { node: { chain } }: RpcContext,
  selector: BlockSelector,
  index: number,
): Awaitable<Json | null> {
  return whenReady(chain.block(selector), (block) => {
    const transaction = block?.transactions[index];
    if (block === undefined || transaction === undefined) return null;
    return transactionView(transaction, isPending(selector) ? null : { block, index }, chain.ruleSet);
  });
}

/** The encoding of the transaction at an index of the block; `null` when there is no such block or transaction. */
export function answerRawTransactionAt(
  { node: { chain } }: RpcContext,
  selector: BlockSelector,
  index: number,
): Awaitable<Hex | null> {
  return whenReady(chain.block(selector), (block) => {
    const transaction = block?.transactions[index];
    return transaction === undefined ? null : toHex(transaction.raw);
  });
}

/** A chain and the settings that decide how it answers. */
export type NodeContext = Pick<RpcContext, 'node' | 'settings'>;

/** True on a node that is to answer as the network does where tools for development expect another answer. */
export function answersAsNetwork({ node: { chain }, settings }: NodeContext): boolean {
  return settings.hosted || chain.options.networkLimits;
}

/**
 * The transaction of the pool with that hash; `undefined` for none. The network finds those that can be mined alone: one
 * that waits for a nonce before its own is not found on a node that answers as the network does.
 */
export function waitingTransaction(context: NodeContext, hash: Uint8Array): Transaction | undefined {
  const { pool } = context.node.chain;
  const found = pool.byHash(hash);
  if (found === undefined || !answersAsNetwork(context)) return found;
  const wanted = toHex(hash);
  return pool.pendingOf(found.sender).find((transaction) => toHex(transaction.hash) === wanted);
}

/**
 * For the five methods that the service document flags: throws {@link InvalidParamsError} for `pending` where the
 * dialect does not serve it.
 */
export function requireServed({ settings }: RpcContext, parameter: string, selector: BlockSelector): void {
  if (settings.compat.pendingServed || !isPending(selector)) return;
  throw new InvalidParamsError(
    parameter,
    'a mined block (pending requires --compat anvil or hardhat)',
    '"pending"',
  );
}
