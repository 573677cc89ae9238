import { describe, expect, it } from 'vitest';
import { misspelledVariables } from '../../src/cli/read-options.ts';
import { takesOption } from '../../src/config/commands.ts';
import { UsageError } from '../../src/config/errors.ts';
import { settleLocalOptions } from '../../src/config/local-options.ts';
import type { NodeOptions, OptionKey } from '../../src/config/options.ts';
import { flagOf, groupOf, OPTION_ENTRIES, variableOf } from '../../src/config/options.ts';
import {
  changedRuleSet,
  RULE_SET_NAMES,
  ruleSetNamed,
  SINGLE_RULES,
} from '../../src/protocol/hardforks/registry.ts';
import { readOptions } from './support/read-options.ts';

const MNEMONIC =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

/** For each option with a value: a text, its value, and an invalid text with a part of the message. */
const VALUES: {
  [Key in OptionKey]?: { text: string; value: NodeOptions[Key]; bad: string; message: string };
} = {
  port: { text: '0', value: 0, bad: '65536', message: 'a whole number from 0 to 65535, got "65536"' },
  host: { text: '::1', value: '::1', bad: 'a/b', message: 'an IP address or a host name, got "a/b"' },
  allowOrigin: { text: 'https://a.b', value: ['https://a.b'], bad: 'a.b', message: 'an origin (scheme' },
  allowHost: {
    text: 'a.b',
    value: ['a.b'],
    bad: 'a b',
    message: 'a host name (without scheme, port and path)',
  },
  apiKey: { text: 'k-1', value: ['k-1'], bad: 'a/b', message: '1 to 128 letters' },
  editorLink: {
    text: 'idea://open?file={path}&line={line}',
    value: 'idea://open?file={path}&line={line}',
    bad: 'vscode://file/{file}',
    message: 'a URL with {path}, and optionally {line} and {column}, or "none", got',
  },
  bodyLimit: { text: '7', value: 7, bad: '0', message: 'a whole number of bytes from 1' },
  batchLimit: { text: '7', value: 7, bad: '0', message: 'a whole number of requests from 1' },
  logBlockLimit: { text: '7', value: 7, bad: '-1', message: 'a whole number of blocks from 0' },
  logLimit: { text: '0', value: 0, bad: 'x', message: 'a whole number of logs from 0' },
  callTimeout: {
    text: '0',
    value: 0,
    bad: '-1',
    message: 'from 0.001 to 86400, or 0, got',
  },
  artifacts: { text: 'a b,c', value: ['a b,c'], bad: '', message: 'the path of a folder or file' },
  gasReport: { text: 'a b.md', value: 'a b.md', bad: '', message: 'the path of a file to write' },
  gasBaseline: { text: 'a b.json', value: 'a b.json', bad: '', message: 'the path of a gas report in JSON' },
  profile: {
    text: 'a b.folded',
    value: 'a b.folded',
    bad: 'gas.xml',
    message: 'a file path that ends in .json',
  },
  gasTolerance: { text: '2.5', value: 2.5, bad: '5%', message: 'a percentage from 0 to 1000' },
  filterTimeout: { text: '7', value: 7, bad: '0', message: 'a number of seconds from 0.001' },
  accounts: { text: '3', value: 3, bad: '-1', message: 'a whole number from 0 to 10000, got "-1"' },
  balance: {
    text: '1.5',
    value: 15n * 10n ** 17n,
    bad: '1.0000000000000000001',
    message: 'an amount of ether',
  },
  mnemonic: {
    text: MNEMONIC,
    value: MNEMONIC,
    bad: 'test junk',
    message: '12, 15, 18, 21 or 24 English BIP-39 words',
  },
  mnemonicRandom: { text: '24', value: 24, bad: '13', message: 'one of 12, 15, 18, 21, 24, got "13"' },
  mnemonicSeedUnsafe: { text: '0', value: 0, bad: '-1', message: 'a whole number from 0' },
  fundAccounts: {
    text: `0x${'Ab'.repeat(20)}:1.5`,
    value: [{ address: new Uint8Array(20).fill(0xab), balance: 15n * 10n ** 17n }],
    bad: `0x${'ab'.repeat(20)}:x`,
    message:
      'an address (0x and 40 hexadecimal digits), optionally followed by a colon and an amount of ether',
  },
  derivationPath: {
    text: "m/44'/137'/0'/0",
    value: "m/44'/137'/0'/0",
    bad: '44/60',
    message: 'a BIP-32 path',
  },
  devAccounts: {
    text: 'network',
    value: 'network',
    bad: 'net',
    message: 'unknown kind of accounts "net" (did you mean network?); expected one of mnemonic, network',
  },
  chain: {
    text: 'testnet',
    value: 'testnet',
    bad: 'mainet',
    message: 'unknown chain "mainet" (did you mean mainnet?); expected one of mainnet, testnet,',
  },
  chainId: { text: '31337', value: 31337, bad: '0', message: 'a whole number from 1 to 4503599627370476' },
  networkId: { text: '34', value: 34, bad: 'x', message: 'a whole number from 1' },
  hardfork: {
    text: 'cancun',
    value: 'cancun',
    bad: 'london2',
    message: 'unknown hardfork "london2" (did you mean london?); expected one of rootstock,',
  },
  timestamp: { text: '12', value: 12, bad: '1.5', message: 'seconds since 1970' },
  gasLimit: { text: '21000', value: 21_000n, bad: '20999', message: 'a whole number of gas from 21000' },
  callGasLimit: {
    text: '21000',
    value: 21_000n,
    bad: '20999',
    message: 'a whole number of gas from 21000',
  },
  rskip: {
    text: '692=on',
    value: [{ rule: expect.objectContaining({ number: 692 }), isOn: true }],
    bad: '1=on',
    message: 'one of 543, 546, 545, 555, 692, 378, 559, and "=on" or "=off"',
  },
  withEip: {
    text: '7951',
    value: [{ rule: expect.objectContaining({ kind: 'EIP', number: 7951 }), isOn: true }],
    bad: '4844',
    message: 'one of 1153, 2537, 2565, ',
  },
  txGasLimit: { text: 'none', value: 'none', bad: '20999', message: '"none" or "hardfork", got "20999"' },
  minGasPrice: { text: '60', value: 60n, bad: '1gwei', message: 'a whole number of wei' },
  minGasPriceTarget: { text: '62', value: 62n, bad: '-1', message: 'a whole number of wei' },
  gasPrice: { text: '61', value: 61n, bad: '0x1', message: 'a whole number of wei' },
  blockBaseFeePerGas: { text: '0', value: 0n, bad: '1gwei', message: 'a whole number of wei from 0' },
  difficulty: { text: '7', value: 7n, bad: '0', message: 'a whole number of hashes from 1' },
  codeSizeLimit: { text: '9', value: 9, bad: 'big', message: 'a whole number of bytes' },
  dataDir: { text: 'a b/data', value: 'a b/data', bad: '', message: 'the path of a directory' },
  federation: {
    text: 'p2wsh',
    value: 'p2wsh',
    bad: 'p2sh',
    message: 'unknown federation "p2sh"',
  },
  engine: {
    text: 'reference',
    value: 'reference',
    bad: 'turbo',
    message: 'unknown engine "turbo"; expected one of wasm, reference',
  },
  coinbase: {
    text: `0x${'Ab'.repeat(20)}`,
    value: new Uint8Array(20).fill(0xab),
    bad: '0x12',
    message: 'an address (0x and 40 hexadecimal digits)',
  },
  blockTime: { text: '0.5', value: 0.5, bad: '0', message: 'a number of seconds from 0.001' },
  poolTimeout: { text: '7', value: 7, bad: '0.5', message: 'a whole number of seconds from 0' },
  pruneHistory: { text: '7', value: 7, bad: '-1', message: 'a whole number of blocks from 0' },
  poolTimeoutBlocks: { text: '7', value: 7, bad: '-1', message: 'a whole number of blocks from 0' },
  number: { text: '1000', value: 1000, bad: '-1', message: 'a whole number from 0' },
  maxTransactions: { text: '7', value: 7, bad: '0', message: 'a whole number of transactions from 1' },
  memoryLimit: {
    text: '134217728',
    value: 134_217_728,
    bad: '1000',
    message: 'a whole number of bytes from 1048576',
  },
  color: {
    text: 'never',
    value: 'never',
    bad: 'on',
    message: 'unknown colour mode "on"; expected one of auto, always, never',
  },
  slotsInAnEpoch: { text: '32', value: 32, bad: '-1', message: 'a whole number of blocks from 0' },
  order: {
    text: 'fifo',
    value: 'fifo',
    bad: 'fee',
    message: 'unknown order "fee" (did you mean fees?); expected one of fees, fifo',
  },
  compat: {
    text: 'hardhat',
    value: 'hardhat',
    bad: 'Anvil',
    message: 'unknown compat mode "Anvil" (did you mean anvil?); expected one of auto, service,',
  },
  fieldNames: {
    text: 'native',
    value: 'native',
    bad: 'nativ',
    message: 'unknown kind of field names "nativ" (did you mean native?); expected one of service, native',
  },
  forkUrl: {
    text: 'https://a.b@7',
    value: ['https://a.b@7'],
    bad: 'ftp://a.b',
    message: 'an HTTP or WebSocket URL',
  },
  forkBlockNumber: { text: '-7', value: -7, bad: '-0', message: 'a whole number from 0' },
  forkTransactionHash: {
    text: `0x${'Ab'.repeat(32)}`,
    value: new Uint8Array(32).fill(0xab),
    bad: '0x12',
    message: 'a hash (0x and 64 hexadecimal digits)',
  },
  forkBeforeTransaction: {
    text: `0x${'Ab'.repeat(32)}`,
    value: new Uint8Array(32).fill(0xab),
    bad: '0x12',
    message: 'a hash (0x and 64 hexadecimal digits)',
  },
  forkFollow: { text: '0.5', value: 0.5, bad: '0', message: 'a number of seconds from 0.001 to 86400' },
  forkChainId: { text: '30', value: 30, bad: '0', message: 'a whole number from 1' },
  forkHeader: {
    text: 'Accept: a, b',
    value: [['Accept', 'a, b']],
    bad: 'Accept',
    message: 'a header in the form "Authorization: Bearer abc"',
  },
  forkProxy: {
    text: 'none',
    value: 'none',
    bad: 'socks5://proxy.example',
    message: 'an HTTP or HTTPS URL of a proxy, or none',
  },
  timeout: { text: '7', value: 7, bad: '0', message: 'a whole number of milliseconds from 1' },
  retries: { text: '0', value: 0, bad: '-1', message: 'a whole number from 0' },
  forkRetryBackoff: { text: '0', value: 0, bad: '1s', message: 'a whole number of milliseconds from 0' },
  computeUnitsPerSecond: { text: '7', value: 7, bad: '0', message: 'a whole number of units from 1' },
  forkHints: {
    text: 'off',
    value: 'off',
    bad: 'on',
    message: 'unknown use of hints "on"; expected one of auto, off',
  },
  forkCacheDir: { text: 'a b/c', value: 'a b/c', bad: '', message: 'the path of a directory' },
  forkRecord: { text: 'a b.gz', value: 'a b.gz', bad: '', message: 'the path of a file' },
  ipc: { text: '/tmp/a b.ipc', value: '/tmp/a b.ipc', bad: '', message: 'the path of a socket' },
  laneTimeout: { text: '0', value: 0, bad: '-1', message: 'a number of seconds from 0.001' },
  drainTimeout: { text: '2.5', value: 2.5, bad: '-1', message: 'a number of seconds from 0.001' },
  laneLimit: { text: '5', value: 5, bad: '0', message: 'a whole number of lanes from 1' },
  state: { text: 'a b.gz', value: 'a b.gz', bad: '', message: 'the path of a file' },
  loadState: { text: 'a.gz', value: 'a.gz', bad: '', message: 'the path of a file' },
  dumpState: { text: 'a.gz', value: 'a.gz', bad: '', message: 'the path of a file' },
  stateInterval: { text: '0', value: 0, bad: '-1', message: 'a number of seconds from 0.001' },
  init: { text: 'g.json', value: 'g.json', bad: '', message: 'the path of a file' },
  config: { text: 'a.json', value: 'a.json', bad: '', message: 'the path of a file with options' },
  coverage: { text: 'a b.info', value: 'a b.info', bad: '', message: 'the path of a file' },
  coverageExclude: { text: 'a,*.sol', value: ['a,*.sol'], bad: '', message: 'a file or folder of sources' },
  parentBlockTime: { text: '2.5', value: 2.5, bad: '0', message: 'a number of seconds from 0.001' },
  parentPort: { text: '18443', value: 18_443, bad: '65536', message: 'a whole number from 0 to 65535' },
  configOut: { text: 'a b.json', value: 'a b.json', bad: '', message: 'the path of a file' },
};

