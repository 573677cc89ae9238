import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { prefersNewcomer } from '../../protocol/fork-choice.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import type { ChainClock } from '../settings/chain-clock.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { BlockProducer } from './block-producer.ts';
import type { SideBlock, SideBlocks } from './side-blocks.ts';

/** What became of a block that was not made here, by the network's names. */
export type ImportResult = 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT';

/** What an import works on; all of it belongs to one chain. */
export interface ImportParts {
  readonly blockchain: Blockchain;
  readonly sideBlocks: SideBlocks;
  readonly clock: ChainClock;
  readonly events: ChainEvents;
  readonly producer: BlockProducer;
  readonly snapshots: Snapshots;
  /** Puts a transaction back into the pool; one that is not taken is gone. */
  readonly returnToPool: (transaction: Transaction) => void;
}

/**
 * Takes blocks of miners onto the chain or beside it, by the network's choice between forks. Its callers see to it that
 * the blocks are valid and that nothing else changes the chain meanwhile.
 */
export class BlockImport {
  readonly #parts: ImportParts;

  constructor(parts: ImportParts) {
    this.#parts = parts;
    // Whoever goes back to an earlier chain is not to find competitors there that it has never heard of.
    parts.events.on('removed', () => parts.sideBlocks.clear());
  }

  /** The block with that hash, on the chain or beside it; `undefined` when there is none. */
  find(hash: Uint8Array): SideBlock | undefined {
    const { blockchain, sideBlocks } = this.#parts;
    const block = blockchain.blockByHash(hash);
    if (block === undefined) return sideBlocks.get(hash);
    return { block, state: blockchain.summary(block.header.number).state, results: null };
  }

  /** Takes in a block that was made on one that is on the chain or beside it. */
  async import(newcomer: SideBlock): Promise<ImportResult> {
    const { blockchain, sideBlocks } = this.#parts;
    const { head } = blockchain;
    if (this.find(newcomer.block.hash) !== undefined) return 'EXIST';
    const branch = this.#branchTo(newcomer);
    if (branch === null) return 'NO_PARENT';
    if (!prefersNewcomer(newcomer.block, head)) {
      sideBlocks.keep([newcomer]);
      return 'IMPORTED_NOT_BEST';
    }
    if (equalBytes(newcomer.block.header.parentHash, head.hash)) await this.#parts.producer.append(newcomer);
    else await this.#switchTo(branch);
    return 'IMPORTED_BEST';
  }

  /** The blocks from the one above the chain's up to the newcomer, lowest first; `null` when they come from elsewhere. */
  #branchTo(newcomer: SideBlock): readonly SideBlock[] | null {
    const { blockchain, sideBlocks } = this.#parts;
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

  /** The clock goes on as if nothing had been made: who replaces blocks does not move time. */
  async #switchTo(branch: readonly SideBlock[]): Promise<void> {
    const { blockchain, sideBlocks, clock, events, producer, snapshots } = this.#parts;
    const [lowest] = branch;
    if (lowest === undefined) return;
    const common = lowest.block.header.number - 1;
    const losers = this.#blocksAbove(common);
    const others = sideBlocks.clear();
    const removed = blockchain.rewind(common);
    snapshots.forgetAbove(common);
    events.emit('removed', removed, 'others follow');
    const { setting } = clock;
    for (const side of branch) await producer.append(side);
    clock.restore(setting);
    const winners = new Set(branch.map(({ block }) => hexKey(block.hash)));
    const beside = others.filter(({ block }) => !winners.has(hexKey(block.hash)));
    sideBlocks.keep([...beside, ...losers]);
    this.#returnTransactions(losers, branch);
  }

  /** Reserved blocks are no use beside the chain: they cannot become uncles, since their hash is not that of a header. */
  #blocksAbove(common: number): SideBlock[] {
    const { blockchain } = this.#parts;
    const blocks: SideBlock[] = [];
    for (const number of blockchain.unreserved(common + 1, blockchain.head.header.number)) {
      const block = blockchain.block(number);
      if (block !== undefined) blocks.push({ block, state: blockchain.summary(number).state, results: null });
    }
    return blocks;
  }

  #returnTransactions(losers: readonly SideBlock[], branch: readonly SideBlock[]): void {
    const transactionsOf = (blocks: readonly SideBlock[]): readonly Transaction[] =>
      blocks.flatMap(({ block }) => block.transactions);
    const mined = new Set(transactionsOf(branch).map(({ hash }) => hexKey(hash)));
    for (const transaction of transactionsOf(losers)) {
      if (!mined.has(hexKey(transaction.hash))) this.#parts.returnToPool(transaction);
    }
  }
}
