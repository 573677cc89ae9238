// The block of the parent chain that Rootstock's merged mining commits to.

import { concatBytes } from '../../primitives/bytes.ts';
import { COMMITMENT_TAG } from '../../protocol/merged-mining/proof-of-work.ts';
import { opReturnScript } from '../bitcoin/script.ts';
import { createTemplate } from './create-block.ts';
import { headerBytes } from './parent-block.ts';
import type { ParentChain } from './parent-chain.ts';
import { toLibrary } from './parent-transaction.ts';

interface MergedMiningCandidate {
  /** 80 bytes with the nonce 0. */
  readonly header: Uint8Array;
  /** The only transaction of the block, without its witness. The commitment is in its last output. */
  readonly coinbase: Uint8Array;
}

/**
 * Returns the next block on the best block, with only a coinbase transaction that contains `commitment` (32
 * bytes, RSKIP-92). The chain does not change. `script` receives the reward.
 */
export function mergedMiningCandidate(
  chain: ParentChain,
  commitment: Uint8Array,
  script: Uint8Array,
): MergedMiningCandidate {
  const output = { value: 0n, script: opReturnScript(concatBytes(COMMITMENT_TAG, commitment)) };
  const { header, transactions } = createTemplate(chain, { script, entries: [], extraOutputs: [output] });
  const [coinbase] = transactions;
  if (coinbase === undefined) throw new RangeError('the block has no coinbase transaction');
  const library = toLibrary(coinbase);
  library.stripWitnesses();
  return { header: headerBytes(header), coinbase: library.toBuffer() };
}
