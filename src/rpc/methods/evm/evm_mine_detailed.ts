import { perform } from '../../../primitives/steps.ts';
import { mapInPieces, WorkPieces } from '../../../primitives/work-pieces.ts';
import { detailedMineOptions } from '../../codecs/mine-options.ts';
import { defineMethod, optional, SAME } from '../../method.ts';
import { minedBlockView } from '../../views/mined-block.ts';

/** Units of work for showing a block, and one of its transactions. */
const BLOCK_WORK = 3_000;
const TRANSACTION_WORK = 1_000;

/**
 * Mines as `evm_mine` does and gives the blocks with whole transactions, each with what it returned (`output`) and, when
 * it failed, why (`revertReason`).
 */
export const evm_mine_detailed = defineMethod({
  name: 'evm_mine_detailed',
  aliases: { anvil_mine_detailed: SAME, anvil_mineDetailed: SAME },
  summary: 'Mines blocks now and gives them in detail',
  params: [optional('options', detailedMineOptions, {})],
  result: { description: 'The blocks', schema: { type: 'array', items: { type: 'object' } } },
  example: {
    before: [
      { method: 'evm_stopMining', params: [] },
      {
        method: 'eth_sendTransaction',
        params: [
          {
            from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
            data: '0xd09de08a',
          },
        ],
      },
    ],
    params: [],
    result: [
      {
        number: '0x5',
        transactions: [
          {
            from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
            input: '0xd09de08a',
            output: '0x',
          },
        ],
      },
    ],
    isExcerpt: true,
  },
  handler: async ({ chain, settings: { fieldNames } }, options) => {
    const made = await chain.mineDetailed(options);
    return perform(
      mapInPieces(
        made,
        new WorkPieces(),
        ({ block }) => BLOCK_WORK + TRANSACTION_WORK * block.transactions.length,
        (block) => minedBlockView(block, chain.ruleSet, fieldNames),
      ),
    );
  },
});
