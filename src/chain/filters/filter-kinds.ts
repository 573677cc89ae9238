import type { Block } from '../../protocol/block.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { type LocatedLog, locatedLogs, logsOfBlock } from '../../storage/located-log.ts';
import { searchLogs } from '../../storage/log-search.ts';
import { fixedNumber, type LogRange } from './log-range.ts';

/** `blocks` are as the chain tells of their removal: the highest first. */
function lowestOf(blocks: readonly Block[]): number {
  return blocks.at(-1)?.header.number ?? Number.POSITIVE_INFINITY;
}

/**
 * Tells the logs of blocks that come after it was made, as far as they are in its range, and those of blocks that
 * leave the chain again. It remembers how far it told them, not the logs, so it costs nothing while blocks are made.
 */
export class LogFilter {
  readonly range: LogRange;
  readonly #blockchain: Blockchain;
  readonly #first: number | null;
  readonly #last: number;
  /** The lowest block whose removal matters: before it the filter told nothing. */
  #origin: number;
  /** The first block whose logs were not told. */
  #next: number;
  #removed: LocatedLog[] = [];

  constructor(blockchain: Blockchain, range: LogRange) {
    this.range = range;
    this.#blockchain = blockchain;
    this.#next = blockchain.head.header.number + 1;
    this.#first = fixedNumber(range.fromBlock);
    this.#last = fixedNumber(range.toBlock) ?? Number.POSITIVE_INFINITY;
    this.#origin = this.#first ?? this.#next;
  }

  /** The logs that left the chain and those that came since the last call, in this order. */
  take(): LocatedLog[] {
    const fromBlock = Math.max(this.#next, this.#first ?? 0);
    const found = searchLogs(this.#blockchain, { ...this.range, fromBlock, toBlock: this.#last });
    const logs = [...this.#removed, ...locatedLogs(found)];
    this.#removed = [];
    this.#next = Math.max(this.#next, this.#blockchain.head.header.number + 1);
    return logs;
  }

  /** Takes note that the blocks left the chain: logs of theirs that were told are told once more, as removed. */
  onRemoved(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const { number } = block.header;
      if (number < this.#origin || number >= this.#next || number > this.#last) continue;
      for (const log of logsOfBlock(block, this.range, true)) this.#removed.push(log);
    }
    const lowest = lowestOf(blocks);
    this.#next = Math.min(this.#next, lowest);
    if (this.#first === null) this.#origin = Math.min(this.#origin, lowest);
  }
}

/**
 * Tells the hashes of blocks that come after it was made. Like any listener it does not hear of reserved blocks, so that
 * its answer stays short however many are mined at once.
 */
export class BlockFilter {
  readonly #blockchain: Blockchain;
  /** The first block that was not told. */
  #next: number;

  constructor(blockchain: Blockchain) {
    this.#blockchain = blockchain;
    this.#next = blockchain.head.header.number + 1;
  }

  /** The hashes of the blocks since {@link take}, which will tell them again. */
  peek(): Uint8Array[] {
    const blockchain = this.#blockchain;
    const numbers = blockchain.unreserved(this.#next, blockchain.head.header.number);
    return Array.from(numbers, (number) => blockchain.summary(number).hash);
  }

  /** The hashes of the blocks since the last call. */
  take(): Uint8Array[] {
    const hashes = this.peek();
    this.#next = Math.max(this.#next, this.#blockchain.head.header.number + 1);
    return hashes;
  }

  /** Takes note that the blocks left the chain: those not told yet never will be, those in their place will. */
  onRemoved(blocks: readonly Block[]): void {
    this.#next = Math.min(this.#next, lowestOf(blocks));
  }
}

/** Tells the hashes of transactions that enter the pool, ready to be mined, after it was made. */
export class PendingTransactionFilter {
  #hashes: Uint8Array[] = [];

  /** Takes note of a transaction. */
  onPending(hash: Uint8Array): void {
    this.#hashes.push(hash);
  }

  /** The hashes since {@link take}, which will tell them again. */
  peek(): Uint8Array[] {
    return this.#hashes;
  }

  /** The hashes since the last call. */
  take(): Uint8Array[] {
    const hashes = this.#hashes;
    this.#hashes = [];
    return hashes;
  }
}
