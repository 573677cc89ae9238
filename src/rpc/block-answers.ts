import { type BlockSelector, describeSelector, isPending } from '../node/block-selector.ts';
import { BlockNotFoundError } from '../node/errors.ts';
import type { Block } from '../rules/block.ts';
import { headerHash } from '../rules/header-encoding.ts';
import type { RpcContext } from './rpc-context.ts';
import { type BlockView, blockView, headerView, uncleView } from './views/block.ts';

/** The block of the selector as JSON; `null` when there is none. */
export async function answerBlock(
  { chain, settings }: RpcContext,
  selector: BlockSelector,
  full: boolean,
): Promise<BlockView | null> {
  const block = await chain.block(selector);
  if (block === undefined) return null;
  return blockView(block, {
    full,
    isPending: isPending(selector),
    fieldNames: settings.fieldNames,
    uncleHash: (uncle) => headerHash(uncle, chain.ruleSet.encoding),
  });
}

/** The header of the block of the selector as JSON; `null` when there is none. */
export async function answerHeader(
  { chain, settings }: RpcContext,
  selector: BlockSelector,
): Promise<BlockView | null> {
  const block = await chain.block(selector);
  if (block === undefined) return null;
  return headerView(block, { isPending: isPending(selector), fieldNames: settings.fieldNames });
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
