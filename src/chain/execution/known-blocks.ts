import { equalBytes } from '../../primitives/bytes.ts';
import type { Block } from '../../protocol/block.ts';
import type { Awaitable } from '../../scheduling/task.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { SideBlock } from '../../storage/side-blocks.ts';
import { uncalledBelow } from '../../storage/uncalled-blocks.ts';
import { type BlockSelector, describeSelector, isPending, selectBlock } from '../block-selector.ts';
import type { ChainCore } from '../chain-core.ts';
import { BlockNotCanonicalError, BlockNotFoundError } from '../errors.ts';
import {
  type Ancestors,
  blocksOf,
  RememberedHashes,
  rememberedAncestors,
  windowed,
} from '../mining/parent-context.ts';
import type { PendingBlock } from '../mining/pending-block.ts';

/** A state and the block it stands after. */
export interface ChainView {
  readonly block: Block;
  /** True for the sample of the next block, which is not sealed. */
  readonly isPending: boolean;
  readonly state: WorldState;
}

/**
 * The blocks that a chain knows: its own, the sample of the next one, and those beside it that lost against them, which are
 * found by their hashes only and where the caller does not ask for a canonical block (EIP-1898).
 */
export class KnownBlocks {
  readonly #core: ChainCore;
  readonly #pending: PendingBlock;
  readonly #hashes: RememberedHashes;

  constructor(core: ChainCore, pending: PendingBlock) {
    this.#core = core;
    this.#hashes = new RememberedHashes(core.blockchain);
    this.#pending = pending;
  }

  /**
   * Returns the state after the block of the selector, a promise of it only for `pending`. Throws
   * {@link BlockNotFoundError} or {@link BlockNotCanonicalError}.
   */
  view(selector: BlockSelector): Awaitable<ChainView> {
    if (isPending(selector))
      return this.#pending.sample().then(({ block, state }) => ({ block, state, isPending: true }));
    const { blockchain } = this.#core;
    const block = selectBlock(blockchain, selector);
    if (block !== undefined) {
      return { block, state: blockchain.state(block.header.number), isPending: false };
    }
    const beside = this.#besideBy(selector);
    if (beside === undefined)
      throw new BlockNotFoundError(describeSelector(selector), blockchain.head.header.number);
    return { block: beside.block, state: beside.state, isPending: false };
  }

  /**
   * Returns the block of the selector, or `undefined`, by its hash also one that lost and is beside the chain; for `pending`
   * a promise of the sample of the next block. Throws {@link BlockNotCanonicalError}.
   */
  block(selector: BlockSelector): Awaitable<Block | undefined> {
    if (isPending(selector)) return this.#pending.sample().then(({ block }) => block);
    return selectBlock(this.#core.blockchain, selector) ?? this.#besideBy(selector)?.block;
  }

  /** Returns the blocks with that number: the block of the chain first, then the blocks beside the chain. */
  blocksAt(number: number): readonly Block[] {
    const { blockchain, sideBlocks } = this.#core;
    const own = blockchain.block(number);
    const beside = sideBlocks.all.flatMap(({ block }) => (block.header.number === number ? [block] : []));
    return own === undefined ? beside : [own, ...beside];
  }

  /** Returns true for a block that is not on the chain, but beside it. */
  isBeside(block: Block): boolean {
    return this.#core.sideBlocks.get(block.hash) !== undefined;
  }

  /**
   * Returns the ancestors of a block, as code in it sees them, with the hashes of now. Throws a {@link BlockNotFoundError} when its
   * parent is not known any more.
   */
  ancestors(block: Block): Ancestors {
    const beside = this.#branchBelow(block);
    const lowest = beside.at(-1) ?? block;
    const onChain = rememberedAncestors(this.#core.blockchain, this.#hashes, lowest);
    if (beside.length === 0) return onChain;
    const { blockHash, ancestor } = onChain;
    const byNumber = new Map(beside.map((other) => [other.header.number, other]));
    const known = (number: number): Block | undefined => byNumber.get(number) ?? ancestor(number);
    const shared = blocksOf(this.#core.blockchain);
    return {
      blockHash: windowed(block.header.number, (number) => byNumber.get(number)?.hash ?? blockHash(number)),
      ancestor: known,
      uncalled: uncalledBelow(block.header.number, {
        lowest: shared.lowest,
        rangeAt: (number) => (byNumber.has(number) ? undefined : shared.rangeAt(number)),
        hash: (number) => byNumber.get(number)?.hash ?? shared.hash(number),
        block: known,
      }),
    };
  }

  /** Returns the state that the transactions of a block above the first one ran on. */
  stateBelow({ header }: Block): WorldState {
    const parent = this.#core.sideBlocks.get(header.parentHash);
    return parent?.state ?? this.#core.blockchain.state(header.number - 1);
  }

  #besideBy(selector: BlockSelector): SideBlock | undefined {
    if (!('hash' in selector)) return undefined;
    const { hash, requireCanonical = false } = selector;
    const found = this.#core.sideBlocks.get(hash);
    if (found !== undefined && requireCanonical) throw new BlockNotCanonicalError(hash);
    return found;
  }

  /** Returns the ancestors of a block that are beside the chain, the highest first. */
  #branchBelow(block: Block): readonly Block[] {
    const branch: Block[] = [];
    let parent = this.#core.sideBlocks.get(block.header.parentHash)?.block;
    while (parent !== undefined && !this.#isOnChain(parent)) {
      branch.push(parent);
      parent = this.#core.sideBlocks.get(parent.header.parentHash)?.block;
    }
    return branch;
  }

  #isOnChain({ hash, header }: Block): boolean {
    const { head, first } = this.#core.blockchain;
    const { number } = header;
    if (number < first || number > head.header.number) return false;
    return equalBytes(this.#core.blockchain.summary(number).hash, hash);
  }
}
