import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { Engine } from '../engine/engine.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Wallet } from '../wallet/wallet.ts';
import type { LiveSettings } from './block-settings.ts';
import type { ChainClock } from './chain-clock.ts';
import type { ChainOptions } from './chain-options.ts';

/** What a chain is made of; see `createChain`. */
export interface ChainParts {
  readonly options: ChainOptions;
  readonly settings: LiveSettings;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly blockchain: Blockchain;
  readonly wallet: Wallet;
  readonly clock: ChainClock;
  readonly events: ChainEvents;
  readonly wallClock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Told of an error that stopped the interval miner from making a block. */
  readonly onMiningError: (error: unknown) => void;
}
