import type { Block } from '../rules/block.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockStorage, TransactionPosition } from './block-storage.ts';
import type { LocatedLog } from './located-log.ts';
import { LogIndex } from './log-index.ts';

/** What is kept at hand of every block: enough to answer for it without reading storage. */
export interface BlockSummary {
  readonly hash: Uint8Array;
  readonly state: WorldState;
  /** `null` when the block has no logs. */
  readonly logsBloom: Uint8Array | null;
}

const RECENT_BLOCKS = 256;

function summaryOf(block: Block, state: WorldState): BlockSummary {
  const hasLogs = block.receipts.some((receipt) => receipt.logs.length > 0);
  return { hash: block.hash, state, logsBloom: hasLogs ? block.header.logsBloom : null };
}

/** The canonical chain: sealed blocks in order, each with the state after it. */
export class Blockchain {
  /** Where the logs of all blocks are. */
  readonly logIndex = new LogIndex();
  readonly #storage: BlockStorage;
  readonly #summaries: BlockSummary[] = [];
  /** The blocks taken in last, by number, so that the hot path decodes nothing. */
  readonly #recent = new Map<number, Block>();
  #head: Block;

  private constructor(storage: BlockStorage, genesis: Block, state: WorldState) {
    this.#storage = storage;
    this.#head = genesis;
    this.#take(genesis, state);
  }

  /** A chain that has only its first block, written to `storage`. */
  static async create(storage: BlockStorage, genesis: Block, state: WorldState): Promise<Blockchain> {
    await storage.append(genesis);
    return new Blockchain(storage, genesis, state);
  }

  #take(block: Block, state: WorldState): void {
    this.#summaries.push(summaryOf(block, state));
    this.logIndex.append(block);
    this.#remember(block);
    this.#head = block;
  }

  #remember(block: Block): void {
    this.#recent.set(block.header.number, block);
    if (this.#recent.size <= RECENT_BLOCKS) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }

  /** The highest block. */
  get head(): Block {
    return this.#head;
  }

  /** The state after the highest block. */
  get headState(): WorldState {
    return this.summary(this.#head.header.number).state;
  }

  /** Puts the block on top of the head. Storage has it when the promise resolves. */
  async append(block: Block, state: WorldState): Promise<void> {
    await this.#storage.append(block);
    this.#take(block, state);
  }

  /** Puts another state in the place of that after the highest block, whose header stays what it is. */
  replaceHeadState(state: WorldState): void {
    const { number } = this.#head.header;
    this.#summaries[number] = { ...this.summary(number), state };
  }

  /** Takes the blocks above `number` away; they come back highest first. */
  async rewind(number: number): Promise<readonly Block[]> {
    const removed: Block[] = [];
    for (let height = this.#head.header.number; height > number; height--)
      removed.push(this.#existing(height));
    if (removed.length === 0) return removed;
    await this.#storage.remove(removed);
    this.#summaries.length = number + 1;
    this.logIndex.remove(removed);
    for (const { header } of removed) this.#recent.delete(header.number);
    this.#head = this.#existing(number);
    return removed;
  }

  /** What is at hand of the block with that number. Throws a `RangeError` beyond the head. */
  summary(number: number): BlockSummary {
    const summary = this.#summaries[number];
    if (summary === undefined) throw new RangeError(`there is no block ${number}`);
    return summary;
  }

  /** The block with that number, or `undefined`. */
  block(number: number): Block | undefined {
    const recent = this.#recent.get(number);
    if (recent !== undefined || number < 0 || number >= this.#summaries.length) return recent;
    const block = this.#storage.block(number);
    if (block !== undefined) this.#remember(block);
    return block;
  }

  #existing(number: number): Block {
    const block = this.block(number);
    if (block === undefined) throw new RangeError(`there is no block ${number}`);
    return block;
  }

  /**
   * The logs of a block at these positions in it (ascending), or all of them for `null`. Throws a `RangeError` beyond
   * the head.
   */
  logs(number: number, positions: readonly number[] | null): LocatedLog[] {
    const { hash: blockHash } = this.summary(number);
    const logs = this.#storage.logs(number, positions) ?? [];
    return logs.map(({ log, transactionHash, transactionIndex, logIndex }) => ({
      log,
      blockNumber: number,
      blockHash,
      transactionHash,
      transactionIndex,
      logIndex,
      removed: false,
    }));
  }

  /** The block with that hash, or `undefined`. */
  blockByHash(hash: Uint8Array): Block | undefined {
    const number = this.#storage.numberOf(hash);
    return number === undefined ? undefined : this.block(number);
  }

  /** Where a mined transaction stands, or `undefined`. */
  positionOf(transactionHash: Uint8Array): TransactionPosition | undefined {
    return this.#storage.positionOf(transactionHash);
  }

  /** Closes the storage. */
  close(): Promise<void> {
    return this.#storage.close();
  }
}
