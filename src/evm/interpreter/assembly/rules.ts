/** The parameters of the rule set, which the host writes to `PARAMETERS` before anything runs. */

import { Rule } from './generated/protocol';
import { PARAMETERS } from './layout';

/** The number of the rule. */
@inline
export function rule(which: Rule): i64 {
  return load<i64>(PARAMETERS + ((<usize>which) << 3));
}

/** True when the rule holds. */
@inline
export function holds(which: Rule): bool {
  return load<u8>(PARAMETERS + ((<usize>which) << 3)) != 0;
}
