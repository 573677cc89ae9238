import { feeHistory } from '../../../chain/execution/fee-history.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { giveWay } from '../../../primitives/interrupt.ts';
import { perform } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import type { Block } from '../../../protocol/block.ts';
import { nextBaseFee } from '../../../protocol/fees.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { percentiles } from '../../codecs/percentiles.ts';
import { index, QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { defineMethod, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

const MOST_BLOCKS = 1024;
/** Wei per unit of blob gas while no block has blobs (EIP-4844). */
const LEAST_BLOB_BASE_FEE = 1n;

/** The block and those before it, oldest first, `count` in all or as many as there are. */
async function blocksUpTo(
  { chain, checkInterrupt }: RpcContext,
  newest: Block,
  count: number,
): Promise<Block[]> {
  const blocks = [newest];
  let { number } = newest.header;
  while (blocks.length < count && number > 0) {
    number--;
    const block = await chain.block({ number: BigInt(number) });
    if (block !== undefined) blocks.push(block);
    await giveWay(checkInterrupt);
  }
  return blocks.reverse();
}

function blobFields(blocks: readonly Block[]): Readonly<Record<string, unknown>> {
  return {
    baseFeePerBlobGas: [...blocks, null].map(() => toQuantity(LEAST_BLOB_BASE_FEE)),
    blobGasUsedRatio: blocks.map(() => 0),
  };
}

/**
 * The base fees of up to 1024 blocks and of the next one, how full they are, and what was paid above the base fee at
 * the percentiles of their gas. Where there is no base fee, the base fees are 0, as Ethereum nodes answer for blocks
 * from before it: clients then look into the block, find no base fee and choose legacy transactions. Without percentiles
 * there is no `reward`.
 */
export const eth_feeHistory = defineMethod({
  name: 'eth_feeHistory',
  summary: 'Base fees, fullness and priority fees of the latest blocks',
  params: [
    param('blockCount', index),
    param('newestBlock', blockNumberSelector),
    optional('rewardPercentiles', percentiles, null),
  ],
  result: {
    description: 'The fees in wei per gas and the shares of gas used, oldest block first',
    schema: {
      type: 'object',
      properties: {
        oldestBlock: QUANTITY_JSON_SCHEMA,
        baseFeePerGas: { type: 'array', items: QUANTITY_JSON_SCHEMA },
        gasUsedRatio: { type: 'array', items: { type: 'number' } },
        reward: { type: 'array', items: { type: 'array', items: QUANTITY_JSON_SCHEMA } },
      },
      required: ['oldestBlock', 'baseFeePerGas', 'gasUsedRatio'],
    },
  },
  example: {
    params: ['0x2', 'latest', [50]],
    result: {
      oldestBlock: '0x3',
      baseFeePerGas: ['0x0', '0x0', '0x0'],
      gasUsedRatio: [0.0014581, 0.0007360666666666667],
      reward: [['0x0'], ['0x0']],
    },
  },
  handler: async (context, blockCount, selector, wanted) => {
    const { chain } = context;
    const newest = await requireBlock(context, selector);
    if (blockCount === 0) return { oldestBlock: '0x0', baseFeePerGas: [], gasUsedRatio: [] };
    const blocks = await blocksUpTo(context, newest, Math.min(blockCount, MOST_BLOCKS));
    const isHead = newest.header.number === chain.head().header.number;
    const following =
      isHead || !chain.ruleSet.hasBaseFee ? chain.fees.nextBaseFee() : nextBaseFee(newest.header);
    const pieces = new WorkPieces(context.checkInterrupt);
    const { baseFees, gasUsedRatios, rewards } = await perform(
      feeHistory(blocks, following, wanted ?? [], pieces),
    );
    const isRewardAsked = wanted !== null && wanted.length > 0;
    return {
      oldestBlock: toQuantity(blocks[0]?.header.number ?? 0),
      baseFeePerGas: baseFees.map(toQuantity),
      gasUsedRatio: gasUsedRatios,
      ...(isRewardAsked ? { reward: rewards.map((ofBlock) => ofBlock.map(toQuantity)) } : {}),
      ...(chain.ruleSet.hasBlobFields ? blobFields(blocks) : {}),
    };
  },
});
