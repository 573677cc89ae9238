import { withProof } from '../../execution/sealing.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import type { WallClock } from '../../primitives/clock.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block, MergedMining } from '../../protocol/block.ts';
import {
  InvalidSolutionError,
  NoParentChainError,
  OutdatedWorkError,
  UnknownWorkError,
} from '../../protocol/errors.ts';
import { hashForMergedMining } from '../../protocol/header-encoding.ts';
import { LocalWork, proofOfWorkFault } from '../../protocol/merged-mining/proof-of-work.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainCore } from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import type { BuiltBlock } from './block-builder.ts';
import type { BlockImport, ImportResult } from './block-import.ts';
import type { PendingBlock } from './pending-block.ts';

/** A block to be mined, as a miner sees it. */
export interface Work {
  /** The hash that the miner's own block is to commit to. */
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
  readonly parentStateRoot: Uint8Array;
}

/** The number of works last handed out that are remembered, as on the network. */
const MOST_TEMPLATES = 20;

/** The work that was handed out to miners. */
export class WorkTemplates {
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
    this.#templates.delete(hexKey(hash));
    this.#templates.set(hexKey(hash), template);
    const [oldest] = this.#templates.keys();
    if (this.#templates.size > MOST_TEMPLATES && oldest !== undefined) this.#templates.delete(oldest);
  }

  #notice(parentHash: Uint8Array, fees: bigint): boolean {
    const last = this.#lastNotice;
    if (last !== undefined && equalBytes(last.parentHash, parentHash) && fees <= 2n * last.fees) return false;
    this.#lastNotice = { parentHash, fees };
    return true;
  }

  /** Returns the work with that hash. Throws {@link UnknownWorkError} when it was not handed out lately. */
  find(hash: Uint8Array): WorkTemplate {
    const template = this.#templates.get(hexKey(hash));
    if (template === undefined) throw new UnknownWorkError(hash);
    return template;
  }
}

/** Work as {@link MiningWork.offer} hands it out. */
export interface OfferedWork extends Work {
  /** The Merkle root of the parent-chain block that the node itself would make, which a nonce alone can solve. */
  readonly merkleRoot: Uint8Array;
}

/** A nonce of work that the node makes the parent-chain block for: eight bytes, of which the header has four for each. */
export interface WorkNonce {
  readonly time: number;
  readonly nonce: number;
}

/** The outcome for a block that a miner submitted. */
export interface SubmittedBlock {
  readonly result: ImportResult;
  readonly hash: Uint8Array;
  readonly number: number;
}

const NO_SUCH_WORK = [UnknownWorkError, OutdatedWorkError, NoParentChainError] as const;

/** The work that miners outside the node do: blocks without proof of work are handed out, and come back with one. */
export class MiningWork {
  readonly #core: ChainCore;
  readonly #pending: PendingBlock;
  readonly #blockImport: BlockImport;
  readonly #templates = new WorkTemplates();

  constructor(core: ChainCore, pending: PendingBlock, blockImport: BlockImport) {
    this.#core = core;
    this.#pending = pending;
    this.#blockImport = blockImport;
  }

  /** Hands out the work on the block that would be mined now. Rejects with {@link NoParentChainError}. */
  async offer(): Promise<OfferedWork> {
    this.#requireParentChain();
    const parentStateRoot = this.#core.blockchain.headState.root;
    const work = this.#templates.offer({ built: await this.#pending.sample(), parentStateRoot });
    return { ...work, merkleRoot: new LocalWork(work.hashForMergedMining, work.difficulty).merkleRoot };
  }

