import type { ImpersonatedSigner } from '../../evm/signers.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { nextMinimumGasPrice } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { ChainOptions } from './chain-options.ts';

/** Settings of the next block alone; `null` leaves them to the rules. */
export interface NextBlockSettings {
  /** Wei per gas. */
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes. */
  readonly prevRandao: Uint8Array | null;
  /** 32 bytes. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
}

/** The settings that blocks are made with and transactions are checked against. Never changed, only replaced. */
export interface BlockSettings {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number;
  /** 20 bytes: the account that gets the fees. */
  readonly coinbase: Uint8Array;
  /** Gas of each block, unless it follows a target. */
  readonly gasLimit: bigint;
  /** The gas that each block comes nearer to than its parent; `null` where `gasLimit` holds. */
  readonly gasLimitTarget: bigint | null;
  /** Wei per gas below which no transaction is taken, unless it follows a target. */
  readonly minimumGasPrice: bigint;
  /** The minimum gas price that each block comes nearer to than its parent; `null` where `minimumGasPrice` holds. */
  readonly minimumGasPriceTarget: bigint | null;
  /** Wei per gas that the node suggests; `null` for what follows from the minimum and from the last blocks. */
  readonly gasPrice: bigint | null;
  /** At most 32 bytes. */
  readonly extraData: Uint8Array;
  /** The accounts (20 bytes) that count as signers, by signature (r, s and v) as `hexKey` spells it. */
  readonly impersonatedSigners: ReadonlyMap<string, Uint8Array>;
  readonly next: NextBlockSettings;
}

const NO_EXTRA_DATA = new Uint8Array(0);
const NOTHING_SET: NextBlockSettings = {
  baseFeePerGas: null,
  prevRandao: null,
  parentBeaconBlockRoot: null,
};

/** Returns the settings that a chain starts with. */
export function initialSettings(options: ChainOptions): BlockSettings {
  const { chainId, coinbase, gasLimit, gasLimitTarget, gasPrice } = options;
  const { minimumGasPrice, minimumGasPriceTarget } = options;
  return {
    chainId,
    coinbase,
    gasLimit,
    gasLimitTarget,
    minimumGasPrice,
    minimumGasPriceTarget,
    gasPrice,
    extraData: NO_EXTRA_DATA,
    impersonatedSigners: new Map(),
    next: NOTHING_SET,
  };
}

/** Returns the settings without what was set for one block alone. */
export function withoutNext(settings: BlockSettings): BlockSettings {
  return settings.next === NOTHING_SET ? settings : { ...settings, next: NOTHING_SET };
}

/** The settings of a chain, which can change while it runs. */
export class LiveSettings {
  #current: BlockSettings;

  constructor(settings: BlockSettings) {
    this.#current = settings;
  }

  /** The settings as they stand. */
  get current(): BlockSettings {
    return this.#current;
  }

  /** Returns the account that counts as the signer of a signature at the moment. */
  readonly impersonatedSigner: ImpersonatedSigner = (signature) =>
    this.#current.impersonatedSigners.get(hexKey(signature));

  /** Replaces some of the settings. */
  change(fields: Partial<BlockSettings>): void {
    this.#current = { ...this.#current, ...fields };
  }

