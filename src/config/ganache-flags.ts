/**
 * Flags of Ganache 7 and of ganache-cli 6. Ganache has them with a namespace (`--chain.chainId`), and most of
 * them also without one (`--chainId`).
 */

import { flagOf, OPTIONS, type OptionKey, optionWithFlag } from './options.ts';

/** The names of Ganache's options, as flags without dashes, by the option that has the same meaning here. */
const SAME_MEANING: Partial<Readonly<Record<OptionKey, readonly string[]>>> = {
  chainId: ['chain.chainId', 'chainId'],
  networkId: ['chain.networkId', 'networkId', 'i'],
  hardfork: ['chain.hardfork', 'k'],
  timestamp: ['chain.time', 'time', 't'],
  disableCodeSizeLimit: ['chain.allowUnlimitedContractSize', 'allowUnlimitedContractSize'],
  dataDir: ['database.dbPath', 'dbPath', 'db_path', 'db'],
  quiet: ['logging.quiet'],
  verbose: ['logging.verbose'],
  blockTime: ['miner.blockTime'],
  gasPrice: ['miner.defaultGasPrice', 'defaultGasPrice', 'gasPrice', 'g'],
  gasLimit: ['miner.blockGasLimit', 'blockGasLimit', 'gasLimit', 'l'],
  difficulty: ['miner.difficulty'],
  callGasLimit: ['miner.callGasLimit', 'callGasLimit'],
  coinbase: ['miner.coinbase'],
  accounts: ['wallet.totalAccounts', 'totalAccounts'],
  deterministic: ['wallet.deterministic', 'd'],
  mnemonic: ['wallet.mnemonic'],
  balance: ['wallet.defaultBalance', 'defaultBalance', 'defaultBalanceEther', 'default-balance-ether', 'e'],
  derivationPath: ['wallet.hdPath', 'hdPath', 'hd_path'],
  forkUrl: ['fork.url'],
  forkBlockNumber: ['fork.blockNumber', 'fork_block_number'],
  forkHeader: ['fork.headers'],
  noStorageCaching: ['fork.disableCache', 'disableCache'],
  host: ['server.host'],
  port: ['server.port'],
};

const FLAGS: ReadonlyMap<string, OptionKey> = new Map(
  Object.entries(SAME_MEANING).flatMap(([key, names]) =>
    names.map((name) => [dashed(name), key as OptionKey] as const),
  ),
);

/** Flags whose effect node-cli always has. */
export const GANACHE_DEFAULTS: Readonly<Record<string, string>> = {
  '--chain.asyncRequestProcessing': 'requests always run concurrently',
  '--asyncRequestProcessing': 'requests always run concurrently',
  '--server.ws': 'the port always serves WebSocket too',
};

const COMPAT_HARDHAT = 'pass --compat hardhat to get an error if a sent transaction fails';
const AUTHORIZATION =
  'write the credentials into the URL of --fork-url, or pass --fork-header "Authorization: …"';
const TIME =
  'set the time of blocks with evm_increaseTime, evm_setNextBlockTimestamp or --allow-blocks-with-same-timestamp';

/**
 * Remedies for flags without a meaning here, by name without namespace and hyphens, in lower case. If a
 * remedy starts with "but", a reason comes first.
 */
const REMEDIES: Readonly<Record<string, string>> = {
  allowunlimitedinitcodesize: 'pass --disable-code-size-limit, which also removes the limit of init code',
  vmerrorsonrpcresponse: COMPAT_HARDHAT,
  novmerrorsonrpcresponse:
    'but without --compat hardhat, the node always returns the hash of a failed transaction; remove the option',
  dbpath: 'pass --data-dir <dir> with the path of a directory',
  debug: 'call debug_traceTransaction, or run npx node-cli trace <hash>',
  file: 'redirect the output of the node to a file in the shell',
  logger: 'pass --json to print the log as JSON for other programs',
  timestampincrement: TIME,
  defaulttransactiongaslimit:
    'but the default gas of a transaction is always the higher one of 90,000 and the gas estimate; remove the option',
  instamine:
    'but automine always mines a transaction before the hash is returned (like eager in Ganache); remove the option',
  extradata: 'but the extra data of blocks is fixed; remove the option',
  pricebump:
    "but the price bump is fixed (40 % under Rootstock's rules, 10 % under Ethereum hardforks); remove the option",
  account:
    'fund the account with --fund-accounts <address>:<ether>, and import its key with personal_importRawKey',
  seed: 'pass --mnemonic-seed-unsafe <number>, or set the words with --mnemonic',
  unlock: 'pass --auto-impersonate, or call anvil_impersonateAccount with the address',
  unlockedaccounts: 'pass --auto-impersonate, or call anvil_impersonateAccount with the address',
  u: 'pass --auto-impersonate, or call anvil_impersonateAccount with the address',
  lock: 'lock an account with personal_lockAccount',
  secure: 'lock an account with personal_lockAccount',
  passphrase: 'call personal_newAccount with the passphrase',
  accountkeyspath: 'pass --config-out <file> to write accounts and keys as JSON',
  acctkeys: 'pass --config-out <file> to write accounts and keys as JSON',
  provider: 'pass --fork-url <url>, or call createNode with the option forkUrl',
  prelatestconfirmations: 'pass --fork-block-number <number>',
  username: AUTHORIZATION,
  password: AUTHORIZATION,
  jwt: AUTHORIZATION,
  useragent: 'pass --fork-header "User-Agent: …"',
  origin: 'pass --fork-header "Origin: …"',
  requestspersecond: 'pass --compute-units-per-second <number>',
  deletecache: 'run npx node-cli cache clean before you start the node',
  forkcachesize: 'but the size of the fork cache in memory is fixed; remove the option',
  wsbinary: 'but WebSocket messages are always text; remove the option',
  rss: 'but node-cli limits the size of a request with --body-limit; remove the option',
  keepalivetimeout: 'but the timeout of idle connections is fixed; remove the option',
  mem: 'pass --metrics to report the memory in use',
  detach: 'start the node in the background (in a shell with &), then run npx node-cli wait',
  flavor: "but --hardfork chooses between Rootstock's and Ethereum's rules; remove the option",
};

/** Remedies for names that mean something else without their namespace. */
const NAMESPACED: Readonly<Record<string, string>> = {
  '--wallet.accounts': REMEDIES.account ?? '',
  '--fork.network': 'pass --fork-url <url> with the URL of a node of that network',
  '--database.db': 'pass --data-dir <dir>, which stores the chain in a LevelDB database',
  '-D': REMEDIES.detach ?? '',
};

const NAMESPACE = /^--(?:chain|database|logging|miner|wallet|fork|server)\./;

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** Replaces a flag of Ganache by the flag with the same meaning: `--chainId=5` by `--chain-id=5`. */
export function withoutGanacheFlag(word: string): string {
  const [flag = word] = word.split('=', 1);
  const key = optionWithFlag(flag) === undefined ? FLAGS.get(flag) : undefined;
  if (key === undefined) return word;
  const value = word.slice(flag.length);
  // Ganache's switches also take a value.
  return OPTIONS[key].kind === 'switch' && value === '=true' ? flagOf(key) : `${flagOf(key)}${value}`;
}

/** Returns the remedy for a flag of Ganache without a meaning here; undefined for all other flags. */
export function ganacheRemedy(flag: string): string | undefined {
  if (Object.hasOwn(NAMESPACED, flag)) return NAMESPACED[flag];
  const name = flag.replace(NAMESPACE, '').replaceAll(/[-_]/g, '').toLowerCase();
  return Object.hasOwn(REMEDIES, name) ? REMEDIES[name] : undefined;
}
