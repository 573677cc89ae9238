import type { BlockSelector } from '../../src/chain/block-selector.ts';
import type { LogRange } from '../../src/chain/filters/filters.ts';
import { hexKey } from '../../src/primitives/hex.ts';
import type { Block } from '../../src/protocol/block.ts';
import { type Scene, takenBack, told } from './filter-scene.ts';

/**
 * A log filter for emitter 1 by its definition: a queue of events and the set of blocks known to the client.
 */
export class NaiveFilter {
  readonly #known = new Set<string>();
  readonly #range: LogRange;
  #queue: { readonly block: Block; readonly removed: boolean }[] = [];

  constructor(range: LogRange, blocks: readonly Block[]) {
    this.#range = range;
    if ('number' in range.fromBlock || ('tag' in range.fromBlock && range.fromBlock.tag === 'earliest')) {
      for (const block of blocks) this.#known.add(hexKey(block.hash));
    }
  }

  #covers({ header }: Block): boolean {
    const { fromBlock, toBlock } = this.#range;
    const numberOf = (selector: BlockSelector, otherwise: number) =>
      'number' in selector
        ? Number(selector.number)
        : 'tag' in selector && selector.tag === 'earliest'
          ? 0
          : otherwise;
    return header.number >= numberOf(fromBlock, 0) && header.number <= numberOf(toBlock, 1e9);
  }

  append(block: Block): void {
    this.#queue.push({ block, removed: false });
  }

  remove(block: Block): void {
    const waiting = this.#queue.findIndex((event) => event.block === block);
    if (waiting !== -1) this.#queue.splice(waiting, 1);
    else if (this.#known.has(hexKey(block.hash))) this.#queue.push({ block, removed: true });
  }

  /** The changes since the last call, in the form of {@link Scene.changes}. */
  poll(): string[] {
    const events = this.#queue;
    this.#queue = [];
    for (const { block } of events) this.#known.add(hexKey(block.hash));
    return events.flatMap(({ block, removed }) =>
      block.receipts
        .flatMap(({ logs }) => logs)
        .map((log, logIndex) => ({ log, logIndex }))
        .filter(({ log }) => this.#covers(block) && log.address[0] === 1)
        .map(({ logIndex }) => (removed ? takenBack(block, logIndex) : told(block, logIndex))),
    );
  }
}
