import { nearestWord } from '../primitives/nearest-word.ts';
import { UsageError } from './errors.ts';
import type { OptionDefinition } from './option-definition.ts';
import { type OptionInput, settleOptions } from './option-values.ts';
import type { HARDFORK_ALIASES } from './options/hardfork-forms.ts';
import {
  flagOf,
  flagsFor,
  type NodeOptions,
  OPTION_ENTRIES,
  type OptionKey,
  optionWithFlag,
} from './options.ts';
import { allowedBy, badKind, keyName, optionText, quoted } from './usage-messages.ts';

/** The name of the library function in errors. */
const LIBRARY = 'createNode';

/** The options of a node without a server: chain and response settings. */
const LOCAL_KEYS = [
  'accounts',
  'balance',
  'mnemonic',
  'derivationPath',
  'devAccounts',
  'fundAccounts',
  'autoImpersonate',
  'autoFund',
  'chain',
  'chainId',
  'networkId',
  'hardfork',
  'federation',
  'rskip',
  'withEip',
  'timestamp',
  'number',
  'gasLimit',
  'disableBlockGasLimit',
  'callGasLimit',
  'txGasLimit',
  'minGasPrice',
  'minGasPriceTarget',
  'gasPrice',
  'disableMinPriorityFee',
  'blockBaseFeePerGas',
  'codeSizeLimit',
  'disableCodeSizeLimit',
  'memoryLimit',
  'networkLimits',
  'noPredeploys',
  'forkUrl',
  'forkBlockNumber',
  'forkTransactionHash',
  'forkBeforeTransaction',
  'forkFollow',
  'forkChainId',
  'forkHeader',
  'forkProxy',
  'timeout',
  'retries',
  'forkRetryBackoff',
  'computeUnitsPerSecond',
  'noRateLimit',
  'noStorageCaching',
  'forkCacheDir',
  'offline',
  'forkRecord',
  'forkPrefetch',
  'forkComplete',
  'dataDir',
  'pruneHistory',
  'noSync',
  'coinbase',
  'remasc',
  'blockTime',
  'mixedMining',
  'noMining',
  'parentChain',
  'parentBlockTime',
  'noFederate',
  'difficulty',
  'allowBlocksWithSameTimestamp',
  'slotsInAnEpoch',
  'maxTransactions',
  'disablePoolBalanceChecks',
  'order',
  'poolTimeout',
  'poolTimeoutBlocks',
  'erc7562',
  'compat',
  'fieldNames',
  'callTimeout',
  'editorLink',
  'artifacts',
  'coverage',
  'coverageExclude',
  'gasReport',
  'profile',
] as const satisfies readonly OptionKey[];

/** A value as clients write it: any number type, and bytes as a hexadecimal string. */
type Written<Value> = Value extends number | bigint
  ? number | bigint | string
  : Value extends Uint8Array
    ? string
    : Value extends readonly unknown[]
      ? string | readonly string[]
      : Value;

/**
 * The options of an in-process node: command-line options in camel case, with the same units. `balance` is in
 * ether, prices in wei, times in seconds. Bytes such as `coinbase` are in hexadecimal. `undefined` selects
 * the default.
 */
export type LocalOptions = {
  readonly [Key in (typeof LOCAL_KEYS)[number]]?:
    | Written<NodeOptions[Key]>
    | (Key extends OptionalValueKey ? boolean : never)
    | (Key extends 'hardfork' ? keyof typeof HARDFORK_ALIASES : never)
    | (Key extends 'withEip' ? number | readonly number[] : never)
    | undefined;
};

/** Options with an optional value. `true` selects the option without a value. */
type OptionalValueKey = 'forkFollow' | 'gasReport' | 'pruneHistory' | 'txGasLimit';

/** The options of `node.listen`, by the names of the command line. */
const LISTEN_KEYS: readonly string[] = ['port', 'host', 'ipc', 'lanes', 'laneLimit', 'laneTimeout'];

/** Returns the remedy for an option that `createNode` does not have. */
function remedyFor(flag: string, key: string): string {
  return LISTEN_KEYS.includes(key)
    ? `pass ${key} to node.listen()`
    : `only the command line has this option (node-cli ${flag})`;
}

/** Returns the key of the option with this flag, which may be a flag of a peer. */
function keyOfFlag(name: string, keys: readonly string[]): string | undefined {
  const flag = flagOf(name.replace(/^-+/, ''));
  return OPTION_ENTRIES.find((entry) => flagsFor(entry).includes(flag) && keys.includes(entry[0]))?.[0];
}

/** Returns the error for an unknown key. `place` is the name of the object of options. */
export function unknownKey(key: string, keys: readonly string[], place: string): UsageError {
  const name = quoted(key).slice(1, -1);
  const known = keyOfFlag(key, keys);
  const foreign = optionWithFlag(flagOf(key));
  if (place === LIBRARY && known === undefined && foreign !== undefined)
    return new UsageError(`unknown option ${name}; ${remedyFor(flagOf(key), foreign[0])}`);
  const nearest = known ?? nearestWord(key, keys);
  const meant = OPTION_ENTRIES.find(([candidate]) => candidate === nearest);
  if (meant === undefined) {
    const end = place === LIBRARY ? '' : ` in ${place}`;
    return new UsageError(`unknown option ${name}${end}; expected one of ${keys.join(', ')}`);
  }
  const where = place === LIBRARY ? '' : ` in ${place}`;
  return new UsageError(`unknown option ${name}${where}; did you mean ${meant[0]} (${allowedBy(meant[1])})?`);
}

/**
 * Converts a value in an object of options into the form of the command line; `undefined` if it counts as
 * absent. Throws {@link UsageError} for a wrong type.
 */
export function optionsByKey(
  [key, definition]: readonly [OptionKey, OptionDefinition],
  value: unknown,
  source: string = key,
): OptionInput | undefined {
  if (definition.kind === 'switch') {
    if (typeof value !== 'boolean') throw badKind(source, definition, value);
    return value ? { texts: [], source } : undefined;
  }
  if (value === null && definition.kind === 'value' && definition.default === null) return undefined;
  if (typeof value === 'boolean' && definition.kind === 'value' && definition.bare !== undefined)
    return value ? { texts: [definition.bare], source } : undefined;
  const values: readonly unknown[] = definition.kind === 'list' && Array.isArray(value) ? value : [value];
  const texts = values.map((each) => {
    const isNumber = typeof each === 'number' || typeof each === 'bigint';
    // A number for a text option is a mistake, such as a directory with that name.
    const isNumberForText = isNumber && typeof definition.form.parse(String(each)) === 'string';
    if ((typeof each !== 'string' && !isNumber) || isNumberForText) throw badKind(source, definition, each);
    return String(each);
  });
  return texts.length === 0 ? undefined : { texts, source };
}

/**
 * Returns the values of all options, with defaults. Throws {@link UsageError} for values other than objects,
 * unknown keys, invalid values and conflicting options.
 */
export function settleLocalOptions(options: unknown): NodeOptions {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `createNode: expected an object of options, such as { ${optionText('chainId', '33')} }`,
    );
  }
  const given = new Map<OptionKey, OptionInput>();
  for (const [name, value] of Object.entries(options)) {
    const key = LOCAL_KEYS.find((candidate) => candidate === name);
    const entry = OPTION_ENTRIES.find(([candidate]) => candidate === key);
    if (entry === undefined) throw unknownKey(name, LOCAL_KEYS, LIBRARY);
    const found = value === undefined ? undefined : optionsByKey(entry, value);
    if (found !== undefined) given.set(entry[0], found);
  }
  return settleOptions(given, keyName);
}
