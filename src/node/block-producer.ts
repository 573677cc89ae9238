import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { ReservedRange } from '../chain/reserved-range.ts';
import type { BlockBuilder, BuiltBlock } from '../engine/block-builder.ts';
import type { BlockClosing } from '../engine/block-closing.ts';
import type { Engine } from '../engine/engine.ts';
import { nextTurn } from '../primitives/next-turn.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import type { TransactionPool } from '../txpool/pool.ts';
import { fillBlock, groundAbove, groundAtHead, hashOf, openBlock, tryAdd } from './block-production.ts';
import type { LiveSettings } from './block-settings.ts';
import type { ChainClock } from './chain-clock.ts';
import type { ChainOptions } from './chain-options.ts';
import { MiningStoppedError } from './errors.ts';
import type { SideBlock, SideBlocks } from './side-blocks.ts';

/** What a producer works with; all of it belongs to one chain. */
export interface ProducerParts {
  readonly options: ChainOptions;
  readonly settings: LiveSettings;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  /** What ends each block; `null` where nothing does. */
  readonly closing: BlockClosing | null;
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly sideBlocks: SideBlocks;
  readonly clock: ChainClock;
  readonly events: ChainEvents;
}

/** How many blocks are made before the event loop gets its turn. */
const BLOCKS_PER_TURN = 32;

/** Makes blocks of the pool's transactions and puts them on the chain. Its callers see to it that one is made at a time. */
export class BlockProducer {
  readonly #parts: ProducerParts;
  #isStopped = false;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
  }

  /** Seconds since 1970 at which a block made now would say it was made. */
  nextTimestamp(): number {
    const { blockchain, clock } = this.#parts;
    return clock.blockTimestamp(blockchain.head.header.timestamp);
  }

  /**
   * A block of the pool's transactions on the head, made at `timestamp` (seconds since 1970), without proof of work, that
   * nothing keeps.
   */
  async sample(timestamp: number): Promise<BuiltBlock> {
    return (await this.#fill(timestamp)).candidate();
  }

  /** Makes a block of the pool's transactions that fit; it is the head when the promise resolves. */
  async mine(): Promise<BuiltBlock> {
    const built = await this.seal(await this.#fill(this.nextTimestamp()));
    await this.append(built);
    return built;
  }

  async #fill(timestamp: number): Promise<BlockBuilder> {
    const builder = this.#open(timestamp);
    await fillBlock(builder, this.#parts.pool.pending());
    return builder;
  }

  /** The block with a proof of work. Rejects with {@link MiningStoppedError} when the chain closes meanwhile. */
  seal(builder: BlockBuilder): Promise<BuiltBlock> {
    return builder.seal(() => {
      if (this.#isStopped) throw new MiningStoppedError();
    });
  }

  /** Ends the search for a proof of work, for good. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Puts a range of reserved blocks on the head and makes an empty block above it, which is the head then. */
  async mineAbove(range: ReservedRange): Promise<void> {
    const { blockchain, clock, settings } = this.#parts;
    const timestamp = clock.blockTimestamp(range.timestampOf(range.last));
    const ground = groundAbove(range, {
      hash: (number) => hashOf(blockchain, number),
      block: (number) => blockchain.block(number),
    });
    const builder = openBlock(this.#parts, settings.current, ground, timestamp);
    await this.append(await this.seal(builder), range);
  }

  /** Mines every transaction that can be mined, each in a block of its own. */
  async mineEach(): Promise<void> {
    const { pool } = this.#parts;
    let candidates = pool.pending();
    while (candidates.length > 0) {
      const isMined = await this.#mineFirst(candidates);
      if (!isMined) return;
      candidates = pool.size === 0 ? [] : pool.pending();
    }
  }

  async #mineFirst(candidates: readonly Transaction[]): Promise<boolean> {
    for (const transaction of candidates) {
      const builder = this.#open(this.nextTimestamp());
      if (!(await this.#tryAddOrDrop(builder, transaction))) continue;
      await this.append(await this.seal(builder));
      return true;
    }
    return false;
  }

  /** A transaction on which the engine itself fails leaves the pool, or it would fail all that come after it. */
  async #tryAddOrDrop(builder: BlockBuilder, transaction: Transaction): Promise<boolean> {
    try {
      return await tryAdd(builder, transaction);
    } catch (error) {
      this.#parts.pool.remove(transaction.hash);
      throw error;
    }
  }

  #open(timestamp: number): BlockBuilder {
    const { blockchain, settings } = this.#parts;
    return openBlock(this.#parts, settings.current, groundAtHead(blockchain), timestamp);
  }

  /** Puts a block that was built on the head, or on a range of reserved blocks above it, on top of that, and tells so. */
  async append({ block, state, results }: SideBlock, below: ReservedRange | null = null): Promise<void> {
    const { blockchain, settings, clock, pool, events } = this.#parts;
    if (below === null) await blockchain.append(block, state);
    else await blockchain.appendAbove(below, block, state);
    settings.useUpNext();
    clock.commit(block.header.timestamp);
    pool.removeStale(block.transactions.map((transaction) => transaction.sender));
    events.emit('block', block, results);
    // Making many blocks must not keep others from being heard.
    if (block.header.number % BLOCKS_PER_TURN === 0) await nextTurn();
  }
}
