/**
 * Changes to chain settings on behalf of developers: time, mining mode, fees, and the fields of the next
 * block. Each returns a function of the core, for example `chain.change(increaseTime(60))`. A change with a
 * single call on the core needs no name: `chain.change(({ pool }) => pool.remove(hash))`.
 */
import { hexKey } from '../primitives/hex.ts';
import type { ChainCore } from './chain-core.ts';
import { NotInRuleSetError, TimestampTooLowError } from './errors.ts';
import { type BlockSettings, transactionGas } from './settings/block-settings.ts';
import type { MiningMode } from './settings/miner.ts';

/** A change of a chain. It runs after all earlier changes. */
export type Change<Result = void> = (core: ChainCore) => Result;

/** The settings that affect no other setting. */
export type PlainSettings = Pick<BlockSettings, 'chainId' | 'coinbase' | 'extraData'>;

/** Changes the settings for the next blocks and for the validation of transactions. */
export function changeSettings(fields: Partial<PlainSettings>): Change {
  return ({ settings }) => settings.change(fields);
}

/** Sets the gas limit of all later blocks. Transactions that exceed it are dropped. */
export function setGasLimit(gasLimit: bigint): Change {
  return ({ options, ruleSet, settings, pool }) => {
    settings.change({ gasLimit, gasLimitTarget: null });
    const most = transactionGas(gasLimit, options.networkLimits, ruleSet);
    pool.removeWhere((transaction) => transaction.gasLimit > most);
  };
}

/** Sets the minimum gas price (wei per gas) of all later blocks. */
export function setMinimumGasPrice(minimumGasPrice: bigint): Change {
  return ({ settings }) => settings.change({ minimumGasPrice, minimumGasPriceTarget: null });
}

/** Sets the suggested gas price and the minimum gas price (wei per gas), permanently. */
export function setGasPrice(price: bigint): Change {
  return ({ settings }) =>
    settings.change({ gasPrice: price, minimumGasPrice: price, minimumGasPriceTarget: null });
}

/** Sets the next block's base fee (wei per gas). Throws {@link NotInRuleSetError} without base fees. */
export function setNextBaseFee(baseFeePerGas: bigint): Change {
  return ({ ruleSet, settings }) => {
    if (ruleSet.fees.name !== 'base fee') throw new NotInRuleSetError('base fee', ruleSet.name, 'london');
    settings.changeNext({ baseFeePerGas });
  };
}

/** Sets the next block's PREVRANDAO (32 bytes). Throws {@link NotInRuleSetError} before proof of stake. */
export function setNextPrevRandao(prevRandao: Uint8Array): Change {
  return ({ ruleSet, settings }) => {
    if (!ruleSet.isProofOfStake) throw new NotInRuleSetError('PREVRANDAO', ruleSet.name, 'paris');
    settings.changeNext({ prevRandao });
  };
}

/** Sets the next parent beacon block root (32 bytes). Throws {@link NotInRuleSetError} before EIP-4788. */
export function setNextBeaconRoot(parentBeaconBlockRoot: Uint8Array): Change {
  return ({ ruleSet, settings }) => {
    if (!ruleSet.hasBlobFields)
      throw new NotInRuleSetError('parent beacon block root', ruleSet.name, 'cancun');
    settings.changeNext({ parentBeaconBlockRoot });
  };
}

/** Makes ECRECOVER return `address` (20 bytes) for a signature (65 bytes: r, s, v) of any hash. */
export function impersonateSignature(signature: Uint8Array, address: Uint8Array): Change {
  return ({ settings }) => {
    const signers = new Map(settings.current.impersonatedSigners).set(hexKey(signature), address);
    settings.change({ impersonatedSigners: signers });
  };
}

/** Sets automine, the block time or both. It does not mine pending transactions. */
export function setMining(mode: Partial<MiningMode>): Change {
  return ({ miner }) => miner.setMode({ ...miner.mode, ...mode });
}

/** Stops automine and the interval miner. Blocks are then mined on request only. */
export function stopMining(): Change {
  return setMining({ automine: false, blockTime: null });
}

/** Moves the chain's time forward, permanently. Returns the total offset in seconds. */
export function increaseTime(seconds: number): Change<number> {
  return ({ blockchain, clock }) => clock.increase(seconds, blockchain.head.block.header.timestamp);
}

/** Sets the time (seconds since 1970), also to the past. Returns the change in seconds. */
export function setTime(timestamp: number): Change<number> {
  return ({ clock }) => clock.setTime(timestamp);
}

/**
 * Sets the timestamp of the next block (seconds since 1970). Throws {@link TimestampTooLowError} unless it is
 * after the head's. If blocks may share a timestamp, the head's own timestamp is valid too.
 */
export function setNextTimestamp(timestamp: number): Change {
  return (core) => {
    checkNextTimestamp(timestamp)(core);
    core.clock.setNextTimestamp(timestamp);
  };
}

/** Throws {@link TimestampTooLowError} if the next block cannot have this timestamp. Changes nothing. */
export function checkNextTimestamp(timestamp: number): Change {
  return ({ blockchain, clock }) => {
    const headTimestamp = blockchain.head.block.header.timestamp;
    const earliest = clock.earliestAfter(headTimestamp);
    if (timestamp < earliest) throw new TimestampTooLowError(timestamp, headTimestamp, earliest);
  };
}

/** Sets the seconds between blocks. Pass `null` to follow the clock again; block times still increase. */
export function setTimestampInterval(interval: number | null): Change {
  return ({ clock }) => clock.setInterval(interval);
}
