import { type ChainOptions, TRANSACTION_ORDERS } from '../../chain/settings/chain-options.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../protocol/hardforks/registry.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import type { StrictValue } from '../../wire/strict-value.ts';

/**
 * The name of the format of dumps: lines of JSON, one value each, in this order.
 *
 * | line | contents |
 * |---|---|
 * | `{format, version, ruleSet, difficulty, remasc, networkLimits, codeSizeLimit, order}` | once, first: this name, {@link DUMP_VERSION}, the name of the rule set, the difficulty of blocks, whether REMASC ends them, whether the network's own limits hold, the most bytes of code (`null` for no limit), which transactions come first (`fees` or `fifo`); the last three since version 2 |
 * | `{fork}` | of a fork, second: the URLs of the upstream with secrets masked, its chain id, the pinned block with number and hash, the transaction that it begins before, the funds of accounts, and whether all fetched answers follow |
 * | `{answer: {call, result}}` | of a complete fork: an answer of the upstream, in the order of the texts of the calls |
 * | `{code}` | code that later lines reference by its Keccak hash; before the first of them |
 * | `{block, state, root?, hasOtherParent?}` | for each block from the first on: with its header, transactions, receipts and uncles, and how the state after it differs from that after the block before, the first from nothing, or from the upstream's state at the pinned block; `root` where it is not the header's `stateRoot` because the state was changed with cheats; `state` is `null` for an unknown state; `hasOtherParent` is true if the block names another parent than the block before, as blocks of Anvil's files can |
 * | `{range}` | for consecutive empty blocks that are computed on access: their parameters; their state is that of the block below |
 * | `{snapshot, head, state, root, …}` | for each kept snapshot, oldest first: its id, the number of its head, how its state differs from that after the block with that number, and its moment |
 * | `{present: {head, lastSnapshot, …, keys?}}` | once, last: the number of the head, the number given to the last snapshot, the moment, and the keys of the wallet if they were asked for |
 *
 * A header has no `logsBloom` when it equals the bloom of the block's logs (of none for an uncle); a transaction is its
 * bytes and its sender.
 * A *state difference* has a field for each changed account, in the order of the hashes of addresses: `null` for a
 * deleted one, else `{nonce, balance, codeHash?, storage?}` with changed code and changed slots. For a fork it covers
 * what is written over the upstream's state: `isOverFork` when other slots have the upstream's values, `null` for a slot
 * and `"fork"` for an account without a local entry any more; `codeHash` is present whenever there was no local entry
 * before.
 * A *moment* is `{clock, mining, settings, impersonation, pool}`. Time is kept as an offset from the machine's clock, so
 * it passes while a chain is in a file. Integers of any size are QUANTITY, bytes DATA.
 *
 * A dump contains everything that later blocks depend on, except for the program itself; options of serving (dialect,
 * limits of requests, network id, keys for callers) are not included.
 *
 * Equal chains have equal lines. The bytes compressed with gzip are equal only with the same version of zlib, which may
 * differ between machines.
 */
export const DUMP_FORMAT = 'node-cli chain';

/** The version that is written, and the newest that is read. */
const DUMP_VERSION = 2;

/** The oldest version that is read. */
const OLDEST_DUMP_VERSION = 1;

/** The settings that are fixed at the start and decide which transactions blocks contain, and in what order. */
export type DumpLimits = Pick<ChainOptions, 'networkLimits' | 'codeSizeLimit' | 'order'>;

/** The first line of a dump, which shows whether a chain can continue from it. */
export interface DumpHeading {
  /** The version of the format. */
  readonly version: number;
  readonly ruleSet: RuleSetName;
  /** The difficulty of each block; without meaning under proof of stake. */
  readonly difficulty: bigint;
  /** True when each block ends with the transaction of REMASC. */
  readonly remasc: boolean;
  /** `null` in version 1, which has no such field. */
  readonly limits: DumpLimits | null;
}

/** Returns the heading of a chain with those options as JSON. */
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
export function readHeading(line: StrictValue): DumpHeading {
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
