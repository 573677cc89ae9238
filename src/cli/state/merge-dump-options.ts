import { initialSettings } from '../../chain/settings/block-settings.ts';
import type { ChainOptions } from '../../chain/settings/chain-options.ts';
import { StartError } from '../../config/errors.ts';
import { optionsExcludedBy } from '../../config/option-checks.ts';
import { RULE_CHANGE_KEYS } from '../../config/option-values.ts';
import { flagOf, type NodeOptions } from '../../config/options.ts';
import type { DumpFacts } from '../../persistence/dump/dump-file.ts';
import type { DumpLimits } from '../../persistence/dump/dump-format.ts';
import type { PersistedState } from '../../persistence/dump/persisted-state-json.ts';
import { toHex } from '../../primitives/hex.ts';

const MINING_KEYS = ['blockTime', 'noMining', 'mixedMining'] as const;
/** Each of these options affects the code size limit. */
const CODE_SIZE_KEYS = ['codeSizeLimit', 'disableCodeSizeLimit', 'networkLimits'] as const;

/** The chain setting of each option. */
const SETTINGS = {
  gasLimit: 'gasLimit',
  minGasPrice: 'minimumGasPrice',
  minGasPriceTarget: 'minimumGasPriceTarget',
  gasPrice: 'gasPrice',
  coinbase: 'coinbase',
} as const;
type SettingKey = keyof typeof SETTINGS;

function entriesOfSettings(): [SettingKey, (typeof SETTINGS)[SettingKey]][] {
  return Object.entries(SETTINGS) as [SettingKey, (typeof SETTINGS)[SettingKey]][];
}

function isAnyGiven({ given }: NodeOptions, keys: readonly string[]): boolean {
  return keys.some((key) => given.has(key));
}

/** Returns the properties of a file's chain as options. */
function optionsOfFile(facts: DumpFacts): Partial<NodeOptions> {
  const { ruleSet, federation, difficulty, remasc, limits, settings, mining, hasParentChain } = facts;
  const { automine } = mining;
  // No option sets a range of block times. Loading the file restores it.
  const blockTime = typeof mining.blockTime === 'number' ? mining.blockTime : null;
  return {
    hardfork: ruleSet,
    federation,
    chainId: settings.chainId,
    difficulty,
    remasc,
    gasLimit: settings.gasLimit,
    minGasPrice: settings.minimumGasPrice,
    minGasPriceTarget: settings.minimumGasPriceTarget,
    gasPrice: settings.gasPrice,
    coinbase: settings.coinbase,
    blockTime,
    noMining: !automine && mining.blockTime === null,
    mixedMining: automine && blockTime !== null,
    ...(hasParentChain && { parentChain: true }),
    ...(limits === null ? {} : { networkLimits: limits.networkLimits, order: limits.order }),
    ...(limits === null ? {} : codeSizeOptions(limits)),
  };
}

function codeSizeOptions({ codeSizeLimit }: DumpLimits): Partial<NodeOptions> {
  return codeSizeLimit === null
    ? { disableCodeSizeLimit: true }
    : { disableCodeSizeLimit: false, codeSizeLimit };
}

/** Returns the options for the same property. If one of them is given, it overrides the file. */
function relatedOptions(key: string): readonly string[] {
  if (MINING_KEYS.some((one) => one === key)) return MINING_KEYS;
  const isOfCode = key === 'codeSizeLimit' || key === 'disableCodeSizeLimit';
  return isOfCode ? CODE_SIZE_KEYS : [key];
}

