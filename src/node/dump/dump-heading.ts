import { toQuantity } from '../../primitives/hex.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../rules/rule-set.ts';
import { DumpVersionError } from '../errors.ts';
import { DUMP_FORMAT, DUMP_VERSION } from './dump-format.ts';
import type { DumpValue } from './dump-value.ts';

/** What the first line of a dump says of the chain, by which others know whether they can go on with it. */
export interface DumpHeading {
  readonly ruleSet: RuleSetName;
  /** The difficulty of each block; without meaning under proof of stake. */
  readonly difficulty: bigint;
  /** True when each block ends with the transaction of REMASC. */
  readonly remasc: boolean;
}

/** The heading as JSON. */
export function headingJson({ ruleSet, difficulty, remasc }: DumpHeading): object {
  return {
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    ruleSet,
    difficulty: toQuantity(difficulty),
    remasc,
  };
}

/** The heading that {@link headingJson} wrote. Throws a {@link DumpVersionError} or an `InvalidDumpError`. */
export function readHeading(line: DumpValue): DumpHeading {
  const version = line.field('version').json;
  if (version !== DUMP_VERSION) throw new DumpVersionError(version, DUMP_VERSION);
  const name = line.field('ruleSet');
  const ruleSet = RULE_SET_NAMES.find((known) => known === name.json);
  return {
    ruleSet: ruleSet ?? name.refuse(`one of ${RULE_SET_NAMES.join(', ')}`),
    difficulty: line.field('difficulty').quantity(),
    remasc: line.field('remasc').flag(),
  };
}
