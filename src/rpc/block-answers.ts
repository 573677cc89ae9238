import { type BlockSelector, describeSelector, isPending } from '../chain/block-selector.ts';
import { BlockNotFoundError, TransactionIndexError } from '../chain/errors.ts';
import { type Awaitable, whenReady } from '../primitives/awaitable.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { type Hex, toHex } from '../primitives/hex.ts';
import { mapInSteps, type Steps } from '../primitives/steps.ts';
import type { Block } from '../protocol/block.ts';
import { rootstockUpgradesOf } from '../protocol/hardforks/rootstock.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import { type BlockViewOptions, blockView, headerView, uncleView } from '../wire/block.ts';
import { transactionView } from '../wire/transaction.ts';
import type { Json } from '../wire/values.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** True if fields of sealing are `null`: in a pending block, unless the compat mode shows it as mined. */
function isUnsealed({ settings }: RpcContext, selector: BlockSelector): boolean {
  return isPending(selector) && !settings.compat.pendingLooksMined;
}

function hasBaseEvents({ node: { chain }, settings }: RpcContext): boolean {
  const isNative = settings.fieldNames === 'native' && chain.ruleSet.encoding === 'network';
  return isNative && rootstockUpgradesOf(chain.settings.chainId).has('RSKIP529');
}

/** Resolves to the reader of the base event from the state after a block; `null` if headers have none. */
export async function baseEventReader(
  context: RpcContext,
): Promise<((state: WorldState) => Uint8Array) | null> {
  if (!hasBaseEvents(context)) return null;
  const { baseEventIn } = await import('../rootstock/bridge/bridge-contract.ts');
  return baseEventIn;
}

/**
 * Returns the base event of a block header under Rootstock's own field names (RSKIP-535), from the state
 * after the block, as rskj does. `undefined` for the genesis, for a block that was loaded without its state,
 * and under other field names.
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

/** As {@link baseEventOf}, from a given state; `undefined` if the fork URL fails. */
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

/** Returns the selected block as JSON; `null` if it does not exist. */
export function answerBlock(
  context: RpcContext,
  selector: BlockSelector,
  full: boolean,
): Awaitable<Json | null> {
  const { chain } = context.node;
  const { settings, deadline } = context;
  const { fieldNames } = settings;
  return whenReady(chain.block(selector), (block) => {
    if (block === undefined) return null;
    const isPending = isUnsealed(context, selector);
    return whenReady(baseEventOf(context, selector, block), (baseEvent) => {
      const options = { full, isPending, fieldNames, rules: chain.ruleSet, baseEvent };
      return full && block.transactions.length > TRANSACTIONS_AT_ONCE
        ? deadline.run(blockViewInSteps(block, options))
        : blockView(block, options);
    });
  });
}

/** Blocks with more full transactions are built in time slices. */
const TRANSACTIONS_AT_ONCE = 64;

const TRANSACTION_WORK = 1_000;

/** As `blockView`, but yields if the block has full transactions. */
export function* blockViewInSteps(block: Block, options: BlockViewOptions): Steps<Json> {
  if (!options.full) return blockView(block, options);
  let index = 0;
  const transactions = yield* mapInSteps(
    block.transactions,
    ({ data }) => TRANSACTION_WORK + 2 * data.length,
    (transaction) => {
      const place = options.isPending ? null : { block, index };
      index++;
      return transactionView(transaction, place, options.rules);
    },
  );
  return { ...blockView(block, { ...options, full: false }), transactions };
}

/** Returns the header of the selected block as JSON; `null` if it does not exist. */
export function answerHeader(context: RpcContext, selector: BlockSelector): Awaitable<Json | null> {
  const { chain } = context.node;
  const { settings } = context;
  const { fieldNames } = settings;
  return whenReady(chain.block(selector), (block) => {
    if (block === undefined) return null;
    const isPending = isUnsealed(context, selector);
    return whenReady(baseEventOf(context, selector, block), (baseEvent) =>
      headerView(block, { isPending, fieldNames, baseEvent }),
    );
  });
}

/** Returns the selected block. Throws {@link BlockNotFoundError}. */
export function requireBlock({ node: { chain } }: RpcContext, selector: BlockSelector): Awaitable<Block> {
  return whenReady(chain.block(selector), (block) => {
    if (block === undefined)
      throw new BlockNotFoundError(describeSelector(selector), chain.head().header.number);
    return block;
  });
}

/** Throws {@link TransactionIndexError} for an invalid index. 0 is valid for an empty block. */
export function requireTransactionIndex({ header, transactions }: Block, index: number): void {
  const count = transactions.length;
  if (index > 0 && index >= count) throw new TransactionIndexError(index, header.number, count);
}

/** Returns the uncle at an index of the block as JSON; `null` if the block or uncle does not exist. */
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

/** Returns the transaction at an index of a block as JSON; `null` if either does not exist. */
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

/** Returns the encoded transaction at an index of a block; `null` if either does not exist. */
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

/** A chain and the settings that affect its results. */
export type NodeContext = Pick<RpcContext, 'node' | 'settings'>;

/** True if the node follows Rootstock although development tools expect other results. */
export function answersAsRootstock({ node: { chain }, settings }: NodeContext): boolean {
  return settings.hosted || chain.options.networkLimits;
}

/**
 * Returns the pool transaction with the hash; `undefined` if absent. Rootstock finds only executable
 * transactions, without nonce gaps; so does a node with {@link answersAsRootstock}.
 */
export function waitingTransaction(context: NodeContext, hash: Uint8Array): Transaction | undefined {
  const { pool } = context.node.chain;
  const found = pool.byHash(hash);
  if (found === undefined || !answersAsRootstock(context)) return found;
  const wanted = toHex(hash);
  return pool.pendingOf(found.sender).find((transaction) => toHex(transaction.hash) === wanted);
}

/**
 * Throws {@link InvalidParamsError} for `pending` if the compat mode does not support it. For the five
 * methods that the service document flags.
 */
export function requireServed({ settings }: RpcContext, parameter: string, selector: BlockSelector): void {
  if (settings.compat.pendingServed || !isPending(selector)) return;
  throw new InvalidParamsError(
    parameter,
    'a mined block (pending requires --compat anvil or hardhat)',
    '"pending"',
  );
}
