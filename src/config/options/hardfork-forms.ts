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

/** Aliases of hardforks. */
export const HARDFORK_ALIASES = { latest: NEWEST_RULE_SET_NAME } as const;

/** Accepts a hardfork, and single proposals after it, for example `rootstock+rskip692`. */
export const HARDFORK_FORM: ValueForm<RuleSetName> = {
  ...choice<string>('hardfork', ...RULE_SET_NAMES, ...Object.keys(HARDFORK_ALIASES)),
  parse: (text) => (text === 'latest' ? HARDFORK_ALIASES.latest : ruleSetNameOf(text)),
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
