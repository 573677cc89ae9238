/**
 * The switches by which a developer makes a chain do what it would not do by itself: what blocks are made with, what
 * time it is. Each is a function of the chain's core, to be run as a change: `chain.change(increaseTime(60))`. A switch
 * that is one call on the core needs no name here: `chain.change(({ pool }) => pool.remove(hash))`.
 */
import { hexKey } from '../primitives/hex.ts';
import type { ChainCore } from './chain-core.ts';
import { NotInRuleSetError, TimestampTooLowError } from './errors.ts';
import { type BlockSettings, transactionGas } from './settings/block-settings.ts';
import type { MiningMode } from './settings/miner.ts';

/** A change of a chain, which runs when all before it are done. */
export type Change<Result = void> = (core: ChainCore) => Result;

/** The settings that stand alone: nothing else has to follow when they change. */
export type PlainSettings = Pick<BlockSettings, 'chainId' | 'coinbase' | 'extraData'>;

/** Changes what the next blocks are made with and transactions are checked against. */
export function changeSettings(fields: Partial<PlainSettings>): Change {
  return ({ settings }) => settings.change(fields);
}

/** Sets the gas of each block from the next on, for good; transactions that no longer fit into one are dropped. */
export function setGasLimit(gasLimit: bigint): Change {
  return ({ options, ruleSet, settings, pool }) => {
    settings.change({ gasLimit, gasLimitTarget: null });
    const most = transactionGas(gasLimit, options.networkLimits, ruleSet);
    pool.removeWhere((transaction) => transaction.gasLimit > most);
  };
}

/** Sets the wei per gas below which no transaction is taken, from the next block on and for good. */
export function setMinimumGasPrice(minimumGasPrice: bigint): Change {
  return ({ settings }) => settings.change({ minimumGasPrice, minimumGasPriceTarget: null });
}

/** Sets the wei per gas that is suggested and below which no transaction is taken, for good. */
export function setGasPrice(price: bigint): Change {
  return ({ settings }) =>
    settings.change({ gasPrice: price, minimumGasPrice: price, minimumGasPriceTarget: null });
}

/** Sets the next block's base fee (wei per gas). Throws {@link NotInRuleSetError} where blocks have none. */
export function setNextBaseFee(baseFeePerGas: bigint): Change {
  return ({ ruleSet, settings }) => {
    if (ruleSet.fees.name !== 'base fee') throw new NotInRuleSetError('base fee', ruleSet.name);
    settings.changeNext({ baseFeePerGas });
  };
}

/** Sets the next block's PREVRANDAO (32 bytes). Throws {@link NotInRuleSetError} before proof of stake. */
export function setNextPrevRandao(prevRandao: Uint8Array): Change {
  return ({ ruleSet, settings }) => {
    if (!ruleSet.isProofOfStake) throw new NotInRuleSetError('PREVRANDAO', ruleSet.name);
    settings.changeNext({ prevRandao });
  };
}

/** Sets the next block's root of the beacon block before it (32 bytes). Throws {@link NotInRuleSetError} before EIP-4788. */
export function setNextBeaconRoot(parentBeaconBlockRoot: Uint8Array): Change {
  return ({ ruleSet, settings }) => {
    if (!ruleSet.hasBlobFields) throw new NotInRuleSetError('parent beacon block root', ruleSet.name);
    settings.changeNext({ parentBeaconBlockRoot });
  };
}

/**
 * Makes an address (20 bytes) the signer of a signature (65 bytes: r, s and v), whatever was signed, for contracts
 * that ask ECRECOVER.
 */
export function impersonateSignature(signature: Uint8Array, address: Uint8Array): Change {
  return ({ settings }) => {
    const signers = new Map(settings.current.impersonatedSigners).set(hexKey(signature), address);
    settings.change({ impersonatedSigners: signers });
  };
}

/** Switches instant mining or the timer; a switch that is left out stays as it is. Transactions that wait are not mined by it. */
export function setMining(mode: Partial<MiningMode>): Change {
  return ({ miner }) => miner.setMode({ ...miner.mode, ...mode });
}

/** Makes no more blocks but those asked for. */
export function stopMining(): Change {
  return setMining({ automine: false, blockTime: null });
}

/** Moves the chain's time forward for good; returns the total offset in seconds. */
export function increaseTime(seconds: number): Change<number> {
  return ({ blockchain, clock }) => clock.increase(seconds, blockchain.head.header.timestamp);
}

/** Sets the time (seconds since 1970), back too; returns the seconds by which it was moved. */
export function setTime(timestamp: number): Change<number> {
  return ({ clock }) => clock.setTime(timestamp);
}

/**
 * Sets the timestamp of the next block, once (seconds since 1970). Throws {@link TimestampTooLowError} when it is not
 * after the head's, or before it where blocks may have the same.
 */
export function setNextTimestamp(timestamp: number): Change {
  return (core) => {
    checkNextTimestamp(timestamp)(core);
    core.clock.setNextTimestamp(timestamp);
  };
}

/** Throws a {@link TimestampTooLowError} where the next block could not have the timestamp; changes nothing. */
export function checkNextTimestamp(timestamp: number): Change {
  return ({ blockchain, clock }) => {
    const headTimestamp = blockchain.head.header.timestamp;
    const earliest = clock.earliestAfter(headTimestamp);
    if (timestamp < earliest) throw new TimestampTooLowError(timestamp, headTimestamp, earliest);
  };
}

/** Sets the seconds from each block to the next, `null` to follow the clock again; blocks stay a second apart. */
export function setTimestampInterval(interval: number | null): Change {
  return ({ clock }) => clock.setInterval(interval);
}

/** Empties the pool. */
export function dropAllTransactions(): Change {
  return ({ pool }) => pool.removeWhere(() => true);
}