function checkContradictions(
  { given, hardfork, federation, chainId }: NodeOptions,
  facts: DumpFacts,
  file: string,
): void {
  const { ruleSet, settings } = facts;
  const changes = RULE_CHANGE_KEYS.filter((key) => given.has(key)).map(flagOf);
  if ((given.has('hardfork') || changes.length > 0) && hardfork !== ruleSet) {
    const removal = changes.length > 0 ? ` and remove ${changes.join(' and ')}` : '';
    throw new StartError(
      `--hardfork: the chain of ${file} uses the hardfork ${ruleSet}, got ${hardfork}; pass --hardfork ${ruleSet}${removal}`,
    );
  }
  if (given.has('federation') && federation !== facts.federation) {
    throw new StartError(
      `--federation: the chain of ${file} has the federation ${facts.federation}, got ${federation}; pass --federation ${facts.federation}`,
    );
  }
  if (given.has('chainId') && chainId !== settings.chainId) {
    throw new StartError(
      `--chain-id: the chain of ${file} has the chain id ${settings.chainId}, got ${chainId}; pass --chain-id ${settings.chainId}`,
    );
  }
  const senseless = optionsExcludedBy(ruleSet).find((key) => given.has(key));
  if (senseless !== undefined) {
    throw new StartError(
      `${flagOf(senseless)} cannot be used with the hardfork ${ruleSet} of ${file}; remove ${flagOf(senseless)}`,
    );
  }
}

/**
 * Returns the options, completed with the file's chain. Throws a {@link StartError} for options that
 * contradict it: hardfork, federation and chain id cannot change.
 */
export function mergeDumpOptions(options: NodeOptions, facts: DumpFacts, file: string): NodeOptions {
  checkContradictions(options, facts, file);
  const taken = Object.entries(optionsOfFile(facts)).filter(
    ([key]) => !isAnyGiven(options, relatedOptions(key)),
  );
  return { ...options, ...Object.fromEntries(taken) };
}

/** Returns a function that applies the given options to the loaded state. Options override the file. */
export function adjustmentTo(
  options: NodeOptions,
  chain: ChainOptions,
): (persisted: PersistedState) => PersistedState {
  const requested = initialSettings(chain);
  return (persisted) => {
    const names = entriesOfSettings().flatMap(([key, name]) => (options.given.has(key) ? [name] : []));
    const changed = Object.fromEntries(names.map((name) => [name, requested[name]]));
    const target = isAnyGiven(options, ['gasLimit', 'networkLimits'])
      ? { gasLimitTarget: requested.gasLimitTarget }
      : {};
    const { automine, blockTime } = chain;
    return {
      ...persisted,
      settings: { ...persisted.settings, ...changed, ...target },
      mining: isAnyGiven(options, MINING_KEYS) ? { automine, blockTime } : persisted.mining,
      impersonation: options.autoImpersonate
        ? { ...persisted.impersonation, isAutomatic: true }
        : persisted.impersonation,
    };
  };
}

function written(value: unknown): string {
  if (value === null) return 'none';
  return value instanceof Uint8Array ? toHex(value) : String(value);
}

function codeSizeNotices(options: NodeOptions, { limits }: DumpFacts, file: string): string[] {
  const given = CODE_SIZE_KEYS.find((key) => options.given.has(key));
  if (limits === null || given === undefined) return [];
  const requested = options.disableCodeSizeLimit ? null : options.codeSizeLimit;
  const words = (bytes: number | null): string => (bytes === null ? 'none' : `${bytes} bytes`);
  const found = limits.codeSizeLimit;
  if (requested === found) return [];
  return [
    `${flagOf(given)} overrides ${file}: the code size limit is ${words(requested)} (in the file: ${words(found)})`,
  ];
}

/** Returns one notice for each given option that overrides the file. */
export function noticesOf(options: NodeOptions, facts: DumpFacts, file: string): string[] {
  const own = optionsOfFile(facts);
  const settled = entriesOfSettings().map(([key]) => key);
  const keys = [...settled, 'difficulty', 'remasc', 'networkLimits', 'order'] as const;
  const notices = keys.flatMap((key) => {
    const [requested, found] = [written(options[key]), written(own[key])];
    if (!options.given.has(key) || own[key] === undefined || requested === found) return [];
    return [`${flagOf(key)} overrides ${file}: the value is ${requested} (in the file: ${found})`];
  });
  notices.push(...codeSizeNotices(options, facts, file));
  const isOtherMining = MINING_KEYS.some((key) => options[key] !== own[key]);
  if (isAnyGiven(options, MINING_KEYS) && isOtherMining) {
    notices.push(`the mining mode comes from the options, not from ${file}`);
  }
  return notices;
}
