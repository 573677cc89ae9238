import type { ChainEngines } from '../chain/execution/chain-engine.ts';
import type { BlockClosing } from '../chain/mining/block-builder.ts';
import { LiveSettings } from '../chain/settings/block-settings.ts';
import { ChainClock } from '../chain/settings/chain-clock.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import type { ChainOrigin, ChainSnapshot, ChainStart } from '../chain/snapshots/snapshots.ts';
import type { Engine } from '../evm/engine.ts';
import type { ForkHandle } from '../fork/fork-handle.ts';
import type { CreateDurability } from '../persistence/durable/durability.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { SchedulerLane } from '../primitives/scheduler.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Blockchain } from '../storage/blockchain.ts';
import { ChainEvents } from '../storage/chain-events.ts';
import type { Wallet } from '../wallet/wallet.ts';

/** What a chain is made of; see `createChain`. */
export interface ChainParts {
  readonly options: ChainOptions;
  readonly settings: LiveSettings;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  /** The engines of this chain and of those that come from it. */
  readonly engines: ChainEngines;
  /** The turns of the chain's work among that of others. */
  readonly turns: SchedulerLane;
  /** What ends each block; `null` where nothing does. */
  readonly closing: BlockClosing | null;
  readonly blockchain: Blockchain;
  /** What the chain is when it starts; `null` for one that has its first block and nothing else. */
  readonly start: ChainStart | null;
  /** The first block that the chain began with, where another one can stand in its place; else `null`. */
  readonly origin: ChainOrigin | null;
  /** Makes what keeps the chain on disk; `null` for a chain that is gone with its process. */
  readonly createDurability: CreateDurability | null;
  /** The fork of another chain that this one is at the moment. */
  readonly fork: ForkHandle;
  readonly wallet: Wallet;
  readonly clock: ChainClock;
  readonly events: ChainEvents;
  readonly wallClock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Told of an error that stopped the interval miner from making a block. */
  readonly onMiningError: (error: unknown) => void;
}

/**
 * What a chain is made of that begins as another one was at the snapshot, and goes on by itself. Everything is shared
 * until one of them changes it, so that it costs the same whatever the other holds.
 */
export function forkedParts(parts: ChainParts, snapshot: ChainSnapshot): ChainParts {
  const settings = new LiveSettings(snapshot.settings);
  const turns = parts.turns.sibling();
  const clock = new ChainClock(parts.wallClock, null, parts.options);
  clock.restore(snapshot.clock);
  const blockchain = parts.blockchain.fork(snapshot.head);
  blockchain.replaceHeadState(snapshot.headState);
  const wallet = parts.wallet.fork({ now: () => clock.milliseconds() });
  return {
    ...parts,
    settings,
    engine: parts.engines.engineOf(settings, turns),
    turns,
    blockchain,
    start: { snapshot, blockchain: blockchain.fork(), accounts: wallet.record() },
    createDurability: null,
    wallet,
    clock,
    fork: parts.fork.successor(),
    events: new ChainEvents(),
  };
}
