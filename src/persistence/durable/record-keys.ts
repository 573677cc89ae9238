/**
 * The version of all that is in a data directory: its keys, and what stands under them.
 *
 * | key | what stands there |
 * |---|---|
 * | `b` `h` `t` `r` `l` | blocks, their numbers by hash, positions of transactions, ranges of reserved blocks, line records |
 * | `n` `c` | nodes and codes of states, by hash; those of states that are gone too |
 * | {@link RECORD_KEYS} | what the chain is besides, as JSON with the values of a dump |
 */
export const DATA_VERSION = 1;

/** The keys of single records, and what others begin with. */
export const RECORD_KEYS = {
  /** {@link DATA_VERSION}. */
  version: '.version',
  /** What the options settled for good. */
  facts: '.facts',
  /** The first block as it was made, and the root of its state. */
  origin: '.origin',
  /** What the options of the last start said of what can change. */
  wishes: '.wishes',
  /** What the chain is now, but for its blocks and its pool. */
  moment: '.moment',
  /** The accounts of the wallet. */
  keys: '.keys',
  /** A transaction of the pool, by sender and nonce. */
  poolPrefix: 'p',
  /** A snapshot, by its place among those kept. */
  snapshotPrefix: 's',
} as const;
