import type { ImpersonatedSigner } from '../../evm/signers.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { ClockSetting } from './chain-clock.ts';
import type { ChainOptions } from './chain-options.ts';
import type { ImpersonationRecord } from './impersonation.ts';
import type { MiningMode } from './miner.ts';

/** Settings of the next block alone; `null` leaves them to the rules. */
export interface NextBlockSettings {
  /** Wei per gas. */
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes. */
  readonly prevRandao: Uint8Array | null;
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
const NOTHING_SET: NextBlockSettings = { baseFeePerGas: null, prevRandao: null };

/** The settings that a chain starts with. */
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

/** The settings without what was set for one block alone. */
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

/** The settings of a chain that decide, besides its blocks, its state and its pool, how it goes on. Never changed. */
export interface RuntimeState {
  readonly clock: ClockSetting;
  readonly mining: MiningMode;
  readonly settings: BlockSettings;
  readonly impersonation: ImpersonationRecord;
}
