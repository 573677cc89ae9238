/**
 * The shared record of a chain: its pool, blocks, settings, clock and miner. It is created once per chain and
 * passed to every part. Its fields do not depend on it.
 */

import { nonceAfter } from '../evm/authorizations.ts';
import type { BlockEnvironment, Engine, ExecutionResult } from '../evm/engine.ts';
import type { ExecutionObserver } from '../evm/observer.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { ParentChainState } from '../rootstock/parent-chain/parent-chain.ts';
import type { RunQueue } from '../scheduling/scheduler.ts';
import type { Overlay } from '../state/overlay.ts';
import type { Blockchain } from '../storage/blockchain.ts';
import type { ChainHead } from '../storage/canonical-blocks.ts';
import { SideBlocks } from '../storage/side-blocks.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { ChainEvents, SerialQueue } from './changes.ts';
import { ChainResetError } from './errors.ts';
import type { LiveParentChain } from './live-parent-chain.ts';
import type { SenderAccount } from './pool/admission.ts';
import { poolTimeout } from './pool/entries.ts';
import { TransactionPool } from './pool/pool.ts';
import { type BlockSettings, baseFeeAfter, type LiveSettings } from './settings/block-settings.ts';
import type { ChainClock, ClockSetting } from './settings/chain-clock.ts';
import type { ChainEngines } from './settings/chain-engines.ts';
import type { ChainOptions } from './settings/chain-options.ts';
import { Impersonation, type ImpersonationRecord } from './settings/impersonation.ts';
import { Miner, type MiningMode } from './settings/miner.ts';

const ID_SIZE = 32;

/** The id of a chain. It changes when the chain is reset, so that clients can detect the reset. */
export class ChainIdentity {
  readonly #random: RandomSource;
  #instanceId: Uint8Array | undefined;
  /** The number of resets in this process. Changed by {@link renew} only. */
  life = 0;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** 32 random bytes, the same until {@link renew}. */
  get instanceId(): Uint8Array {
    this.#instanceId ??= this.#random(ID_SIZE);
    return this.#instanceId;
  }

  /** Restores the id from an earlier process. */
  restore(instanceId: Uint8Array): void {
    this.#instanceId = instanceId;
  }

  /** Throws {@link ChainResetError} if the chain was reset since `life` (undefined: any life). */
  requireLife(life: number | undefined): void {
    if (life !== undefined && life !== this.life) throw new ChainResetError();
  }

  /** Called after the chain was reset. */
  renew(): void {
    this.#instanceId = undefined;
    this.life++;
  }
}

/** Rootstock's own transaction at the end of each block (REMASC). No engine executes it. */
export interface BlockClosing {
  /** Account (20 bytes) that receives the fees of the block's other transactions instead of the coinbase. */
  readonly feeRecipient: Uint8Array;
  /** Returns the closing transaction of the block with this number. */
  transaction(number: number): Transaction;
  /**
   * Applies the closing transaction to `state` and notifies the observer as an execution does. Throws
   * `MissingStateError` if state must be fetched first; discard `state` in that case.
   */
  run(environment: BlockEnvironment, state: Overlay, observer?: ExecutionObserver): ExecutionResult;
}

/** A block of the forked chain, which local blocks can follow. */
export interface ForkBase {
  readonly number: number;
}

/** The part of the fork's interface that a chain uses. */
export interface ForkLink {
  /** Chain id of the forked chain; `null` for a chain with its own genesis. */
  readonly chainId: number | null;
  /** The block below the local blocks; `null` for a chain with its own genesis. */
  readonly base: ForkBase | null;
  /** Continues at another block of the forked chain, which {@link base} returned or a follower created. */
  moveTo(base: ForkBase): void;
  /** Restores the fork to its configuration at start. Called when the chain is reset. */
  restore(): void;
  /** Closes the upstream connection. Called when the chain closes. */
  close(): void;
}

/** Persists a chain on disk. */
export interface Durability {
  /** True if the chain existed on disk before this process opened it. */
  readonly isContinued: boolean;
  /** Writes the finished change. Rejects with a `DiskError`; the next commit then retries the write. */
  commit(): Promise<void>;
  /** Resolves when all changes are written; `undefined` if they are. Rejects with a `DiskError`. */
  settle(): Promise<void> | undefined;
  /** Resolves when the disk has synced all changes, even without `syncsData`. Rejects with a `DiskError`. */
  flush(): Promise<void>;
  /** Closes the files. */
  close(): Promise<void>;
}

