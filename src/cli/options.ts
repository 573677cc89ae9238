import { ENGINE_NAMES } from '../node/chain-options.ts';
import { RULE_SET_NAMES } from '../rules/rule-set.ts';
import { DEFAULT_DERIVATION_PATH, DEFAULT_MNEMONIC } from '../wallet/dev-accounts.ts';
import { CHAIN_PRESETS, optionsOfPreset } from './chain-presets.ts';
import type { OptionDefinition } from './option-definition.ts';
import type { ValueForm } from './value-form.ts';
import {
  address,
  choice,
  ether,
  mnemonic,
  seconds,
  secondsOrNone,
  text,
  wholeBigint,
  wholeNumber,
} from './value-form.ts';

const MOST_PORT = 65_535;
// EIP-2294: twice the chain id and 36 more must stay an exact number.
const MOST_CHAIN_ID = 4_503_599_627_370_476;
const MOST_GAS = 2n ** 63n - 1n;
const MOST_WEI = 10n ** 30n;
const MOST_BYTES = 2 ** 30;
const MOST_DIFFICULTY = 2n ** 64n;

/** What has no meaning under the rules of an Ethereum hardfork. */
const NETWORK_ONLY = ['networkLimits', 'minGasPriceTarget', 'difficulty', 'remasc'];

