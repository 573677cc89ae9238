/**
 * The core of a chain: everything that the parts of one chain share. It is one plain record, made once for a chain and
 * passed as such, so that a part names what it works on by its field and no part hands another one on. Its fields are
 * leaves: none of them knows the core.
 */

import { nonceAfter } from '../evm/authorizations.ts';
import type { BlockEnvironment, Engine, ExecutionResult } from '../evm/engine.ts';
import type { ExecutionObserver } from '../evm/observer.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { SchedulerLane } from '../scheduling/scheduler.ts';
import type { Overlay } from '../state/overlay.ts';
import type { Blockchain } from '../storage/blockchain.ts';
import { SideBlocks } from '../storage/side-blocks.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { ChainEvents, SerialQueue } from './changes.ts';
import { ChainResetError } from './errors.ts';
import { poolTimeout } from './pool/entries.ts';
import { TransactionPool } from './pool/pool.ts';
import { type BlockSettings, baseFeeAfter, type LiveSettings } from './settings/block-settings.ts';
import type { ChainClock, ClockSetting } from './settings/chain-clock.ts';
import type { ChainEngines } from './settings/chain-engines.ts';
import type { ChainOptions } from './settings/chain-options.ts';
import { Impersonation, type ImpersonationRecord } from './settings/impersonation.ts';
import { Miner, type MiningMode } from './settings/miner.ts';

const ID_SIZE = 32;

/** The id of a chain, which is new whenever the chain starts anew, so that lives of a chain can be distinguished. */
export class ChainIdentity {
  readonly #random: RandomSource;
  #instanceId: Uint8Array | undefined;
  #life = 0;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** 32 random bytes, the same until {@link renew}. */
  get instanceId(): Uint8Array {
    this.#instanceId ??= this.#random(ID_SIZE);
    return this.#instanceId;
  }

  /** Puts back the id that the chain had in an earlier process. */
  restore(instanceId: Uint8Array): void {
    this.#instanceId = instanceId;
  }

  /** The number of times that the chain has started anew in this process. */
  get life(): number {
    return this.#life;
  }

  /** Throws {@link ChainResetError} when the chain has started anew since it was in that life; `undefined` for any. */
  requireLife(life: number | undefined): void {
    if (life !== undefined && life !== this.#life) throw new ChainResetError();
  }

  /** Begins a new life with a new id. Called when the chain has started anew. */
  renew(): void {
    this.#instanceId = undefined;
    this.#life++;
  }
}

/** A transaction of the network's own that ends each block, which no engine runs. */
export interface BlockClosing {
  /** 20 bytes: the account that gets the fees of the block's other transactions, in place of the coinbase. */
  readonly feeRecipient: Uint8Array;
  /** Returns the transaction that ends the block with that number. */
  transaction(number: number): Transaction;
  /**
   * Does on `state` what the transaction does in that block. The observer sees it as any execution. Throws
   * `MissingStateError` when something of the state must be fetched first; `state` is of no use then.
   */
  run(environment: BlockEnvironment, state: Overlay, observer?: ExecutionObserver): ExecutionResult;
}

/** The fork of another chain that a chain is, as far as the chain itself has to do with it. */
export interface ForkLink {
  /** The id of the chain that is forked; `null` for a chain with a first block of its own. */
  readonly chainId: number | null;
  /** Makes the chain again the fork that it started as. Called when the chain starts anew. */
  restore(): void;
  /** Lets go of the upstream. Called when the chain closes. */
  close(): void;
}

/** Keeps a chain on disk. */
export interface Durability {
  /** True when the chain was on disk before this process opened it. */
  readonly isContinued: boolean;
  /** Writes the change that has come to its end. Rejects with a `DiskError`; the next change tries again then. */
  commit(): Promise<void>;
  /** Resolves when all that the chain is now is on disk; `undefined` when it is already. Rejects with a `DiskError`. */
  settle(): Promise<void> | undefined;
  /** Resolves when the machine's disk has confirmed all changes, also without `syncsData`. Rejects with a `DiskError`. */
  flush(): Promise<void>;
  /** Lets go of the disk. */
  close(): Promise<void>;
}

/** The fields of a core that are made outside of it. */
export interface ChainCoreSeed {
  readonly options: ChainOptions;
  readonly settings: LiveSettings;
  readonly engine: Engine;
  /**
   * Runs the requests of callers, each once: transactions that are mined, calls, estimates. It counts them where a coverage is
   * asked for, and is `engine` everywhere else. Executions of the node's own, and repeated ones, are for `engine`.
   */
  readonly countedEngine: Engine;
  /** The engines of this chain and of those that come from it. */
  readonly engines: ChainEngines;
  /** The turns of the chain's work among that of others. */
  readonly turns: SchedulerLane;
  /** Ends each block; `null` where nothing does. */
  readonly closing: BlockClosing | null;
  readonly blockchain: Blockchain;
  readonly wallet: Wallet;
  readonly clock: ChainClock;
  readonly wallClock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  readonly fork: ForkLink;
  /** `null` for a chain that is gone with its process. */
  readonly durability: Durability | null;
  /** True to keep the frames of each transaction with its result, for those that measure gas. */
  readonly recordsFrames: boolean;
  /** Called with an error that stopped the interval miner from making a block. */
  readonly onMiningError: (error: unknown) => void;
}

/** Everything that the parts of one chain share. */
export interface ChainCore extends ChainCoreSeed {
  /** The rules of the chain, of which the numbers of blobs change when it becomes a fork of a chain with others. */
  readonly ruleSet: RuleSet;
  readonly events: ChainEvents;
  /** The changes of the chain, which happen one after the other. */
  readonly changes: SerialQueue;
  readonly pool: TransactionPool;
  readonly sideBlocks: SideBlocks;
  readonly miner: Miner;
  readonly impersonation: Impersonation;
  readonly identity: ChainIdentity;
}

/** Makes the core of a chain with an empty pool, which makes blocks as `mining` says once its miner is started. */
export function createCore(seed: ChainCoreSeed, mining: MiningMode): ChainCore {
  const { options, settings, engines, fork, blockchain, wallClock, durability } = seed;
  const ruleSet = (): RuleSet => engines.ruleSetOn(fork.chainId);
  const head = {
    sender: (address: Uint8Array) => blockchain.headState.account(address),
    nextBaseFee: () => baseFeeAfter(blockchain.head, settings.current, ruleSet()),
    nonceAfter: (transaction: Transaction) =>
      nonceAfter(transaction, BigInt(settings.current.chainId), settings.impersonatedSigner),
  };
  const timeout = poolTimeout(options.poolTimeout, {
    headNumber: () => blockchain.head.header.number,
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

/** The settings of a chain that decide, besides its blocks, its state and its pool, how it goes on. Never changed. */
export interface RuntimeState {
  readonly clock: ClockSetting;
  readonly mining: MiningMode;
  readonly settings: BlockSettings;
  readonly impersonation: ImpersonationRecord;
}

/** Returns how the chain goes on from its blocks, its state and its pool as it is now. */
export function runtimeState({ clock, miner, settings, impersonation }: ChainCore): RuntimeState {
  return {
    clock: clock.setting,
    mining: miner.mode,
    settings: settings.current,
    impersonation: impersonation.record,
  };
}

/** Makes the chain go on as it did at an earlier moment. */
export function restoreRuntimeState(
  { clock, miner, settings, impersonation }: ChainCore,
  earlier: RuntimeState,
): void {
  clock.restore(earlier.clock);
  settings.restore(earlier.settings);
  impersonation.restore(earlier.impersonation);
  miner.setMode(earlier.mining);
}
