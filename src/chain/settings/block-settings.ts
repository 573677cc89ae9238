import type { ImpersonatedSigner } from '../../evm/signers.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { INITIAL_BASE_FEE, nextMinimumGasPrice } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { ChainOptions } from './chain-options.ts';

/** Settings of the next block only. `null` selects the default of the rules. */
export interface NextBlockSettings {
  /** Wei per gas. */
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes. */
  readonly prevRandao: Uint8Array | null;
  /** 32 bytes. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
}

/** The settings for new blocks and for the validation of transactions. Immutable. */
export interface BlockSettings {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number;
  /** 20 bytes: the recipient of the fees. */
  readonly coinbase: Uint8Array;
  /** Gas limit of each block, if no target is set. */
  readonly gasLimit: bigint;
  /** Each block moves its gas limit from its parent's towards this target; `null` to use `gasLimit`. */
  readonly gasLimitTarget: bigint | null;
  /** Minimum gas price (wei per gas), if no target is set. */
  readonly minimumGasPrice: bigint;
  /** Blocks move their minimum gas price towards this target; `null` to use `minimumGasPrice`. */
  readonly minimumGasPriceTarget: bigint | null;
  /** Suggested price in wei per gas; `null` to compute it from the minimum and the last blocks. */
  readonly gasPrice: bigint | null;
  /** At most 32 bytes. */
  readonly extraData: Uint8Array;
  /** Signer overrides (20 bytes) by signature (r, s and v, as `hexKey` formats it). */
  readonly impersonatedSigners: ReadonlyMap<string, Uint8Array>;
  readonly next: NextBlockSettings;
}

const NO_EXTRA_DATA = new Uint8Array(0);
const NOTHING_SET: NextBlockSettings = {
  baseFeePerGas: null,
  prevRandao: null,
  parentBeaconBlockRoot: null,
};

/** Base fee (wei per gas) of the first block after genesis; `null` to derive it from the genesis block. */
function firstBaseFee({ repeatsGenesisBaseFee, baseFee, genesis }: ChainOptions): bigint | null {
  return repeatsGenesisBaseFee ? (baseFee ?? genesis?.header.baseFeePerGas ?? INITIAL_BASE_FEE) : null;
}

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
    next: { ...NOTHING_SET, baseFeePerGas: firstBaseFee(options) },
  };
}

/** Returns the settings without the values for the next block only. */
export function withoutNext(settings: BlockSettings): BlockSettings {
  return settings.next === NOTHING_SET ? settings : { ...settings, next: NOTHING_SET };
}

/** The settings of a chain, which can change while it runs. */
export class LiveSettings {
  #current: BlockSettings;

  constructor(settings: BlockSettings) {
    this.#current = settings;
  }

  get current(): BlockSettings {
    return this.#current;
  }

  /** Returns the overriding signer of a signature, if one is set. */
  readonly impersonatedSigner: ImpersonatedSigner = (signature) =>
    this.#current.impersonatedSigners.get(hexKey(signature));

  change(fields: Partial<BlockSettings>): void {
    this.#current = { ...this.#current, ...fields };
  }

  /** Changes settings of the next block only. Earlier values for it remain. */
  changeNext(fields: Partial<NextBlockSettings>): void {
    this.change({ next: { ...this.#current.next, ...fields } });
  }

  /** Clears the values for the next block only. Called after that block was mined. */
  useUpNext(): void {
    this.#current = withoutNext(this.#current);
  }

  restore(settings: BlockSettings): void {
    this.#current = settings;
  }
}

/** A header's gas limit may differ from its parent's by at most 1/1024 of the parent's. */
const BOUND_DIVISOR = 1024n;
/** Minimum gas limit of a Rootstock block. */
const MINIMUM_GAS_LIMIT = 3_000_000n;
/** The minimum gas of the sequential list (RSKIP-144). Parallel lists share the rest. */
const MIN_SEQUENTIAL_GAS = 6_800_000n;
/** Number of parallel lists (RSKIP-144). */
const PARALLEL_LISTS = 2n;

/** Returns the gas limit after a block with `parentGasLimit`, moved towards `target` as on Rootstock. */
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
 * Gas of the sequential list in a block with this gas limit. It is the maximum of one Rootstock transaction,
 * because a parallel list is never larger (RSKIP-144).
 */
export function sequentialGas(blockGasLimit: bigint): bigint {
  if (blockGasLimit <= MIN_SEQUENTIAL_GAS) return blockGasLimit;
  const lists = PARALLEL_LISTS + 1n;
  const isSharedEvenly = blockGasLimit >= lists * MIN_SEQUENTIAL_GAS;
  const perParallelList = isSharedEvenly
    ? blockGasLimit / lists
    : (blockGasLimit - MIN_SEQUENTIAL_GAS) / PARALLEL_LISTS;
  return blockGasLimit - PARALLEL_LISTS * perParallelList;
}

/** Returns the next block's base fee (wei per gas): the value set for it, or the rules' value. */
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

/** The parent fields that determine the next limits. */
type LimitParent = { readonly header: Pick<Block['header'], 'gasLimit' | 'minimumGasPrice'> };

export function gasLimitAfter({ header }: LimitParent, settings: BlockSettings): bigint {
  const { gasLimit, gasLimitTarget } = settings;
  return gasLimitTarget === null ? gasLimit : nextGasLimit(header.gasLimit, gasLimitTarget);
}

/** Returns the minimum gas price (wei per gas) of the block after the parent. */
export function minimumGasPriceAfter({ header }: LimitParent, settings: BlockSettings): bigint {
  const { minimumGasPrice, minimumGasPriceTarget } = settings;
  if (minimumGasPriceTarget === null) return minimumGasPrice;
  return nextMinimumGasPrice(header.minimumGasPrice, minimumGasPriceTarget);
}

/**
 * Gas for all transactions of a block. Under Rootstock's limits it is the gas of the sequential list, which
 * contains all transactions here.
 */
export function gasForTransactions(gasLimit: bigint, networkLimits: boolean): bigint {
  return networkLimits ? sequentialGas(gasLimit) : gasLimit;
}

/** Maximum gas of one transaction in a block: the gas for all transactions, or the cap of EIP-7825. */
export function transactionGas(gasLimit: bigint, networkLimits: boolean, ruleSet: RuleSet): bigint {
  const all = gasForTransactions(gasLimit, networkLimits);
  const { maximumTransactionGas } = ruleSet;
  return maximumTransactionGas !== null && maximumTransactionGas < all ? maximumTransactionGas : all;
}

export interface NextLimits {
  readonly gasLimit: bigint;
  readonly transactionGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
}

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

/** Returns true if later blocks keep these limits unless a client changes them. */
export function hasSettledLimits(block: LimitParent, settings: BlockSettings): boolean {
  const { header } = block;
  return (
    gasLimitAfter(block, settings) === header.gasLimit &&
    minimumGasPriceAfter(block, settings) === header.minimumGasPrice
  );
}
