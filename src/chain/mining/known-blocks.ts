import { equalBytes } from '../../primitives/bytes.ts';
import type { Block } from '../../protocol/block.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { BlockNotCanonicalError } from '../errors.ts';
import { type BlockSelector, selectBlock } from '../execution/block-selector.ts';
import { type Ancestors, rememberedAncestors, windowed } from './block-production.ts';
import type { SideBlock, SideBlocks } from './side-blocks.ts';

/**
 * The blocks that a chain knows: its own, and those beside it that lost against them, which are found by their hashes only
 * and where the caller does not ask for a canonical block (EIP-1898).
 */
export class KnownBlocks {
  readonly #blockchain: Blockchain;
  readonly #sideBlocks: SideBlocks;

  constructor(blockchain: Blockchain, sideBlocks: SideBlocks) {
    this.#blockchain = blockchain;
    this.#sideBlocks = sideBlocks;
  }

  /** The sealed block of a selector, or `undefined`. Throws {@link BlockNotCanonicalError}. */
  block(selector: BlockSelector): Block | undefined {
    return selectBlock(this.#blockchain, selector) ?? this.#besideBy(selector)?.block;
  }

  /** The sealed block of a selector and the state after it, or `undefined`. Throws {@link BlockNotCanonicalError}. */
  find(selector: BlockSelector): Pick<SideBlock, 'block' | 'state'> | undefined {
    const block = selectBlock(this.#blockchain, selector);
    if (block === undefined) return this.#besideBy(selector);
    return { block, state: this.#blockchain.summary(block.header.number).state };
  }

  /** True for a block that is not on the chain, but beside it. */
  isBeside(block: Block): boolean {
    return this.#sideBlocks.get(block.hash) !== undefined;
  }

  /**
   * The ancestors of a block, as code in it sees them, with the hashes of now. Throws a `BlockNotFoundError` when its parent
   * is not known any more.
   */
  ancestors(block: Block): Ancestors {
    const beside = this.#branchBelow(block);
    const lowest = beside.at(-1) ?? block;
    const { blockHash, ancestor } = rememberedAncestors(this.#blockchain, lowest);
    if (beside.length === 0) return { blockHash, ancestor };
    const byNumber = new Map(beside.map((other) => [other.header.number, other]));
    return {
      blockHash: windowed(block.header.number, (number) => byNumber.get(number)?.hash ?? blockHash(number)),
      ancestor: (number) => byNumber.get(number) ?? ancestor(number),
    };
  }

  /** The state that the transactions of a block above the first one ran on. */
  stateBelow({ header }: Block): WorldState {
    const parent = this.#sideBlocks.get(header.parentHash);
    return parent?.state ?? this.#blockchain.summary(header.number - 1).state;
  }

  #besideBy(selector: BlockSelector): SideBlock | undefined {
    if (!('hash' in selector)) return undefined;
    const { hash, requireCanonical = false } = selector;
    const found = this.#sideBlocks.get(hash);
    if (found !== undefined && requireCanonical) throw new BlockNotCanonicalError(hash);
    return found;
  }

  /** The ancestors of a block that are beside the chain, the highest first. */
  #branchBelow(block: Block): readonly Block[] {
    const branch: Block[] = [];
    let parent = this.#sideBlocks.get(block.header.parentHash)?.block;
    while (parent !== undefined && !this.#isOnChain(parent)) {
      branch.push(parent);
      parent = this.#sideBlocks.get(parent.header.parentHash)?.block;
    }
    return branch;
  }

  #isOnChain({ hash, header }: Block): boolean {
    const { head, first } = this.#blockchain;
    const { number } = header;
    if (number < first || number > head.header.number) return false;
    return equalBytes(this.#blockchain.summary(number).hash, hash);
  }
}
