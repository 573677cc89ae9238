import { BlockList, isIP } from 'node:net';
import type { Chain } from '../chain/chain.ts';
import type { Durability } from '../chain/chain-core.ts';
import { PREDEPLOYS } from '../chain/genesis/predeploy-addresses.ts';
import type { BlockTime, MiningMode } from '../chain/settings/miner.ts';
import { VERSION } from '../config/options.ts';
import type { Fork } from '../fork/fork.ts';
import type { StartEntry } from '../log/log-entries.ts';
import type { OpenedNode } from '../node/open-node.ts';
import { fromHex, toHex } from '../primitives/hex.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import { DEFAULT_FEDERATION } from '../protocol/hardforks/rootstock.ts';
import { compatNameFor } from '../rpc/compat.ts';
import type { ParentChainAccess } from '../rpc/rpc-node.ts';
import { isLoopbackName } from '../server/access-control.ts';
import { checksumAddress, commonChecksumAddress } from '../wallet/address.ts';
import { DEFAULT_DERIVATION_PATH, DEFAULT_MNEMONIC } from '../wallet/dev-accounts.ts';
import type { OpenChain } from './open-chain.ts';
import type { InitialState } from './state/initial-state.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * True for a host that only this machine reaches: 127.0.0.0/8 and ::1 (also IPv4-mapped), `localhost` and its
 * subdomains (RFC 6761, section 6.3).
 */
