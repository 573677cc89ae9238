import { createGenesis, type GenesisAccount } from '../../protocol/genesis.ts';
import { ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { predeployAccounts, systemAccounts } from '../genesis/predeploys.ts';
import type { ChainClock } from '../settings/chain-clock.ts';
import { type ChainOptions, fundsOf } from '../settings/chain-options.ts';
import type { ChainOrigin } from './snapshots.ts';

function allocationOf(options: ChainOptions): GenesisAccount[] {
  const funded = fundsOf(options);
  const ruleSet = ruleSetNamed(options.ruleSet);
  const { genesis, predeploys } = options;
  const contracts = predeploys ? [...predeployAccounts(ruleSet), ...ruleSet.initialBalances] : [];
  // If predeploys are off, a genesis file determines all accounts.
  const system = predeploys || genesis === null ? systemAccounts(ruleSet) : [];
  return [...funded, ...contracts, ...system, ...(genesis?.allocation ?? [])];
}

/** Returns the genesis block of a chain without a fork. */
export function genesisOf(options: ChainOptions, ruleSet: RuleSet, clock: ChainClock): ChainOrigin {
  return createGenesis({
    ruleSet,
    timestamp: options.genesisTimestamp ?? clock.now(),
    gasLimit: options.gasLimit,
    minimumGasPrice: options.minimumGasPrice,
    allocation: allocationOf(options),
    header: {
      number: options.genesisNumber,
      ...options.genesis?.header,
      ...(options.baseFee === null ? {} : { baseFeePerGas: options.baseFee }),
    },
  });
}
