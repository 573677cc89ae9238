import { describe, expect, it } from 'vitest';
import { settleCommandLine, splitCommandLine } from '../../src/cli/read-options.ts';
import { UsageError } from '../../src/config/errors.ts';
import type { NodeOptions } from '../../src/config/options.ts';
import { readOptions } from './support/read-options.ts';

const GANACHE_WORDS = 'myth like bonus scare over problem client lizard pioneer submit female collect';
const FORK = ['--fork-url', 'http://a.b'];

/** Flags of Anvil and Hardhat with an equivalent option, and the resulting options. */
const TAKEN: readonly (readonly [words: readonly string[], expected: Partial<NodeOptions>])[] = [
  [['--silent'], { quiet: true }],
  [['--quiet'], { quiet: true }],
  [['--format-json'], { json: true }],
  [['--auto-impersonate'], { autoImpersonate: true }],
  [['--auto-unlock'], { autoImpersonate: true }],
  [['--hardfork', 'prague', '--block-base-fee-per-gas', '7'], { blockBaseFeePerGas: 7n }],
  [['--hardfork', 'london', '--base-fee=0'], { blockBaseFeePerGas: 0n }],
  [['--steps-tracing'], {}],
  [['--tracing'], {}],
  [['--preserve-historical-states'], {}],
  [['--blockTime', '3'], { blockTime: 3 }],
  [['--no-mine'], { noMining: true }],
  [['--block-gas-limit', '21000'], { gasLimit: 21_000n }],
  [['--enable-tx-gas-limit'], { txGasLimit: 'hardfork' }],
  [['--tx-gas-limit'], { txGasLimit: 'hardfork' }],
  [['--tx-gas-limit', 'none'], { txGasLimit: 'none' }],
  [['--tx-gas-limit', '20000000', '--quiet'], { txGasLimit: 20_000_000n, quiet: true }],
  [['--call-gas-limit', '50000000'], { callGasLimit: 50_000_000n }],
  [['--disable-console-log'], { noConsoleLog: true }],
  [['--no-create2'], { noPredeploys: true }],
  [['--disable-default-create2-deployer'], { noPredeploys: true }],
  [['--rpc-url', 'http://a.b'], { forkUrl: ['http://a.b'] }],
  [['-f', 'http://a.b'], { forkUrl: ['http://a.b'] }],
  [[...FORK, '--cups', '7'], { computeUnitsPerSecond: 7 }],
  [[...FORK, '--no-rpc-rate-limit'], { noRateLimit: true }],
  [['--state', 'a', '-s', '7'], { stateInterval: 7 }],
  [['--hostname', '0.0.0.0'], { host: '0.0.0.0' }],
  [['--fork', 'http://a.b', '--fork-block-number', '7'], { forkUrl: ['http://a.b'], forkBlockNumber: 7 }],
  [['--mnemonic-random'], { mnemonicRandom: 12 }],
  [['--mnemonic-random', '--silent'], { mnemonicRandom: 12, quiet: true }],
  [['--mnemonic-random', '24'], { mnemonicRandom: 24 }],
  [['--mnemonic-random', '--mnemonic-random', '24'], { mnemonicRandom: 24 }],
  [['--mnemonic-seed-unsafe', '7'], { mnemonicSeedUnsafe: 7 }],
  [
    ['--fund-accounts', `0x${'ab'.repeat(20)}:1.5,0x${'cd'.repeat(20)}`],
    {
      fundAccounts: [
        { address: new Uint8Array(20).fill(0xab), balance: 15n * 10n ** 17n },
        { address: new Uint8Array(20).fill(0xcd), balance: null },
      ],
    },
  ],
  [['--unlimited-contract-size'], { disableCodeSizeLimit: true }],
  [['--allow-unlimited-contract-size'], { disableCodeSizeLimit: true }],
  [[...FORK, '--fork-headers', 'A: b'], { forkHeader: [['A', 'b']] }],
  [['--genesis', 'genesis.json'], { init: 'genesis.json' }],
  [['--print-logs'], { noConsoleLog: false }],
  [['--print-traces'], { verbose: true }],
  [['--enable-trace-printing'], { verbose: true }],
  [['--prune-history'], { pruneHistory: 1000 }],
  [['--prune-history', '--quiet'], { pruneHistory: 1000, quiet: true }],
  [['--prune-history', '7'], { pruneHistory: 7 }],
  [
    ['--fund-accounts', `0x${'ab'.repeat(20)}:5`, `0x${'cd'.repeat(20)}:6`, '--quiet'],
    {
      quiet: true,
      fundAccounts: [
        { address: new Uint8Array(20).fill(0xab), balance: 5n * 10n ** 18n },
        { address: new Uint8Array(20).fill(0xcd), balance: 6n * 10n ** 18n },
      ],
    },
  ],
  [['--initial-date', '2026-01-31T12:00:00Z'], { timestamp: 1_769_860_800 }],
  [['--initial-date', '2026-01-31'], { timestamp: 1_769_817_600 }],
  [['--number', '1000'], { number: 1_000 }],
  [['--disable-gas-limit'], { disableBlockGasLimit: true }],
  [['--no-priority-fee'], { disableMinPriorityFee: true }],
  [['--disable-pool-balance-checks'], { disablePoolBalanceChecks: true }],
  [['--max-transactions', '7'], { maxTransactions: 7 }],
  [['--memory-limit', '134217728'], { memoryLimit: 134_217_728 }],
  [['--no-request-size-limit'], { bodyLimit: 67_108_864 }],
  [['--no-cors'], { noCors: true }],
  [['--color', 'never'], { color: 'never' }],
  [['--slots-in-an-epoch', '2'], { slotsInAnEpoch: 2 }],
];