/** The fields of a core that are created outside it. */
export interface ChainDependencies {
  readonly options: ChainOptions;
  readonly settings: LiveSettings;
  readonly engine: Engine;
  /**
   * Executes client requests: mined transactions, calls and estimates, each once. It collects coverage if
   * coverage is enabled; otherwise it is `engine`. Use `engine` for internal and repeated executions.
   */
  readonly countedEngine: Engine;
  /** The engines of this chain and of the chains that fork it. */
  readonly engines: ChainEngines;
  /** The chain's run queue. */
  readonly yielder: RunQueue;
  /** Ends each block; `null` if blocks have no closing transaction. */
  readonly closing: BlockClosing | null;
  readonly blockchain: Blockchain;
  readonly wallet: Wallet;
  readonly clock: ChainClock;
  readonly wallClock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  readonly fork: ForkLink;
  /** `null` without `--parent-chain`. */
  readonly parentChain: LiveParentChain | null;
  /** `null` for a chain in memory. */
  readonly durability: Durability | null;
  /** True to store the frames of each transaction with its result, for gas reports. */
  readonly recordsFrames: boolean;
  /** Called with an error of the interval miner. */
  readonly onMiningError: (error: unknown) => void;
}

/** Everything that the parts of one chain share. */
export interface ChainCore extends ChainDependencies {
  /** The rules of the chain. The blob parameters can change when the chain becomes a fork. */
  readonly ruleSet: RuleSet;
  readonly events: ChainEvents;
  /** Runs the changes of the chain one at a time. */
  readonly changes: SerialQueue;
  readonly pool: TransactionPool;
  readonly sideBlocks: SideBlocks;
  readonly miner: Miner;
  readonly impersonation: Impersonation;
  readonly identity: ChainIdentity;
}

/** Reads accounts after the head. The last one is cached, because admission and mining read the same sender. */
class HeadAccounts {
  readonly #blockchain: Blockchain;
  #last:
    | { readonly head: ChainHead; readonly address: Uint8Array; readonly account: SenderAccount }
    | undefined;

  constructor(blockchain: Blockchain) {
    this.#blockchain = blockchain;
  }

  at(address: Uint8Array): SenderAccount {
    const { head } = this.#blockchain;
    if (this.#last?.head !== head || !equalBytes(this.#last.address, address))
      this.#last = { head, address, account: head.state.account(address) };
    return this.#last.account;
  }
}

/** Creates the core of a chain with an empty pool. The caller must start the miner. */
export function createCore(seed: ChainDependencies, mining: MiningMode): ChainCore {
  const { options, settings, engines, fork, blockchain, wallClock, durability } = seed;
  const ruleSet = (): RuleSet => engines.ruleSetOn(fork.chainId);
  const accounts = new HeadAccounts(blockchain);
  const head = {
    sender: (address: Uint8Array) => accounts.at(address),
    nextBaseFee: () => baseFeeAfter(blockchain.head.block, settings.current, ruleSet()),
    nonceAfter: (transaction: Transaction) =>
      nonceAfter(transaction, BigInt(settings.current.chainId), settings.impersonatedSigner),
  };
  const timeout = poolTimeout(options.poolTimeout, {
    headNumber: () => blockchain.head.block.header.number,
    now: () => wallClock.now(),
  });
  return {
    ...seed,
    get ruleSet() {
      return ruleSet();
    },
    events: new ChainEvents(),
    changes: new SerialQueue(durability && (() => durability.commit())),
    pool: new TransactionPool(options.order, head, timeout),
    sideBlocks: new SideBlocks(),
    miner: new Miner(mining, seed),
    impersonation: new Impersonation(options.autoImpersonate),
    identity: new ChainIdentity(seed.random),
  };
}

/** The settings that affect the next blocks, besides blocks, state and pool. Immutable. */
export interface RuntimeState {
  readonly clock: ClockSetting;
  readonly mining: MiningMode;
  readonly settings: BlockSettings;
  readonly impersonation: ImpersonationRecord;
  /** The simulated parent chain; `null` without one. */
  readonly parentChain: ParentChainState | null;
}

export function runtimeState({
  clock,
  miner,
  settings,
  impersonation,
  parentChain,
}: ChainCore): RuntimeState {
  return {
    clock: clock.setting,
    mining: miner.mode,
    settings: settings.current,
    impersonation: impersonation.record,
    parentChain: parentChain?.state ?? null,
  };
}

export function restoreRuntimeState(
  { clock, miner, settings, impersonation, parentChain }: ChainCore,
  earlier: RuntimeState,
): void {
  clock.restore(earlier.clock);
  settings.restore(earlier.settings);
  impersonation.restore(earlier.impersonation);
  miner.setMode(earlier.mining);
  parentChain?.restore(earlier.parentChain);
}
