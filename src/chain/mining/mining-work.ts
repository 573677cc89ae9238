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
import {
  type BlockWork,
  createLocalWork,
  proofOfWorkFault,
} from '../../protocol/merged-mining/proof-of-work.ts';
import { runTask } from '../../scheduling/task.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainCore } from '../chain-core.ts';
import type { CallToken } from '../changes.ts';
import type { SubmittedParentBlock } from '../live-parent-chain.ts';
import type { BuiltBlock } from './block-builder.ts';
import type { BlockImport, ImportResult } from './block-import.ts';
import type { PendingBlock } from './pending-block.ts';

/** A block for an external miner to mine. */
export interface Work {
  /** The hash that the miner's own block must commit to. */
  readonly hashForMergedMining: Uint8Array;
  readonly difficulty: bigint;
  /** Wei: the fees of the block's transactions. */
  readonly feesPaidToMiner: bigint;
  readonly parentHash: Uint8Array;
  /** True if a miner should abandon older work: the parent is new, or the fees more than doubled. */
  readonly isWorthRestart: boolean;
}

/** A block without a proof of work. */
export interface WorkTemplate {
  readonly built: BuiltBlock;
  /** The state root it was built on. It can change without a new block. */
  readonly parentStateRoot: Uint8Array;
  /** The node's own block of the parent chain. Solving it needs only a time and a nonce. */
  readonly work: BlockWork;
}

/** Maximum number of remembered works, as on Rootstock. */
const MAX_TEMPLATES = 20;

/** The work that was handed out to miners. */
export class WorkTemplates {
  /** By hash for merged mining, oldest first. */
  readonly #templates = new Map<string, WorkTemplate>();
  #lastNotice: { readonly parentHash: Uint8Array; readonly fees: bigint } | undefined;

  /** Registers an unsealed block and returns it as work. */
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
    if (this.#templates.size > MAX_TEMPLATES && oldest !== undefined) this.#templates.delete(oldest);
  }

  #notice(parentHash: Uint8Array, fees: bigint): boolean {
    const last = this.#lastNotice;
    if (last !== undefined && equalBytes(last.parentHash, parentHash) && fees <= 2n * last.fees) return false;
    this.#lastNotice = { parentHash, fees };
    return true;
  }

  /** Throws {@link UnknownWorkError} if the work is not among the remembered ones. */
  find(hash: Uint8Array): WorkTemplate {
    const template = this.#templates.get(hexKey(hash));
    if (template === undefined) throw new UnknownWorkError(hash);
    return template;
  }
}

/** Work as returned by {@link MiningWork.offer}. */
export interface OfferedWork extends Work {
  /** Merkle root of the node's own parent-chain block. Solving it needs only a nonce. */
  readonly merkleRoot: Uint8Array;
}

/** Eight-byte nonce for the node's own parent-chain block: four bytes each for time and nonce. */
export interface WorkNonce {
  readonly time: number;
  readonly nonce: number;
}

export interface SubmittedBlock {
  readonly result: ImportResult;
  readonly hash: Uint8Array;
  readonly number: number;
}

const NO_SUCH_WORK = [UnknownWorkError, OutdatedWorkError, NoParentChainError] as const;

/** Work for external miners. The node hands out blocks, and miners return the proof of work. */
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

  /** Returns the pending block as work. Rejects with {@link NoParentChainError}. */
  async offer(): Promise<OfferedWork> {
    this.#requireParentChain();
    const parentStateRoot = this.#core.blockchain.head.state.root;
    const built = await this.#pending.sample();
    const { header } = built.block;
    const createWork = this.#core.parentChain?.createWork ?? createLocalWork;
    const work = createWork(hashForMergedMining(header), header.difficulty);
    return { ...this.#templates.offer({ built, parentStateRoot, work }), merkleRoot: work.merkleRoot };
  }

  /**
   * Imports the block with this hash for merged mining. `prove` returns the miner's proof of work, or throws
   * {@link InvalidSolutionError}. `parentBlock` extends the simulated parent chain if it is valid there. The chain is unchanged after a rejection with this error,
   * {@link UnknownWorkError}, {@link OutdatedWorkError} or {@link NoParentChainError}.
   */
  async submit(
    hash: Uint8Array,
    prove: () => MergedMining,
    call: CallToken | null = null,
    parentBlock: SubmittedParentBlock | null = null,
  ): Promise<SubmittedBlock> {
    this.#requireParentChain();
    return this.#core.changes.run(async () => {
      const template = this.#find(hash);
      const block = withProof(template.built.block, prove());
      const fault = proofOfWorkFault(block.header);
      if (fault !== null) throw new InvalidSolutionError(fault);
      const result = await this.#blockImport.import({ ...template.built, block });
      const { parentChain } = this.#core;
      if (parentChain !== null && parentBlock !== null) await runTask(parentChain.submit(parentBlock));
      return { result, hash: block.hash, number: block.header.number };
    }, call);
  }

  /**
   * Imports the block with this hash for merged mining, if the nonce solves its parent-chain block (see
   * {@link OfferedWork}). Returns false without a change if the nonce is wrong, or the work is unknown,
   * outdated or solved.
   */
  async solve(
    hash: Uint8Array,
    merkleRoot: Uint8Array,
    { time, nonce }: WorkNonce,
    call: CallToken | null = null,
  ): Promise<boolean> {
    try {
      const { work } = this.#templates.find(hash);
      const proof = equalBytes(work.merkleRoot, merkleRoot) ? work.solution(time, nonce) : null;
      if (proof === null) return false;
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

  /** Throws {@link UnknownWorkError}, or {@link OutdatedWorkError} if a cheat changed the parent state. */
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

/** Lifetime of a report in milliseconds. Miners report about once per second. */
const REPORT_LIFETIME = 10_000;

/** Maximum number of miners. The oldest report is dropped above it. */
const MAX_MINERS = 10_000;

/** The hash rates reported by external miners, per real second and independent of the chain's clock. */
export class Hashrates {
  readonly #clock: WallClock;
  /** By miner, oldest report first. */
  readonly #reports = new Map<string, Report>();

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Replaces the miner's rate (hashes per second). */
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
      if (reportedAt > oldest && this.#reports.size <= MAX_MINERS) return;
      this.#reports.delete(miner);
    }
  }
}

/** The averaging period, in seconds. */
const WINDOW = 3_600;

/** Returns the last block up to `timestamp`, or the first block. Requires ascending timestamps. */
function lastBlockUntil(blockchain: Blockchain, timestamp: number): Block | undefined {
  let low = blockchain.first;
  let high = blockchain.head.block.header.number;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const block = blockchain.block(middle);
    if (block !== undefined && block.header.timestamp <= timestamp) low = middle;
    else high = middle - 1;
  }
  return blockchain.block(low);
}

/**
 * Returns the hash rate of all miners as Rootstock computes it: the difficulty of the last hour's blocks
 * divided by 3600, rounded down. `now` is in seconds since 1970.
 */
export function networkHashrate(blockchain: Blockchain, now: number): bigint {
  const { block: head } = blockchain.head;
  const base = lastBlockUntil(blockchain, Math.max(now, head.header.timestamp) - WINDOW);
  return (head.totalDifficulty - (base?.totalDifficulty ?? 0n)) / BigInt(WINDOW);
}
