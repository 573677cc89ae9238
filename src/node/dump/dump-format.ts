/**
 * The name of the format in which a chain is dumped: lines of JSON, one value each, in this order.
 *
 * | line | what it holds |
 * |---|---|
 * | `{format, version, ruleSet, difficulty, remasc}` | once, first: this name, {@link DUMP_VERSION}, the name of the rule set, the difficulty of blocks, whether REMASC ends them |
 * | `{code}` | code that lines below name by its Keccak hash; before the first of them |
 * | `{block, state, root?}` | for each block from the first on: with its header, transactions, receipts and uncles, and how the state after it differs from that after the block before, the first from nothing; `root` where it is not the header's `stateRoot` because the state was changed by hand; `state` is `null` for a state that is not known |
 * | `{range}` | for empty blocks that follow each other and have not been made: what they are made of; their state is that below |
 * | `{snapshot, head, state, root, …}` | for each kept snapshot, oldest first: its id, the number of its head, how its state differs from that after the block with that number, and its moment |
 * | `{present: {head, lastSnapshot, …, keys?}}` | once, last: the number of the head, the number given to the last snapshot, the moment, and the keys of the wallet if they were asked for |
 *
 * A header has no `logsBloom` where it is that of the block's logs (of none for an uncle); a transaction is its bytes and
 * its sender.
 * A *state difference* has a field for each account that is another one, in the order of the hashes of addresses:
 * `null` for one that is gone, else `{nonce, balance, codeHash?, storage?}` with the code and the slots that changed.
 * A *moment* is `{clock, mining, settings, impersonation, pool}`. Time is kept as an offset from the clock of the
 * machine, so it goes on while a chain lies in a file. Integers of any size are QUANTITY, bytes DATA.
 *
 * Equal chains give equal lines. Compressed with gzip the bytes are the same as far as zlib is: its version may differ
 * between machines.
 */
export const DUMP_FORMAT = 'node-cli chain';

/** The version that is written, and the only one that is read. */
export const DUMP_VERSION = 1;
