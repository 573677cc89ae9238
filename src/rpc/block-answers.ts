import { BlockNotFoundError } from '../chain/errors.ts';
import { type BlockSelector, describeSelector, isPending } from '../chain/execution/block-selector.ts';
import type { Block } from '../protocol/block.ts';
import type { RpcContext } from './rpc-context.ts';
import { type BlockView, blockView, headerView, uncleView } from './views/block.ts';

/** True when what only a seal fixes is `null` in the block: that of the sample of the next one, unless the dialect seals it. */
function isUnsealed({ settings }: RpcContext, selector: BlockSelector): boolean {
  return isPending(selector) && !settings.compat.pendingLooksMined;
}

/** The block of the selector as JSON; `null` when there is none. */
export async function answerBlock(
  context: RpcContext,
  selector: BlockSelector,
  full: boolean,
): Promise<BlockView | null> {
  const { chain, settings } = context;
  const block = await chain.block(selector);
  if (block === undefined) return null;
  return blockView(block, {
    full,
    isPending: isUnsealed(context, selector),
    fieldNames: settings.fieldNames,
    rules: chain.ruleSet,
  });
}

/** The header of the block of the selector as JSON; `null` when there is none. */
export async function answerHeader(context: RpcContext, selector: BlockSelector): Promise<BlockView | null> {
  const { chain, settings } = context;
  const block = await chain.block(selector);
  if (block === undefined) return null;
  return headerView(block, { isPending: isUnsealed(context, selector), fieldNames: settings.fieldNames });
}

/** The block of the selector. Rejects with {@link BlockNotFoundError}. */
export async function requireBlock({ chain }: RpcContext, selector: BlockSelector): Promise<Block> {
  const block = await chain.block(selector);
  if (block === undefined)
    throw new BlockNotFoundError(describeSelector(selector), chain.head().header.number);
  return block;
}

/** The uncle at an index of the block as JSON; `null` when there is no such block or uncle. */
export async function answerUncleAt(
  { chain, settings }: RpcContext,
  selector: BlockSelector,
  index: number,
): Promise<BlockView | null> {
  const block = await chain.block(selector);
  const uncle = block?.uncles[index];
  if (uncle === undefined) return null;
  const { encoding } = chain.ruleSet;
  const parent = await chain.block({ hash: uncle.parentHash });
  const parentDifficulty = parent?.totalDifficulty ?? 0n;
  return uncleView(uncle, { encoding, parentDifficulty, fieldNames: settings.fieldNames });
}
