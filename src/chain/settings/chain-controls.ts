import { hexKey } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { NotInRuleSetError } from '../errors.ts';
import type { BlockProducer } from '../mining/block-producer.ts';
import { setNextTimestamp } from '../mining/bulk-mining.ts';
import type { BlockTime, Miner } from '../mining/miner.ts';
import type { TransactionPool } from '../pool/pool.ts';
import type { SerialQueue } from '../serial-queue.ts';
import type { BlockSettings, LiveSettings } from './block-settings.ts';
import type { ChainClock } from './chain-clock.ts';
import type { ChainOptions } from './chain-options.ts';
import { transactionGas } from './next-limits.ts';

/** What the controls work on; all of it belongs to one chain. */
export interface ControlParts {
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly clock: ChainClock;
  readonly settings: LiveSettings;
  readonly producer: BlockProducer;
  readonly changes: SerialQueue;
}

/** The settings that stand alone: nothing else has to follow when they change. */
export type PlainSettings = Pick<BlockSettings, 'chainId' | 'coinbase' | 'extraData'>;

/**
 * The switches by which a developer makes a chain do what it would not do by itself: when blocks are made and what
 * with, what time it is, what waits in the pool. Each waits its turn behind what changes the chain at the moment.
 */
export class ChainControls {
  readonly #parts: ControlParts;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /** Changes what the next blocks are made with and transactions are measured by. */
  changeSettings(fields: Partial<PlainSettings>): Promise<void> {
    return this.#change(fields);
  }

  #change(fields: Partial<BlockSettings>): Promise<void> {
    return this.#parts.changes.run(async () => this.#parts.settings.change(fields));
  }

  /** Sets the gas of each block from the next on, for good; transactions that no longer fit into one are dropped. */
  setGasLimit(gasLimit: bigint): Promise<void> {
    const { options, settings, pool, changes } = this.#parts;
    return changes.run(async () => {
      settings.change({ gasLimit, gasLimitTarget: null });
      const most = transactionGas(gasLimit, options.networkLimits);
      pool.removeWhere((transaction) => transaction.gasLimit > most);
    });
  }

  /** Sets the wei per gas below which no transaction is taken, from the next block on and for good. */
  setMinimumGasPrice(minimumGasPrice: bigint): Promise<void> {
    return this.#change({ minimumGasPrice, minimumGasPriceTarget: null });
  }

  /** Sets the wei per gas that is suggested and below which no transaction is taken, for good. */
  setGasPrice(price: bigint): Promise<void> {
    return this.#change({ gasPrice: price, minimumGasPrice: price, minimumGasPriceTarget: null });
  }

  /** Sets the next block's base fee (wei per gas). Throws {@link NotInRuleSetError} where blocks have none. */
  async setNextBaseFee(baseFeePerGas: bigint): Promise<void> {
    const { ruleSet, settings, changes } = this.#parts;
    if (!ruleSet.hasBaseFee) throw new NotInRuleSetError('base fee', ruleSet.name);
    await changes.run(async () => settings.changeNext({ baseFeePerGas }));
  }

  /** Sets the next block's PREVRANDAO (32 bytes). Throws {@link NotInRuleSetError} before proof of stake. */
  async setNextPrevRandao(prevRandao: Uint8Array): Promise<void> {
    const { ruleSet, settings, changes } = this.#parts;
    if (!ruleSet.isProofOfStake) throw new NotInRuleSetError('PREVRANDAO', ruleSet.name);
    await changes.run(async () => settings.changeNext({ prevRandao }));
  }

  /**
   * Makes an address (20 bytes) the signer of a signature (65 bytes: r, s and v), whatever was signed, for contracts
   * that ask ECRECOVER.
   */
  impersonateSignature(signature: Uint8Array, address: Uint8Array): Promise<void> {
    const { settings, changes } = this.#parts;
    return changes.run(async () => {
      const signers = new Map(settings.current.impersonatedSigners).set(hexKey(signature), address);
      settings.change({ impersonatedSigners: signers });
    });
  }

  /** Switches instant mining; what waits already is mined with the next transaction. The timer stays as it is. */
  setAutomine(automine: boolean): Promise<void> {
    const { miner, changes } = this.#parts;
    return changes.run(async () => miner.setMode({ ...miner.mode, automine }));
  }

  /** Sets the distance between blocks on the timer, `null` for none; instant mining stays as it is. */
  setBlockTime(blockTime: BlockTime | null): Promise<void> {
    const { miner, changes } = this.#parts;
    return changes.run(async () => miner.setMode({ ...miner.mode, blockTime }));
  }

  /** Switches to instant mining alone, the timer ends, and mines what can be mined at once by then. */
  mineInstantly(): Promise<void> {
    const { miner, producer, changes } = this.#parts;
    return changes.run(async () => {
      miner.setMode({ automine: true, blockTime: null });
      await producer.mineWaiting();
    });
  }

  /** Makes blocks on a timer alone, `null` for none at all: instant mining ends. */
  mineOnTimer(blockTime: BlockTime | null): Promise<void> {
    const { miner, changes } = this.#parts;
    return changes.run(async () => miner.setMode({ automine: false, blockTime }));
  }

  /**
   * Puts the miner back to how it started, to instant mining if it did not mine then, and mines what can be mined at
   * once by then.
   */
  startMining(): Promise<void> {
    const { options, miner, producer, changes } = this.#parts;
    const { blockTime } = options;
    const automine = options.automine || blockTime === null;
    return changes.run(async () => {
      miner.setMode({ automine, blockTime });
      if (automine) await producer.mineWaiting();
    });
  }

  /** Makes no more blocks but those asked for. */
  stopMining(): Promise<void> {
    const { miner, changes } = this.#parts;
    return changes.run(async () => miner.setMode({ automine: false, blockTime: null }));
  }

  /** Moves the chain's time forward for good; gives the total offset in seconds. */
  increaseTime(seconds: number): Promise<number> {
    const { blockchain, clock, changes } = this.#parts;
    return changes.run(async () => clock.increase(seconds, blockchain.head.header.timestamp));
  }

  /** Sets the time (seconds since 1970), back too; gives the seconds by which it was moved. */
  setTime(timestamp: number): Promise<number> {
    return this.#parts.changes.run(async () => this.#parts.clock.setTime(timestamp));
  }

  /** Sets the timestamp of the next block, once. Rejects with `TimestampTooLowError`. */
  setNextTimestamp(timestamp: number): Promise<void> {
    return this.#parts.changes.run(async () => setNextTimestamp(this.#parts, timestamp));
  }

  /** Seconds from each block to the next; `null` when blocks follow the clock. */
  get timestampInterval(): number | null {
    return this.#parts.clock.setting.interval;
  }

  /** Sets the seconds from each block to the next, `null` to follow the clock again; blocks stay a second apart. */
  setTimestampInterval(interval: number | null): Promise<void> {
    return this.#parts.changes.run(async () => this.#parts.clock.setInterval(interval));
  }

  /** Takes a transaction out of the pool; false when it was not there. */
  dropTransaction(hash: Uint8Array): Promise<boolean> {
    return this.#parts.changes.run(async () => this.#parts.pool.remove(hash));
  }

  /** Empties the pool. */
  dropAllTransactions(): Promise<void> {
    return this.#parts.changes.run(async () => this.#parts.pool.removeWhere(() => true));
  }

  /** Takes the transactions of a sender out of the pool. */
  dropTransactionsOf(sender: Uint8Array): Promise<void> {
    const { pool, changes } = this.#parts;
    return changes.run(async () => pool.removeSender(sender));
  }
}
