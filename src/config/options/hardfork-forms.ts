// The written forms of hardforks and of single proposals.

import {
  NEWEST_RULE_SET_NAME,
  RULE_SET_NAMES,
  type RuleChange,
  type RuleSetName,
  ruleSetNameOf,
  SINGLE_RULES,
} from '../../protocol/hardforks/registry.ts';
import { choice, form, type ValueForm } from '../value-form.ts';

/** Aliases of hardforks: names of Anvil, Hardhat and Ganache for hardforks with the same rules. */
export const HARDFORK_ALIASES = {
  latest: NEWEST_RULE_SET_NAME,
  constantinopleFix: 'petersburg',
  muirGlacier: 'istanbul',
  arrowGlacier: 'london',
  grayGlacier: 'london',
  merge: 'paris',
} as const satisfies Readonly<Record<string, RuleSetName>>;

/** Ethereum's hardforks before Constantinople. */
const OLDER_HARDFORKS: readonly string[] = [
  'frontier',
  'chainstart',
  'frontierthawing',
  'homestead',
  'dao',
  'tangerine',
  'tangerinewhistle',
  'spuriousdragon',
  'byzantium',
];

/** The hardforks of other networks that Anvil knows, by network. */
const FOREIGN_HARDFORKS: Readonly<Record<string, readonly string[]>> = {
  Optimism: [
    'bedrock',
    'regolith',
    'canyon',
    'ecotone',
    'fjord',
    'granite',
    'holocene',
    'isthmus',
    'jovian',
    'interop',
  ],
  Tempo: ['t0', 't1', 't2', 't3', 't4', 't5'],
};

/** Anvil, Hardhat and Ganache differ in capitals and separators: `muirGlacier`, `muir_glacier`, `MuirGlacier`. */
function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

const NAMES = new Map<string, RuleSetName>([
  ...RULE_SET_NAMES.map((name) => [normalized(name), name] as const),
  ...Object.entries(HARDFORK_ALIASES).map(([alias, name]) => [normalized(alias), name] as const),
]);

/** The prefix of Anvil for Ethereum's hardforks. */
const ETHEREUM_PREFIX = /^(?:eth|ethereum):/i;

/** Returns the reason why an unknown name is no hardfork here; `undefined` without one. */
function hardforkHint(given: string): string | undefined {
  const text = given.replace(ETHEREUM_PREFIX, '');
  const [network, ofNetwork] = text.split(':');
  const name = normalized(ofNetwork ?? text);
  if (OLDER_HARDFORKS.includes(name)) return 'the oldest supported hardfork is constantinople';
  const [foreign] = Object.entries(FOREIGN_HARDFORKS).find(([, names]) => names.includes(name)) ?? [];
  if (foreign !== undefined) return `node-cli has no rules of ${foreign}; use a hardfork of Ethereum`;
  return ofNetwork === undefined
    ? undefined
    : `node-cli has no rules of ${network}; use a hardfork of Ethereum`;
}

/**
 * Accepts a hardfork in the spelling of any tool, and single proposals after it, for example
 * `rootstock+rskip692`.
 */
export const HARDFORK_FORM: ValueForm<RuleSetName> = {
  ...choice<string>('hardfork', ...RULE_SET_NAMES, 'latest' satisfies keyof typeof HARDFORK_ALIASES),
  hint: hardforkHint,
  parse: (text) => ruleSetNameOf(text) ?? NAMES.get(normalized(text.replace(ETHEREUM_PREFIX, ''))),
};

const RSKIPS = SINGLE_RULES.filter(({ kind }) => kind === 'RSKIP');

/** Accepts the number of a draft, and `on` or `off`. */
export const RSKIP_FORM: ValueForm<RuleChange> = form(
  {
    placeholder: '<number=on|off>',
    allowed: `one of ${RSKIPS.map(({ number }) => number).join(', ')}, and "=on" or "=off"`,
    example: '692=on',
  },
  (text) => {
    const [, digits, state] = /^(\d+)=(on|off)$/.exec(text) ?? [];
    const rule = RSKIPS.find(({ number }) => String(number) === digits);
    return rule === undefined ? undefined : { rule, isOn: state === 'on' };
  },
);

const EIPS = SINGLE_RULES.filter(({ kind }) => kind === 'EIP').sort(
  (one, other) => one.number - other.number,
);

/** Accepts the number of an EIP that can be added on its own. */
export const EIP_FORM: ValueForm<RuleChange> = form(
  {
    placeholder: '<number>',
    allowed: `one of ${EIPS.map(({ number }) => number).join(', ')}, which can be added on their own`,
    example: '7951',
  },
  (text) => {
    const rule = EIPS.find(({ number }) => String(number) === text);
    return rule === undefined ? undefined : { rule, isOn: true };
  },
);
