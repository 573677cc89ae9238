import type { Awaitable } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import type { Block } from '../../protocol/block.ts';
import type { WorldState } from '../../state/world-state.ts';
import { uncalledBelow } from '../../storage/blocks-without-calls.ts';
import type { CanonicalBlocks } from '../../storage/canonical-blocks.ts';
import type { SideBlock } from '../../storage/side-blocks.ts';
import { type BlockSelector, describeSelector, isPending } from '../block-selector.ts';
import type { ChainCore } from '../chain-core.ts';
import { BlockNotCanonicalError, BlockNotFoundError, PrunedHistoryError } from '../errors.ts';
import { depthOf, numberBelowHead } from '../final-blocks.ts';
import {
  type Ancestors,
  blocksOf,
  RememberedHashes,
  rememberedAncestors,
  windowed,
} from '../mining/parent-context.ts';
import type { PendingBlock } from '../mining/pending-block.ts';

/** A block and the state after it. */
export interface BlockContext {
  readonly block: Block;
  /** True for the pending block (not sealed). */
  readonly isPending: boolean;
  readonly state: WorldState;
}

/**
 * Returns the sealed block of a selector, or `undefined`. `pending` is not sealed and returns `undefined`. Throws
 * {@link PrunedHistoryError} for the number of a pruned block.
 */
function selectBlock(core: ChainCore, selector: BlockSelector): Block | undefined {
  const { blockchain } = core;
  if ('hash' in selector) return blockchain.blockByHash(selector.hash);
  if ('number' in selector) {
    requireStored(blockchain, Number(selector.number));
    return selector.number <= BigInt(blockchain.head.block.header.number)
      ? blockchain.block(Number(selector.number))
      : undefined;
  }
  if (selector.tag === 'pending') return undefined;
  if (selector.tag === 'earliest') return blockchain.block(blockchain.first);
  const depth = depthOf(selector, core);
  return depth === 0 ? blockchain.head.block : blockchain.block(numberBelowHead(core, depth));
}

/** Throws {@link PrunedHistoryError} for the number of a pruned block. */
export function requireStored(blockchain: CanonicalBlocks, number: number): void {
  if (blockchain.isPruned(number)) throw new PrunedHistoryError(number, blockchain.first);
}

/**
 * Looks up canonical blocks, the pending block and side blocks. Side blocks are found by hash only, and only
 * if the client does not require a canonical block (EIP-1898).
 */
export class BlockResolver {
  readonly #core: ChainCore;
  readonly #pending: PendingBlock;
  readonly #hashes: RememberedHashes;

  constructor(core: ChainCore, pending: PendingBlock) {
    this.#core = core;
    this.#hashes = new RememberedHashes(core.blockchain);
    this.#pending = pending;
  }

  /**
   * Returns the state after the selected block; a promise only for `pending`. Throws
   * {@link BlockNotFoundError} or {@link BlockNotCanonicalError}.
   */
  view(selector: BlockSelector): Awaitable<BlockContext> {
    if (isPending(selector))
      return this.#pending.sample().then(({ block, state }) => ({ block, state, isPending: true }));
    const { blockchain } = this.#core;
    const block = selectBlock(this.#core, selector);
    if (block !== undefined) {
      return { block, state: blockchain.state(block.header.number), isPending: false };
    }
    const beside = this.#besideBy(selector);
    if (beside === undefined)
      throw new BlockNotFoundError(describeSelector(selector), blockchain.head.block.header.number);
    return { block: beside.block, state: beside.state, isPending: false };
  }

  /**
   * Returns the selected block, or `undefined`. A hash also finds a side block. For `pending` it returns a
   * promise of the pending block. Throws {@link BlockNotCanonicalError}.
   */
  block(selector: BlockSelector): Awaitable<Block | undefined> {
    if (isPending(selector)) return this.#pending.sample().then(({ block }) => block);
    return selectBlock(this.#core, selector) ?? this.#besideBy(selector)?.block;
  }

  /** Returns the canonical block with this number first, then its side blocks. */
  blocksAt(number: number): readonly Block[] {
    const { blockchain, sideBlocks } = this.#core;
    const own = blockchain.block(number);
    const beside = sideBlocks.all.flatMap(({ block }) => (block.header.number === number ? [block] : []));
    return own === undefined ? beside : [own, ...beside];
  }

  isBeside(block: Block): boolean {
    return this.#core.sideBlocks.get(block.hash) !== undefined;
  }

  /**
   * Returns the ancestors that code in a block sees, with current hashes. Throws {@link BlockNotFoundError}
   * if its parent is no longer known.
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

  /** Returns the state before the transactions of a block. The block must not be the first. */
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

  /** Returns the ancestors of a block that are side blocks, highest first. */
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
    if (number < first || number > head.block.header.number) return false;
    return equalBytes(this.#core.blockchain.summary(number).hash, hash);
  }
}
