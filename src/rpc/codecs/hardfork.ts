import { NEWEST_RULE_SET_NAME, RULE_SET_NAMES, type RuleSetName } from '../../protocol/hardforks/registry.ts';
import { leaf } from './codec.ts';

/** The name by which the newest of Ethereum's hardforks is meant. */
const LATEST_HARDFORK = 'latest';

/** The name of a rule set. */
export const hardfork = leaf<RuleSetName>(
  `a hardfork: ${RULE_SET_NAMES.join(', ')} or ${LATEST_HARDFORK}`,
  { type: 'string', enum: [...RULE_SET_NAMES, LATEST_HARDFORK] },
  (value) =>
    value === LATEST_HARDFORK ? NEWEST_RULE_SET_NAME : RULE_SET_NAMES.find((name) => name === value),
);
