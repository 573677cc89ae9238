import type { ChainOptions, FundedAddress } from '../chain/settings/chain-options.ts';
import { MEMORY_LIMITS } from '../evm/halt-reasons.ts';
import { bigIntToFixedBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { RandomSource } from '../primitives/random.ts';
import { SUGGESTED_PRIORITY_FEE } from '../protocol/fees.ts';
import { LOCAL_FEDERATORS } from '../protocol/hardforks/free-calls.ts';
import { hasOwnFederation } from '../protocol/hardforks/rootstock.ts';
import { type CompatChoice, compatNameFor } from '../rpc/compat.ts';
import type { RpcServiceOptions } from '../rpc/rpc-service.ts';
import { defaultServerOptions, type ServerOptions } from '../server/options.ts';
import {
  DEFAULT_MNEMONIC,
  type DevAccount,
  deriveDevAccounts,
  NETWORK_ACCOUNTS,
} from '../wallet/dev-accounts.ts';
import { UsageError } from './errors.ts';
import { optionsExcludedBy } from './option-checks.ts';
import { CHAIN_PRESETS } from './options/chain-options.ts';
import { flagOf, type NodeOptions, VERSION } from './options.ts';
import type { NameOf } from './usage-messages.ts';

/** Throws {@link UsageError} for words outside the English BIP-39 list or a wrong checksum. */
async function checkMnemonic(mnemonic: string, source: string): Promise<void> {
  // The default is valid, and loading the word list takes time.
  if (mnemonic === DEFAULT_MNEMONIC) return;
  const { validateMnemonic } = await import('@scure/bip39');
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  if (validateMnemonic(mnemonic, wordlist)) return;
  const unknown = mnemonic.split(' ').findIndex((word) => !wordlist.includes(word));
  const fault =
    unknown === -1
      ? 'the last word does not match the checksum of the words'
      : `word ${unknown + 1} is not in the English BIP-39 list`;
  throw new UsageError(`${source}: invalid mnemonic: ${fault}; expected English BIP-39 words`);
}

/** Bytes of entropy per three words of a mnemonic (BIP-39). */
const ENTROPY_OF_THREE_WORDS = 4;

/** Returns the entropy of a seed number. It is not secret. */
function entropyOfSeed(seed: number): Uint8Array {
  return keccak256(bigIntToFixedBytes(BigInt(seed), 8)).subarray(0, 4 * ENTROPY_OF_THREE_WORDS);
}

/** Replaces the mnemonic with a random one or a seeded one, if the options request it. */
export async function withNewMnemonic(options: NodeOptions, random: RandomSource): Promise<NodeOptions> {
  const { mnemonicRandom: words, mnemonicSeedUnsafe: seed } = options;
  if (words === null && seed === null) return options;
  const { entropyToMnemonic } = await import('@scure/bip39');
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  const entropy = seed === null ? random(((words ?? 12) / 3) * ENTROPY_OF_THREE_WORDS) : entropyOfSeed(seed);
  return { ...options, mnemonic: entropyToMnemonic(entropy, wordlist) };
}

/**
 * Resolves to the listed accounts with their keys. Rejects with {@link UsageError} for an invalid mnemonic;
 * `nameOf` returns the name of its option.
 */
export async function devAccountsOf(options: NodeOptions, nameOf: NameOf = flagOf): Promise<DevAccount[]> {
  if (options.devAccounts === 'network') return [...NETWORK_ACCOUNTS];
  await checkMnemonic(options.mnemonic, nameOf('mnemonic'));
  const { mnemonic, derivationPath, accounts: count } = options;
  return deriveDevAccounts({ mnemonic, derivationPath, count });
}

/**
 * Funds of the members of the federation, for the built-in federate. Their calls are free, but the pool
 * requires a balance for their gas limit.
 */
const FEDERATION_FUNDS: readonly FundedAddress[] = LOCAL_FEDERATORS.map((address) => ({
  address,
  balance: 1_000n * 10n ** 18n,
}));

/** The default of Anvil. */
const ANVIL_SLOTS_IN_AN_EPOCH = 32;

/** The rules of a chain that depend on the compat mode. `rpc/compat.ts` has the rules of single responses. */
function compatRules({
  compat,
  slotsInAnEpoch,
  allowBlocksWithSameTimestamp,
}: NodeOptions): Pick<
  ChainOptions,
  | 'slotsInAnEpoch'
  | 'allowsSameTimestamp'
  | 'repeatsGenesisBaseFee'
  | 'continuesStateFiles'
  | 'replacesAtAnyIncrease'
  | 'requiresValidRequests'
> {
  const isAnvil = compat === 'anvil';
  return {
    slotsInAnEpoch: slotsInAnEpoch ?? (isAnvil ? ANVIL_SLOTS_IN_AN_EPOCH : 0),
    allowsSameTimestamp: allowBlocksWithSameTimestamp || isAnvil,
    repeatsGenesisBaseFee: isAnvil,
    continuesStateFiles: isAnvil,
    replacesAtAnyIncrease: isAnvil,
    requiresValidRequests: isAnvil,
  };
}

/**
 * Returns the options of the chain. Rootstock's development accounts are always funded, even if they are not
 * listed. A hosted node has no keys: its accounts are only funded, and clients sign their transactions.
 */
export function chainOptionsOf(options: NodeOptions, devAccounts: readonly DevAccount[]): ChainOptions {
  const { chainId, blockTime, hosted } = options;
  const parentChain = parentChainOptionsOf(options);
  const unlisted = [
    ...(hosted ? devAccounts : []),
    ...(options.devAccounts === 'network' ? [] : NETWORK_ACCOUNTS),
  ];
  return {
    chainId,
    networkId: options.networkId,
    ruleSet: options.hardfork,
    federation: options.federation,
    engine: options.engine,
    shadow: options.shadow,
    networkLimits: options.networkLimits,
    gasLimit: options.gasLimit,
    gasLimitTarget: options.networkLimits ? CHAIN_PRESETS[options.chain ?? 'local'].gasLimitTarget : null,
    callGasLimit: options.callGasLimit,
    transactionGasLimit: options.txGasLimit,
    minimumGasPrice: options.minGasPrice,
    minimumGasPriceTarget: options.minGasPriceTarget,
    gasPrice: options.gasPrice,
    priorityFee: options.disableMinPriorityFee ? 0n : SUGGESTED_PRIORITY_FEE,
    baseFee: options.blockBaseFeePerGas,
    difficulty: options.difficulty,
    coinbase: options.coinbase,
    remasc: options.remasc,
    parentChain,
    genesisNumber: options.number,
    genesisTimestamp: options.timestamp,
    automine: !options.noMining && (blockTime === null || options.mixedMining),
    blockTime,
    maximumTransactions: options.maxTransactions,
    checksPoolBalances: !options.disablePoolBalanceChecks,
    order: options.order,
    poolTimeout: {
      blocks: options.poolTimeoutBlocks === 0 ? null : options.poolTimeoutBlocks,
      seconds: options.poolTimeout === 0 ? null : options.poolTimeout,
    },
    keptBlocks: options.pruneHistory === 0 ? null : options.pruneHistory,
    memoryLimit: Math.min(options.memoryLimit, MEMORY_LIMITS.execution),
    codeSizeLimit: options.disableCodeSizeLimit ? null : options.codeSizeLimit,
    devAccounts: hosted ? [] : devAccounts,
    fundedAccounts: unlisted.map(({ address }) => address),
    balance: options.balance,
    funds: [
      ...(parentChain === null ? [] : FEDERATION_FUNDS),
      ...options.fundAccounts.map(({ address, balance }) => ({
        address,
        balance: balance ?? options.balance,
      })),
    ],
    genesis: null,
    predeploys: !options.noPredeploys,
    autoImpersonate: options.autoImpersonate,
    dataDirectory: options.dataDir,
    syncsData: !options.noSync,
    ...compatRules(options),
    filterTimeout: options.filterTimeout,
  };
}

/** Returns the options with the compat mode of the node. Some settings of a chain depend on the mode. */
export function inCompatMode(options: NodeOptions, compat: CompatChoice): NodeOptions {
  const given = new Set(options.given).add('compat');
  return { ...options, compat: compatNameFor(compat, undefined), given };
}

/** A lane can have the rules of Ethereum, which have no Bridge, or the chain id of a public network. */
function parentChainOptionsOf(options: NodeOptions): ChainOptions['parentChain'] {
  const { parentChain, parentBlockTime: blockTime, noFederate, hardfork, chainId } = options;
  const isExcluded = optionsExcludedBy(hardfork).includes('parentChain') || hasOwnFederation(chainId);
  return parentChain && !isExcluded ? { blockTime, hasFederate: !noFederate } : null;
}

/** True if clients of this node may be strangers, who must not see the paths of this machine. */
function hasPrivatePaths({ hosted, apiKey }: NodeOptions): boolean {
  return hosted || apiKey.length > 0;
}

/** Returns the options of the RPC service, without the compat mode. */
export function rpcOptionsOf(options: NodeOptions): Omit<RpcServiceOptions, 'compat'> {
  return {
    hosted: options.hosted,
    erc7562: options.erc7562,
    impersonationFunds: options.autoFund ? options.balance : null,
    fieldNames: options.fieldNames,
    logLimits: { blocks: options.logBlockLimit, logs: options.logLimit },
    callTimeout: options.callTimeout,
    separatesKeys: options.apiKey.length > 1,
    editorLink: hasPrivatePaths(options) ? null : options.editorLink,
    version: VERSION,
  };
}

export function serverOptionsOf(options: NodeOptions): ServerOptions {
  return {
    ...defaultServerOptions,
    host: options.host,
    port: options.port,
    apiKeys: options.apiKey,
    allowOrigins: options.noCors ? 'none' : options.allowOrigin,
    allowHosts: options.allowHost,
    bodyLimit: options.bodyLimit,
    batchLimit: options.batchLimit,
    // Hosted nodes have no explorer.
    servesExplorer: !options.noExplorer && !options.hosted,
  };
}
