import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { prefersNewcomer } from '../../protocol/fork-choice.ts';
import { runTask } from '../../scheduling/task.ts';
import { type SideBlock, sideBlocksAbove } from '../../storage/side-blocks.ts';
import type { ChainCore } from '../chain-core.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { BlockProducer } from './block-producer.ts';
import type { TransactionSubmitter } from './transaction-submitter.ts';

/** The result of a block import, in Rootstock's terms. */
export type ImportResult = 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT';

/**
 * Imports blocks of external miners as canonical or side blocks, by Rootstock's fork choice. The caller must
 * validate the blocks and run the import inside a change.
 */
export class BlockImport {
  readonly #core: ChainCore;
  readonly #producer: BlockProducer;
  readonly #snapshots: Snapshots;
  readonly #submitter: TransactionSubmitter;

  constructor(
    core: ChainCore,
    producer: BlockProducer,
    snapshots: Snapshots,
    submitter: TransactionSubmitter,
  ) {
    this.#core = core;
    this.#producer = producer;
    this.#snapshots = snapshots;
    this.#submitter = submitter;
    // After a revert to an earlier state, later competitors must not exist.
    core.events.on('removed', () => core.sideBlocks.clear());
  }

  /** Returns the canonical or side block with this hash, or `undefined`. */
  find(hash: Uint8Array): SideBlock | undefined {
    const { blockchain, sideBlocks } = this.#core;
    const block = blockchain.blockByHash(hash);
    if (block === undefined) return sideBlocks.get(hash);
    return { block, state: blockchain.state(block.header.number), results: null };
  }

  /** Imports a block. Its parent must be a canonical or side block. */
  async import(newcomer: SideBlock): Promise<ImportResult> {
    const { blockchain, sideBlocks } = this.#core;
    const { block: head } = blockchain.head;
    if (this.find(newcomer.block.hash) !== undefined) return 'EXIST';
    const branch = this.#branchTo(newcomer);
    if (branch === null) return 'NO_PARENT';
    if (!prefersNewcomer(newcomer.block, head)) {
      sideBlocks.keep([newcomer]);
      return 'IMPORTED_NOT_BEST';
    }
    if (equalBytes(newcomer.block.header.parentHash, head.hash)) await this.#producer.append(newcomer);
    else await this.#switchTo(branch);
    return 'IMPORTED_BEST';
  }

  /**
   * Returns the branch from the first block above the canonical chain to the newcomer, lowest first; `null`
   * if its ancestors are unknown.
   */
  #branchTo(newcomer: SideBlock): readonly SideBlock[] | null {
    const { blockchain, sideBlocks } = this.#core;
    const branch = [newcomer];
    let parentHash = newcomer.block.header.parentHash;
    while (blockchain.blockByHash(parentHash) === undefined) {
      const parent = sideBlocks.get(parentHash);
      if (parent === undefined) return null;
      branch.unshift(parent);
      parentHash = parent.block.header.parentHash;
    }
    return branch;
  }

  /** Restores the clock at the end, because replacing blocks does not move time. */
  async #switchTo(branch: readonly SideBlock[]): Promise<void> {
    const { blockchain, changes, sideBlocks, clock, events } = this.#core;
    const [lowest] = branch;
    if (lowest === undefined) return;
    const common = lowest.block.header.number - 1;
    const losersOf = sideBlocksAbove(blockchain, common);
    const removed = await runTask(blockchain.rewind(common), this.#producer.timeSlice());
    const others = sideBlocks.clear();
    this.#snapshots.forgetAbove(common);
    events.emit('removed', removed, 'others follow', changes.call);
    const { setting } = clock;
    for (const side of branch) await this.#producer.append(side);
    clock.restore(setting);
    const winners = new Set(branch.map(({ block }) => hexKey(block.hash)));
    const beside = others.filter(({ block }) => !winners.has(hexKey(block.hash)));
    sideBlocks.keep([...beside, ...losersOf(removed)]);
    const added = branch.map(({ block }) => block);
    await runTask(
      this.#submitter.returnTransactions(removed.toReversed(), added),
      this.#producer.timeSlice(),
    );
    await runTask(blockchain.trim(), this.#producer.timeSlice());
  }
}
