import type { Chain } from '../../src/chain/chain.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { proofOfBlock, readBitcoinBlock } from '../../src/protocol/merged-mining/parent-chain-block.ts';
import { workTarget } from '../../src/protocol/merged-mining/proof-of-work.ts';
import { minedParentBlock } from './pool.ts';

/** Lets `count` miners solve the same work. One block becomes the head, the others become siblings. */
export async function submitCompeting(chain: Chain, count: number): Promise<void> {
  const { hashForMergedMining, difficulty } = await chain.work.offer();
  const work = {
    blockHashForMergedMining: toHex(hashForMergedMining),
    target: toHex(workTarget(difficulty)),
  };
  for (let extraNonce = 0; extraNonce < count; extraNonce++) {
    const block = minedParentBlock(work, { extraNonce });
    await chain.work.submit(hashForMergedMining, () =>
      proofOfBlock(readBitcoinBlock(new Uint8Array(block.toBuffer()))),
    );
  }
}
