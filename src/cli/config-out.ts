import type { StartEntry } from '../log/log-entries.ts';

/** Facts of the file that the banner does not show. */
export interface ConfigFileFacts {
  /** Wei per gas; `null` under rules without a base fee. */
  readonly baseFee: bigint | null;
  /** Wei per gas that the node suggests. */
  readonly gasPrice: bigint;
  /** Seconds since 1970 of the first block. */
  readonly genesisTimestamp: number;
  /** One of the keys that callers must have as the path of the URL; `null` where none is needed. */
  readonly apiKey: string | null;
}

/**
 * The text of the file that `--config-out` asks for. Names and decimal texts are those of Anvil's file, with
 * `chain_id`, `url` and `checksum_addresses` besides; programs call that URL as it is, so it holds the API key.
 * `available_accounts` has the checksum of EIP-55, which every client takes; some refuse that of EIP-1191.
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
    checksum_addresses: entry.accounts.map(({ checksumAddress }) => checksumAddress),
    chain_id: entry.chainId,
    url: facts.apiKey === null ? entry.url : `${entry.url}/${facts.apiKey}`,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
