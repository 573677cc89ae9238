import { BlockStorage } from '../chain/block-storage.ts';
import { Blockchain } from '../chain/blockchain.ts';
import { ChainEvents } from '../chain/chain-events.ts';
import { openMemoryStore } from '../chain/memory-store.ts';
import type { EngineDifferenceError } from '../engine/shadow-engine.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import { keyOf } from '../primitives/hex.ts';
import type { RandomSource } from '../primitives/random.ts';
import { createGenesis, type GenesisAccount } from '../rules/genesis.ts';
import { ruleSetNamed } from '../rules/rule-set.ts';
import { Wallet } from '../wallet/wallet.ts';
import { initialSettings, LiveSettings } from './block-settings.ts';
import { Chain } from './chain.ts';
import { ChainClock } from './chain-clock.ts';
import { chainEngine } from './chain-engine.ts';
import type { ChainOptions } from './chain-options.ts';
import { predeployAccounts } from './predeploy-accounts.ts';

/** What a chain takes from its surroundings. */
export interface ChainDependencies {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Told of an error that stopped the interval miner from making a block: a bug, since mining has no caller. */
  readonly onMiningError: (error: unknown) => void;
  /** Told when the engine and its shadow differ: a bug in one of them. The message that shows it fails. */
  readonly onEngineDifference: (error: EngineDifferenceError) => void;
}

function allocationOf(options: ChainOptions): GenesisAccount[] {
  const addresses = [...options.devAccounts.map((account) => account.address), ...options.fundedAccounts];
  const funded = addresses.map((address) => ({ address, balance: options.balance }));
  if (!options.predeploys) return funded;
  return [...funded, ...predeployAccounts(ruleSetNamed(options.ruleSet))];
}

/** A fresh chain in memory that has its first block and mines as the options say. */
export async function createChain(options: ChainOptions, dependencies: ChainDependencies): Promise<Chain> {
  const ruleSet = ruleSetNamed(options.ruleSet);
  const clock = new ChainClock(dependencies.clock, options.genesisTimestamp);
  const genesis = createGenesis({
    ruleSet,
    timestamp: options.genesisTimestamp ?? clock.now(),
    gasLimit: options.gasLimit,
    minimumGasPrice: options.minimumGasPrice,
    allocation: allocationOf(options),
  });
  const storage = new BlockStorage(await openMemoryStore(), ruleSet);
  const settings = new LiveSettings(initialSettings(options));
  const impersonatedSigner = (signature: Uint8Array): Uint8Array | undefined =>
    settings.current.impersonatedSigners.get(keyOf(signature));
  return new Chain({
    options,
    settings,
    ruleSet,
    engine: chainEngine({
      ruleSet,
      options,
      currentChainId: () => settings.current.chainId,
      impersonatedSigner,
      onEngineDifference: dependencies.onEngineDifference,
    }),
    blockchain: await Blockchain.create(storage, genesis.block, genesis.state),
    wallet: new Wallet(options.devAccounts, {
      clock: { now: () => clock.milliseconds() },
      random: dependencies.random,
    }),
    clock,
    events: new ChainEvents(),
    wallClock: dependencies.clock,
    timers: dependencies.timers,
    random: dependencies.random,
    onMiningError: dependencies.onMiningError,
  });
}