/** The flags of Ganache 7 with an equivalent option. */
const GANACHE_TAKEN: readonly (readonly [words: readonly string[], expected: Partial<NodeOptions>])[] = [
  [['--chain.chainId', '5'], { chainId: 5 }],
  [['--chainId=5'], { chainId: 5 }],
  [['--chain.networkId', '5'], { networkId: 5 }],
  [['--networkId', '5'], { networkId: 5 }],
  [['-i', '5'], { networkId: 5 }],
  [['-i=5'], { networkId: 5 }],
  [['--chain.time', '2026-01-31T12:00:00+01:00'], { timestamp: 1_769_857_200 }],
  [['--time', '1700000000'], { timestamp: 1_700_000_000 }],
  [['-t', '1700000000'], { timestamp: 1_700_000_000 }],
  [['--chain.hardfork', 'shanghai'], { hardfork: 'shanghai' }],
  [['-k', 'shanghai'], { hardfork: 'shanghai' }],
  [['--chain.allowUnlimitedContractSize'], { disableCodeSizeLimit: true }],
  [['--allowUnlimitedContractSize=true'], { disableCodeSizeLimit: true }],
  [['--chain.asyncRequestProcessing'], {}],
  [['--database.dbPath', './db'], { dataDir: './db' }],
  [['--db', './db'], { dataDir: './db' }],
  [['--db_path', './db'], { dataDir: './db' }],
  [['--logging.quiet'], { quiet: true }],
  [['--logging.verbose'], { verbose: true }],
  [['--miner.blockTime', '3'], { blockTime: 3 }],
  [['--blockTime', '3'], { blockTime: 3 }],
  [['--miner.defaultGasPrice', '7'], { gasPrice: 7n }],
  [['--gasPrice', '7'], { gasPrice: 7n }],
  [['-g', '7'], { gasPrice: 7n }],
  [['--miner.blockGasLimit', '21000'], { gasLimit: 21_000n }],
  [['--gasLimit', '21000'], { gasLimit: 21_000n }],
  [['-l', '21000'], { gasLimit: 21_000n }],
  [['--miner.difficulty', '7'], { difficulty: 7n }],
  [['--miner.callGasLimit', '50000000'], { callGasLimit: 50_000_000n }],
  [['--callGasLimit', '50000000'], { callGasLimit: 50_000_000n }],
  [['--miner.coinbase', `0x${'ab'.repeat(20)}`], { coinbase: new Uint8Array(20).fill(0xab) }],
  [['--wallet.totalAccounts', '3'], { accounts: 3 }],
  [['--wallet.deterministic'], { deterministic: true, mnemonic: GANACHE_WORDS }],
  [['--deterministic'], { deterministic: true, mnemonic: GANACHE_WORDS }],
  [['-d'], { deterministic: true, mnemonic: GANACHE_WORDS }],
  [['--wallet.mnemonic', GANACHE_WORDS], { mnemonic: GANACHE_WORDS }],
  [['--wallet.defaultBalance', '7'], { balance: 7n * 10n ** 18n }],
  [['--defaultBalanceEther', '7'], { balance: 7n * 10n ** 18n }],
  [['-e', '7'], { balance: 7n * 10n ** 18n }],
  [['--wallet.hdPath', "m/44'/60'/0'/0"], { derivationPath: "m/44'/60'/0'/0" }],
  [['--hdPath', "m/44'/60'/0'/0"], { derivationPath: "m/44'/60'/0'/0" }],
  [['--fork.url', 'http://a.b'], { forkUrl: ['http://a.b'] }],
  [[...FORK, '--fork.blockNumber', '7'], { forkBlockNumber: 7 }],
  [[...FORK, '--fork.headers', 'A: b'], { forkHeader: [['A', 'b']] }],
  [[...FORK, '--fork.disableCache'], { noStorageCaching: true }],
  [['--server.host', '0.0.0.0'], { host: '0.0.0.0' }],
  [['--server.port', '7'], { port: 7 }],
  [['--server.ws'], {}],
  [['--chain.hardfork', 'muirGlacier'], { hardfork: 'istanbul' }],
  [['--chain.hardfork', 'grayGlacier'], { hardfork: 'london' }],
  [['-k', 'merge'], { hardfork: 'paris' }],
];

