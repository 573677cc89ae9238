import { ENGINE_NAMES } from '../../chain/settings/chain-options.ts';
import { MEMORY_LIMITS } from '../../evm/halt-reasons.ts';
import { DEFAULT_RULE_SET_NAME, RULE_SET_NAMES, ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import { DEFAULT_FEDERATION, FEDERATION_FORMATS } from '../../protocol/hardforks/rootstock.ts';
import type { ImpliedOptions, OptionDefinition } from '../option-definition.ts';
import {
  bigintInteger,
  choice,
  text,
  timestamp,
  transactionGas,
  type ValueForm,
  wholeNumber,
} from '../value-form.ts';
import { EIP_FORM, HARDFORK_ALIASES, HARDFORK_FORM, RSKIP_FORM } from './hardfork-forms.ts';
import { NETWORK_POOL_TIMEOUT } from './mining-options.ts';

/** The settings of a live network that a local chain can use. */
export interface ChainPreset {
  readonly chainId: number;
  /** Initial gas limit of blocks. */
  readonly gasLimit: bigint;
  /** The gas limit that blocks approach with `--network-limits`. */
  readonly gasLimitTarget: bigint;
  /** In wei per gas. */
  readonly minimumGasPrice: bigint;
}

/** The usual minimum gas price of the public networks, in wei per gas. */
const PUBLIC_MINIMUM_GAS_PRICE = 60_000_000n;
/** Gas limit of blocks on the public networks, since the genesis block of the mainnet. */
const PUBLIC_GAS_LIMIT = 6_800_000n;

/** Rootstock's networks by name. */
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

export type ChainPresetName = keyof typeof CHAIN_PRESETS;

/** Returns the implied options of a network, in written form. */
function optionsOfPreset(name: ChainPresetName): Readonly<Record<string, string>> {
  const { chainId, gasLimit, minimumGasPrice } = CHAIN_PRESETS[name];
  return {
    chainId: chainId.toString(),
    gasLimit: gasLimit.toString(),
    minGasPrice: minimumGasPrice.toString(),
  };
}

// EIP-2294: twice the chain id plus 36 must be a safe integer.
const MAX_CHAIN_ID = 4_503_599_627_370_476;
const MAX_GAS = 2n ** 63n - 1n;
/** The gas limit of blocks without a limit. Clients that read it as a JavaScript number lose no digit. */
const UNLIMITED_BLOCK_GAS = String(Number.MAX_SAFE_INTEGER);
/** The limit of calls does not follow blocks without a limit, because an endless loop would run until the timeout. */
const USUAL_CALL_GAS = String(2 ** 30);
const MAX_WEI = 10n ** 30n;
const MAX_BYTES = 2 ** 30;
/** Enough for the buffers that each execution needs. */
const MIN_MEMORY = 2 ** 20;
/** Leaves half of the block numbers that storage supports for blocks to mine. */
const MAX_FIRST_BLOCK = 2 ** 47;

/** The hardforks by the names of the help. */
export const HARDFORKS = [
  ...RULE_SET_NAMES.map((name) => [name, ruleSetNamed(name)] as const),
  ['latest', ruleSetNamed(HARDFORK_ALIASES.latest)] as const,
];
const { usualBlockGas: USUAL_BLOCK_GAS, maximumCodeSize: USUAL_CODE_SIZE } =
  ruleSetNamed(DEFAULT_RULE_SET_NAME);

/** Returns the default limits of a hardfork, with its single proposals, if they are unusual. */
function usualLimitsOf(hardfork: string): ImpliedOptions {
  const name = HARDFORK_FORM.parse(hardfork);
  if (name === undefined) return {};
  const { usualBlockGas, maximumCodeSize } = ruleSetNamed(name);
  return {
    ...(usualBlockGas === USUAL_BLOCK_GAS ? {} : { gasLimit: usualBlockGas.toString() }),
    ...(maximumCodeSize === USUAL_CODE_SIZE ? {} : { codeSizeLimit: maximumCodeSize.toString() }),
  };
}

/** In Anvil, `--chain` is another name of `--chain-id`. */
const CHAIN_FORM: ValueForm<ChainPresetName> = {
  ...choice('chain', 'mainnet', 'testnet', 'devnet', 'local'),
  hint: (text) => (/^\d+$/.test(text) ? `set the chain id with --chain-id ${text}` : undefined),
};

/** The options of the chain itself. */
export const CHAIN_OPTIONS = {
  chain: {
    setBy: 'agent',
    kind: 'value',
    form: CHAIN_FORM,
    default: null,
    otherwise: 'chain id 33, gas limit 30000000, minimum gas price 0',
    implies: {
      mainnet: optionsOfPreset('mainnet'),
      testnet: optionsOfPreset('testnet'),
      devnet: optionsOfPreset('devnet'),
      local: optionsOfPreset('local'),
    },
    description: 'Preset for chain id, gas limit and minimum gas price',
  },
  chainId: {
    common: 'Chain and mining',
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(1, MAX_CHAIN_ID, '33'),
    default: '33',
    description: 'Chain id that transactions are signed for',
  },
  networkId: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(1, MAX_CHAIN_ID, '33'),
    default: null,
    otherwise: 'the chain id',
    description: 'Network id that net_version returns',
  },
  hardfork: {
    common: 'Chain and mining',
    setBy: 'agent',
    kind: 'value',
    form: HARDFORK_FORM,
    default: DEFAULT_RULE_SET_NAME,
    implies: usualLimitsOf,
    description: 'Rules of Rootstock, Ethereum or a preview',
  },
  rskip: {
    setBy: 'agent',
    kind: 'list',
    form: RSKIP_FORM,
    description: "Switch a draft of Rootstock's next rules on or off",
  },
  withEip: {
    setBy: 'agent',
    kind: 'list',
    form: EIP_FORM,
    description: 'Add a single EIP to the rules of the hardfork',
  },
  federation: {
    setBy: 'agent',
    kind: 'value',
    form: choice('federation', ...FEDERATION_FORMATS),
    default: DEFAULT_FEDERATION,
    description: "Script of the Bridge's federation: p2wsh = witness and emergency keys",
  },
  engine: {
    setBy: 'agent',
    kind: 'value',
    form: choice('engine', ...ENGINE_NAMES),
    default: 'wasm',
    description: 'EVM engine: the built-in interpreter (wasm) or ethereumjs',
  },
  shadow: {
    setBy: 'agent',
    kind: 'switch',
    description: 'Run every transaction on both engines; stop with a dump if they differ',
  },
  timestamp: {
    setBy: 'agent',
    kind: 'value',
    form: timestamp,
    default: null,
    otherwise: 'now',
    aliases: ['initial-date'],
    description: 'Genesis time: seconds since 1970, or a date in UTC',
  },
  number: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MAX_FIRST_BLOCK, '1000000'),
    default: '0',
    conflicts: ['init', 'state', 'loadState', 'forkUrl'],
    conflictReasons: {
      init: 'because the file sets the number of the genesis block',
      state: 'because the file contains the genesis block',
      loadState: 'because the file contains the genesis block',
      forkUrl: 'because a fork starts after a block of the forked chain',
    },
    description: 'Number of the genesis block',
  },
  gasLimit: {
    common: 'Chain and mining',
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(21_000n, MAX_GAS, '30000000', 'gas'),
    default: USUAL_BLOCK_GAS.toString(),
    aliases: ['block-gas-limit'],
    description: 'Block gas limit; 60000000 with osaka or later',
  },
  disableBlockGasLimit: {
    setBy: 'agent',
    kind: 'switch',
    aliases: ['disable-gas-limit'],
    conflicts: ['gasLimit', 'networkLimits'],
    implies: { gasLimit: UNLIMITED_BLOCK_GAS, callGasLimit: USUAL_CALL_GAS },
    isDecisive: true,
    description: 'Mine blocks and transactions of any gas',
  },
  callGasLimit: {
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(21_000n, MAX_GAS, '1073741824', 'gas'),
    default: null,
    otherwise: 'higher of 1073741824 and --gas-limit; 10000000 with --network-limits',
    description: 'Maximum gas of a call, a call trace or a simulation',
  },
  txGasLimit: {
    setBy: 'agent',
    kind: 'value',
    form: transactionGas(21_000n, MAX_GAS),
    default: 'hardfork',
    bare: 'hardfork',
    aliases: ['enable-tx-gas-limit'],
    description: 'Maximum gas of a transaction; hardfork = 16777216 with osaka to bpo2',
  },
  minGasPrice: {
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(0n, MAX_WEI, '60000000', 'wei'),
    default: '0',
    description: 'Minimum gas price of a transaction',
  },
  minGasPriceTarget: {
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(0n, MAX_WEI, '60000000', 'wei'),
    default: null,
    description: 'Each block moves the minimum gas price by 1 % towards this target',
  },
  gasPrice: {
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(0n, MAX_WEI, '60000000', 'wei'),
    default: null,
    otherwise: '10 % above the minimum gas price; with a base fee, the base fee plus 1 gwei',
    description: 'Gas price that eth_gasPrice returns',
  },
  disableMinPriorityFee: {
    setBy: 'agent',
    kind: 'switch',
    aliases: ['no-priority-fee'],
    description: 'Suggest a priority fee of 0 instead of 1 gwei',
  },
  blockBaseFeePerGas: {
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(0n, MAX_WEI, '1000000000', 'wei'),
    default: null,
    otherwise: '1 gwei with --hardfork london or later',
    aliases: ['base-fee'],
    description: 'Base fee of the genesis block, or of the first block after a fork',
  },
  codeSizeLimit: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MAX_BYTES, '24576', 'bytes'),
    default: USUAL_CODE_SIZE.toString(),
    description: 'Maximum contract size (EIP-170; 65536 with --hardfork amsterdam)',
  },
  disableCodeSizeLimit: {
    setBy: 'agent',
    kind: 'switch',
    aliases: ['allow-unlimited-contract-size', 'unlimited-contract-size'],
    conflicts: ['codeSizeLimit'],
    description: 'Allow contracts of any size',
  },
  memoryLimit: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(MIN_MEMORY, Number.MAX_SAFE_INTEGER, '134217728', 'bytes'),
    default: String(MEMORY_LIMITS.execution),
    description: 'Maximum memory of an execution; values above 402653184 have no effect',
  },
  networkLimits: {
    setBy: 'agent',
    kind: 'switch',
    conflicts: ['codeSizeLimit', 'disableCodeSizeLimit'],
    implies: { gasLimit: CHAIN_PRESETS.local.gasLimit.toString(), ...NETWORK_POOL_TIMEOUT },
    description: "Enforce Rootstock's limits on transactions and blocks",
  },
  noPredeploys: {
    setBy: 'agent',
    kind: 'switch',
    aliases: ['disable-default-create2-deployer', 'no-create2'],
    description: 'Start without predeployed contracts (Multicall3, Permit2 and others)',
  },
  dataDir: {
    common: 'Forking and persistence',
    setBy: 'user',
    kind: 'value',
    form: text({ placeholder: '<dir>', allowed: 'the path of a directory', example: './node-data' }, /^.+$/s),
    default: null,
    description: 'Persist the chain in this directory and continue from it',
  },
  noSync: {
    setBy: 'user',
    kind: 'switch',
    needs: ['dataDir'],
    description: 'Reply before data is on disk; a system crash may lose blocks',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
