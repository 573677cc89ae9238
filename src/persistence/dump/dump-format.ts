import { type ChainOptions, TRANSACTION_ORDERS } from '../../chain/settings/chain-options.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { RULE_SET_NAMES, type RuleSetName, ruleSetNameOf } from '../../protocol/hardforks/registry.ts';
import {
  DEFAULT_FEDERATION,
  FEDERATION_FORMATS,
  type FederationFormat,
} from '../../protocol/hardforks/rootstock.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import type { StrictValue } from '../../wire/strict-value.ts';

/**
 * The name of the format of dumps: one JSON value per line, in this order.
 *
 * | line | contents |
 * |---|---|
 * | `{format, version, ruleSet, federation?, difficulty, remasc, networkLimits, codeSizeLimit, order}` | first line. `format` is this name, `version` is {@link DUMP_VERSION}. `federation`: the script format of the Bridge's federation, absent for `legacy`. `remasc`: REMASC ends blocks. `networkLimits`: Rootstock's own limits apply. `codeSizeLimit`: maximum bytes of code (`null` for no limit). `order`: `fees` or `fifo`. The last three exist since version 2 |
 * | `{fork}` | second line of a fork: the upstream's URLs with masked secrets, its chain id, and the pinned block. Also the transaction that the fork starts before, the funds of accounts, and whether all fetched responses follow |
 * | `{answer: {call, result}}` | an upstream response of a complete fork, sorted by the text of the call |
 * | `{code}` | contract code, before the first line that refers to its Keccak hash |
 * | `{block, state, root?, hasOtherParent?}` | each block from the first: header, transactions, receipts, uncles, and the state difference from the previous block. The first block's difference is from the empty state, or from the upstream's state at the pinned block. `root` is present if a cheat changed the state, so that it differs from `stateRoot`. `state` is `null` if unknown. `hasOtherParent` is true if the block's parent is not the previous block, as in Anvil's files |
 * | `{range}` | consecutive empty blocks that are computed on access: their parameters. Their state equals the state of the block below |
 * | `{parentBlock}` | each block of the simulated parent chain after its genesis block: header and transactions with witness, as on Bitcoin. Absent without `--parent-chain` |
 * | `{snapshot, head, state, root, …}` | each snapshot, oldest first: its id, the number of its head, the state difference from that block, and its moment |
 * | `{present: {head, lastSnapshot, …, keys?}}` | last line: the number of the head, the number of the last snapshot, the moment, and the wallet's keys if requested |
 *
 * A header has no `logsBloom` if it equals the bloom of the block's logs (an uncle has no logs). A
 * transaction consists of its bytes and its sender.
 *
 * A *state difference* has a field for each changed account, ordered by the hash of the address. The value is
 * `null` for a deleted account, else `{nonce, balance, codeHash?, storage?}` with changed code and slots. For
 * a fork it covers the local changes to the upstream's state. `isOverFork` is true if other slots have the
 * upstream's values. `null` marks a slot, and `"fork"` an account, without a local entry. `codeHash` is
 * present if the account had no local entry before.
 *
 * A *moment* is `{clock, mining, settings, impersonation, pool, parentChain?}`. Time is an offset from the machine's clock,
 * so it passes while the chain is in a file. Integers are QUANTITY, bytes DATA.
 *
 * A dump contains everything that later blocks depend on, except the program itself. It omits server options
 * (error style, request limits, network id, client keys).
 *
 * Equal chains have equal lines. Compressed bytes are equal only with the same version of zlib.
 */
export const DUMP_FORMAT = 'node-cli chain';

/** The written version, and the newest readable one. */
const DUMP_VERSION = 2;

/** The oldest readable version. */
const OLDEST_DUMP_VERSION = 1;

/** The fixed settings that affect which transactions a block contains, and their order. */
export type DumpLimits = Pick<ChainOptions, 'networkLimits' | 'codeSizeLimit' | 'order'>;

/** The first line of a dump. It shows whether a chain can continue from the dump. */
export interface DumpHeading {
  readonly version: number;
  readonly ruleSet: RuleSetName;
  /** The script format of the Bridge's federation. */
  readonly federation: FederationFormat;
  /** The difficulty of each block. Ignored under proof of stake. */
  readonly difficulty: bigint;
  /** True if REMASC's transaction ends each block. */
  readonly remasc: boolean;
  /** `null` in version 1, which lacks these fields. */
  readonly limits: DumpLimits | null;
}

export function headingJson(
  options: Pick<DumpHeading, 'ruleSet' | 'federation' | 'difficulty' | 'remasc'> & DumpLimits,
): object {
  return {
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    ruleSet: options.ruleSet,
    ...(options.federation === DEFAULT_FEDERATION ? {} : { federation: options.federation }),
    difficulty: toQuantity(options.difficulty),
    remasc: options.remasc,
    networkLimits: options.networkLimits,
    codeSizeLimit: options.codeSizeLimit,
    order: options.order,
  };
}

/** Inverse of {@link headingJson}. Throws a {@link DumpVersionError} or an `InvalidDumpError`. */
export function readHeading(line: StrictValue): DumpHeading {
  const version = readVersion(line.field('version').json);
  const name = line.field('ruleSet');
  const ruleSet = typeof name.json === 'string' ? ruleSetNameOf(name.json) : undefined;
  return {
    version,
    ruleSet: ruleSet ?? name.refuse(`one of ${RULE_SET_NAMES.join(', ')}`),
    federation: readFederation(line.field('federation')),
    difficulty: line.field('difficulty').quantity(),
    remasc: line.field('remasc').flag(),
    limits: version === 1 ? null : readLimits(line),
  };
}

function readFederation(name: StrictValue): FederationFormat {
  if (name.isNothing) return DEFAULT_FEDERATION;
  const federation = FEDERATION_FORMATS.find((known) => known === name.json);
  return federation ?? name.refuse(`one of ${FEDERATION_FORMATS.join(', ')}`);
}

function readVersion(given: unknown): number {
  const isKnown = typeof given === 'number' && given >= OLDEST_DUMP_VERSION && given <= DUMP_VERSION;
  if (isKnown && Number.isInteger(given)) return given;
  throw new InvalidDumpError(
    `it has format version ${JSON.stringify(given)}, expected ${OLDEST_DUMP_VERSION} to ${DUMP_VERSION}`,
  );
}

function readLimits(line: StrictValue): DumpLimits {
  const name = line.field('order');
  const order = TRANSACTION_ORDERS.find((known) => known === name.json);
  return {
    networkLimits: line.field('networkLimits').flag(),
    codeSizeLimit: line.field('codeSizeLimit').orNull((bytes) => bytes.count()),
    order: order ?? name.refuse(`one of ${TRANSACTION_ORDERS.join(', ')}`),
  };
}
