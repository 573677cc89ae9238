import { UsageError } from './errors.ts';
import type { OptionDefinition } from './option-definition.ts';
import { type Given, settleOptions } from './option-values.ts';
import { type NodeOptions, OPTION_ENTRIES, type OptionKey } from './options.ts';
import { nearestWord } from './suggestion.ts';
import { allowedBy, badKind, keyName, shown, written } from './usage-messages.ts';

/** The options of the command line that a node without a server has: what the chain is, and how it answers. */
const LOCAL_KEYS = [
  'accounts',
  'balance',
  'mnemonic',
  'derivationPath',
  'devAccounts',
  'autoImpersonate',
  'chain',
  'chainId',
  'networkId',
  'hardfork',
  'timestamp',
  'gasLimit',
  'minGasPrice',
  'minGasPriceTarget',
  'gasPrice',
  'blockBaseFeePerGas',
  'codeSizeLimit',
  'disableCodeSizeLimit',
  'networkLimits',
  'noPredeploys',
  'forkUrl',
  'forkBlockNumber',
  'forkTransactionHash',
  'forkChainId',
  'forkHeader',
  'timeout',
  'retries',
  'forkRetryBackoff',
  'computeUnitsPerSecond',
  'noRateLimit',
  'noStorageCaching',
  'forkCacheDir',
  'offline',
  'forkComplete',
  'dataDir',
  'noSync',
  'coinbase',
  'remasc',
  'blockTime',
  'mixedMining',
  'noMining',
  'difficulty',
  'order',
  'compat',
  'fieldNames',
  'callTimeout',
] as const satisfies readonly OptionKey[];

/** How a caller writes a value: numbers in any form, bytes as hexadecimal text. */
type Written<Value> = Value extends number | bigint
  ? number | bigint | string
  : Value extends Uint8Array
    ? string
    : Value extends readonly unknown[]
      ? string | readonly string[]
      : Value;

/**
 * The options of a node in this process, by the camel-case names of the command line's and in its units: `balance` in
 * ether, prices in wei, times in seconds, `coinbase` as hexadecimal text. What is `undefined` takes its default.
 */
export type LocalOptions = {
  readonly [Key in (typeof LOCAL_KEYS)[number]]?: Written<NodeOptions[Key]> | undefined;
};

function unknownKey(key: string): UsageError {
  const name = shown(key).slice(1, -1);
  const nearest = nearestWord(key, LOCAL_KEYS);
  const meant = OPTION_ENTRIES.find(([candidate]) => candidate === nearest);
  if (meant === undefined) {
    return new UsageError(`unknown option ${name}; createNode takes ${LOCAL_KEYS.join(', ')}`);
  }
  return new UsageError(`unknown option ${name}; did you mean ${meant[0]} (takes ${allowedBy(meant[1])})?`);
}

/** The option as the command line would give it; `undefined` when it is as good as not given. */
function givenAs(key: OptionKey, definition: OptionDefinition, value: unknown): Given | undefined {
  if (definition.kind === 'switch') {
    if (typeof value !== 'boolean') throw badKind(key, definition, value);
    return value ? { texts: [], source: key } : undefined;
  }
  if (value === null && definition.kind === 'value' && definition.default === null) return undefined;
  if (definition.kind === 'list' && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? undefined : { texts: value, source: key };
  }
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  // A number is a mistake where it would do for a text: a directory of that name, for example.
  const isNumberForText = isNumber && typeof definition.form.parse(String(value)) === 'string';
  if ((typeof value !== 'string' && !isNumber) || isNumberForText) throw badKind(key, definition, value);
  return { texts: [String(value)], source: key };
}

/**
 * Every option's value from an object of options and the defaults. Throws {@link UsageError} for what is no object,
 * for unknown keys, for values that are not of their form and for options that contradict each other.
 */
export function settleLocalOptions(options: unknown): NodeOptions {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `createNode takes an object of options; for example { ${written('chainId', '33')} }`,
    );
  }
  const given = new Map<OptionKey, Given>();
  for (const [name, value] of Object.entries(options)) {
    const key = LOCAL_KEYS.find((candidate) => candidate === name);
    const definition = OPTION_ENTRIES.find(([candidate]) => candidate === key)?.[1];
    if (key === undefined || definition === undefined) throw unknownKey(name);
    const found = value === undefined ? undefined : givenAs(key, definition, value);
    if (found !== undefined) given.set(key, found);
  }
  return settleOptions(given, keyName);
}
