// The access lists of blocks (EIP-7928), found by running the blocks again.

import { recordBlockAccesses } from '../../evm/block-accesses.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { uninterrupted } from '../../primitives/interrupt.ts';
import { runTask } from '../../primitives/task.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Block } from '../../protocol/block.ts';
import type { BlockAccessList } from '../../protocol/block-access-list.ts';
import { NO_ACCESSES_HASH } from '../../protocol/genesis.ts';
import type { ChainCore } from '../chain-core.ts';
import { NotInRuleSetError } from '../errors.ts';
import type { ChainTracing } from './tracing.ts';

/** Units of work for a transaction that runs again, so that others are heard between two of them. */
const TRANSACTION_WORK = 2 ** 14;

/** Makes the access lists of blocks. */
export class BlockAccess {
  readonly #core: ChainCore;
  readonly #tracing: ChainTracing;

  constructor(core: ChainCore, tracing: ChainTracing) {
    this.#core = core;
    this.#tracing = tracing;
  }

  /** Throws a {@link NotInRuleSetError} where blocks have no access lists. */
  requireLists(): void {
    const { ruleSet } = this.#core;
    if (!ruleSet.hasAccessLists) throw new NotInRuleSetError('access list (EIP-7928)', ruleSet.name);
  }

  /**
   * Resolves to the access list of a block. Rejects with a {@link NotInRuleSetError} where blocks have none, with `BlockNotFoundError` when
   * the block has left the chain, and with what `checkInterrupt` throws.
   */
  async of(block: Block, checkInterrupt = uninterrupted): Promise<BlockAccessList> {
    this.requireLists();
    const { engine, ruleSet, blockchain, settings } = this.#core;
    const { number, parentHash, ethereum } = block.header;
    const listHash = ethereum.blockAccessListHash;
    // Nothing ran in the first block, nor in those that were reserved.
    if (number === blockchain.lowest || (listHash !== null && equalBytes(listHash, NO_ACCESSES_HASH)))
      return [];
    const { environment, before } = this.#tracing.hold(block);
    const pieces = new WorkPieces(checkInterrupt);
    return runTask(
      recordBlockAccesses({
        engine,
        ruleSet,
        environment,
        parentHash,
        checkInterrupt,
        before,
        transactions: block.transactions,
        chainId: BigInt(settings.current.chainId),
        impersonatedSigner: settings.impersonatedSigner,
        turn: () => pieces.spend(TRANSACTION_WORK),
      }),
    );
  }
}