  /**
   * Takes in the block with that hash for merged mining, and the proof of work that a miner found for it; `prove` gives it
   * or throws {@link InvalidSolutionError}. Nothing has changed when this rejects: with that, {@link UnknownWorkError},
   * {@link OutdatedWorkError} or {@link NoParentChainError}.
   */
  async submit(
    hash: Uint8Array,
    prove: () => MergedMining,
    call: CallToken | null = null,
  ): Promise<SubmittedBlock> {
    this.#requireParentChain();
    return this.#core.changes.run(async () => {
      const template = this.#find(hash);
      const block = withProof(template.built.block, prove());
      const fault = proofOfWorkFault(block.header);
      if (fault !== null) throw new InvalidSolutionError(fault);
      const result = await this.#blockImport.import({ ...template.built, block });
      return { result, hash: block.hash, number: block.header.number };
    }, call);
  }

  /**
   * Takes in the block with that hash for merged mining, for whose parent-chain block (see {@link OfferedWork}) a miner
   * found a nonce. False, nothing changed, when that does not solve the work, or the work is not known, outdated or done
   * already.
   */
  async solve(
    hash: Uint8Array,
    merkleRoot: Uint8Array,
    { time, nonce }: WorkNonce,
    call: CallToken | null = null,
  ): Promise<boolean> {
    const work = new LocalWork(hash, this.#core.ruleSet.difficulty);
    const proof = equalBytes(work.merkleRoot, merkleRoot) ? work.solution(time, nonce) : null;
    if (proof === null) return false;
    try {
      const { result } = await this.submit(hash, () => proof, call);
      return result === 'IMPORTED_BEST' || result === 'IMPORTED_NOT_BEST';
    } catch (error) {
      if (NO_SUCH_WORK.some((reason) => error instanceof reason)) return false;
      throw error;
    }
  }

  #requireParentChain(): void {
    const { ruleSet } = this.#core;
    if (ruleSet.encoding !== 'network') throw new NoParentChainError(ruleSet.name);
  }

  /** Throws {@link UnknownWorkError}, or {@link OutdatedWorkError} for work on a state that was changed by hand since then. */
  #find(hash: Uint8Array): WorkTemplate {
    const template = this.#templates.find(hash);
    const parent = this.#blockImport.find(template.built.block.header.parentHash);
    const isChanged = parent !== undefined && !equalBytes(parent.state.root, template.parentStateRoot);
    if (isChanged) throw new OutdatedWorkError(hash);
    return template;
  }
}

interface Report {
  /** Hashes per second. */
  readonly rate: bigint;
  /** Milliseconds since 1970. */
  readonly reportedAt: number;
}

/** The time for which a report counts, in milliseconds; miners report about every second. */
const REPORT_LIFETIME = 10_000;

/** More miners than report to a developer's node; beyond, the oldest report gives way. */
const MOST_MINERS = 10_000;

/** The hash rates that miners outside the node report of themselves. Rates are per real second, whatever the chain's time. */
export class Hashrates {
  readonly #clock: WallClock;
  /** By miner, the oldest report first. */
  readonly #reports = new Map<string, Report>();

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Takes a miner's rate (hashes per second) in place of its earlier one. */
  report(miner: Uint8Array, rate: bigint): void {
    const key = hexKey(miner);
    this.#reports.delete(key);
    this.#reports.set(key, { rate, reportedAt: this.#clock.now() });
    this.#forget();
  }

  /** Returns the sum of the rates reported in the last ten seconds, in hashes per second. */
  total(): bigint {
    this.#forget();
    let sum = 0n;
    for (const { rate } of this.#reports.values()) sum += rate;
    return sum;
  }

  #forget(): void {
    const oldest = this.#clock.now() - REPORT_LIFETIME;
    for (const [miner, { reportedAt }] of this.#reports) {
      if (reportedAt > oldest && this.#reports.size <= MOST_MINERS) return;
      this.#reports.delete(miner);
    }
  }
}

/** The time that is looked back over, in seconds. */
const WINDOW = 3_600;

/** Returns the last block made at `timestamp` or before; the first block when all came later. Timestamps only rise. */
function lastBlockUntil(blockchain: Blockchain, timestamp: number): Block | undefined {
  let low = blockchain.first;
  let high = blockchain.head.header.number;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const block = blockchain.block(middle);
    if (block !== undefined && block.header.timestamp <= timestamp) low = middle;
    else high = middle - 1;
  }
  return blockchain.block(low);
}

/**
 * Returns the work of all miners in hashes per second, as the network counts it: the difficulties of the blocks of the last
 * hour over an hour, rounded down. `now` is in seconds since 1970.
 */
export function networkHashrate(blockchain: Blockchain, now: number): bigint {
  const { head } = blockchain;
  const base = lastBlockUntil(blockchain, Math.max(now, head.header.timestamp) - WINDOW);
  return (head.totalDifficulty - (base?.totalDifficulty ?? 0n)) / BigInt(WINDOW);
}
