import { workTarget } from '../../../mining/work.ts';
import { toHex } from '../../../primitives/hex.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

/** Merged miners get no easier target than that of this difficulty, as on the network. */
const LEAST_DIFFICULTY = 3n;

/** The work on the block that would be mined now, for a miner of the parent chain. */
export const mnr_getWork = defineMethod({
  name: 'mnr_getWork',
  summary: 'The work on the next block for merged mining',
  params: [],
  result: {
    description:
      'The hash to commit to, the target, the fees in wei (decimal), and whether older work is outdated',
    schema: {
      type: 'object',
      properties: {
        blockHashForMergedMining: hash32.jsonSchema,
        target: hash32.jsonSchema,
        feesPaidToMiner: { type: 'string', pattern: '^[0-9]+$' },
        notify: { type: 'boolean' },
        parentBlockHash: hash32.jsonSchema,
      },
      required: ['blockHashForMergedMining', 'target', 'feesPaidToMiner', 'notify', 'parentBlockHash'],
    },
  },
  example: {
    params: [],
    result: {
      blockHashForMergedMining: '0x5509381fd1b462bcc4c5969f732d9aa7f6a9e695b49646909c80c67f5aef5975',
      target: '0x5555555555555555555555555555555555555555555555555555555555555555',
      feesPaidToMiner: '0',
      notify: true,
      parentBlockHash: '0x158d3e1abbcd2eca325be0526cb5710ad0a089befe056d508c3a2b79e4e15878',
    },
  },
  handler: async ({ chain }) => {
    const { block } = await chain.view({ tag: 'pending' });
    const work = chain.work.offer(block);
    const difficulty = work.difficulty > LEAST_DIFFICULTY ? work.difficulty : LEAST_DIFFICULTY;
    return {
      blockHashForMergedMining: toHex(work.hashForMergedMining),
      target: toHex(workTarget(difficulty)),
      feesPaidToMiner: work.feesPaidToMiner.toString(),
      notify: work.isWorthRestart,
      parentBlockHash: toHex(work.parentHash),
    };
  },
});