export function isLoopbackHost(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return isLoopbackName(host.toLowerCase());
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

function miningWords({ automine, blockTime }: MiningMode): string {
  if (blockTime === null) return automine ? 'automine' : 'mining on request';
  const interval = `a block every ${seconds(blockTime)} s`;
  return automine ? `automine and ${interval}` : interval;
}

function seconds(blockTime: BlockTime): string {
  return typeof blockTime === 'number' ? `${blockTime}` : `${blockTime.least} to ${blockTime.most}`;
}

/** The properties of a started node. */
export interface StartFacts
  extends Pick<OpenChain, 'options' | 'artifactFolders' | 'compat'>,
    Pick<OpenedNode, 'accounts'> {
  /** The started chain. If it continues an existing chain, its settings may differ from the options. */
  readonly chain: Pick<Chain, 'options' | 'settings'> & {
    readonly miner: { readonly mode: MiningMode };
    readonly durability: Pick<Durability, 'isContinued'> | null;
    head(): { readonly header: { readonly number: number } };
  };
  readonly fork: Fork | null;
  readonly beginning: Pick<InitialState, 'accounts' | 'file'>;
  /** The file to save the chain to; `null` for none. */
  readonly savedTo: string | null;
  /** In seconds since 1970. */
  readonly now: number;
  /** The URL of the parent chain's own port; `null` without one. */
  readonly parentUrl: string | null;
  /** The path of the IPC socket; `null` without one. */
  readonly ipcPath: string | null;
  /** `null` without a parent chain. */
  readonly parentChain: Pick<ParentChainAccess, 'pegs'> | null;
}

function forkFacts(fork: Fork, now: number): StartEntry['fork'] {
  return {
    url: fork.upstream.urls[0] ?? '',
    number: fork.number,
    age: Math.max(0, now - fork.timestamp),
    isFollowing: fork.options.follow !== null,
  };
}

function pegFacts({ pegs }: Pick<ParentChainAccess, 'pegs'>): StartEntry['pegs'] {
  const { address, hasFederate } = pegs.status().federation;
  return { address, hasFederate };
}

/** Returns the data for the banner and the configuration file of a node at `url`. */
export function startEntry(
  {
    options,
    compat,
    accounts,
    chain,
    artifactFolders,
    fork,
    beginning,
    savedTo,
    now,
    parentUrl,
    ipcPath,
    parentChain,
  }: StartFacts,
  url: string,
): StartEntry {
  const { file } = beginning;
  const { chainId, gasLimit, minimumGasPrice } = chain.settings;
  const { balance, dataDirectory, networkId, networkLimits, predeploys, ruleSet, federation } = chain.options;
  const isLoaded = file !== null && file.facts !== null;
  const isContinued = isLoaded || chain.durability?.isContinued === true;
  const isFromNetwork = options.devAccounts === 'network';
  const hasMnemonic = !isFromNetwork && beginning.accounts === null;
  const { mnemonic, mnemonicSeedUnsafe, derivationPath } = options;
  const isMnemonicPublic =
    mnemonic === DEFAULT_MNEMONIC || options.deterministic || mnemonicSeedUnsafe !== null;
  return {
    version: VERSION,
    url,
    webSocketUrl: url.replace(/^http/, 'ws'),
    ipcPath,
    accounts: accounts.map(({ address, privateKey }) => ({
      address: commonChecksumAddress(address),
      privateKey: toHex(privateKey),
    })),
    balance: isContinued ? null : balance,
    wallet: hasMnemonic ? { mnemonic, derivationPath } : null,
    hasDefaultWallet: mnemonic === DEFAULT_MNEMONIC && derivationPath === DEFAULT_DERIVATION_PATH,
    areKeysPublic: isFromNetwork || (hasMnemonic && isMnemonicPublic),
    preset: options.chain,
    chainId,
    networkId: networkId ?? chainId,
    ruleSet,
    federation: federation === DEFAULT_FEDERATION ? null : federation,
    isPreview: ruleSetNamed(ruleSet).preview !== null,
    dialect: options.compat,
    compatOfOthers: compatNameFor(compat.choice, undefined),
    compatEvidence: compat.evidence,
    gasLimit,
    networkLimits,
    minimumGasPrice,
    fork: fork === null ? null : forkFacts(fork, now),
    predeploys: predeploys && !isLoaded ? Object.values(PREDEPLOYS) : [],
    mining: miningWords(chain.miner.mode),
    dataDirectory,
    loadedFrom: file?.path ?? null,
    savedTo,
    parentUrls: parentChain === null ? [] : [`${url}/parent`, ...(parentUrl === null ? [] : [parentUrl])],
    pegs: parentChain === null ? null : pegFacts(parentChain),
    continuedAfter: isContinued ? chain.head().header.number : null,
    artifactFolders,
    lacksProject: artifactFolders.length === 0 && !options.noArtifacts && !options.hosted,
    configFile: options.config,
    hasLanes: options.lanes,
    needsApiKey: options.apiKey.length > 0,
    isExposed: !options.hosted && !isLoopbackHost(options.host),
    servesExplorer: !options.noExplorer && !options.hosted,
  };
}

/** Data of the `--config-out` file that the banner does not contain. */
export interface ConfigFileFacts {
  /** In wei per gas; `null` for hardforks without a base fee. */
  readonly baseFee: bigint | null;
  /** The suggested gas price, in wei per gas. */
  readonly gasPrice: bigint;
  /** In seconds since 1970. */
  readonly genesisTimestamp: number;
  /** One of the accepted API keys; `null` if no key is required. */
  readonly apiKey: string | null;
}

/**
 * Returns the content of the `--config-out` file in Anvil's format, plus `chain_id`, `url` and
 * `checksum_addresses`. `url` contains the API key. `available_accounts` has EIP-55 checksums, because some
 * clients reject EIP-1191.
 */
export function configFileText(entry: StartEntry, facts: ConfigFileFacts): string {
  const { wallet } = entry;
  const content = {
    available_accounts: entry.accounts.map(({ address }) => address),
    private_keys: entry.accounts.map(({ privateKey }) => privateKey),
    wallet: wallet === null ? {} : { derivation_path: wallet.derivationPath, mnemonic: wallet.mnemonic },
    base_fee: (facts.baseFee ?? 0n).toString(),
    gas_price: facts.gasPrice.toString(),
    gas_limit: entry.gasLimit.toString(),
    genesis_timestamp: facts.genesisTimestamp.toString(),
    checksum_addresses: entry.accounts.map(({ address }) => checksumAddress(fromHex(address), entry.chainId)),
    chain_id: entry.chainId,
    url: facts.apiKey === null ? entry.url : `${entry.url}/${facts.apiKey}`,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
