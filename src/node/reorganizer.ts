import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { BlockBuilder, BuiltBlock } from '../engine/block-builder.ts';
import { type Engine, UnexecutableError } from '../engine/engine.ts';
import { keyOf } from '../primitives/hex.ts';
import type { Block } from '../rules/block.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction, TransactionRequest } from '../rules/transaction.ts';
import type { BlockProducer } from './block-producer.ts';
import { type BlockGround, blockHashReader, openBlock } from './block-production.ts';
import { type LiveSettings, withoutNext } from './block-settings.ts';
import type { ChainClock } from './chain-clock.ts';
import { ReorgDepthError, ReorgTransactionError } from './errors.ts';
import type { SerialQueue } from './serial-queue.ts';
import type { Snapshots } from './snapshots.ts';

/** A transaction of a replacing block: made already, or to be signed with the nonce that its sender has there. */
export type ReorgTransaction =
  | { readonly transaction: Transaction }
  | {
      readonly sender: Uint8Array;
      readonly request: Omit<TransactionRequest, 'nonce'> & { readonly nonce: bigint | null };
    };

/** How the newest blocks are to be replaced. */
export interface ReorgOptions {
  /** How many blocks are replaced, by as many. */
  readonly depth: number;
  /** The transactions of the replacing blocks, by the block's index among them (below `depth`). */
  readonly transactions: ReadonlyMap<number, readonly ReorgTransaction[]>;
  /** True to put the replaced blocks' transactions, as far as they can still be mined, back into the pool. */
  readonly keepsTransactions: boolean;
}

/** What a reorganizer works on; all of it belongs to one chain. */
export interface ReorganizerParts {
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly blockchain: Blockchain;
  readonly clock: ChainClock;
  readonly settings: LiveSettings;
  readonly events: ChainEvents;
  readonly producer: BlockProducer;
  readonly snapshots: Snapshots;
  readonly changes: SerialQueue;
  /** Signs in the name of the sender. Rejects with `AccountNotFoundError`. */
  readonly sign: (sender: Uint8Array, request: TransactionRequest) => Transaction;
  /** Puts a transaction back into the pool; one that is not taken is gone. */
  readonly returnToPool: (transaction: Transaction) => void;
}

/**
 * Takes the newest blocks away, or puts others in their place, and tells so as of any reorganization. Snapshots that
 * were taken on blocks that go are gone with them.
 */
export class Reorganizer {
  readonly #parts: ReorganizerParts;

  constructor(parts: ReorganizerParts) {
    this.#parts = parts;
  }

  /** Takes the newest `depth` blocks away, their transactions too. Rejects with {@link ReorgDepthError}. */
  rollback(depth: number): Promise<void> {
    return this.#parts.changes.run(async () => {
      await this.#rewind(this.#commonNumber(depth));
    });
  }

  /**
   * Replaces the newest blocks by as many others. Each says that it was made a second later than the one it replaces,
   * so that no hash stays the same. Nothing has changed when it rejects: with {@link ReorgDepthError},
   * {@link ReorgTransactionError} or `AccountNotFoundError`.
   */
  reorganize(options: ReorgOptions): Promise<void> {
    return this.#parts.changes.run(async () => {
      const common = this.#commonNumber(options.depth);
      const built = await this.#build(common, options);
      const removed = await this.#rewind(common);
      await this.#append(built);
      if (options.keepsTransactions) this.#returnTransactions(removed, built);
    });
  }

  #commonNumber(depth: number): number {
    const head = this.#parts.blockchain.head.header.number;
    if (depth > head) throw new ReorgDepthError(depth, head);
    return head - depth;
  }

  async #rewind(common: number): Promise<readonly Block[]> {
    const { blockchain, snapshots, events } = this.#parts;
    const removed = await blockchain.rewind(common);
    if (removed.length === 0) return removed;
    snapshots.forgetAbove(common);
    events.emit('removed', removed);
    return removed;
  }

  /** The clock goes on as if nothing had been made: these blocks stand in the past. */
  async #append(built: readonly BuiltBlock[]): Promise<void> {
    const { clock, producer } = this.#parts;
    const { setting } = clock;
    for (const block of built) await producer.append(block);
    clock.restore(setting);
  }

  #returnTransactions(removed: readonly Block[], built: readonly BuiltBlock[]): void {
    const transactions = built.flatMap(({ block }) => block.transactions);
    const mined = new Set(transactions.map(({ hash }) => keyOf(hash)));
    for (const block of removed.toReversed()) {
      for (const transaction of block.transactions) {
        if (!mined.has(keyOf(transaction.hash))) this.#parts.returnToPool(transaction);
      }
    }
  }

  async #build(common: number, { depth, transactions }: ReorgOptions): Promise<BuiltBlock[]> {
    const { blockchain, settings } = this.#parts;
    const built: BuiltBlock[] = [];
    for (let index = 0; index < depth; index++) {
      const replaced = blockchain.block(common + 1 + index);
      if (replaced === undefined) throw new RangeError(`there is no block ${common + 1 + index}`);
      const ground = this.#ground(common, built);
      const current = index === 0 ? settings.current : withoutNext(settings.current);
      const builder = openBlock(this.#parts, current, ground, replaced.header.timestamp + 1);
      await this.#fill(builder, index, ground, transactions.get(index) ?? []);
      built.push(builder.seal());
    }
    return built;
  }

  /** The ground of the block that comes after those that were built on the common one. */
  #ground(common: number, built: readonly BuiltBlock[]): BlockGround {
    const { blockchain } = this.#parts;
    const before = blockHashReader(blockchain, common + 1 + built.length);
    const hashes = built.map(({ block }) => block.hash);
    const last = built.at(-1);
    const parent = last?.block ?? blockchain.block(common);
    if (parent === undefined) throw new RangeError(`there is no block ${common}`);
    return {
      parent,
      parentState: last?.state ?? blockchain.summary(common).state,
      blockHash: (number) => hashes[number - common - 1] ?? before(number),
    };
  }

  async #fill(
    builder: BlockBuilder,
    index: number,
    { parentState }: BlockGround,
    transactions: readonly ReorgTransaction[],
  ): Promise<void> {
    const nonces = new Map<string, bigint>();
    for (const given of transactions) {
      const sender = 'transaction' in given ? given.transaction.sender : given.sender;
      const nonce = nonces.get(keyOf(sender)) ?? parentState.account(sender)?.nonce ?? 0n;
      const transaction =
        'transaction' in given
          ? given.transaction
          : this.#parts.sign(sender, { ...given.request, nonce: given.request.nonce ?? nonce });
      await addTo(builder, index, transaction);
      nonces.set(keyOf(sender), transaction.nonce + 1n);
    }
  }
}

async function addTo(builder: BlockBuilder, index: number, transaction: Transaction): Promise<void> {
  if (transaction.gasLimit > builder.gasLeft) {
    throw new ReorgTransactionError(transaction.hash, index, `the block has ${builder.gasLeft} gas left`);
  }
  try {
    await builder.add(transaction);
  } catch (error) {
    if (!(error instanceof UnexecutableError)) throw error;
    throw new ReorgTransactionError(transaction.hash, index, error.message);
  }
}