/** The other flags of Ganache 7 and ganache-cli 6, without an equivalent option. */
const GANACHE_NOT_HERE = [
  '--chain.allowUnlimitedInitCodeSize',
  '--chain.vmErrorsOnRPCResponse',
  '--vmErrorsOnRPCResponse',
  '--noVMErrorsOnRPCResponse',
  '--database.db',
  '--logging.debug',
  '--debug',
  '--logging.file',
  '--logging.logger',
  '--miner.timestampIncrement',
  '--miner.defaultTransactionGasLimit',
  '--miner.instamine',
  '--instamine',
  '--miner.extraData',
  '--miner.priceBump',
  '--wallet.accounts',
  '--account',
  '--wallet.seed',
  '--seed',
  '--wallet.unlockedAccounts',
  '--unlock',
  '-u',
  '--wallet.lock',
  '--lock',
  '--secure',
  '--wallet.passphrase',
  '--passphrase',
  '--wallet.accountKeysPath',
  '--account_keys_path',
  '--acctKeys',
  '--fork.provider',
  '--fork.network',
  '--fork.preLatestConfirmations',
  '--fork.username',
  '--fork.password',
  '--fork.jwt',
  '--fork.userAgent',
  '--fork.origin',
  '--fork.requestsPerSecond',
  '--fork.deleteCache',
  '--forkCacheSize',
  '--server.wsBinary',
  '--server.rss',
  '--keepAliveTimeout',
  '--mem',
  '--detach',
  '-D',
  '--flavor',
];

/** The other flags of Anvil 1.7 and `hardhat node`, without an equivalent option. */
const NOT_HERE = [
  '--max-persisted-states',
  '--md',
  '--markdown',
  '--allow-local-compiler',
  '--allow-project-env',
  '--monad',
  '--verbosity',
  '--cache-path',
  '--threads',
  '-j',
  '--optimism',
  '--celo',
  '--tempo.fee-payer',
  '--network',
  '-n',
  '--chain-type',
  '--tsconfig',
  '--show-stack-traces',
  '--max-memory',
  '--emoji',
  '--flamegraph',
  '--build-profile',
  '--gas-stats',
  '--gas-stats-json',
  '--logging-enabled',
  '--throw-on-transaction-failures',
  '--throw-on-call-failures',
];

