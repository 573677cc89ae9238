/** The settings of Hardhat's network that change outcomes of tests, as Hardhat resolves them. */
export interface NetworkSettings {
  readonly chainId: number;
  readonly hardfork: string;
  readonly blockGasLimit: number | string;
  readonly allowUnlimitedContractSize?: boolean;
  readonly allowBlocksWithSameTimestamp?: boolean;
  readonly initialBaseFeePerGas?: number | string;
  readonly initialDate?: string;
  readonly accounts:
    | {
        readonly mnemonic: string;
        readonly path: string;
        readonly count: number;
        readonly accountsBalance: string;
      }
    | readonly { readonly privateKey: string; readonly balance: string }[];
}

const WEI_PER_ETHER = 10n ** 18n;
const WEI_DIGITS = 18;
/** Hardhat's names of rule sets that node-cli names otherwise. */
const HARDFORKS: Readonly<Record<string, string>> = {
  merge: 'paris',
  muirGlacier: 'istanbul',
  arrowGlacier: 'london',
  grayGlacier: 'london',
  constantinople: 'petersburg',
};

function inEther(wei: bigint): string {
  const fraction = `${wei % WEI_PER_ETHER}`.padStart(WEI_DIGITS, '0').replace(/0+$/, '');
  return `${wei / WEI_PER_ETHER}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Thrown if node-cli has no option for a setting of the project. */
export class UnsupportedSettingError extends Error {}

function accountOptions(accounts: NetworkSettings['accounts']): readonly string[] {
  if (!('mnemonic' in accounts))
    throw new UnsupportedSettingError('networks.hardhat.accounts: expected a mnemonic, got private keys');
  const { mnemonic, path, count, accountsBalance } = accounts;
  return [
    ...['--mnemonic', mnemonic, '--accounts', `${count}`],
    ...['--derivation-path', path.endsWith('/') ? path : `${path}/`],
    ...['--balance', inEther(BigInt(accountsBalance))],
  ];
}

/** Options of node-cli for the settings of the project's Hardhat network. */
export function nodeOptions(settings: NetworkSettings): readonly string[] {
  const { hardfork, initialBaseFeePerGas, initialDate } = settings;
  return [
    ...['--chain-id', `${settings.chainId}`, '--hardfork', HARDFORKS[hardfork] ?? hardfork],
    ...['--gas-limit', `${BigInt(settings.blockGasLimit)}`],
    ...accountOptions(settings.accounts),
    ...(settings.allowUnlimitedContractSize ? ['--allow-unlimited-contract-size'] : []),
    ...(settings.allowBlocksWithSameTimestamp ? ['--allow-blocks-with-same-timestamp'] : []),
    ...(initialBaseFeePerGas === undefined ? [] : ['--base-fee', `${BigInt(initialBaseFeePerGas)}`]),
    ...(initialDate === undefined ? [] : ['--timestamp', initialDate]),
  ];
}
