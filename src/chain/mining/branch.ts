import type { Block } from '../../protocol/block.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ReservedRange } from '../../storage/reserved-range.ts';
import type { BuiltBlock } from './block-builder.ts';
import { type BlockGround, existingBlock, groundAbove, hashOf, windowed } from './block-production.ts';

/** A block of a branch, and the range of reserved blocks right below it. */
export interface BranchBlock {
  readonly built: BuiltBlock;
  /** `null` for none. */
  readonly below: ReservedRange | null;
}

/** Blocks that are built on a block of the chain, one on top of the other, and are not on the chain yet. */
export class Branch {
  readonly #blockchain: Blockchain;
  readonly #common: number;
  readonly #blocks: BranchBlock[] = [];
  readonly #ranges: ReservedRange[] = [];
  readonly #built = new Map<number, Block>();

  /** `common` is the number of the block of the chain that the first one is to stand on. */
  constructor(blockchain: Blockchain, common: number) {
    this.#blockchain = blockchain;
    this.#common = common;
  }

  /** The blocks, lowest first. */
  get blocks(): readonly BranchBlock[] {
    return this.#blocks;
  }

  /** Puts a block that was built on {@link ground} on top. */
  add(block: BranchBlock): void {
    this.#blocks.push(block);
    if (block.below !== null) this.#ranges.push(block.below);
    this.#built.set(block.built.block.header.number, block.built.block);
  }

  /** What a block on top is built on, with these reserved blocks between if there are any. */
  ground(below: ReservedRange | null): BlockGround {
    const hash = (number: number): Uint8Array => this.#hashOf(number);
    const block = (number: number): Block | undefined => this.#block(number);
    if (below !== null) return groundAbove(below, { hash, block });
    const { block: parent, state: parentState } = this.#blocks.at(-1)?.built ?? {
      block: existingBlock(this.#blockchain, this.#common),
      state: this.#blockchain.summary(this.#common).state,
    };
    return {
      parent,
      parentState,
      blockHash: windowed(parent.header.number + 1, hash),
      ancestor: block,
    };
  }

  #rangeAt(number: number): ReservedRange | undefined {
    return this.#ranges.find((range) => range.includes(number));
  }

  #block(number: number): Block | undefined {
    const block = this.#rangeAt(number)?.block(number) ?? this.#built.get(number);
    return block ?? this.#blockchain.block(number);
  }

  #hashOf(number: number): Uint8Array {
    const hash = this.#rangeAt(number)?.hashOf(number) ?? this.#built.get(number)?.hash;
    return hash ?? hashOf(this.#blockchain, number);
  }
}
