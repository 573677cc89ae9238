import { equalBytes } from '../../primitives/bytes.ts';
import { keyOf } from '../../primitives/hex.ts';
import { hashForMergedMining } from '../../protocol/header-encoding.ts';
import { UnknownWorkError } from '../../protocol/merged-mining/errors.ts';
import type { BuiltBlock } from './block-builder.ts';

/** A block to be mined, as a miner sees it. */
export interface Work {
  /** What the miner's own block is to commit to. */
  readonly hashForMergedMining: Uint8Array;
  readonly difficulty: bigint;
  /** Wei: the fees of the block's transactions. */
  readonly feesPaidToMiner: bigint;
  readonly parentHash: Uint8Array;
  /** True when it is worth giving up older work for: on a new parent, or with more than twice the fees. */
  readonly isWorthRestart: boolean;
}

/** A block that lacks nothing but its proof of work. */
export interface WorkTemplate {
  readonly built: BuiltBlock;
  /** The root of the state that it was built on, which can change without a block. */
  readonly groundRoot: Uint8Array;
}

/** How many of the works last handed out are remembered, as on the network. */
const MOST_TEMPLATES = 20;

/** The work that was handed out to miners. */
export class WorkDesk {
  /** By hash for merged mining, the oldest first. */
  readonly #templates = new Map<string, WorkTemplate>();
  #lastNotice: { readonly parentHash: Uint8Array; readonly fees: bigint } | undefined;

  /** Hands out the work on a block that is not sealed yet. */
  offer(template: WorkTemplate): Work {
    const { header } = template.built.block;
    const hash = hashForMergedMining(header);
    this.#remember(hash, template);
    return {
      hashForMergedMining: hash,
      difficulty: header.difficulty,
      feesPaidToMiner: header.paidFees,
      parentHash: header.parentHash,
      isWorthRestart: this.#notice(header.parentHash, header.paidFees),
    };
  }

  #remember(hash: Uint8Array, template: WorkTemplate): void {
    this.#templates.delete(keyOf(hash));
    this.#templates.set(keyOf(hash), template);
    const [oldest] = this.#templates.keys();
    if (this.#templates.size > MOST_TEMPLATES && oldest !== undefined) this.#templates.delete(oldest);
  }

  #notice(parentHash: Uint8Array, fees: bigint): boolean {
    const last = this.#lastNotice;
    if (last !== undefined && equalBytes(last.parentHash, parentHash) && fees <= 2n * last.fees) return false;
    this.#lastNotice = { parentHash, fees };
    return true;
  }

  /** The work with that hash. Throws {@link UnknownWorkError} when it was not handed out lately. */
  find(hash: Uint8Array): WorkTemplate {
    const template = this.#templates.get(keyOf(hash));
    if (template === undefined) throw new UnknownWorkError(hash);
    return template;
  }
}
