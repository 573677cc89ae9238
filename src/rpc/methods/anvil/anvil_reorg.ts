import type { ReorgTransaction } from '../../../chain/mining/reorganizer.ts';
import { giveWay } from '../../../primitives/interrupt.ts';
import { requireKeys } from '../../accounts.ts';
import { boolean } from '../../codecs/basic.ts';
import { type ReorgPlacement, reorgRequest, reorgTransactions } from '../../codecs/reorg-options.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { NULL } from '../../result-shapes.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { transactionRequest } from '../../transaction-request.ts';

/** The transactions by the index of their block. Throws {@link InvalidParamsError} for a block that is not replaced. */
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
        ? { transaction: context.chain.decode(wanted) }
        : { sender: wanted.from, request: await transactionRequest(wanted, context) };
    const others = blocks.get(index);
    if (others === undefined) blocks.set(index, [transaction]);
    else others.push(transaction);
    // There can be very many, and a signature takes a while.
    await giveWay(context.checkInterrupt);
  }
  return blocks;
}

/**
 * Replaces the newest blocks by as many others, empty but for the transactions that are given: raw ones, or objects
 * that the node signs with the nonces of the new chain. The transactions of the replaced blocks are gone, or come back
 * into the pool when they are to be kept. Filters and subscriptions are told. Snapshots taken on replaced blocks are
 * gone. All may stand in one object.
 */
export const anvil_reorg = defineMethod({
  name: 'anvil_reorg',
  summary: 'Replaces the newest blocks by others',
  differs: 'Takes an object too, and `keepTransactions` to put what was replaced back into the pool',
  params: [
    param('depth', reorgRequest),
    optional('transactions', reorgTransactions, []),
    optional('keepTransactions', boolean, false),
  ],
  result: { description: 'Nothing of meaning', schema: { type: 'null' } },
  shape: NULL,
  example: {
    params: [
      '0x2',
      [
        [
          {
            from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
            value: '0x1',
          },
          0,
        ],
      ],
      true,
    ],
    result: null,
  },
  handler: async (context, request, transactions, keepTransactions) => {
    requireKeys(context, 'anvil_reorg');
    const { chain, life } = context;
    const placements = request.transactions ?? transactions;
    await chain.reorganizer.reorganize({
      depth: request.depth,
      transactions: await byBlock(context, request.depth, placements),
      keepsTransactions: request.keepTransactions ?? keepTransactions,
      life,
    });
  },
});