  /** Changes settings of the next block alone; those that were set for it before stay. */
  changeNext(fields: Partial<NextBlockSettings>): void {
    this.change({ next: { ...this.#current.next, ...fields } });
  }

  /** Drops what was set for the next block alone. Called when that block has been made. */
  useUpNext(): void {
    this.#current = withoutNext(this.#current);
  }

  /** Puts settings back. */
  restore(settings: BlockSettings): void {
    this.#current = settings;
  }
}

/** A header's gas limit may differ from its parent's by this part of it. */
const BOUND_DIVISOR = 1024n;
/** The least gas limit that blocks of the network have. */
const MINIMUM_GAS_LIMIT = 3_000_000n;
/** Gas that the sequential list of transactions has before the parallel lists get any (RSKIP-144). */
const LEAST_SEQUENTIAL_GAS = 6_800_000n;
/** Lists of transactions that run beside the sequential one (RSKIP-144). */
const PARALLEL_LISTS = 2n;

/** Returns the gas limit of the block after one with `parentGasLimit`, on the network's way towards `target`. */
export function nextGasLimit(parentGasLimit: bigint, target: bigint): bigint {
  const goal = target > MINIMUM_GAS_LIMIT ? target : MINIMUM_GAS_LIMIT;
  const step = parentGasLimit / BOUND_DIVISOR;
  if (goal < parentGasLimit) {
    const lowered = parentGasLimit - step;
    return lowered < goal ? goal : lowered;
  }
  const raised = parentGasLimit + step;
  return raised > goal ? goal : raised;
}

/**
 * Gas of the sequential list in a block of that gas limit: the most that one transaction can have on the network, since
 * a parallel list never has more (RSKIP-144).
 */
export function sequentialGas(blockGasLimit: bigint): bigint {
  if (blockGasLimit <= LEAST_SEQUENTIAL_GAS) return blockGasLimit;
  const lists = PARALLEL_LISTS + 1n;
  const isSharedEvenly = blockGasLimit >= lists * LEAST_SEQUENTIAL_GAS;
  const perParallelList = isSharedEvenly
    ? blockGasLimit / lists
    : (blockGasLimit - LEAST_SEQUENTIAL_GAS) / PARALLEL_LISTS;
  return blockGasLimit - PARALLEL_LISTS * perParallelList;
}

/** Returns the wei per gas of the base fee in the block after the parent: what is set for it alone, or what the rules say. */
export function baseFeeAfter(
  parent: Pick<Block, 'header'>,
  settings: BlockSettings,
  ruleSet: RuleSet,
): bigint | null {
  const { baseFeePerGas } = settings.next;
  return baseFeePerGas === null
    ? ruleSet.fees.nextBaseFee(parent.header)
    : ruleSet.fees.baseFee(baseFeePerGas);
}

/** The fields of a block that the limits of the next one follow from. */
type LimitParent = { readonly header: Pick<Block['header'], 'gasLimit' | 'minimumGasPrice'> };

/** Returns the gas limit of the block after the parent. */
export function gasLimitAfter({ header }: LimitParent, settings: BlockSettings): bigint {
  const { gasLimit, gasLimitTarget } = settings;
  return gasLimitTarget === null ? gasLimit : nextGasLimit(header.gasLimit, gasLimitTarget);
}

/** Returns wei per gas of the minimum gas price in the block after the parent. */
export function minimumGasPriceAfter({ header }: LimitParent, settings: BlockSettings): bigint {
  const { minimumGasPrice, minimumGasPriceTarget } = settings;
  if (minimumGasPriceTarget === null) return minimumGasPrice;
  return nextMinimumGasPrice(header.minimumGasPrice, minimumGasPriceTarget);
}

/**
 * Gas that all transactions of a block with that gas limit can have together: under the network's limits that of the
 * sequential list, which all stand in.
 */
export function gasForTransactions(gasLimit: bigint, networkLimits: boolean): bigint {
  return networkLimits ? sequentialGas(gasLimit) : gasLimit;
}

/** Gas that one transaction of a block with that gas limit can have: that of all, or less by the rules (EIP-7825). */
export function transactionGas(gasLimit: bigint, networkLimits: boolean, ruleSet: RuleSet): bigint {
  const all = gasForTransactions(gasLimit, networkLimits);
  const { maximumTransactionGas } = ruleSet;
  return maximumTransactionGas !== null && maximumTransactionGas < all ? maximumTransactionGas : all;
}

/** The gas that a block has for its transactions, and the price that it takes of each of them. */
export interface NextLimits {
  /** Gas of the block. */
  readonly gasLimit: bigint;
  /** Gas that one transaction can have. */
  readonly transactionGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
}

/** Returns the limits of the block after the parent. */
export function limitsAfter(
  parent: LimitParent,
  settings: BlockSettings,
  networkLimits: boolean,
  ruleSet: RuleSet,
): NextLimits {
  const gasLimit = gasLimitAfter(parent, settings);
  return {
    gasLimit,
    transactionGasLimit: transactionGas(gasLimit, networkLimits, ruleSet),
    minimumGasPrice: minimumGasPriceAfter(parent, settings),
  };
}

/** Returns true when the blocks on top of this one will have its gas limit and its minimum gas price unless a caller changes them. */
export function hasSettledLimits(block: LimitParent, settings: BlockSettings): boolean {
  const { header } = block;
  return (
    gasLimitAfter(block, settings) === header.gasLimit &&
    minimumGasPriceAfter(block, settings) === header.minimumGasPrice
  );
}
