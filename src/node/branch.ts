import type { Blockchain } from '../chain/blockchain.ts';
import type { ReservedRange } from '../chain/reserved-range.ts';
import type { BuiltBlock } from '../engine/block-builder.ts';
import { type BlockGround, groundAbove, windowed } from './block-production.ts';

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
  readonly #hashes = new Map<number, Uint8Array>();

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
    this.#hashes.set(block.built.block.header.number, block.built.block.hash);
  }

  /** What a block on top is built on, with these reserved blocks between if there are any. */
  ground(below: ReservedRange | null): BlockGround {
    const hashOf = (number: number): Uint8Array => this.#hashOf(number);
    if (below !== null) return groundAbove(below, hashOf);
    const { block: parent, state: parentState } = this.#blocks.at(-1)?.built ?? {
      block: this.#blockchain.block(this.#common),
      state: this.#blockchain.summary(this.#common).state,
    };
    if (parent === undefined) throw new RangeError(`there is no block ${this.#common}`);
    return { parent, parentState, blockHash: windowed(parent.header.number + 1, hashOf) };
  }

  #hashOf(number: number): Uint8Array {
    const range = this.#ranges.find((one) => one.includes(number));
    const hash = range?.hashOf(number) ?? this.#hashes.get(number);
    return hash ?? this.#blockchain.summary(number).hash;
  }
}
