import { bigIntToFixedBytes, equalBytes } from '../primitives/bytes.ts';
import { keyOf } from '../primitives/hex.ts';
import type { Block } from '../rules/block.ts';
import { hashForMergedMining } from '../rules/header-encoding.ts';
import { SubmissionsNotTakenError, UnknownWorkError } from './errors.ts';

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

/** How many of the works last handed out are remembered, as on the network. */
const MOST_OFFERS = 20;

/** 2^256 - 1: the largest number that a hash can be. */
const LARGEST_HASH = 2n ** 256n - 1n;

/** The largest hash that solves work of the difficulty: 2^256 / difficulty as 32 bytes, every hash for 0 and 1. */
export function workTarget(difficulty: bigint): Uint8Array {
  const target = difficulty > 1n ? 2n ** 256n / difficulty : LARGEST_HASH;
  return bigIntToFixedBytes(target, 32);
}

/** The work that was handed out to miners. */
export class WorkDesk {
  /** By hash for merged mining, the oldest first. */
  readonly #offered = new Set<string>();
  #lastNotice: { readonly parentHash: Uint8Array; readonly fees: bigint } | undefined;

  /** Hands out the work on a block that is not sealed yet. */
  offer({ header }: Block): Work {
    const hash = hashForMergedMining(header);
    this.#remember(hash);
    return {
      hashForMergedMining: hash,
      difficulty: header.difficulty,
      feesPaidToMiner: header.paidFees,
      parentHash: header.parentHash,
      isWorthRestart: this.#notice(header.parentHash, header.paidFees),
    };
  }

  #remember(hash: Uint8Array): void {
    this.#offered.add(keyOf(hash));
    const [oldest] = this.#offered;
    if (this.#offered.size > MOST_OFFERS && oldest !== undefined) this.#offered.delete(oldest);
  }

  #notice(parentHash: Uint8Array, fees: bigint): boolean {
    const last = this.#lastNotice;
    if (last !== undefined && equalBytes(last.parentHash, parentHash) && fees <= 2n * last.fees) return false;
    this.#lastNotice = { parentHash, fees };
    return true;
  }

  /**
   * Looks up the work that a miner's block commits to. Throws {@link UnknownWorkError} when it was not handed out
   * lately, {@link SubmissionsNotTakenError} when it was.
   */
  submit(hash: Uint8Array): never {
    throw this.#offered.has(keyOf(hash)) ? new SubmissionsNotTakenError(hash) : new UnknownWorkError(hash);
  }
}
