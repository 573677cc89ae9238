import type { Blockchain } from '../chain/blockchain.ts';
import type { Engine } from '../engine/engine.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import { nextTurn } from '../primitives/next-turn.ts';
import type { Block } from '../rules/block.ts';
import { Overlay } from '../state/overlay.ts';
import { rememberedBlockHashes } from './block-production.ts';
import { environmentOf } from './call-execution.ts';

/**
 * The state in a block before its transaction at `index`; after the last one for an index beyond. Rejects with what
 * `checkInterrupt` throws.
 */
export async function stateBefore(
  { blockchain, engine }: { readonly blockchain: Blockchain; readonly engine: Engine },
  block: Block,
  index: number,
  checkInterrupt: CheckInterrupt,
): Promise<Overlay> {
  const { number } = block.header;
  if (number === 0) return new Overlay(blockchain.summary(0).state);
  const environment = environmentOf(block, rememberedBlockHashes(blockchain, number));
  const state = new Overlay(blockchain.summary(number - 1).state);
  for (const transaction of block.transactions.slice(0, index)) {
    await engine.transact(environment, state, transaction, undefined, checkInterrupt);
    await nextTurn();
    checkInterrupt();
  }
  return state;
}
