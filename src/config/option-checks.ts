// Rules about the values of several options. Conflicts and requirements of options are in the option table.

import { type RuleSetName, ruleSetNamed } from '../protocol/hardforks/registry.ts';
import { DEFAULT_FEDERATION, hasOwnFederation } from '../protocol/hardforks/rootstock.ts';
import { HARDFORKS } from './options/chain-options.ts';
import type { NodeOptions, OptionKey } from './options.ts';
import { conflictText, type NameOf, optionText } from './usage-messages.ts';

/** The parsed options. */
interface SettledOptions {
  readonly options: NodeOptions;
  /** The given options, with their flags, variables or keys for messages. */
  readonly given: ReadonlyMap<string, { readonly source: string }>;
  readonly nameOf: NameOf;
}

/** Returns the message for values that break the rule; `undefined` if they are valid. */
type Check = (settled: SettledOptions) => string | undefined;

const ROOTSTOCK_OPTIONS = [
  'networkLimits',
  'minGasPriceTarget',
  'difficulty',
  'remasc',
  'parentChain',
  'federation',
] as const;

/** Returns the options that the rules of a hardfork exclude. */
export function optionsExcludedBy(ruleSet: RuleSetName): readonly OptionKey[] {
  return ruleSetNamed(ruleSet).encoding === 'network' ? [] : ROOTSTOCK_OPTIONS;
}

const BASE_FEE_HARDFORKS: readonly string[] = HARDFORKS.filter(
  ([, { fees }]) => fees.name === 'base fee',
).map(([name]) => name);

const MNEMONIC_OPTIONS = [
  'mnemonic',
  'deterministic',
  'mnemonicRandom',
  'mnemonicSeedUnsafe',
  'derivationPath',
  'accounts',
] as const;

/** Returns the message if the option is given and one of the others too. */
function conflictOf(
  { given, options }: SettledOptions,
  key: OptionKey,
  others: readonly OptionKey[],
  reason?: string,
): string | undefined {
  const source = given.get(key)?.source;
  const other = others.find((one) => given.has(one));
  const otherSource = other === undefined ? undefined : given.get(other)?.source;
  if (source === undefined || otherSource === undefined) return undefined;
  return conflictText(optionText(source, String(options[key])), otherSource, reason);
}

/** In the order of the option table. The first message is reported. */
const CHECKS: readonly Check[] = [
  ({ options: { apiKey, laneLimit }, given, nameOf }) => {
    const [keys, lanes] = [given.get('apiKey')?.source, given.get('lanes')?.source];
    const count = new Set(apiKey).size;
    if (keys === undefined || lanes === undefined || count <= laneLimit) return undefined;
    const source = given.get('laneLimit')?.source ?? nameOf('laneLimit');
    return `${source}: expected at least ${count} (the number of ${keys} values), got ${laneLimit}; with ${lanes}, each value has its own lane`;
  },
  (settled) =>
    settled.options.devAccounts === 'network'
      ? conflictOf(settled, 'devAccounts', MNEMONIC_OPTIONS)
      : undefined,
  (settled) =>
    optionsExcludedBy(settled.options.hardfork).includes('parentChain')
      ? conflictOf(settled, 'hardfork', ['parentChain'], "because Ethereum's rules have no Bridge")
      : undefined,
  (settled) => conflictOf(settled, 'hardfork', optionsExcludedBy(settled.options.hardfork)),
  ({ options: { federation, chainId }, given }) => {
    const source = given.get('federation')?.source;
    if (source === undefined || federation === DEFAULT_FEDERATION || !hasOwnFederation(chainId))
      return undefined;
    return `${optionText(source, federation)} cannot be used with the chain id ${chainId}: the Bridge has the federation of that network`;
  },
  (settled) =>
    settled.options.chain === 'mainnet' || settled.options.chain === 'testnet'
      ? conflictOf(settled, 'chain', ['parentChain'], 'because the keys of its federation are not public')
      : undefined,
  (settled) =>
    hasOwnFederation(settled.options.chainId)
      ? conflictOf(settled, 'chainId', ['parentChain'], 'because the keys of its federation are not public')
      : undefined,
  (settled) =>
    settled.options.engine === 'reference' ? conflictOf(settled, 'engine', ['coverage']) : undefined,
  ({ options: { gasPrice, minGasPrice }, given, nameOf }) => {
    const source = given.get('gasPrice')?.source;
    if (source === undefined || gasPrice === null || gasPrice >= minGasPrice) return undefined;
    const bound = given.get('minGasPrice')?.source ?? nameOf('minGasPrice');
    return `${source}: expected at least ${minGasPrice} (the value of ${bound}), got ${gasPrice}`;
  },
  ({ options: { hardfork, blockBaseFeePerGas }, given, nameOf }) => {
    const source = given.get('blockBaseFeePerGas')?.source;
    // Tools that start Anvil pass 0 for every hardfork.
    if (source === undefined || blockBaseFeePerGas === 0n) return undefined;
    if (ruleSetNamed(hardfork).fees.name === 'base fee') return undefined;
    // The hardfork of a fork is known later.
    if (given.has('forkUrl') && !given.has('hardfork')) return undefined;
    const name = given.get('hardfork')?.source ?? nameOf('hardfork');
    const allowed = BASE_FEE_HARDFORKS.map((value) => optionText(name, value)).join(', ');
    return `${source} requires one of ${allowed}; the other hardforks have no base fee: use --min-gas-price`;
  },
];

/** Returns the message for the first broken rule; `undefined` if all values are valid. */
export function valueFault(settled: SettledOptions): string | undefined {
  for (const check of CHECKS) {
    const fault = check(settled);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