function refusal(commandLine: readonly string[], environment: Record<string, string> = {}): string {
  try {
    readOptions(commandLine, environment);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the options were taken');
}

/** The options of `start`. The tests of the other commands cover their own options. */
const OWN_ENTRIES = OPTION_ENTRIES.filter(([key]) => takesOption('start', key));
const valued = OWN_ENTRIES.filter(([, definition]) => definition.kind !== 'switch').map(([key]) => key);
/** Options whose flag requires a value. */
const followed = OWN_ENTRIES.filter(
  ([key, definition]) => valued.includes(key) && !('bare' in definition),
).map(([key]) => key);
const switches = OWN_ENTRIES.filter(([, definition]) => definition.kind === 'switch').map(([key]) => key);
/** The options that an option requires. */
const COMPANIONS: Partial<Record<OptionKey, readonly string[]>> = {
  gasBaseline: ['--gas-report'],
  gasTolerance: ['--gas-report', '--gas-baseline', 'gas.json'],
  mixedMining: ['--block-time', '1'],
  stateInterval: ['--state', 'chain.json'],
  coverageExclude: ['--coverage', 'lcov.info'],
  hosted: ['--api-key', 'key'],
  noSync: ['--data-dir', 'data'],
  parentBlockTime: ['--parent-chain'],
  parentPort: ['--parent-chain'],
  noFederate: ['--parent-chain'],
  blockBaseFeePerGas: ['--hardfork', 'prague'],
  laneTimeout: ['--lanes'],
  drainTimeout: ['--lanes'],
  laneLimit: ['--lanes'],
  ...Object.fromEntries(
    OPTION_ENTRIES.flatMap(([key]) =>
      groupOf(key) === 'Fork' && key !== 'forkUrl' ? [[key, ['--fork-url', 'http://a.b']]] : [],
    ),
  ),
};

describe('options of debug', () => {
  it('reads the port of the adapter from a flag or a variable', () => {
    expect(readOptions(['debug', '--adapter-port', '4711'], {}).adapterPort).toBe(4711);
    expect(readOptions(['debug'], { NODE_CLI_ADAPTER_PORT: '0' }).adapterPort).toBe(0);
    expect(readOptions(['debug', '--stdio'], {})).toMatchObject({ stdio: true, adapterPort: null });
  });

  it('rejects an invalid port, both transports, and both options for other commands', () => {
    expect(() => readOptions(['debug', '--adapter-port', '65536'], {})).toThrow(
      'a whole number from 0 to 65535, got "65536"',
    );
    expect(() => readOptions(['debug', '--stdio', '--adapter-port', '1'], {})).toThrow(
      '--stdio cannot be used with --adapter-port',
    );
    expect(() => readOptions(['start', '--adapter-port', '1'], {})).toThrow(UsageError);
    expect(() => readOptions(['mcp', '--stdio'], {})).toThrow(UsageError);
  });
});

describe('option table', () => {
  it('every option with a value has a case in this test', () => {
    expect(Object.keys(VALUES).sort()).toEqual([...valued].sort());
  });

  it('conflicts and needs contain only existing options', () => {
    const keys: string[] = OPTION_ENTRIES.map(([key]) => key);
    const named = OPTION_ENTRIES.flatMap(([, definition]) => [
      ...(definition.conflicts ?? []),
      ...(definition.needs ?? []),
      ...(definition.kind === 'switch' ? Object.keys(definition.implies ?? {}) : []),
      ...(definition.kind === 'value' && typeof definition.implies === 'object'
        ? Object.values(definition.implies ?? {}).flatMap((implied) => Object.keys(implied))
        : []),
    ]);
    for (const key of named) expect(keys).toContain(key);
  });

  it('short flags are unique', () => {
    const letters = OPTION_ENTRIES.flatMap(([, { short }]) => (short === undefined ? [] : [short]));
    expect(new Set(letters).size).toBe(letters.length);
  });

  it('defaults and examples are valid values', () => {
    for (const [, definition] of OPTION_ENTRIES) {
      if (definition.kind === 'switch') continue;
      expect(definition.form.parse(definition.form.example.replaceAll('"', ''))).not.toBeUndefined();
      if (definition.kind === 'value' && definition.default !== null) {
        expect(definition.form.parse(definition.default)).not.toBeUndefined();
      }
    }
  });
});

describe('readOptions', () => {
  it('the default code size limit depends on the hardfork', () => {
    const largest = (...flags: string[]) => readOptions(flags, {}).codeSizeLimit;
    expect(largest('--hardfork', 'latest')).toBe(24_576);
    expect(largest('--hardfork', 'amsterdam')).toBe(65_536);
    expect(largest('--hardfork', 'amsterdam', '--code-size-limit', '24576')).toBe(24_576);
    expect(readOptions(['--hardfork', 'amsterdam', '--disable-code-size-limit'], {})).toMatchObject({
      disableCodeSizeLimit: true,
    });
  });

  it('the default limits of a hardfork with single proposals are the limits of its rules', () => {
    for (const hardfork of RULE_SET_NAMES)
      for (const rule of SINGLE_RULES)
        for (const isOn of [true, false]) {
          const changed = changedRuleSet(hardfork, [{ rule, isOn }]);
          if ('fault' in changed) continue;
          const { usualBlockGas, maximumCodeSize } = ruleSetNamed(changed.name);
          const limits = { gasLimit: usualBlockGas, codeSizeLimit: maximumCodeSize };
          expect(readOptions(['--hardfork', changed.name], {})).toMatchObject(limits);
        }
  });

  it('--rskip changes the hardfork, but does not count as --hardfork', () => {
    const options = readOptions(['--rskip', '692=on', '--rskip', '555=on'], {});
    expect(options.hardfork).toBe('rootstock+rskip555+rskip692');
    expect(options.given.has('hardfork')).toBe(false);
  });

  it.each([
    [['--hardfork', 'prague', '--with-eip', '7951'], 'prague+eip7951'],
    [['--hardfork', 'prague', '--with-eip', '7951', '--with-eip', '7939'], 'prague+eip7939+eip7951'],
    [['--hardfork', 'prague+eip7951', '--with-eip', '7939'], 'prague+eip7939+eip7951'],
    [['--with-eip', '7951'], 'rootstock+eip7951'],
    [['--with-eip', '7951', '--rskip', '692=on'], 'rootstock+rskip692+eip7951'],
  ])('--with-eip changes the hardfork: %j', (flags, hardfork) => {
    expect(readOptions(flags, {}).hardfork).toBe(hardfork);
  });

  it('--with-eip sets the default limits of its EIP', () => {
    const options = readOptions(['--hardfork', 'osaka', '--with-eip', '7954'], {});
    expect(options.codeSizeLimit).toBe(65_536);
  });

  it('NODE_CLI_WITH_EIP adds an EIP', () => {
    const options = readOptions(['--hardfork', 'prague'], { NODE_CLI_WITH_EIP: '7951' });
    expect(options.hardfork).toBe('prague+eip7951');
  });

  it.each([
    [['--hardfork', 'osaka', '--with-eip', '7951'], '--with-eip: EIP-7951 is already part of osaka'],
    [['--hardfork', 'istanbul', '--with-eip', '3651'], 'EIP-3651 requires EIP-2929; add EIP-2929, or use'],
    [['--hardfork', 'berlin', '--with-eip', '7702'], 'EIP-7702 requires EIP-1559; use a newer hardfork'],
    [
      ['--with-eip', '2537'],
      'EIP-2537 cannot be added to rootstock; use --hardfork constantinople, petersburg, ',
    ],
    [['--hardfork', 'osaka', '--rskip', '692=on'], 'RSKIP-692 cannot be added to osaka'],
    [['--rskip', '546=on'], '--rskip: RSKIP-546 requires RSKIP-543'],
    [['--hardfork', 'osakka', '--rskip', '692=on'], 'unknown hardfork "osakka"'],
  ])('rejects %j with the reason', (flags, message) => {
    expect(() => readOptions(flags, {})).toThrow(message);
  });

  it('the block gas limit comes from the option, the network or the hardfork, in this order', () => {
    const gas = (...flags: string[]) => readOptions(flags, {}).gasLimit;
    expect(gas()).toBe(30_000_000n);
    expect(gas('--hardfork', 'osaka')).toBe(60_000_000n);
    expect(gas('--hardfork', 'latest')).toBe(60_000_000n);
    expect(gas('--chain', 'mainnet', '--hardfork', 'osaka')).toBe(6_800_000n);
    expect(gas('--hardfork', 'osaka', '--chain', 'local')).toBe(10_000_000n);
    expect(gas('--chain', 'local', '--hardfork', 'osaka', '--gas-limit', '50000000')).toBe(50_000_000n);
  });

  it.each([['--network-limits'], ['--hosted', '--api-key', 'key']])(
    '%s enables the pool timeouts of Rootstock unless an option overrides them',
    (...flags) => {
      const timeouts = (...more: string[]) => {
        const { poolTimeout, poolTimeoutBlocks } = readOptions([...flags, ...more], {});
        return [poolTimeout, poolTimeoutBlocks];
      };
      expect(timeouts()).toEqual([650, 10]);
      expect(timeouts('--pool-timeout', '0', '--pool-timeout-blocks', '7')).toEqual([0, 7]);
    },
  );

  it.each(valued)('%s is read from a flag or a variable, and the flag takes precedence', (key) => {
    const { text = '', value } = VALUES[key] ?? {};
    const rest = COMPANIONS[key] ?? [];
    expect(readOptions([flagOf(key), text, ...rest], {})[key]).toEqual(value);
    expect(readOptions([`${flagOf(key)}=${text}`, ...rest], {})[key]).toEqual(value);
    expect(readOptions(['start', ...rest], { [variableOf(key)]: text })[key]).toEqual(value);
    const environment = { [variableOf(key)]: 'not looked at' };
    expect(readOptions([flagOf(key), text, ...rest], environment)[key]).toEqual(value);
  });

  it.each(valued)('an invalid value of %s is rejected with the expected form in one line', (key) => {
    const { bad = '', message = '' } = VALUES[key] ?? {};
    const line = refusal([flagOf(key), bad, ...(COMPANIONS[key] ?? [])]);
    expect(line).toMatch(
      new RegExp(
        `^${flagOf(key)}: (?:expected .*, got |unknown .* ".*"; expected one of |unknown .*\\?\\); expected one of )`,
      ),
    );
    expect(line).toContain(message);
    expect(line).not.toContain('\n');
  });

  it.each(followed)('%s without a value is rejected with the expected form', (key) => {
    expect(refusal([flagOf(key)])).toMatch(new RegExp(`^${flagOf(key)}: missing value; expected .+$`));
  });

  it('a short flag without a value is rejected with the expected form', () => {
    expect(refusal(['-p'])).toMatch(/^--port: missing value; expected a whole number/);
    expect(refusal(['-qp'])).toMatch(/^--port: missing value; expected a whole number/);
    expect(refusal(['--quiet', '-b'])).toMatch(/^--block-time: missing value; expected a number/);
  });

  it.each(followed)('the option after %s is not read as its value', (key) => {
    const line = refusal([flagOf(key), '--quiet']);
    expect(line).toMatch(new RegExp(`^${flagOf(key)}: expected .*, got the option --quiet$`));
    expect(refusal([flagOf(key), '--port=3'])).toContain(', got the option --port');
    expect(refusal([flagOf(key), '-q'])).toContain(', got the option -q');
  });

  it('a short switch with a value is rejected', () => {
    expect(refusal(['-q=3'])).toBe('-q takes no value; write -q alone');
    expect(refusal(['--port=true', '-vq=true'])).toBe('-q takes no value; write -q alone');
  });

  it('a value after = may start with a dash, and arguments after -- are not options', () => {
    expect(readOptions(['--data-dir=--quiet'], {}).dataDir).toBe('--quiet');
    expect(readOptions(['-p', '3', '--data-dir', '--quite'], {}).dataDir).toBe('--quite');
    expect(refusal(['--', '--data-dir', '--quiet'])).toContain('unknown command "--data-dir"');
  });

  it.each(switches)('the switch %s takes no value', (key) => {
    const companions = COMPANIONS[key] ?? [];
    expect(readOptions([flagOf(key), ...companions], {})[key]).toBe(true);
    expect(readOptions([], {})[key]).toBe(false);
    expect(refusal([`${flagOf(key)}=yes`])).toBe(`${flagOf(key)} takes no value; write ${flagOf(key)} alone`);
  });

  it('a switch in the environment accepts true, 1, false and 0', () => {
    expect(readOptions([], { NODE_CLI_QUIET: 'true' }).quiet).toBe(true);
    expect(readOptions([], { NODE_CLI_QUIET: '1' }).quiet).toBe(true);
    expect(readOptions([], { NODE_CLI_QUIET: 'false' }).quiet).toBe(false);
    expect(readOptions([], { NODE_CLI_QUIET: '0' }).quiet).toBe(false);
    expect(refusal([], { NODE_CLI_QUIET: 'on' })).toBe('NODE_CLI_QUIET: expected true or false, got "on"');
  });

  it('environment variables may use the flag names of other nodes', () => {
    const environment = { NODE_CLI_SILENT: 'true', NODE_CLI_HOSTNAME: '::1', NODE_CLI_NO_CREATE2: 'false' };
    expect(readOptions([], environment)).toMatchObject({ quiet: true, host: '::1', noPredeploys: false });
    expect(readOptions(['--host', '127.0.0.1'], environment).host).toBe('127.0.0.1');
    expect(refusal([], { NODE_CLI_HOST: '::1', NODE_CLI_HOSTNAME: '::2' })).toBe(
      'NODE_CLI_HOST and NODE_CLI_HOSTNAME are the same option; remove one of them',
    );
    expect(refusal([], { NODE_CLI_SILENT: 'on' })).toContain(
      'NODE_CLI_SILENT: expected true or false, got "on"',
    );
    expect(misspelledVariables(environment)).toBeNull();
  });

  it('the message reports the variable of an invalid value', () => {
    expect(refusal([], { NODE_CLI_PORT: 'tcp://10.0.0.1' })).toBe(
      'NODE_CLI_PORT: expected a whole number from 0 to 65535, got "tcp://10.0.0.1"',
    );
  });

  it('an empty variable is treated as unset', () => {
    expect(readOptions([], { NODE_CLI_PORT: '' }).port).toBe(8545);
  });

  it('the short flags of Anvil are accepted', () => {
    const expected = { port: 1, accounts: 2, mnemonic: MNEMONIC, blockTime: 3, quiet: true };
    expect(readOptions(['-p', '1', '-a', '2', '-m', MNEMONIC, '-b', '3', '-q'], {})).toMatchObject(expected);
    expect(readOptions(['-qp1', '-a2', '-m', MNEMONIC, '-b3'], {})).toMatchObject(expected);
    expect(readOptions(['-v'], {}).verbose).toBe(true);
    expect(readOptions(['-h'], {}).help).toBe(true);
    expect(readOptions(['-V'], {}).version).toBe(true);
  });

  it.each(['http://a.b', 'a.b:8545', 'a.b/path', '*a.b', 'a.*', '[::1]:80', '*.'])(
    '--allow-host rejects %s, because a part of it would be ignored',
    (host) => {
      expect(refusal(['--allow-host', host])).toContain(
        '--allow-host: expected a host name (without scheme, port and path), *.name for all subdomains, or * for all hosts, got ',
      );
    },
  );

  it.each(['*', '*.internal', 'node_1', 'NODE.example.', '10.0.0.1', '::1'])(
    '--allow-host accepts %s',
    (host) => {
      expect(readOptions(['--allow-host', host], {}).allowHost).toEqual([host]);
    },
  );

  it('repeated options and comma-separated values are combined', () => {
    expect(readOptions(['--api-key', 'a', '--api-key', 'b,c'], {}).apiKey).toEqual(['a', 'b', 'c']);
    expect(readOptions([], { NODE_CLI_ALLOW_HOST: 'a.b, c.d' }).allowHost).toEqual(['a.b', 'c.d']);
  });

  it('the defaults equal the service document and the local network', () => {
    expect(readOptions([], {})).toMatchObject({
      port: 8545,
      host: '127.0.0.1',
      accounts: 10,
      balance: 10_000n * 10n ** 18n,
      chainId: 33,
      networkId: null,
      gasLimit: 30_000_000n,
      minGasPrice: 0n,
      hardfork: 'rootstock',
      compat: 'auto',
    });
  });

  it('the command start is optional', () => {
    expect(readOptions(['start', '--port', '1'], {})).toEqual(readOptions(['--port', '1'], {}));
    expect(readOptions(['--port', '1', 'start'], {})).toEqual(readOptions(['--port', '1'], {}));
  });

  it.each([
    [
      ['--artifacts', 'out', '--no-artifacts'],
      '--artifacts cannot be used with --no-artifacts; remove one of them',
    ],
    [
      ['--no-artifacts', '--artifacts=out'],
      '--artifacts cannot be used with --no-artifacts; remove one of them',
    ],
    [['--config', 'a.json', '--no-config'], '--config cannot be used with --no-config; remove one of them'],
  ])('rejects the contradictory options %j', (commandLine, message) => {
    expect(refusal(commandLine)).toBe(message);
  });

  it('an unknown option is rejected with the nearest option', () => {
    expect(refusal(['--prot', '1'])).toBe('unknown option --prot; did you mean --port <number>?');
    expect(refusal(['--no-minin'])).toBe('unknown option --no-minin; did you mean --no-mining?');
    // The words of an alias also count: --disable-gas-limit and --no-priority-fee.
    expect(refusal(['--disable-gas-limits'])).toContain('did you mean --disable-block-gas-limit?');
    expect(refusal(['--no-priority-fees'])).toContain('did you mean --disable-min-priority-fee?');
    expect(refusal(['--block=2'])).toContain(
      '--block is not an option of start; did you mean --block-time <seconds>',
    );
    expect(refusal(['compare', '--rpc-url=http://127.0.0.1'])).toBe(
      '--rpc-url is not an option of compare; npx node-cli compare --help lists its options',
    );
    expect(refusal(['status', '--port', '8546'])).toBe(
      '--port is not an option of status; to select a node, pass --url, such as http://127.0.0.1:8545',
    );
  });

  it.each(['--optimism', '--celo', '--monad', '--tempo', '-n'])(
    '%s of Anvil is rejected: other rules',
    (flag) => {
      expect(refusal([flag])).toContain(
        'node-cli has only rules of Rootstock and Ethereum; remove the option',
      );
    },
  );

  it('the negation of an option suggests the option', () => {
    expect(refusal(['--mining'])).toContain('did you mean --no-mining?');
    expect(refusal(['--no-json'])).toContain('did you mean --json?');
  });

  it('an unknown option without a near match refers to the help', () => {
    expect(refusal(['--xyzzyq'])).toBe('unknown option --xyzzyq; npx node-cli help --all lists all options');
    expect(refusal(['-x'])).toBe('unknown option -x; npx node-cli help --all lists all options');
    expect(refusal(['--\u001b[31m'])).not.toContain('\u001b');
  });

  it('unknown commands and extra arguments are rejected', () => {
    expect(refusal(['strat'])).toBe('unknown command "strat"; did you mean start?');
    expect(refusal(['deploy'])).toBe(
      'unknown command "deploy"; npx node-cli help lists all commands and topics',
    );
    expect(refusal(['start', 'now'])).toBe('start: unexpected argument "now"; expected only options');
  });

  it('conflicting options are rejected, from flags or variables', () => {
    expect(refusal(['--no-mining', '--block-time', '1'])).toBe(
      '--no-mining cannot be used with --block-time; remove one of them',
    );
    expect(refusal(['--no-mining'], { NODE_CLI_BLOCK_TIME: '1' })).toBe(
      '--no-mining cannot be used with NODE_CLI_BLOCK_TIME; remove one of them',
    );
    expect(refusal(['--disable-code-size-limit', '--code-size-limit', '1'])).toContain('cannot be used with');
    expect(refusal(['--quiet', '--verbose'])).toContain('cannot be used with');
  });

  it.each([
    [['--fork-url', 'http://a.example'], 'because the Bridge of a forked chain follows another parent chain'],
    [['--no-predeploys'], 'because the Bridge needs its initial coins to pay peg-ins'],
    [['--hardfork', 'cancun'], "because Ethereum's rules have no Bridge"],
    [['--chain', 'mainnet'], 'because the keys of its federation are not public'],
    [['--chain', 'testnet'], 'because the keys of its federation are not public'],
    [['--chain-id', '31'], 'because the keys of its federation are not public'],
  ])('rejects --parent-chain with %s', (flags, reason) => {
    expect(refusal(['--parent-chain', ...flags])).toMatch(reason);
  });

  it.each([['--parent-block-time', '5'], ['--parent-port', '0'], ['--no-federate']])(
    '%s requires --parent-chain',
    (...flags) => {
      expect(refusal(flags)).toContain(`${flags[0]} requires --parent-chain`);
    },
  );

  it('--mixed-mining requires --block-time', () => {
    expect(refusal(['--mixed-mining'])).toBe('--mixed-mining requires --block-time; add --block-time 2.5');
    expect(refusal([], { NODE_CLI_MIXED_MINING: 'true' })).toBe(
      'NODE_CLI_MIXED_MINING requires --block-time; add --block-time 2.5',
    );
  });

  it('an option that requires another is rejected with an example', () => {
    expect(refusal(['--fork-block-number', '5'])).toBe(
      '--fork-block-number requires --fork-url; add --fork-url https://node.example',
    );
    expect(refusal(['--offline'])).toBe(
      '--offline requires --fork-url or --data-dir; add --fork-url https://node.example',
    );
    expect(readOptions(['--offline', '--data-dir', 'data'], {})).toMatchObject({
      offline: true,
      forkUrl: [],
    });
  });

  it('--fork-follow without a number checks every 2 seconds, also in objects of options', () => {
    const fork = ['--fork-url', 'http://a.b@-5', '--fork-follow'];
    expect(readOptions(fork, {}).forkFollow).toBe(2);
    expect(readOptions([...fork, '--quiet'], {})).toMatchObject({ forkFollow: 2, quiet: true });
    expect(readOptions([...fork, '0.5', '--lanes'], {}).forkFollow).toBe(0.5);
    expect(readOptions(['--fork-url', 'http://a.b'], {}).forkFollow).toBeNull();
    const local = (forkFollow: boolean | number): number | null =>
      settleLocalOptions({ forkUrl: 'http://a.b', forkBlockNumber: 7, forkFollow }).forkFollow;
    expect([true, false, 0.25].map(local)).toEqual([2, null, 0.25]);
    expect(() => local(-1)).toThrow('forkFollow: expected a number of seconds from 0.001 to 86400, got "-1"');
  });

  it.each([
    ['--offline'],
    ['--fork-record', 'record.gz'],
    ['--data-dir', 'data'],
    ['--prune-history', '10'],
    ['--fork-transaction-hash', `0x${'ab'.repeat(32)}`],
    ['--fork-before-transaction', `0x${'ab'.repeat(32)}`],
  ])('--fork-follow is rejected with %s', (flag, ...value) => {
    expect(refusal(['--fork-url', 'http://a.b', '--fork-follow', flag, ...value])).toBe(
      `--fork-follow cannot be used with ${flag}; remove one of them`,
    );
  });

  it('--fork-follow requires --fork-url', () => {
    expect(refusal(['--fork-follow', '0.5'])).toBe(
      '--fork-follow requires --fork-url; add --fork-url https://node.example',
    );
    expect(() => settleLocalOptions({ forkFollow: true })).toThrow(
      'forkFollow requires forkUrl; add forkUrl: "https://node.example"',
    );
  });

  it('Rootstock accounts reject options that they would ignore', () => {
    for (const key of ['mnemonic', 'derivationPath', 'accounts'] as const) {
      expect(refusal(['--dev-accounts', 'network', flagOf(key), VALUES[key]?.text ?? ''])).toBe(
        `--dev-accounts network cannot be used with ${flagOf(key)}; remove one of them`,
      );
    }
    expect(refusal(['--accounts', '3'], { NODE_CLI_DEV_ACCOUNTS: 'network' })).toBe(
      'NODE_CLI_DEV_ACCOUNTS=network cannot be used with --accounts; remove one of them',
    );
    expect(readOptions(['--dev-accounts', 'mnemonic', '--accounts', '3'], {}).accounts).toBe(3);
    expect(readOptions(['--dev-accounts', 'network'], {}).devAccounts).toBe('network');
  });

  it('a gas price below the minimum gas price is rejected', () => {
    expect(refusal(['--min-gas-price', '5', '--gas-price', '1'])).toBe(
      '--gas-price: expected at least 5 (the value of --min-gas-price), got 1',
    );
    expect(refusal(['--gas-price', '1'], { NODE_CLI_MIN_GAS_PRICE: '5' })).toContain(
      '--gas-price: expected at least 5 (the value of NODE_CLI_MIN_GAS_PRICE), got 1',
    );
    expect(readOptions(['--min-gas-price', '5', '--gas-price', '5'], {}).gasPrice).toBe(5n);
    expect(readOptions(['--min-gas-price', '5'], {}).gasPrice).toBeNull();
  });

  it('--lane-limit below the number of API keys is rejected', () => {
    const keys = ['--api-key', 'a,b', '--api-key', 'c', '--api-key', 'a'];
    expect(refusal(['--lanes', ...keys, '--lane-limit', '2'])).toBe(
      '--lane-limit: expected at least 3 (the number of --api-key values), got 2; with --lanes, each value has its own lane',
    );
    expect(refusal(['--lanes', ...keys], { NODE_CLI_LANE_LIMIT: '1' })).toBe(
      'NODE_CLI_LANE_LIMIT: expected at least 3 (the number of --api-key values), got 1; with --lanes, each value has its own lane',
    );
    const many = Array.from({ length: 1001 }, (_, index) => `key-${index}`).join();
    expect(refusal(['--lanes'], { NODE_CLI_API_KEY: many })).toBe(
      '--lane-limit: expected at least 1001 (the number of NODE_CLI_API_KEY values), got 1000; with --lanes, each value has its own lane',
    );
    expect(readOptions(['--lanes', ...keys, '--lane-limit', '3'], {}).laneLimit).toBe(3);
    expect(readOptions([], { NODE_CLI_API_KEY: many }).laneLimit).toBe(1000);
  });

  it('lane limits require --lanes', () => {
    expect(refusal(['--lane-limit', '2'])).toBe('--lane-limit requires --lanes; add --lanes');
    expect(refusal(['--lane-timeout', '2'])).toBe('--lane-timeout requires --lanes; add --lanes');
  });

  it('--hosted requires --api-key', () => {
    expect(refusal(['--hosted'])).toBe('--hosted requires --api-key; add --api-key my-key');
    expect(refusal([], { NODE_CLI_HOSTED: 'true' })).toContain('NODE_CLI_HOSTED requires --api-key; add ');
    expect(readOptions(['--hosted'], { NODE_CLI_API_KEY: 'key' })).toMatchObject({
      hosted: true,
      apiKey: ['key'],
    });
  });

  it('messages do not contain a mnemonic or a key', () => {
    expect(refusal(['--mnemonic', 'my Secret words'])).not.toContain('Secret');
    expect(refusal(['--api-key', 'my/secret'])).not.toContain('secret');
    // A URL in the place of another argument may contain secrets.
    expect(refusal(['--host', 'https://me:password@node.example/my-secret'])).not.toMatch(/password|secret/);
    expect(refusal(['https://node.example/my-secret?key=password'])).not.toMatch(/password|secret/);
  });

  it('--help skips the validation of other options', () => {
    expect(readOptions(['--help', '--port', 'x'], { NODE_CLI_HOST: 'a b' }).help).toBe(true);
  });
});
