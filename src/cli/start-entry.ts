import type { ChainOptions } from '../node/chain-options.ts';
import type { Fork } from '../node/fork/fork.ts';
import { PREDEPLOYS } from '../node/predeploys.ts';
import { toHex } from '../primitives/hex.ts';
import { checksumAddress } from '../wallet/checksum.ts';
import { DEFAULT_MNEMONIC, type DevAccount } from '../wallet/dev-accounts.ts';
import type { StartEntry } from './log-entries.ts';
import { isLoopbackHost } from './loopback.ts';
import type { NodeOptions } from './options.ts';
import { VERSION } from './version.ts';

/** When a chain mines, in words that follow its other facts. */
function miningWords({ automine, blockTime }: ChainOptions): string {
  if (blockTime === null) return automine ? 'mines each transaction at once' : 'mines only when asked';
  return automine ? `mines each transaction at once and every ${blockTime} s` : `mines every ${blockTime} s`;
}

/** What the banner and the configuration file say of a node that listens at `url`, whose user has these accounts. */
export function startEntry(
  options: NodeOptions,
  accounts: readonly DevAccount[],
  { chainOptions: chain, fork }: { readonly chainOptions: ChainOptions; readonly fork: Fork | null },
  url: string,
): StartEntry {
  const isFromNetwork = options.devAccounts === 'network';
  const { mnemonic, derivationPath } = options;
  return {
    version: VERSION,
    url,
    webSocketUrl: url.replace(/^http/, 'ws'),
    accounts: accounts.map(({ address, privateKey }) => ({
      address: checksumAddress(address, chain.chainId),
      privateKey: toHex(privateKey),
    })),
    balance: chain.balance,
    wallet: isFromNetwork ? null : { mnemonic, derivationPath },
    areKeysPublic: isFromNetwork || mnemonic === DEFAULT_MNEMONIC,
    preset: options.chain,
    chainId: chain.chainId,
    networkId: chain.networkId,
    ruleSet: chain.ruleSet,
    gasLimit: chain.gasLimit,
    networkLimits: chain.networkLimits,
    minimumGasPrice: chain.minimumGasPrice,
    fork: fork === null ? null : { url: fork.upstream.urls[0] ?? '', number: fork.number },
    predeploys: chain.predeploys ? Object.values(PREDEPLOYS) : [],
    mining: miningWords(chain),
    dataDirectory: chain.dataDirectory,
    needsApiKey: options.apiKey.length > 0,
    isExposed: !options.hosted && !isLoopbackHost(options.host),
  };
}
