import type { ReorgTransaction } from '../../../chain/mining/reorganizer.ts';
import { yieldToOthers } from '../../../scheduling/cancel-check.ts';
import { boolean, pairOf } from '../../codecs/basic.ts';
import { type TransactionObject, transactionObject } from '../../codecs/call-object.ts';
import {
  arrayOf,
  type Codec,
  chosenBy,
  type Decoded,
  objectOf,
  type Reading,
  refined,
} from '../../codecs/codec.ts';
import { data, index } from '../../codecs/hex-values.ts';
import { depth } from '../../codecs/settings.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { clientCheck } from '../../request-check.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { transactionRequest } from '../../transaction-request.ts';

/** A transaction of a replacement block: raw bytes, or an object that the node signs. */
type WantedTransaction = Uint8Array | TransactionObject;

const wantedTransaction: Codec<WantedTransaction> = chosenBy<WantedTransaction>(
  (value) => (typeof value === 'string' ? data : transactionObject),
  [data, transactionObject],
);

/** Transactions, each with the index of its replacement block. */
const reorgTransactions = arrayOf(
  pairOf(wantedTransaction, index, 'an array of two items: a transaction and the index of a block'),
  'an array of pairs, each with a transaction and the index of a block',
);

/** A transaction with the index of its block among the replacement blocks. */
export type ReorgPlacement = Decoded<typeof reorgTransactions>[number];

/** The options of a reorganization; `null` if absent. */
export interface ReorgRequest {
  readonly depth: number;
  readonly transactions: readonly ReorgPlacement[] | null;
  readonly keepTransactions: boolean | null;
}

const depthOnly: Codec<ReorgRequest> = refined(depth, (value) => ({
  value: { depth: value, transactions: null, keepTransactions: null },
}));

const fields: Codec<ReorgRequest> = refined(
  objectOf(
    { depth, transactions: reorgTransactions, txBlockPairs: reorgTransactions, keepTransactions: boolean },
    'an object with depth, transactions and keepTransactions',
  ),
  ({ depth: blocks, transactions, txBlockPairs, keepTransactions }): Reading<ReorgRequest> => {
    if (blocks === null) return { path: ['depth'], expected: 'the number of blocks to replace' };
    return { value: { depth: blocks, transactions: transactions ?? txBlockPairs, keepTransactions } };
  },
);

/** The number of blocks to replace, or an object with all options. */
const reorgRequest: Codec<ReorgRequest> = chosenBy(
  (value) => (typeof value === 'object' && value !== null ? fields : depthOnly),
  [depthOnly, fields],
);

/** Returns the transactions by block index. Throws {@link InvalidParamsError} for an index too high. */
async function byBlock(
  context: RpcContext,
  depth: number,
  placements: readonly ReorgPlacement[],
): Promise<Map<number, ReorgTransaction[]>> {
  const blocks = new Map<number, ReorgTransaction[]>();
  for (const [position, [wanted, index]] of placements.entries()) {
    if (index >= depth) {
      throw new InvalidParamsError(
        `transactions[${position}][1]`,
        `an index below the depth ${depth}`,
        String(index),
      );
    }
    const transaction =
      wanted instanceof Uint8Array
        ? { transaction: context.node.chain.decode(wanted) }
        : { sender: wanted.from, request: await transactionRequest(wanted, context) };
    const others = blocks.get(index);
    if (others === undefined) blocks.set(index, [transaction]);
    else others.push(transaction);
    // There may be many, and a signature takes time.
    await yieldToOthers(context.deadline);
  }
  return blocks;
}

export const ANVIL_REORG: readonly Method[] = [
  /**
   * Replaces the newest blocks by the same number of new blocks. They contain only the given transactions:
   * raw ones, or objects that the node signs with the nonces of the new chain. The old transactions are
   * dropped, or return to the pool with `keepTransactions`. Filters and subscriptions are notified. Snapshots
   * of replaced blocks expire. One object may contain all parameters.
   */
  defineMethod({
    name: 'anvil_reorg',
    summary: 'Reorganizes the chain: replaces the newest blocks',
    differs:
      'Also accepts one object with all parameters. With `keepTransactions`, the transactions of the replaced blocks return to the pool. Replaced blocks can still be read by hash, except with `--compat anvil`',
    params: [
      param('depth', reorgRequest),
      optional('transactions', reorgTransactions, []),
      optional('keepTransactions', boolean, false),
    ],
    needsKeys: true,
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    shape: NULL,
    handler: async (context, request, transactions, keepTransactions) => {
      const { chain } = context.node;
      const { connection, generation, call, settings } = context;
      const placements = request.transactions ?? transactions;
      await chain.reorganizer.reorganize({
        depth: request.depth,
        transactions: await byBlock(context, request.depth, placements),
        keepsTransactions: request.keepTransactions ?? keepTransactions,
        keepsBlocks: settings.compat.keepsReplacedBlocks,
        requireClient: clientCheck(connection),
        life: generation,
        call,
      });
    },
  }),
  /** Filters and subscriptions are notified; snapshots of the removed blocks expire. */
  defineMethod({
    name: 'anvil_rollback',
    aliases: { hardhat_rollback: TRUE },
    summary: 'Removes the newest blocks',
    differs: 'The depth is optional (default 1)',
    params: [optional('depth', depth, 1)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain }, call }, blocks) => chain.reorganizer.rollback(blocks, call),
  }),
];