/** All options, by the name that the code uses; flag and variable are made from it. */
export const OPTIONS = {
  port: {
    group: 'Server',
    kind: 'value',
    short: 'p',
    form: wholeNumber(0, MOST_PORT, '8545'),
    default: '8545',
    description: 'Port to listen on; 0 picks a free one',
  },
  host: {
    group: 'Server',
    kind: 'value',
    form: text(
      { placeholder: '<host>', allowed: 'an IP address or a host name', example: '127.0.0.1' },
      /^[^\s/]+$/,
    ),
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 lets other machines in',
  },
  allowOrigin: {
    group: 'Server',
    kind: 'list',
    form: text(
      {
        placeholder: '<origin>',
        allowed: 'an origin of scheme, host and port, or *',
        example: 'https://app.example',
      },
      /^(\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/]+)$/,
    ),
    otherwise: 'any origin on this machine',
    description: 'Web page origin that may call the node',
  },
  allowHost: {
    group: 'Server',
    kind: 'list',
    form: text(
      {
        placeholder: '<host>',
        allowed: 'a host name without scheme and port, or *',
        example: 'node.example',
      },
      /^[^\s/]+$/,
    ),
    otherwise: 'local names only',
    description: 'Host name under which the node may be called',
  },
  apiKey: {
    group: 'Server',
    kind: 'list',
    form: text(
      {
        placeholder: '<key>',
        allowed: '1 to 128 letters, digits or . _ ~ -',
        example: 'my-key',
        isSecret: true,
      },
      /^[A-Za-z0-9._~-]{1,128}$/,
    ),
    otherwise: 'any path is served',
    description: 'Key that callers must have as the last segment of the path',
  },
  lanes: {
    group: 'Server',
    kind: 'switch',
    description: 'Serve a chain of its own on every path, forked from the one on / when it is called first',
  },
  laneTimeout: {
    group: 'Server',
    kind: 'value',
    form: secondsOrNone,
    default: '3600',
    description: 'Time after which a lane that nobody calls is gone; 0 for never',
  },
  laneLimit: {
    group: 'Server',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '1000', 'lanes'),
    default: '1000',
    description: 'Most lanes at a time',
  },
  bodyLimit: {
    group: 'Server',
    kind: 'value',
    form: wholeNumber(1, MOST_BYTES, '10485760', 'bytes'),
    default: '10485760',
    description: 'Largest request body and WebSocket message',
  },
  batchLimit: {
    group: 'Server',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '1000', 'requests'),
    default: '1000',
    description: 'Most requests in one batch',
  },
  filterTimeout: {
    group: 'Server',
    kind: 'value',
    form: seconds,
    default: '300',
    description: 'Seconds after which a filter that nobody asks is gone',
  },
  callTimeout: {
    group: 'Server',
    kind: 'value',
    form: secondsOrNone,
    default: '60',
    description: 'Seconds after which a call, estimate or trace ends with an error; 0 for any time',
  },
  logBlockLimit: {
    group: 'Server',
    kind: 'value',
    form: wholeNumber(0, 1_000_000_000, '2000', 'blocks'),
    default: '2000',
    description: 'Blocks that a search of logs may cover however many it finds; 0 for any number',
  },
  logLimit: {
    group: 'Server',
    kind: 'value',
    form: wholeNumber(0, 1_000_000_000, '10000', 'logs'),
    default: '10000',
    description: 'Logs that a search over more blocks may find; 0 for any number',
  },
  accounts: {
    group: 'Accounts',
    kind: 'value',
    short: 'a',
    form: wholeNumber(0, 10_000, '10'),
    default: '10',
    description: 'How many accounts to derive from the mnemonic',
  },
  balance: {
    group: 'Accounts',
    kind: 'value',
    form: ether,
    default: '10000',
    description: 'Balance of each account in the first block',
  },
  mnemonic: {
    group: 'Accounts',
    kind: 'value',
    short: 'm',
    form: mnemonic,
    default: DEFAULT_MNEMONIC,
    description: 'BIP-39 words that the accounts are derived from',
  },
  derivationPath: {
    group: 'Accounts',
    kind: 'value',
    form: text(
      {
        placeholder: '<path>',
        allowed: "a BIP-32 path such as m/44'/60'/0'/0/, to which the account's index is added",
        example: "m/44'/60'/0'/0/",
      },
      /^m(\/\d{1,9}'?)*\/?$/,
    ),
    default: DEFAULT_DERIVATION_PATH,
    description: 'Path under which the accounts are derived',
  },
  devAccounts: {
    group: 'Accounts',
    kind: 'value',
    form: choice('mnemonic', 'network'),
    default: 'mnemonic',
    valueConflicts: { network: ['mnemonic', 'derivationPath', 'accounts'] },
    description: "Accounts to list: those of the mnemonic, or the local network's own ten",
  },
  chain: {
    group: 'Chain',
    kind: 'value',
    form: choice('mainnet', 'testnet', 'devnet', 'local'),
    default: null,
    otherwise: "chain 33 with the node's own limits",
    valueImplies: {
      mainnet: optionsOfPreset('mainnet'),
      testnet: optionsOfPreset('testnet'),
      devnet: optionsOfPreset('devnet'),
      local: optionsOfPreset('local'),
    },
    description: 'Network to take chain id, gas limit and least gas price from, where these are not given',
  },
  chainId: {
    group: 'Chain',
    kind: 'value',
    form: wholeNumber(1, MOST_CHAIN_ID, '33'),
    default: '33',
    description: 'Chain id, which transactions are signed for',
  },
  networkId: {
    group: 'Chain',
    kind: 'value',
    form: wholeNumber(1, MOST_CHAIN_ID, '33'),
    default: null,
    otherwise: 'the chain id',
    description: 'Network id, which net_version answers',
  },
  hardfork: {
    group: 'Chain',
    kind: 'value',
    form: choice(...RULE_SET_NAMES),
    default: 'rootstock',
    valueConflicts: Object.fromEntries(
      RULE_SET_NAMES.filter((name) => name !== 'rootstock').map((name) => [name, NETWORK_ONLY]),
    ),
    description: "Rules of the chain, the network's own or those of an Ethereum hardfork",
  },
  engine: {
    group: 'Chain',
    kind: 'value',
    form: choice(...ENGINE_NAMES),
    default: 'wasm',
    description: "What runs contracts: the node's own interpreter, or ethereumjs",
  },
  shadow: {
    group: 'Chain',
    kind: 'switch',
    description: 'Run everything on the other engine too and stop, with a dump, when they differ',
  },
  timestamp: {
    group: 'Chain',
    kind: 'value',
    form: wholeNumber(0, 2 ** 40, '1700000000', 'seconds'),
    default: null,
    otherwise: 'now',
    description: 'Time of the first block in seconds since 1970',
  },
  gasLimit: {
    group: 'Chain',
    kind: 'value',
    form: wholeBigint(21_000n, MOST_GAS, '30000000', 'gas'),
    default: '30000000',
    description: 'Gas limit of each block; with --network-limits of the first',
  },
  minGasPrice: {
    group: 'Chain',
    kind: 'value',
    form: wholeBigint(0n, MOST_WEI, '60000000', 'wei'),
    default: '0',
    description: 'Least gas price that a transaction must offer',
  },
  minGasPriceTarget: {
    group: 'Chain',
    kind: 'value',
    form: wholeBigint(0n, MOST_WEI, '60000000', 'wei'),
    default: null,
    otherwise: 'it stays as it is',
    description: 'Least gas price that blocks drift to, one percent each',
  },
  gasPrice: {
    group: 'Chain',
    kind: 'value',
    form: wholeBigint(0n, MOST_WEI, '60000000', 'wei'),
    default: null,
    otherwise: 'a tenth above the least',
    notBelow: 'minGasPrice',
    description: 'Gas price that eth_gasPrice answers',
  },
  codeSizeLimit: {
    group: 'Chain',
    kind: 'value',
    form: wholeNumber(0, MOST_BYTES, '24576', 'bytes'),
    default: '24576',
    description: 'Largest code of a contract (EIP-170)',
  },
  disableCodeSizeLimit: {
    group: 'Chain',
    kind: 'switch',
    conflicts: ['codeSizeLimit'],
    description: 'Let contracts be of any size',
  },
  networkLimits: {
    group: 'Chain',
    kind: 'switch',
    conflicts: ['codeSizeLimit', 'disableCodeSizeLimit'],
    implies: { gasLimit: CHAIN_PRESETS.local.gasLimit.toString() },
    description: "Hold transactions and blocks to the network's own limits",
  },
  noPredeploys: {
    group: 'Chain',
    kind: 'switch',
    description: 'Start without the CREATE2 deployer, Multicall3, CreateX, Permit2 and EntryPoint 0.7',
  },
  dataDir: {
    group: 'Chain',
    kind: 'value',
    form: text({ placeholder: '<dir>', allowed: 'the path of a directory', example: './node-data' }, /^.+$/s),
    default: null,
    otherwise: 'the chain is gone with the process',
    description: 'Keep the chain in this directory, and go on with the one that is there',
  },
  noSync: {
    group: 'Chain',
    kind: 'switch',
    needs: ['dataDir'],
    description:
      'Answer before the disk has all: faster, but a crash of the machine may lose the last blocks',
  },
  coinbase: {
    group: 'Mining',
    kind: 'value',
    form: address,
    default: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
    description: 'Address that mines the blocks and gets the fees',
  },
  remasc: {
    group: 'Mining',
    kind: 'switch',
    description: 'End each block with the REMASC transaction, which shares out the fees of earlier blocks',
  },
  blockTime: {
    group: 'Mining',
    kind: 'value',
    short: 'b',
    form: seconds,
    default: null,
    otherwise: 'a block for each transaction, at once',
    description: 'Mine a block each time this many seconds have passed',
  },
  mixedMining: {
    group: 'Mining',
    kind: 'switch',
    needs: ['blockTime'],
    description: 'Mine each transaction at once as well as at the block time',
  },
  noMining: {
    group: 'Mining',
    kind: 'switch',
    conflicts: ['blockTime'],
    description: 'Mine only when asked to (evm_mine)',
  },
  difficulty: {
    group: 'Mining',
    kind: 'value',
    form: wholeBigint(1n, MOST_DIFFICULTY, '1000000', 'hashes'),
    default: '1',
    description: 'Difficulty of each block: hashes that its proof of work takes on average',
  },
  order: {
    group: 'Mining',
    kind: 'value',
    form: choice('fees', 'fifo'),
    default: 'fees',
    description: 'Which transactions come first in a block: the best paid, or the first come',
  },
  hosted: {
    group: 'Dialect',
    kind: 'switch',
    needs: ['apiKey'],
    conflicts: ['logBlockLimit', 'logLimit'],
    description: 'Answer as the hosted service does: no keys held, an estimate in every case',
  },
  compat: {
    group: 'Dialect',
    kind: 'value',
    form: choice('service', 'anvil', 'hardhat'),
    default: 'service',
    description: 'Whose habits to follow where one answer cannot suit all clients',
  },
  fieldNames: {
    group: 'Dialect',
    kind: 'value',
    form: choice('service', 'native'),
    default: 'service',
    description:
      "Names of the merged-mining fields: the service's parentchain…, or the network's own bitcoin…",
  },
  configOut: {
    group: 'Output',
    kind: 'value',
    form: text(
      { placeholder: '<file>', allowed: 'the path of a file to write', example: 'node.json' },
      /^.+$/s,
    ),
    default: null,
    otherwise: 'no file',
    description: 'Write accounts, keys, URL and chain facts to this file as JSON',
  },
  quiet: { group: 'Output', kind: 'switch', short: 'q', description: 'Print the listening line only' },
  verbose: {
    group: 'Output',
    kind: 'switch',
    short: 'v',
    conflicts: ['quiet'],
    description: 'Print every request and every block on its own',
  },
  noConsoleLog: {
    group: 'Output',
    kind: 'switch',
    description: 'Print nothing of what contracts write with console.log',
  },
  json: { group: 'Output', kind: 'switch', description: 'Print one JSON object per line' },
  noColor: {
    group: 'Output',
    kind: 'switch',
    description: 'Print without colours and cursor movement, as NO_COLOR asks for too',
  },
  version: {
    group: 'Program',
    kind: 'switch',
    short: 'V',
    isQuestion: true,
    description: 'Print the version',
  },
  help: { group: 'Program', kind: 'switch', short: 'h', isQuestion: true, description: 'Print this help' },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The name of an option in the code. */
export type OptionKey = keyof typeof OPTIONS;

type ValueOf<Definition> = Definition extends { kind: 'switch' }
  ? boolean
  : Definition extends { kind: 'list'; form: ValueForm<infer Value> }
    ? readonly Value[]
    : Definition extends { kind: 'value'; default: null; form: ValueForm<infer Value> }
      ? Value | null
      : Definition extends { kind: 'value'; form: ValueForm<infer Value> }
        ? Value
        : never;

/** What the user chose, every option with its value: bytes, wei and gas as inside the node. */
export type NodeOptions = { readonly [Key in OptionKey]: ValueOf<(typeof OPTIONS)[Key]> };

/** The options in the order of their declaration. */
export const OPTION_ENTRIES: readonly (readonly [OptionKey, OptionDefinition])[] = Object.entries(
  OPTIONS,
).map(([key, definition]) => [key as OptionKey, definition]);

function kebab(key: string): string {
  return key.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

/** The long flag of an option: `--block-time`. */
export function flagOf(key: string): string {
  return `--${kebab(key)}`;
}

/** The environment variable of an option: `NODE_CLI_BLOCK_TIME`. */
export function variableOf(key: string): string {
  return `NODE_CLI_${kebab(key).replaceAll('-', '_').toUpperCase()}`;
}
