import { DumpVersionError } from '../../chain/errors.ts';
import { TRANSACTION_ORDERS } from '../../chain/pool/ordering.ts';
import type { ChainOptions } from '../../chain/settings/chain-options.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../protocol/hardforks/rule-set.ts';
import { DUMP_FORMAT, DUMP_VERSION, OLDEST_DUMP_VERSION } from './dump-format.ts';
import type { DumpValue } from './dump-value.ts';

/** What of a chain is settled when it starts and decides which transactions get into its blocks, and in what order. */
export type DumpLimits = Pick<ChainOptions, 'networkLimits' | 'codeSizeLimit' | 'order'>;

/** What the first line of a dump says of the chain, by which others know whether they can go on with it. */
export interface DumpHeading {
  /** The version of the format. */
  readonly version: number;
  readonly ruleSet: RuleSetName;
  /** The difficulty of each block; without meaning under proof of stake. */
  readonly difficulty: bigint;
  /** True when each block ends with the transaction of REMASC. */
  readonly remasc: boolean;
  /** `null` in version 1, which does not tell. */
  readonly limits: DumpLimits | null;
}

/** The heading of a chain with those options as JSON. */
export function headingJson(
  options: Pick<DumpHeading, 'ruleSet' | 'difficulty' | 'remasc'> & DumpLimits,
): object {
  return {
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    ruleSet: options.ruleSet,
    difficulty: toQuantity(options.difficulty),
    remasc: options.remasc,
    networkLimits: options.networkLimits,
    codeSizeLimit: options.codeSizeLimit,
    order: options.order,
  };
}

/** The heading that {@link headingJson} wrote. Throws a {@link DumpVersionError} or an `InvalidDumpError`. */
export function readHeading(line: DumpValue): DumpHeading {
  const version = readVersion(line.field('version').json);
  const name = line.field('ruleSet');
  const ruleSet = RULE_SET_NAMES.find((known) => known === name.json);
  return {
    version,
    ruleSet: ruleSet ?? name.refuse(`one of ${RULE_SET_NAMES.join(', ')}`),
    difficulty: line.field('difficulty').quantity(),
    remasc: line.field('remasc').flag(),
    limits: version === 1 ? null : readLimits(line),
  };
}

function readVersion(given: unknown): number {
  const isKnown = typeof given === 'number' && given >= OLDEST_DUMP_VERSION && given <= DUMP_VERSION;
  if (isKnown && Number.isInteger(given)) return given;
  throw new DumpVersionError(given, [OLDEST_DUMP_VERSION, DUMP_VERSION]);
}

function readLimits(line: DumpValue): DumpLimits {
  const name = line.field('order');
  const order = TRANSACTION_ORDERS.find((known) => known === name.json);
  return {
    networkLimits: line.field('networkLimits').flag(),
    codeSizeLimit: line.field('codeSizeLimit').orNull((bytes) => bytes.count()),
    order: order ?? name.refuse(`one of ${TRANSACTION_ORDERS.join(', ')}`),
  };
}
