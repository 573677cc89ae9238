import { toQuantity } from '../../../primitives/hex.ts';
import type { Block } from '../../../protocol/block.ts';
import { yieldToOthers } from '../../../scheduling/cancel-check.ts';
import { orNull } from '../../../wire/values.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockNumberSelector } from '../../codecs/block-selector.ts';
import { arrayOf, type Codec, leaf, refined } from '../../codecs/codec.ts';
import { index, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { feeHistoryView, MAX_FEE_BLOCKS } from '../../views/fee-history.ts';

const MAX_PERCENTILES = 100;

const percentile = leaf(
  'a percentage from 0 to 100',
  { type: 'number', minimum: 0, maximum: 100 },
  (value) => (typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined),
  (value) => typeof value === 'number',
);

/** The percentiles of `eth_feeHistory`, in ascending order. */
const percentiles: Codec<number[]> = refined(
  arrayOf(percentile, `an array of at most ${MAX_PERCENTILES} percentages`, MAX_PERCENTILES),
  (values) => {
    const isRising = values.every((value, position) => value >= (values[position - 1] ?? 0));
    return isRising
      ? { value: values }
      : { path: [], expected: 'percentages in ascending order', isOutOfRange: true };
  },
);

/** Returns up to `count` blocks that end with `newest`, oldest first. */
async function blocksUpTo(
  { node: { chain }, deadline }: RpcContext,
  newest: Block,
  count: number,
): Promise<Block[]> {
  const blocks = [newest];
  let { number } = newest.header;
  while (blocks.length < count && number > chain.blocks.first) {
    number--;
    const block = await chain.block({ number: BigInt(number) });
    if (block !== undefined) blocks.push(block);
    await yieldToOthers(deadline);
  }
  return blocks.reverse();
}

export const ETH_FEES: readonly Method[] = [
  defineMethod({
    name: 'eth_baseFee',
    summary: 'The base fee per gas of the next block in wei',
    priority: 'high',
    result: { description: 'Wei per gas, or null', schema: orNull(QUANTITY_JSON_SCHEMA) },
    handler: ({ node: { chain } }) => {
      const baseFeePerGas = chain.fees.nextBaseFee();
      return baseFeePerGas === null ? null : toQuantity(baseFeePerGas);
    },
  }),
  defineMethod({
    name: 'eth_gasPrice',
    summary: 'The suggested gas price in wei',
    priority: 'high',
    result: { description: 'Wei per gas', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) => toQuantity(chain.fees.gasPrice()),
  }),
  /**
   * Returns the suggested fee above the base fee. Without a base fee, it is the whole gas price, because the
   * miner receives all of it. Clients then see from the blocks that they must send legacy transactions.
   */
  defineMethod({
    name: 'eth_maxPriorityFeePerGas',
    summary: 'The suggested priority fee per gas in wei',
    priority: 'high',
    result: { description: 'Wei per gas', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) =>
      toQuantity(chain.ruleSet.fees.name === 'base fee' ? chain.fees.priorityFee : chain.fees.gasPrice()),
  }),
  /**
   * Returns the base fees of up to 1024 blocks and of the next block. It also returns their gas used ratios,
   * and the priority fees at the percentiles of their gas. Hardforks without a base fee return 0, as Ethereum
   * nodes do for blocks before London: clients then read the block, and send legacy transactions. Without
   * percentiles, `reward` is absent.
   */
  defineMethod({
    name: 'eth_feeHistory',
    summary: 'Base fees, gas used ratios and priority fees of the latest blocks',
    priority: 'low',
    params: [
      param('blockCount', index),
      param('newestBlock', blockNumberSelector),
      optional('rewardPercentiles', percentiles, null),
    ],
    fork: {
      kind: 'range',
      answer: async (call) => (await import('../../fork/fork-ranges.ts')).feeHistory(call),
    },
    result: {
      description: 'The fees in wei per gas and the gas used ratios, oldest block first',
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
    handler: async (context, blockCount, selector, wanted) => {
      const { chain } = context.node;
      const newest = await requireBlock(context, selector);
      if (blockCount === 0) return { oldestBlock: '0x0', baseFeePerGas: [], gasUsedRatio: [] };
      const blocks = await blocksUpTo(context, newest, Math.min(blockCount, MAX_FEE_BLOCKS));
      const { number } = newest.header;
      // The settings of the next block apply only above the head, not above the pending block.
      const isHead = number === chain.head().header.number;
      const child = isHead ? undefined : await chain.block({ number: BigInt(number + 1) });
      const computed = isHead ? chain.fees.nextBaseFee() : chain.ruleSet.fees.nextBaseFee(newest.header);
      const following = child === undefined ? computed : child.header.ethereum.baseFeePerGas;
      const history = { blocks, following, percentiles: wanted, rules: chain.ruleSet };
      return context.deadline.run(feeHistoryView(history));
    },
  }),
  /** Returns 0 for hardforks without blobs. */
  defineMethod({
    name: 'eth_blobBaseFee',
    summary: 'The blob base fee in wei per blob gas',
    priority: 'high',
    result: { description: 'Wei per blob gas', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) => toQuantity(chain.fees.nextBlobBaseFee() ?? 0n),
  }),
];
