/** The settings of a network that a chain on one machine can imitate. */
export interface ChainPreset {
  readonly chainId: number;
  /** Gas of the first block. */
  readonly gasLimit: bigint;
  /** The gas that blocks come nearer to, where the network's own limits hold. */
  readonly gasLimitTarget: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
}

/** The minimum gas price of the public networks in most years, in wei per gas. */
const PUBLIC_MINIMUM_GAS_PRICE = 60_000_000n;
/** Gas of the blocks of the public networks, from the main network's first block on. */
const PUBLIC_GAS_LIMIT = 6_800_000n;

/** The networks of this kind by name: the public ones, that of developers, and the local one. */
export const CHAIN_PRESETS = {
  mainnet: {
    chainId: 30,
    gasLimit: PUBLIC_GAS_LIMIT,
    gasLimitTarget: PUBLIC_GAS_LIMIT,
    minimumGasPrice: PUBLIC_MINIMUM_GAS_PRICE,
  },
  testnet: {
    chainId: 31,
    gasLimit: PUBLIC_GAS_LIMIT,
    gasLimitTarget: PUBLIC_GAS_LIMIT,
    minimumGasPrice: PUBLIC_MINIMUM_GAS_PRICE,
  },
  devnet: {
    chainId: 32,
    gasLimit: PUBLIC_GAS_LIMIT,
    gasLimitTarget: PUBLIC_GAS_LIMIT,
    minimumGasPrice: 0n,
  },
  local: { chainId: 33, gasLimit: 10_000_000n, gasLimitTarget: 7_500_000n, minimumGasPrice: 0n },
} as const satisfies Readonly<Record<string, ChainPreset>>;

/** The name of a network. */
export type ChainPresetName = keyof typeof CHAIN_PRESETS;

/** Returns the values of the options that a network implies where they are not given, as texts. */
export function optionsOfPreset(name: ChainPresetName): Readonly<Record<string, string>> {
  const { chainId, gasLimit, minimumGasPrice } = CHAIN_PRESETS[name];
  return {
    chainId: chainId.toString(),
    gasLimit: gasLimit.toString(),
    minGasPrice: minimumGasPrice.toString(),
  };
}
