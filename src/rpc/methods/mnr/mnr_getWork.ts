import { toHex } from '../../../primitives/hex.ts';
import { workTarget } from '../../../protocol/merged-mining/proof-of-work.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

/**
 * The work on the block that would be mined now, for a miner of the parent chain. The target is
 * 2^256 / max(difficulty, 3), as on the network. Fails with -33000 under the rules of an Ethereum hardfork, whose
 * blocks have no parent chain.
 */
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
      blockHashForMergedMining: '0x5ac20f95a67abaf2943ef6f71eabccf75d635d75dc0cf080f632ae2a348dbe52',
      target: '0x5555555555555555555555555555555555555555555555555555555555555555',
      feesPaidToMiner: '0',
      notify: true,
      parentBlockHash: '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
    },
  },
  handler: async ({ chain }) => {
    const work = await chain.work.offer();
    return {
      blockHashForMergedMining: toHex(work.hashForMergedMining),
      target: toHex(workTarget(work.difficulty)),
      feesPaidToMiner: work.feesPaidToMiner.toString(),
      notify: work.isWorthRestart,
      parentBlockHash: toHex(work.parentHash),
    };
  },
});
