import { ChainEngines } from '../chain/execution/chain-engine.ts';
import { predeployAccounts } from '../chain/genesis/predeploys.ts';
import type { BlockClosing } from '../chain/mining/block-builder.ts';
import { initialSettings, LiveSettings } from '../chain/settings/block-settings.ts';
import { ChainClock } from '../chain/settings/chain-clock.ts';
import { type ChainOptions, fundsOf } from '../chain/settings/chain-options.ts';
import type { ChainOrigin } from '../chain/snapshots/snapshots.ts';
import type { EngineDifferenceError } from '../evm/shadow/shadow-engine.ts';
import type { Fork } from '../fork/fork.ts';
import { type ForkConfig, ForkHandle, NO_FORKING } from '../fork/fork-handle.ts';
import type { ForkOriginParts } from '../fork/fork-origin.ts';
import type { GroundParts, OpenedDataDirectory } from '../persistence/durable/open-data-directory.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import { Scheduler } from '../primitives/scheduler.ts';
import { createGenesis, type GenesisAccount } from '../protocol/genesis.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import { type RuleSet, withDifficulty } from '../protocol/hardforks/rule-set.ts';
import { BlockStorage } from '../storage/block-storage.ts';
import { Blockchain } from '../storage/blockchain.ts';
import { ChainEvents } from '../storage/chain-events.ts';
import { ForkNotKeptError } from '../storage/errors.ts';
import { MemoryStore } from '../storage/key-value-store.ts';
import { Wallet } from '../wallet/wallet.ts';
import { Chain } from './chain.ts';
import type { ChainParts } from './chain-parts.ts';

/** What a chain takes from its surroundings. */
export interface ChainDependencies {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Shares the event loop among the chain and those that come from it; by default a scheduler of their own. */
  readonly scheduler?: Scheduler;
  /** Told of an error that stopped the interval miner from making a block: a bug, since mining has no caller. */
  readonly onMiningError: (error: unknown) => void;
  /** Told when the engine and its shadow differ: a bug in one of them. The message that shows it fails. */
  readonly onEngineDifference: (error: EngineDifferenceError) => void;
}

function allocationOf(options: ChainOptions): GenesisAccount[] {
  const funded = fundsOf(options);
  const given = options.genesis?.allocation ?? [];
  if (!options.predeploys) return [...funded, ...given];
  const ruleSet = ruleSetNamed(options.ruleSet);
  return [...funded, ...predeployAccounts(ruleSet), ...ruleSet.initialBalances, ...given];
}

/** What ends each block of a chain with the options; only who asks for it waits for its code. */
async function closingOf(options: ChainOptions, ruleSet: RuleSet): Promise<BlockClosing | null> {
  if (!options.remasc) return null;
  const { remascClosing } = await import('../chain/mining/remasc-closing.ts');
  return remascClosing(ruleSet);
}

/** The first block of a fork; only who forks waits for the code of that. */
async function originOf(fork: Fork, parts: ForkOriginParts): Promise<ChainOrigin> {
  const { forkOrigin } = await import('../fork/fork-origin.ts');
  return forkOrigin(fork, parts);
}

/** What a chain stands on: in memory, or what its directory holds. Only who keeps a chain waits for the code of that. */
async function groundOf(
  options: ChainOptions,
  isFork: boolean,
  parts: Omit<GroundParts, 'directory' | 'options'>,
): Promise<
  Pick<OpenedDataDirectory, 'blockchain' | 'stored'> & Pick<ChainParts, 'origin' | 'createDurability'>
> {
  const { dataDirectory: directory } = options;
  if (directory !== null) {
    if (isFork) throw new ForkNotKeptError();
    const { openDataDirectory: openGround } = await import('../persistence/durable/open-data-directory.ts');
    return openGround({ ...parts, directory, options });
  }
  const storage = new BlockStorage(new MemoryStore(), parts.ruleSet);
  const { block, state } = parts.createOrigin();
  const blockchain = Blockchain.create(storage, block, state);
  return { blockchain, origin: null, createDurability: null, stored: null };
}

/**
 * A fresh chain that has its first block and mines as the options say, or the one that is kept in the directory of the
 * options. Rejects with a `DataDirectoryError` when that cannot be used or holds another chain.
 * With a fork of another chain the first block is the one that it begins with; the options are to be those of that chain.
 */
export async function createChain(
  options: ChainOptions,
  dependencies: ChainDependencies,
  forking: ForkConfig = NO_FORKING,
): Promise<Chain> {
  const ruleSet = withDifficulty(ruleSetNamed(options.ruleSet), options.difficulty);
  const settings = new LiveSettings(initialSettings(options));
  const { onEngineDifference } = dependencies;
  const engines = new ChainEngines({ ruleSet, options, onEngineDifference });
  const turns = (dependencies.scheduler ?? new Scheduler()).createLane();
  const engine = engines.engineOf(settings, turns);
  const forkStart = forking.fork === null ? null : await originOf(forking.fork, { engine, ruleSet, options });
  const start = options.genesisTimestamp ?? forkStart?.block.header.timestamp ?? null;
  const clock = new ChainClock(dependencies.clock, start, options);
  const createOrigin = (): ChainOrigin =>
    forkStart ??
    createGenesis({
      ruleSet,
      timestamp: options.genesisTimestamp ?? clock.now(),
      gasLimit: options.gasLimit,
      minimumGasPrice: options.minimumGasPrice,
      allocation: allocationOf(options),
      header: {
        ...options.genesis?.header,
        ...(options.baseFee === null ? {} : { baseFeePerGas: options.baseFee }),
      },
    });
  const ground = await groundOf(options, forkStart !== null, {
    ruleSet,
    clock,
    settings: settings.current,
    createOrigin,
  });
  const { blockchain, origin, createDurability, stored } = ground;
  const wallet = new Wallet(stored === null ? options.devAccounts : [], {
    clock: { now: () => clock.milliseconds() },
    random: dependencies.random,
  });
  wallet.addStoredKeys(stored?.keys ?? []);
  const chain = new Chain({
    options,
    settings,
    ruleSet,
    engines,
    engine,
    turns,
    start: null,
    closing: await closingOf(options, ruleSet),
    origin,
    createDurability,
    blockchain,
    fork: new ForkHandle(forking),
    wallet,
    clock,
    events: new ChainEvents(),
    wallClock: dependencies.clock,
    timers: dependencies.timers,
    random: dependencies.random,
    onMiningError: dependencies.onMiningError,
  });
  await chain.durability?.begin(stored?.image ?? null);
  return chain;
}