function refusal(...commandLine: readonly string[]): string {
  try {
    readOptions(commandLine, {});
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the options were taken');
}

describe('flags of Anvil, Hardhat and Ganache', () => {
  it.each([...TAKEN, ...GANACHE_TAKEN])('%j is read as its equivalent option', (words, expected) => {
    expect(readOptions(words, {})).toMatchObject(expected);
  });

  it.each([...NOT_HERE, ...GANACHE_NOT_HERE])('%s is rejected with its tool and a remedy', (flag) => {
    for (const words of [[flag], [flag, '7'], [`${flag}=7`]]) {
      const line = refusal(...words);
      expect(line).toMatch(/^--?\S+ is an? (?:Anvil|Hardhat|Ganache) option(?:, but \S.+)?; \S.* .*\S$/);
      expect(line.startsWith(`${flag} is `)).toBe(true);
      expect(line).not.toContain('\n');
    }
  });

  it('messages contain the flag as written', () => {
    expect(refusal('--blockTime', 'x')).toContain('--block-time: expected a number of seconds');
    expect(refusal('--hostname', 'a/b')).toContain(
      '--hostname: expected an IP address or a host name, got "a/b"',
    );
    expect(refusal('--rpc-url')).toContain('--fork-url: missing value; expected an HTTP or WebSocket URL');
    expect(refusal('--rpc-url', '--quiet')).toContain('got the option --quiet');
    expect(refusal('--silent=1')).toBe('--silent takes no value; write --silent alone');
    expect(refusal('--tracing=1')).toBe('--tracing takes no value; write --tracing alone');
  });

  it('--chain with a number, as in Anvil, is rejected with --chain-id', () => {
    expect(refusal('--chain', '31337')).toBe(
      '--chain: unknown chain "31337"; set the chain id with --chain-id 31337',
    );
  });

  it('a malformed second address of --fund-accounts is rejected with the option', () => {
    expect(refusal('--fund-accounts', `0x${'ab'.repeat(20)}:5`, '0xcd:6')).toMatch(
      /^--fund-accounts: expected .*, got "0xcd:6"$/,
    );
  });

  it('flags of the command of exec are not changed', async () => {
    const words = ['exec', '--chainId', '5', '-g', '7', 'ganache', '--chainId', '6', '-i', '8'];
    const { operands, options } = settleCommandLine(splitCommandLine(words, {}));
    expect(operands).toEqual(['ganache', '--chainId', '6', '-i', '8']);
    expect(options).toMatchObject({ chainId: 5, gasPrice: 7n });
  });

  it('a flag conflicts with its equivalent option, except for lists and switches', () => {
    expect(refusal('--host', 'a', '--hostname', 'b')).toBe(
      '--host and --hostname are the same option; remove one of them',
    );
    const several = ['--fork-url', 'http://a.b', '--rpc-url', 'http://c.d'];
    expect(readOptions(several, {}).forkUrl).toEqual(['http://a.b', 'http://c.d']);
    expect(readOptions(['--quiet', '--silent'], {}).quiet).toBe(true);
  });
});

describe('--block-base-fee-per-gas', () => {
  it('--block-base-fee-per-gas is rejected for hardforks without a base fee', () => {
    for (const words of [[], ['--hardfork', 'rootstock'], ['--hardfork', 'berlin']]) {
      expect(refusal('--block-base-fee-per-gas', '7', ...words)).toMatch(
        /^--block-base-fee-per-gas requires one of --hardfork london, .*--hardfork osaka, .*--hardfork latest; .* --min-gas-price$/,
      );
    }
  });

  it('--block-base-fee-per-gas 0 is accepted for a hardfork without a base fee', () => {
    expect(readOptions(['--block-base-fee-per-gas', '0'], {}).blockBaseFeePerGas).toBe(0n);
  });

  it('--block-base-fee-per-gas is accepted for a fork, whose hardfork is known later', () => {
    expect(readOptions([...FORK, '--block-base-fee-per-gas', '7'], {}).blockBaseFeePerGas).toBe(7n);
    expect(refusal(...FORK, '--hardfork', 'berlin', '--block-base-fee-per-gas', '7')).toContain(
      'requires one of',
    );
  });
});
