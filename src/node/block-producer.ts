import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { BlockBuilder, BuiltBlock } from '../engine/block-builder.ts';
import type { Engine } from '../engine/engine.ts';
import type { Block } from '../rules/block.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import type { TransactionPool } from '../txpool/pool.ts';
import { type BlockSettings, fillBlock, openBlock, tryAdd } from './block-production.ts';
import type { ChainClock } from './chain-clock.ts';
import type { ChainOptions } from './chain-options.ts';

/** What a producer works with; all of it belongs to one chain. */
export interface ProducerParts {
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly clock: ChainClock;
  readonly events: ChainEvents;
}

/** How many blocks are made before the event loop gets its turn. */
const BLOCKS_PER_TURN = 32;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const NO_EXTRA_DATA = new Uint8Array(0);

/** Makes blocks of the pool's transactions and puts them on the chain. Its callers see to it that one is made at a time. */
export class BlockProducer {
  readonly #parts: ProducerParts;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
  }

  /** Seconds since 1970 at which a block made now would say it was made. */
  nextTimestamp(): number {
    const { blockchain, clock } = this.#parts;
    return clock.blockTimestamp(blockchain.head.header.timestamp);
  }

  /** A block of the pool's transactions on the head, made at `timestamp` (seconds since 1970), that nothing keeps. */
  build(timestamp: number): Promise<BuiltBlock> {
    return fillBlock(this.#open(timestamp), this.#parts.pool.pending());
  }

  /** Makes a block of the pool's transactions that fit; it is the head when the promise resolves. */
  async mine(): Promise<Block> {
    const built = await this.build(this.nextTimestamp());
    await this.#append(built);
    return built.block;
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
      await this.#append(builder.seal());
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
    return openBlock(this.#parts, this.#settings(), timestamp);
  }

  #settings(): BlockSettings {
    const { coinbase, gasLimit, minimumGasPrice } = this.#parts.options;
    return { coinbase, gasLimit, minimumGasPrice, extraData: NO_EXTRA_DATA };
  }

  async #append({ block, state, results }: BuiltBlock): Promise<void> {
    const { blockchain, clock, pool, events } = this.#parts;
    await blockchain.append(block, state);
    clock.commit(block.header.timestamp);
    pool.removeStale(block.transactions.map((transaction) => transaction.sender));
    events.emit('block', block, results);
    // Making many blocks must not keep others from being heard.
    if (block.header.number % BLOCKS_PER_TURN === 0) await nextTurn();
  }
}
