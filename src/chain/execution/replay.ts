import type { Engine } from '../../evm/engine.ts';
import { type CheckInterrupt, giveWay } from '../../primitives/interrupt.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { Overlay } from '../../state/overlay.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { KnownBlocks } from '../mining/known-blocks.ts';
import { environmentOf } from './call-execution.ts';
import { runAgain } from './mined-transaction.ts';

/**
 * The state in a block before its transaction at `index`; after the last one for an index beyond. Rejects with
 * `BlockNotFoundError` when the block has left the chain, and with what `checkInterrupt` throws.
 */
export async function stateBefore(
  parts: {
    readonly blockchain: Blockchain;
    readonly known: KnownBlocks;
    readonly engine: Engine;
    readonly ruleSet: RuleSet;
  },
  block: Block,
  index: number,
  checkInterrupt: CheckInterrupt,
): Promise<Overlay> {
  const { blockchain, known } = parts;
  const { number } = block.header;
  if (number === blockchain.first) return new Overlay(blockchain.summary(number).state);
  const environment = environmentOf(block, known.ancestors(block));
  const state = new Overlay(known.stateBelow(block));
  for (const transaction of block.transactions.slice(0, index)) {
    await runAgain(parts, { environment, state, transaction, checkInterrupt });
    await giveWay(checkInterrupt);
  }
  return state;
}
